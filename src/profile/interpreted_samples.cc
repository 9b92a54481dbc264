// SPDX-License-Identifier: Apache-2.0
#include "profile/interpreted_samples.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profile/names.h"
#include "profile/shown_frames.h"

namespace wick {
namespace {

constexpr uint8_t kHasVerified = 1;
constexpr uint8_t kHasLate = 2;
constexpr uint8_t kHasUnmatched = 4;
constexpr uint8_t kHasEvaluator = 8;
constexpr uint8_t kHasAwaiting = 16;  // which says nothing about the other frames
static_assert((kHasVerified | kHasLate | kHasUnmatched | kHasEvaluator | kHasAwaiting) ==
              kAllInterpretedMarks);
static_assert((kHasVerified | kHasLate) == kPlacedMarks);

constexpr std::array<InterpretedWords, kInterpretedStates> kWords = {
    InterpretedWords{"", "", ""},
    InterpretedWords{
        "verified",
        "the interpreter's frames were copied at the sample, or proven by it, and the native "
        "frames agree",
        ""},
    InterpretedWords{
        "unverified",
        "the interpreter's frames were read near the sample, which does not prove them",
        "`wick record` as root, with BPF, copies them at the sample"},
    InterpretedWords{"unmatched",
                     "the interpreter's frames do not fit between the native frames: they are "
                     "together, next to the outermost frame of the evaluator",
                     "none: the interpreter was about to enter or leave a function, or the program "
                     "switches stacks by itself"},
    InterpretedWords{"unmatched",
                     "native frames are missing, so the interpreter's frames are together, next to "
                     "the outermost frame of the evaluator",
                     "complete native stacks: see why stacks are incomplete"},
    InterpretedWords{"unread",
                     "the interpreter ran, but its frames were not read",
                     "none while it starts or ends; else record with a version of wick that can "
                     "read this interpreter"}};

double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

// "Python": the languages of the functions that interpreters reported.
std::string languages(const Profile& profile) {
  std::set<std::string_view> names;
  for (const Frame& frame : profile.frames) {
    if (is_interpreted(frame.origin)) {
      names.insert(frame.language == Language::kUnknown ? "an interpreter"
                                                        : name_of(frame.language));
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

const InterpretedWords& words_of(InterpretedState state) {
  return kWords[static_cast<size_t>(state)];
}

uint8_t interpreted_marks(FrameOrigin origin, uint8_t flags) {
  switch (origin) {
    case FrameOrigin::kInterpreter:
      return kHasVerified;
    case FrameOrigin::kInterpreterLate:
      return kHasLate;
    case FrameOrigin::kInterpreterUnmatched:
      return kHasUnmatched;
    case FrameOrigin::kInterpreterAwaiting:
      return kHasAwaiting;
    default:
      return (flags & kEvaluator) != 0 ? kHasEvaluator : 0;
  }
}

InterpretedState interpreted_state(uint8_t marks, bool is_complete) {
  if ((marks & kHasUnmatched) != 0) {
    return is_complete ? InterpretedState::kUnmatched : InterpretedState::kUnmatchedIncomplete;
  }
  if ((marks & kHasLate) != 0) {
    return InterpretedState::kUnverified;
  }
  if ((marks & kHasVerified) != 0) {
    return InterpretedState::kVerified;
  }
  return (marks & kHasEvaluator) != 0 ? InterpretedState::kUnread : InterpretedState::kNone;
}

InterpretedSamples count_interpreted(const Profile& profile) {
  std::vector<uint8_t> marks(profile.stacks.size());
  for (size_t row = 1; row < marks.size(); ++row) {
    StackId stack = StackId::from_index(row);
    const Frame& frame = profile.frames[profile.stacks.frame(stack)];
    marks[row] = static_cast<uint8_t>(marks[profile.stacks.parent(stack).index()] |
                                      interpreted_marks(frame.origin, frame.flags));
  }
  InterpretedSamples samples;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    bool is_complete = profile.samples.ending[row] == StackEnd::kComplete;
    InterpretedState state =
        interpreted_state(marks[profile.samples.stack[row].index()], is_complete);
    samples.counts[static_cast<size_t>(state)] += profile.samples.count[row];
  }
  return samples;
}

std::string interpreted_text(const Profile& profile) {
  InterpretedSamples samples = count_interpreted(profile);
  uint64_t with_functions = samples.with_functions();
  if (with_functions == 0) {
    return "";
  }
  return fmt::format("{:.1f} % with functions of {}, {:.1f} % of these verified",
                     percent(with_functions, samples.all()),
                     languages(profile),
                     percent(samples.of(InterpretedState::kVerified), with_functions));
}

std::string unread_text(const Profile& profile) {
  constexpr double kLeastPercent = 1;
  auto evaluator = std::ranges::find_if(
      profile.frames, [](const Frame& frame) { return (frame.flags & kEvaluator) != 0; });
  bool is_said = std::ranges::any_of(profile.losses, [&](const Loss& loss) {
    return profile.strings[loss.what] == kUnreadSamples;
  });
  if (evaluator == profile.frames.end() || has_interpreted_frames(profile) || is_said) {
    return "";
  }
  InterpretedSamples samples = count_interpreted(profile);
  double share = percent(samples.of(InterpretedState::kUnread), samples.all());
  if (share < kLeastPercent) {
    return "";
  }
  return fmt::format(
      "An interpreter ({}) ran in {:.1f} % of the samples, and this profile has no function of its "
      "program: `wick record` adds them, without --no-runtimes and if `wick doctor -p PID` "
      "knows the interpreter.",
      module_name(profile, *evaluator),
      share);
}

}  // namespace wick
