// SPDX-License-Identifier: Apache-2.0
#include "views/svg/amounts.h"

#include <cmath>

#include "views/numbers.h"

namespace wick {
namespace {

constexpr double kSmallest = 0.0001;  // smallest share that share_text shows

std::string sign_of(double value) {
  return value > 0 ? "+" : value < 0 ? "-" : "";
}

}  // namespace

std::string percent_text(double fraction) {
  if (!std::isfinite(fraction) || fraction <= 0) {
    return "0 %";
  }
  return fraction < kSmallest ? "under 0.01 %" : share_text(fraction) + " %";
}

std::string frames_text(uint64_t frames) {
  return count_text(static_cast<double>(frames)) + (frames == 1 ? " frame" : " frames");
}

std::string signed_amount_text(double weight, std::string_view unit) {
  return sign_of(weight) + amount_text(std::abs(weight), unit);
}

std::string signed_percent_text(double fraction) {
  if (std::abs(fraction) < kSmallest && fraction != 0) {
    return fraction > 0 ? "up under 0.01 %" : "down under 0.01 %";
  }
  return sign_of(fraction) + percent_text(std::abs(fraction));
}

}  // namespace wick
