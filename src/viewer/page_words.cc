// SPDX-License-Identifier: Apache-2.0
#include "viewer/page_words.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/distributions.h"
#include "base/statistics.h"
#include "base/verdict.h"
#include "profile/frame_kinds.h"
#include "profile/interpreted_samples.h"
#include "profile/late_samples.h"
#include "profile/names.h"
#include "profile/shown_frames.h"
#include "profile/stack_end_words.h"

namespace wick {
namespace {

// Calls `write` for each value of an enumeration, inside an array.
template <typename Enum, typename Write>
void write_each(JsonWriter& json, std::string_view name, Write write) {
  json.key(name);
  json.begin_array();
  for (size_t i = 0; i <= static_cast<size_t>(last_of(Enum{})); ++i) {
    write(static_cast<Enum>(i));
  }
  json.end_array();
}

void write_stack_ends(JsonWriter& json) {
  write_each<StackEnd>(json, "stack_ends", [&](StackEnd end) {
    json.begin_object();
    json.field("class", stack_end_class(end));
    json.field("advice", stack_end_advice(end));
    json.end_object();
  });
}

void write_origins(JsonWriter& json) {
  write_each<FrameOrigin>(
      json, "origin_meanings", [&](FrameOrigin origin) { json.value(origin_meaning(origin)); });
}

void write_modes(JsonWriter& json) {
  write_each<Mode>(json, "modes", [&](Mode mode) {
    json.begin_object();
    json.field("kernel", is_kernel(mode));
    json.end_object();
  });
}

void write_kinds(JsonWriter& json) {
  json.key("kinds");
  json.begin_array();
  for (std::string_view kind : kFrameKinds) {
    json.begin_object();
    json.field("name", kind);
    json.field("apart", separates_namesakes(kind));
    json.end_object();
  }
  json.end_array();
}

uint64_t kind_number(const Frame& frame) {
  auto kind = std::ranges::find(kFrameKinds, frame_kind(frame));
  CHECK(kind != kFrameKinds.end());
  return static_cast<uint64_t>(kind - kFrameKinds.begin());
}

void write_frame_kinds(JsonWriter& json) {
  write_each<Mode>(json, "frame_kinds", [&](Mode mode) {
    json.begin_array();
    for (uint8_t flags = 0; flags <= kAllFrameFlags; ++flags) {
      json.value(kind_number({.mode = mode, .flags = flags}));
    }
    json.end_array();
  });
}

void write_language_kinds(JsonWriter& json) {
  write_each<Language>(json, "language_kinds", [&](Language language) {
    json.value(kind_number({.language = language}));
  });
}

void write_interpreted(JsonWriter& json) {
  json.key("interpreted");
  json.begin_object();
  json.field("native_code", kNativeCode);
  json.field("evaluator", uint64_t{kEvaluator});
  json.field("missing", uint64_t{static_cast<uint8_t>(FrameOrigin::kMissing)});
  json.field("placed", uint64_t{kPlacedMarks});
  write_each<FrameOrigin>(json, "marks", [&](FrameOrigin origin) {
    json.value(uint64_t{interpreted_marks(origin, 0)});
  });
  json.field("evaluator_mark", uint64_t{interpreted_marks(FrameOrigin::kUnknown, kEvaluator)});
  json.key("states");
  json.begin_array();
  for (size_t state = 0; state < kInterpretedStates; ++state) {
    const InterpretedWords& words = words_of(static_cast<InterpretedState>(state));
    json.begin_object();
    json.field("name", words.name);
    json.field("reason", words.reason);
    json.field("advice", words.advice);
    json.end_object();
  }
  json.end_array();
  json.key("state_of");
  json.begin_array();
  for (uint8_t marks = 0; marks <= kAllInterpretedMarks; ++marks) {
    json.begin_array();
    for (bool is_complete : {false, true}) {
      json.value(uint64_t{static_cast<uint8_t>(interpreted_state(marks, is_complete))});
    }
    json.end_array();
  }
  json.end_array();
  json.end_object();
}

void write_verdicts(JsonWriter& json) {
  json.key("verdicts");
  json.begin_object();
  json.field("none", kNoEvidenceText);
  for (const auto& [name, on] : {std::pair{"time", VerdictOn::kTime},
                                 std::pair{"size", VerdictOn::kSize},
                                 std::pair{"share", VerdictOn::kShare}}) {
    json.key(name);
    json.begin_array();
    json.value(verdict_text(Verdict::kLess, on));
    json.value(verdict_text(Verdict::kMore, on));
    json.end_array();
  }
  json.end_object();
  json.key("whole");
  json.begin_object();
  json.field("text", kWholeText);
  json.field("same", kWholeSameText);
  json.field("less", kWholeLessText);
  json.field("more", kWholeMoreText);
  json.field("chance", kMayBeChanceText);
  json.end_object();
}

void write_late(JsonWriter& json) {
  json.key("late");
  json.begin_object();
  json.key("events");
  json.begin_array();
  for (std::string_view event : kTimerEvents) {
    json.value(event);
  }
  json.end_array();
  json.key("functions");
  json.begin_object();
  for (const LateFunction& function : kLateFunctions) {
    json.field(function.name, function.ran);
  }
  json.end_object();
  json.field("mode", uint64_t{static_cast<uint8_t>(Mode::kKernel)});
  json.field("mark", kLateMark);
  json.field("note", kLateNote);
  json.field("function_note", kLateFunctionNote);
  json.field("least_share", kLeastLateShare);
  json.end_object();
}

}  // namespace

void write_words(JsonWriter& json) {
  json.begin_object();
  write_stack_ends(json);
  write_origins(json);
  write_modes(json);
  write_kinds(json);
  write_frame_kinds(json);
  write_language_kinds(json);
  write_interpreted(json);
  json.field("inlined", uint64_t{kInlined});
  json.field("stitched", name_of(FrameOrigin::kStitched));
  write_verdicts(json);
  write_late(json);
  json.field("level", kLevel);
  json.field("confidence", std::string_view(fmt::format("{:g} %", 100 * (1 - kLevel))));
  json.field("deviate", kNormal95);
  json.field("least_samples", kLeastSamples);
  json.end_object();
}

std::string words_text() {
  std::string text;
  Output out = Output::to_text(text);
  JsonWriter json(out);
  write_words(json);
  CHECK(out.finish());
  return text;
}

}  // namespace wick
