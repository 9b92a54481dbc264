// SPDX-License-Identifier: Apache-2.0
// Units and nouns as they are written after a number: "12 samples", "1 sample".
// web/src/ui/amounts.ts has the same rules.
#pragma once

#include <string>
#include <string_view>

namespace wick {

// "sample" of "samples". A symbol ("ms"), a rate ("misses/s") and "series" stay as they are.
std::string singular(std::string_view plural);

}  // namespace wick
