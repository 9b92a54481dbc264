// SPDX-License-Identifier: Apache-2.0
#include "profile/stack_end_words.h"

namespace wick {

std::string_view stack_end_class(Ending ending) {
  if (is_truncated(ending)) {
    return "truncated";
  }
  if (is_broken(ending)) {
    return "broken";
  }
  return ending == Ending::kComplete ? "complete" : "unknown";
}

EndsIn ends_in(std::string_view module_name) {
  bool is_generated = module_name.starts_with("perf-") && module_name.ends_with(".map");
  return is_generated ? EndsIn::kGeneratedCode : EndsIn::kFile;
}

std::string_view stack_end_advice(Ending ending, EndsIn code) {
  switch (ending) {
    case Ending::kUnknown:
      return "record with call graphs: perf record -g, or --call-graph dwarf";
    case Ending::kComplete:
      return "";
    case Ending::kCopyTooShort:
      return "copy more of the stack (dwarf,65528); `wick record` as root, with BPF, copies 254 "
             "KB, and the stack that a signal handler interrupted";
    case Ending::kTooDeep:
      return "let the kernel follow more frames: sysctl kernel.perf_event_max_stack=1024";
    case Ending::kNoModule:
      return "start the program with the recorder, so that all mappings are known";
    case Ending::kNoUnwindInfo:
      return code == EndsIn::kGeneratedCode
                 ? "let the program generate frame pointers (java -XX:+PreserveFramePointer), or "
                   "write its code (python3.13 -X perf_jit)"
                 : "build this code with -fasynchronous-unwind-tables or -fno-omit-frame-pointer";
    case Ending::kNoFile:
      return "give the directory that has the recorded files: --symfs DIR";
    case Ending::kBadMemory:
    case Ending::kNoProgress:
      return "report a bug: the unwind information of this module seems wrong";
    case Ending::kNoUserStack:
      return "record user call chains too; a program has none during exec and exit";
    case Ending::kFramePointer:
      return "record with --call-graph dwarf, or build with -fno-omit-frame-pointer";
    case Ending::kSwitched:
      return "none: Go runs its scheduler and collector on a stack of their own; the goroutine "
             "that called them is not in the sample";
    case Ending::kUnproven:
      return "give the directory that has the recorded files: --symfs DIR; without them, frames "
             "may "
             "be missing before the outermost one";
    case Ending::kCopyCut:
      return "none for perf: the kernel copies up to a page that is not in memory (of a large "
             "array "
             "that was not used yet), or up to the end of the stack; `wick record` reads such "
             "pages";
    case Ending::kZeroReturn:
      return "none: the program has probably started this thread or fiber by itself (clone), with "
             "a "
             "function that wick cannot know";
  }
  return "";
}

}  // namespace wick
