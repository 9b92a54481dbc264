// SPDX-License-Identifier: Apache-2.0
// For tests: profiles with frames of an interpreter, from text. Folded text cannot say origins.
//
//     main;@;load:7!;sort;@;lib.py/key~ 3
//
// "@" is a frame of the evaluator, "@NAME" one that is inlined into it. "!" after a name is a
// verified function of Python, "~" an unverified and "?" an unmatched one; its file and line are
// optional. "[missing frames]" is itself. Anything else is native. The number is the weight, and the number of samples.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "profile/builder.h"

namespace wick::testing {

class InterpretedText {
 public:
  InterpretedText() {
    event_ = builder_.event({builder_.string("cpu-clock"), builder_.string("samples")});
    python_ = builder_.module({.path = builder_.string("/opt/app/bin/python3.11")});
    ProcessId process = builder_.process({.pid = 7, .name = builder_.string("app")});
    thread_ = builder_.thread({.tid = 7, .process = process, .name = builder_.string("app")});
  }

  // Each sample is a millisecond after the one before.
  void add_line(std::string_view line, StackEnd ending = StackEnd::kComplete) {
    size_t blank = line.rfind(' ');
    int64_t weight = 0;
    std::from_chars(line.data() + blank + 1, line.data() + line.size(), weight);
    StackId stack = kEmptyStack;
    for (std::string_view rest = line.substr(0, blank); !rest.empty();) {
      std::string_view frame = rest.substr(0, rest.find(';'));
      rest.remove_prefix(std::min(rest.size(), frame.size() + 1));
      stack = builder_.stack(stack, builder_.frame(frame_of(frame)));
    }
    builder_.add_sample({.time_ns = 1'000'000 * ++samples_,
                         .weight = weight,
                         .count = static_cast<uint64_t>(weight),
                         .stack = stack,
                         .thread = thread_,
                         .event = event_,
                         .ending = ending});
  }

  Profile finish() { return builder_.finish(); }

 private:
  Frame frame_of(std::string_view text) {
    switch (text.back()) {
      case '!':
        return function_of(text, FrameOrigin::kInterpreter);
      case '~':
        return function_of(text, FrameOrigin::kInterpreterLate);
      case '?':
        return function_of(text, FrameOrigin::kInterpreterUnmatched);
      default:
        return native(text);
    }
  }

  Frame function_of(std::string_view text, FrameOrigin origin) {
    text.remove_suffix(1);
    size_t slash = text.find('/');
    std::string file = "/srv/";
    file += slash == std::string_view::npos ? "app.py" : text.substr(0, slash);
    text.remove_prefix(slash == std::string_view::npos ? 0 : slash + 1);
    size_t colon = text.find(':');
    uint32_t line = 1;
    if (colon != std::string_view::npos) {
      std::from_chars(text.data() + colon + 1, text.data() + text.size(), line);
    }
    FunctionId function = builder_.function(
        {.name = builder_.string(text.substr(0, colon)), .file = builder_.string(file), .line = 1});
    return {.function = function,
            .line = line,
            .mode = Mode::kUser,
            .origin = origin,
            .language = Language::kPython};
  }

  Frame native(std::string_view text) {
    bool is_evaluator = text.starts_with('@');
    bool is_inlined = is_evaluator && text.size() > 1;
    text.remove_prefix(is_inlined ? 1 : 0);
    std::string_view name = is_evaluator && !is_inlined ? "_PyEval_EvalFrameDefault" : text;
    FunctionId function = builder_.function({.name = builder_.string(name), .module = python_});
    auto flags =
        static_cast<uint8_t>((is_evaluator ? kEvaluator : 0) | (is_inlined ? kInlined : 0));
    return {.function = function,
            .module = python_,
            .address = 0x1000 + function.value,
            .mode = Mode::kUser,
            .origin = text == kMissingFrames ? FrameOrigin::kMissing : FrameOrigin::kCfi,
            .flags = flags,
            .language = Language::kC};
  }

  ProfileBuilder builder_;
  EventId event_;
  ModuleId python_;
  ThreadId thread_;
  int64_t samples_ = 0;
};

// One sample for each line.
inline Profile interpreted_profile(std::string_view text) {
  InterpretedText lines;
  while (!text.empty()) {
    lines.add_line(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), text.find('\n') + 1));
  }
  return lines.finish();
}

}  // namespace wick::testing
