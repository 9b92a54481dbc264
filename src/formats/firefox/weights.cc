// SPDX-License-Identifier: Apache-2.0
#include "formats/firefox/weights.h"

#include <cmath>

namespace wick::firefox {
namespace {

constexpr uint32_t kFraction = 1'000'000;
constexpr double kNsPerMs = 1e6;

bool has_fraction(const Numbers& column) {
  size_t rows = column.is_constant() ? std::min<size_t>(1, column.size()) : column.size();
  for (size_t row = 0; row < rows; ++row) {
    if (column[row] != std::floor(column[row]) && !std::isnan(column[row])) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<Weight> Weights::of(const SampleTable& samples, size_t row, int64_t& total) const {
  double raw = at(samples.weight, row, 1.0);
  raw = std::isnan(raw) ? 1.0 : raw;
  double weight = std::round(raw * factor_);
  constexpr auto kMost = static_cast<double>(kMaxTotalWeight);
  if (!(weight >= 0) || weight >= kMost - static_cast<double>(total)) {
    return std::nullopt;
  }
  Weight result{.weight = static_cast<int64_t>(weight)};
  int64_t count = at(samples.count, row, int64_t{are_samples_ ? std::llround(std::ceil(raw)) : 0});
  result.count = count >= 0 && count < (int64_t{1} << 40) ? static_cast<uint64_t>(count) : 0;
  total += result.weight;
  return result;
}

Weights WeightRules::of_samples(const SampleTable& samples) {
  std::string_view type = builder_.text(samples.weight_type);
  if (!raw_.event.name.empty()) {
    return of_own_event();
  }
  if (type == "bytes") {
    return of_bytes("bytes");
  }
  if (type == "tracing-ms") {
    Event event{.name = builder_.string("time"),
                .unit = builder_.string("nanoseconds"),
                .kind = Quantity::kWallTime};
    return {builder_.event(event), kNsPerMs, false};
  }
  return of_counts();
}

Weights WeightRules::of_own_event() {
  const RawEvent& own = raw_.event;
  bool is_time = builder_.text(own.unit) == "nanoseconds";
  Event event{.name = own.name, .unit = own.unit};
  if (own.kind >= 0 && own.kind <= static_cast<int64_t>(last_of(Quantity()))) {
    event.kind = static_cast<Quantity>(own.kind);
  }
  event.period = static_cast<uint64_t>(std::max<int64_t>(own.period, 0));
  event.frequency = static_cast<uint64_t>(std::max<int64_t>(own.frequency, 0));
  event.scale = !is_time && has_fractions() ? kFraction : 1;
  return {builder_.event(event), is_time ? kNsPerMs : event.scale, false};
}

Weights WeightRules::of_counts() {
  StringId name = builder_.string("samples");
  Event event{.name = name, .unit = name, .scale = has_fractions() ? kFraction : 1};
  bool has_interval = raw_.interval > 1e-6 && raw_.interval <= 1000;
  event.frequency = has_interval ? static_cast<uint64_t>(std::llround(1000 / raw_.interval)) : 0;
  return {builder_.event(event), static_cast<double>(event.scale), true};
}

Weights WeightRules::of_bytes(std::string_view event) {
  return {builder_.event({.name = builder_.string(event),
                          .unit = builder_.string("bytes"),
                          .kind = Quantity::kBytes}),
          1,
          false};
}

bool WeightRules::has_fractions() {
  if (!has_fractions_) {
    has_fractions_ = std::ranges::any_of(
        raw_.threads, [](const RawThread& thread) { return has_fraction(thread.samples.weight); });
  }
  return *has_fractions_;
}

}  // namespace wick::firefox
