// SPDX-License-Identifier: Apache-2.0
// The words and limits of a comparison's verdict: one copy for every analysis and for the page.
#pragma once

#include <string_view>

namespace wick {

enum class Verdict { kNoEvidence, kLess, kMore };

inline constexpr std::string_view kNoEvidenceText = "no evidence";

// What changed. A larger share of the whole does not mean that something became slower: when one
// row shrinks, the shares of all others grow.
enum class VerdictOn { kTime, kSize, kShare };

constexpr std::string_view verdict_text(Verdict verdict, VerdictOn on) {
  switch (verdict) {
    case Verdict::kMore:
      return on == VerdictOn::kShare ? "more" : on == VerdictOn::kSize ? "larger" : "slower";
    case Verdict::kLess:
      return on == VerdictOn::kShare ? "less" : on == VerdictOn::kSize ? "smaller" : "faster";
    case Verdict::kNoEvidence:
      break;
  }
  return kNoEvidenceText;
}

// Sentences about the cost of everything together. The gaps are: "After", the change in percent,
// kWholeMoreText or kWholeLessText, and the two amounts.
inline constexpr std::string_view kWholeText = "{} costs {} % {}: {} before, {} after";
inline constexpr std::string_view kWholeSameText = "{} costs the same: {}";
inline constexpr std::string_view kWholeMoreText = "more";
inline constexpr std::string_view kWholeLessText = "less";
inline constexpr std::string_view kMayBeChanceText =
    "This may be chance: there is no evidence of a change.";

// Rows with fewer samples on both sides together are not judged: no number of them could be
// evidence after the correction, and they would weaken the evidence for others. The choice does not
// depend on the difference, so it is not peeking.
inline constexpr double kLeastSamples = 10;

}  // namespace wick
