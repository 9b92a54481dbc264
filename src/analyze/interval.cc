#include "analyze/interval.h"

#include <algorithm>
#include <cmath>

namespace wick {

Interval share_interval(double share, double samples) {
  if (samples <= 0) {
    return {};
  }
  constexpr double kZ = 1.959963984540054;  // 97.5 % quantile of the normal distribution
  double z2 = kZ * kZ;
  double centre = (share + z2 / (2 * samples)) / (1 + z2 / samples);
  double variance = share * (1 - share) / samples + z2 / (4 * samples * samples);
  double half = kZ * std::sqrt(std::max(0.0, variance)) / (1 + z2 / samples);
  // At the ends the formula gives 0 and 1 but for rounding.
  return {share <= 0 ? 0.0 : std::max(0.0, centre - half),
          share >= 1 ? 1.0 : std::min(1.0, centre + half)};
}

}  // namespace wick
