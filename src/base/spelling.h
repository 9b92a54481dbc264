// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the candidate that is most similar to a mistyped word.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace wick {

// Empty if no candidate is similar: at most a third of the word's letters may be added, dropped,
// changed or swapped. Candidates much longer than the word are skipped, so long names cost nothing.
std::string nearest_spelling(std::string_view word, std::span<const std::string> candidates);

}  // namespace wick
