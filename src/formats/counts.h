// SPDX-License-Identifier: Apache-2.0
// The unit of numbers in formats without units: folded text and pictures made from it.
//
// The numbers are samples, unless `--unit` says otherwise. perf's collapsers add up event periods
// (10101010 for each sample at 99 Hz), which would make intervals far too narrow. So when all
// numbers are multiples of one large number, that number is taken as the period. Numbers with
// decimals, and numbers too large to be counts of samples, are weights with an unknown number of
// samples.
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
  std::string_view name;  // "nanoseconds", "samples", or the user's word
  int64_t factor = 1;     // of the number in the file
};
CountedUnit parse_unit(std::string_view word);

// Whether `numbers` numbers with this greatest common divisor are event periods.
bool is_period(int64_t divisor, uint64_t numbers);
// Reports this assumption to the user.
void note_period(int64_t divisor, ProfileBuilder& builder);

// Whether numbers that are not event periods are weights rather than samples. `fractions`: some
// have decimals.
bool are_weights(bool fractions, double sum, uint64_t numbers);
void note_weights(bool fractions, ProfileBuilder& builder);

}  // namespace wick
