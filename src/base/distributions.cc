// SPDX-License-Identifier: Apache-2.0
// The incomplete beta function is computed by its continued fraction (Lentz's method), as in the
// NIST Handbook of Mathematical Functions, 8.17.22. The fraction converges quickly for x below (a +
// 1) / (a + b + 2); for larger x the code uses the symmetry I_x(a, b) = 1 - I_(1-x)(b, a).
#include "base/distributions.h"

#include <cmath>
#include <limits>

namespace wick {
namespace {

constexpr double kNormalFrom = 1e7;  // more degrees of freedom: as good as infinite

double beta_fraction(double a, double b, double x) {
  constexpr int kMaxSteps = 100'000;
  constexpr double kTiny = 1e-300;
  auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int step = 1; step < kMaxSteps; ++step) {
    double m = step;
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    result *= d * c;
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    result *= d * c;
    if (std::abs(d * c - 1) < 1e-14) {
      break;
    }
  }
  return result;
}

// The argument at which a function that falls from 1 to 0 equals `probability`.
template <typename Tail>
double deviate(double probability, Tail tail) {
  if (probability >= 1) {
    return 0;
  }
  if (!(probability > 0)) {
    return std::numeric_limits<double>::infinity();
  }
  double high = 1;
  while (tail(high) > probability && high < 1e300) {
    high *= 2;
  }
  double low = high == 1 ? 0 : high / 2;
  for (int i = 0; i < 60; ++i) {
    double middle = (low + high) / 2;
    (tail(middle) > probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double normal_two_sided(double z) {
  return std::erfc(std::abs(z) / std::sqrt(2.0));
}

double normal_deviate(double probability) {
  return deviate(probability, [](double z) { return normal_two_sided(z); });
}

double student_two_sided(double t, double degrees) {
  if (degrees > kNormalFrom) {
    return normal_two_sided(t);
  }
  return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double student_deviate(double probability, double degrees) {
  if (degrees > kNormalFrom) {
    return normal_deviate(probability);
  }
  return deviate(probability, [&](double t) { return student_two_sided(t, degrees); });
}

double incomplete_beta(double a, double b, double x) {
  if (!(x > 0)) {
    return 0;
  }
  if (x >= 1) {
    return 1;
  }
  double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) +
                          b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) {
    return front * beta_fraction(a, b, x) / a;
  }
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace wick
