// SPDX-License-Identifier: Apache-2.0
#include "formats/counts.h"

#include <array>
#include <bit>

#include <fmt/format.h>

namespace wick {
namespace {

constexpr int64_t kMinPeriod = 1000;  // a smaller divisor may be chance, or a real batch of samples
constexpr uint64_t kMinNumbers = 5;   // fewer numbers share a divisor too easily
// A single stack with this many samples takes minutes at any usual rate. As a mean over all stacks
// it would take far longer than anyone records.
constexpr double kMeanWeight = 1e5;

void note(std::string_view reason, std::string_view detail, ProfileBuilder& builder) {
  builder.add_loss(
      {.reason = reason, .what = "", .detail = detail, .count = 0, .severity = LossClass::kNotice});
}

}  // namespace

CountedUnit parse_unit(std::string_view word) {
  constexpr std::array<CountedUnit, 4> kTimes = {
      {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
  for (const CountedUnit& time : kTimes) {
    if (word == time.name) {
      return {"nanoseconds", time.factor};
    }
  }
  return {word.empty() ? "samples" : word, 1};
}

bool is_period(int64_t divisor, uint64_t numbers) {
  // A size in bytes, not a period.
  bool size_like = std::has_single_bit(static_cast<uint64_t>(divisor));
  return numbers >= kMinNumbers && divisor >= kMinPeriod && !size_like;
}

void note_period(int64_t divisor, ProfileBuilder& builder) {
  note("numbers taken as event periods, not as samples",
       fmt::format("all are multiples of {}; --unit samples reads them as samples", divisor),
       builder);
}

bool are_weights(bool fractions, double sum, uint64_t numbers) {
  bool large = numbers >= kMinNumbers && sum >= kMeanWeight * static_cast<double>(numbers);
  return fractions || large;
}

void note_weights(bool fractions, ProfileBuilder& builder) {
  note("numbers taken as weights, not as samples",
       fmt::format("{}, so their uncertainty is unknown; --unit samples reads them as samples, "
                   "--unit ms as times",
                   fractions ? "they have decimals" : "they are too large for samples"),
       builder);
}

}  // namespace wick
