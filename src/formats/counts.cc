#include "formats/counts.h"

#include <array>
#include <bit>

#include <fmt/format.h>

namespace wick {
namespace {

constexpr int64_t kMinPeriod = 1000;  // below this it may be chance or a real batch of samples
constexpr uint64_t kMinNumbers = 5;   // fewer share a divisor too easily

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
  bool size_like = std::has_single_bit(static_cast<uint64_t>(divisor));  // bytes, not periods
  return numbers >= kMinNumbers && divisor >= kMinPeriod && !size_like;
}

void note_period(int64_t divisor, ProfileBuilder& builder) {
  builder.add_loss({.reason = "numbers taken as event periods, not as samples",
                    .what = "",
                    .detail = fmt::format(
                        "all are multiples of {}; --unit samples reads them as samples", divisor),
                    .count = 0,
                    .severity = LossClass::kNotice});
}

}  // namespace wick
