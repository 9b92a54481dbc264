// SPDX-License-Identifier: Apache-2.0
// Which frames the stacks of an interpreted program show: `--stacks`.
//
// A recording has all frames: native frames, among them those of the interpreter's evaluator
// (kEvaluator), and the functions that the evaluator ran (is_interpreted()).
//
//     recorded   main > _PyEval_Vector > evaluator > load > parse > sort > evaluator > key > read
//     mixed      main > _PyEval_Vector > load > parse > sort > key > read
//     runtime    load > parse > key
//     native     main > _PyEval_Vector > evaluator > sort > evaluator > read
//
// mixed leaves out an evaluator if a function that it ran is directly inside of it, with what is
// inlined into the evaluator. So the evaluator's own cost is that of the function. It stays where
// nothing is known about the function, also before frames that match no evaluator
// (kInterpreterUnmatched). The interpreter's other functions are native code like any other.
//
// runtime shows kNativeCode instead of a stack without any function of the program, so that no
// sample is lost. An empty stack remains empty. [missing frames] outside of the outermost function
// stay: that function has callers, which the recording does not know.
#pragma once

#include <cstdint>
#include <string_view>

#include "profile/profile.h"

namespace wick {

enum class ShownFrames : uint8_t { kRecorded, kMixed, kRuntime, kNative };

// The name of the frame that represents stacks without functions of an interpreter.
inline constexpr std::string_view kNativeCode = "[native code]";

bool has_interpreted_frames(const Profile& profile);

// Rewrites the stacks. Weights do not change. Without interpreted frames, nothing changes.
void show_frames(Profile& profile, ShownFrames shown);

}  // namespace wick
