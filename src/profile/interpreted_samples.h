// SPDX-License-Identifier: Apache-2.0
// How far to trust the functions of interpreted programs in the stacks of a profile. Each sample has
// one state: that of the worst of these frames in its stack. Its stack has none, and no evaluator
// either, if no interpreter was involved.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

#include "profile/profile.h"

namespace wick {

enum class InterpretedState : uint8_t {
  kNone,                 // no interpreter
  kVerified,             // of the sample, and the native frames agree
  kUnverified,           // read a moment later
  kUnmatched,            // the native frames do not agree
  kUnmatchedIncomplete,  // the same, but outer native frames are missing
  kUnread,               // an evaluator ran, and none of its functions is known
};
inline constexpr size_t kInterpretedStates = 6;

struct InterpretedWords {
  std::string_view name;    // "verified"; two states may have the same
  std::string_view reason;  // empty for kNone
  std::string_view advice;
};
const InterpretedWords& words_of(InterpretedState state);

// What a frame adds to the marks of its stack, as bits. The page uses the same numbers.
uint8_t interpreted_marks(FrameOrigin origin, uint8_t flags);
inline constexpr uint8_t kAllInterpretedMarks = 31;
// Marks of functions that are in their place between native frames.
inline constexpr uint8_t kPlacedMarks = 3;
InterpretedState interpreted_state(uint8_t marks, bool is_complete);

struct InterpretedSamples {
  std::array<uint64_t, kInterpretedStates> counts = {};

  uint64_t all() const { return std::reduce(counts.begin(), counts.end()); }
  uint64_t of(InterpretedState state) const { return counts[static_cast<size_t>(state)]; }
  uint64_t unmatched() const {
    return of(InterpretedState::kUnmatched) + of(InterpretedState::kUnmatchedIncomplete);
  }
  // With functions of a program.
  uint64_t with_functions() const {
    return of(InterpretedState::kVerified) + of(InterpretedState::kUnverified) + unmatched();
  }
};
InterpretedSamples count_interpreted(const Profile& profile);

// "97.1 % with functions of Python, 99.2 % of these verified". Empty if there are none.
std::string interpreted_text(const Profile& profile);

// The losses that say why an interpreter could not be read have this `what`.
inline constexpr std::string_view kUnreadSamples = "samples without functions";

// What to do if an interpreter ran, and the profile has no function of any program that it ran: a
// sentence. Empty if there is nothing to do, for less than 1 % of the samples, or if a loss says it.
std::string unread_text(const Profile& profile);

}  // namespace wick
