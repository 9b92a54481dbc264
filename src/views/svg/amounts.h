// SPDX-License-Identifier: Apache-2.0
// Amounts in the titles of a flame graph, based on views/numbers.h.
//
// web/src/ui/amounts.ts writes the same numbers in the same form; change both together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wick {

// "12.34 %". A positive share is never shown as zero.
std::string percent_text(double fraction);

// "1 frame", "1,234 frames".
std::string frames_text(uint64_t frames);

// An amount and a percentage with their sign, for differences.
std::string signed_amount_text(double weight, std::string_view unit);
std::string signed_percent_text(double fraction);

}  // namespace wick
