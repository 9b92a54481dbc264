// What to call things in tables and pictures. Returned text is foreign: escape it where it is
// shown.
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"

namespace wick {

// The function's name; where none is known the module and address, "libc.so.6+0x1234", or
// "[unknown]".
std::string frame_name(const Profile& profile, FrameId id);
// The frame as a folded line spells it: ';' and line ends replaced, _[k] _[i] _[j] _[w] for its
// kind.
std::string folded_label(const Profile& profile, FrameId id);
std::string function_name(const Profile& profile, FunctionId function);
// The file name of a module without its directories, empty when there is none.
std::string_view module_name(const Profile& profile, ModuleId module);
std::string thread_name(const Profile& profile, ThreadId id);
std::string process_name(const Profile& profile, ProcessId id);
std::string_view mode_name(Mode mode);

// "complete", "the copied stack is too short", ...: what a stack's end is called.
std::string_view ending_name(Ending ending);
// "kernel", "inlined", "jit", "waker", "user", or "" when nothing is known.
std::string_view frame_kind(const Frame& frame);

}  // namespace wick
