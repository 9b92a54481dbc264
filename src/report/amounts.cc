// SPDX-License-Identifier: Apache-2.0
#include "report/amounts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/plural.h"

namespace wick {
namespace {

constexpr std::string_view kUnknown = "-";

struct Step {
  double size;
  std::string_view unit;
};

std::string scaled(double value, const Step* begin, const Step* end) {
  const Step* step = begin;
  while (step + 1 != end && std::abs(value) < step->size) {
    ++step;
  }
  double shown = value / step->size;
  int decimals = std::abs(shown) < 10 ? 2 : std::abs(shown) < 100 ? 1 : 0;
  return fmt::format("{:.{}f} {}", shown, decimals, step->unit);
}

template <size_t N>
std::string scaled(double value, const std::array<Step, N>& steps) {
  return scaled(value, steps.data(), steps.data() + N);
}

std::string with_separators(std::string digits) {
  size_t start = digits.starts_with('-') ? 1 : 0;
  for (size_t at = digits.size(); at > start + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

}  // namespace

std::string count_text(double count) {
  if (std::isnan(count)) {
    return std::string(kUnknown);
  }
  return with_separators(fmt::format("{:.0f}", count));
}

std::string weight_text(double weight, std::string_view unit) {
  if (std::isnan(weight)) {
    return std::string(kUnknown);
  }
  constexpr std::array kTimes = {Step{1e9, "s"}, Step{1e6, "ms"}, Step{1e3, "us"}, Step{1, "ns"}};
  constexpr std::array kSizes = {
      Step{1 << 30, "GiB"}, Step{1 << 20, "MiB"}, Step{1 << 10, "KiB"}, Step{1, "B"}};
  if (weight == 0 && (unit == "nanoseconds" || unit == "seconds")) {
    return "0 s";
  }
  if (weight == 0 && unit == "bytes") {
    return "0 B";
  }
  if (unit == "nanoseconds") {
    return scaled(weight, kTimes);
  }
  if (unit == "seconds") {
    return scaled(1e9 * weight, kTimes);
  }
  if (unit == "bytes") {
    return scaled(weight, kSizes);
  }
  double whole = std::trunc(weight);
  if (weight == whole || std::abs(weight) >= 1e6) {
    return count_text(weight);
  }
  return std::abs(weight) < 1 ? fmt::format("{:.4g}", weight) : fmt::format("{:.2f}", weight);
}

std::string amount_text(double weight, std::string_view unit) {
  bool has_unit = unit == "nanoseconds" || unit == "seconds" || unit == "bytes" || unit.empty();
  std::string text = weight_text(weight, unit);
  if (has_unit) {
    return text;
  }
  return text + " " + (text == "1" ? singular(terminal_text(unit)) : terminal_text(unit));
}

TimesText::TimesText(double largest_seconds) {
  constexpr std::array kUnits = {Step{1, "s"}, Step{1e-3, "ms"}, Step{1e-6, "us"}};
  auto fits = [&](const Step& unit) { return largest_seconds >= unit.size; };
  const auto* found = std::ranges::find_if(kUnits, fits);
  const Step& unit = found != kUnits.end() ? *found
                     : largest_seconds > 0 ? kUnits.back()
                                           : kUnits.front();
  unit_seconds_ = unit.size;
  unit_ = unit.unit;
}

std::string TimesText::of(double seconds) const {
  double number = seconds / unit_seconds_;
  int decimals = number >= 1000 ? 0 : number >= 100 ? 1 : number >= 10 ? 2 : 3;
  return fmt::format("{:.{}f} {}", number, decimals, unit_);
}

}  // namespace wick
