// SPDX-License-Identifier: Apache-2.0
// The words and limits of a comparison's verdict: one copy for every analysis and for the page.
#pragma once

#include <string_view>

namespace wick {

enum class Verdict { kNoEvidence, kLess, kMore };

inline constexpr std::string_view kNoEvidenceText = "no evidence";

// Of a cost: time, or bytes.
constexpr std::string_view verdict_text(Verdict verdict, std::string_view unit) {
  bool is_size = unit == "bytes";
  switch (verdict) {
    case Verdict::kMore:
      return is_size ? "larger" : "slower";
    case Verdict::kLess:
      return is_size ? "smaller" : "faster";
    case Verdict::kNoEvidence:
      break;
  }
  return kNoEvidenceText;
}

// Rows with fewer samples on both sides together are not judged: no number of them could be
// evidence after the correction, and they would weaken the evidence for others. The choice does not
// depend on the difference, so it is not peeking.
inline constexpr double kLeastSamples = 10;

}  // namespace wick
