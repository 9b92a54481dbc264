// What to call things in tables and pictures. Returned text is foreign: escape it where it is
// shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace wick {

// The function's name; where none is known the module and address, "libc.so.6+0x1234", or
// "[unknown]".
std::string frame_name(const Profile& profile, FrameId id);
// The frame as a folded line spells it: ';' and line ends replaced, _[k] _[i] _[j] _[w] for its
// kind.
std::string folded_label(const Profile& profile, FrameId id);
// The same for all frames of a profile, each text once: names may be thousands of bytes long.
class FoldedLabels {
 public:
  explicit FoldedLabels(const Profile& profile);
  const std::string& operator[](FrameId id) const { return texts_[numbers_[id.index()]]; }
  // Frames with the same label have the same number.
  uint32_t number(FrameId id) const { return numbers_[id.index()]; }
  size_t size() const { return texts_.size(); }

 private:
  std::vector<uint32_t> numbers_;  // by frame
  std::vector<std::string> texts_;
};
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
