// What the numbers of formats without units count: folded text and pictures of it.
//
// Samples, unless `--unit` says otherwise. perf's collapsers add up event periods (10101010 for
// each sample at 99 Hz), which would make intervals far too narrow; so when all numbers are
// multiples of one large number, that is taken as the period. Numbers with decimals, and numbers so
// large that nobody takes as many samples, are weights of which nobody knows the samples behind.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/flags.h"
#include "profile/builder.h"

namespace wick {

inline constexpr Flag kUnitFlag = {
    .name = "unit",
    .kind = FlagKind::kText,
    .value = "UNIT",
    .fallback = "",
    .help =
        "unit of the numbers in folded text and pictures: samples (default), ns, us, ms, s, bytes "
        "or another word"};

struct CountedUnit {
  std::string_view name;  // "nanoseconds", "samples", or the word itself
  int64_t factor = 1;     // of the number in the file
};
CountedUnit parse_unit(std::string_view word);

// Whether `numbers` numbers with this greatest common divisor are event periods.
bool is_period(int64_t divisor, uint64_t numbers);
// Tells the user that they were taken so.
void note_period(int64_t divisor, ProfileBuilder& builder);

// Whether numbers that are no event periods are no samples either. `fractions`: some have decimals.
bool are_weights(bool fractions, double sum, uint64_t numbers);
void note_weights(bool fractions, ProfileBuilder& builder);

}  // namespace wick
