// SPDX-License-Identifier: Apache-2.0
#include "profile/stack_end_words.h"

#include <algorithm>
#include <array>

namespace wick {
namespace {

constexpr std::array kEndsInRuntimes = {StackEnd::kNoUnwindInfo, StackEnd::kFramePointer};
constexpr std::string_view kBeyondCopies =
    "none: wick has copied 254 KB with BPF, and the start of this stack, or of the one that a "
    "signal handler interrupted, is beyond them";

constexpr std::string_view kNotRecorded =
    "none: the samples have stacks, but the file does not say how they ended";

// Advice that replaces that of stack_end_advice() if the recorder has copied stacks with BPF.
struct EvenWithBpf {
  StackEnd ending;
  std::string_view advice;
};
constexpr std::array kEvenWithBpf = {
    EvenWithBpf{StackEnd::kCopyTooShort, kBeyondCopies},
    EvenWithBpf{StackEnd::kOtherStack, kBeyondCopies},
    EvenWithBpf{StackEnd::kSwitched,
                "none: C code has called Go, Go's runtime was about to switch stacks, or wick did "
                "not know the thread yet"},
    EvenWithBpf{StackEnd::kNoModule,
                "none: the code was unmapped at that moment, or the unwind information of this "
                "module is wrong"},
    EvenWithBpf{StackEnd::kCopyCut,
                "none: the program was about to use a page of its stack for the first time, and "
                "nothing could be copied from there"},
};

}  // namespace

std::string_view stack_end_class(StackEnd ending) {
  if (is_truncated(ending)) {
    return "truncated";
  }
  if (is_broken(ending)) {
    return "broken";
  }
  return ending == StackEnd::kComplete ? "complete" : "unknown";
}

std::string_view origin_meaning(FrameOrigin origin) {
  switch (origin) {
    case FrameOrigin::kUnknown:
    case FrameOrigin::kSampled:
      return "";
    case FrameOrigin::kCfi:
      return "by unwind tables";
    case FrameOrigin::kFramePointer:
      return "by frame pointers";
    case FrameOrigin::kKernelChain:
      return "by the kernel, in its own code";
    case FrameOrigin::kBranchStack:
      return "by the processor's record of calls";
    case FrameOrigin::kStitched:
      return "in the running process a moment later, or in another sample of the thread";
    case FrameOrigin::kCode:
      return "without tables: by following the code, confirmed by the call";
    case FrameOrigin::kMissing:
      return "not found: the code shows that frames are missing between two others";
    case FrameOrigin::kInterpreter:
      return "by the interpreter, at the sample, in agreement with the native frames";
    case FrameOrigin::kInterpreterLate:
      return "by the interpreter, near the sample";
    case FrameOrigin::kInterpreterUnmatched:
      return "by the interpreter, which does not agree with the native frames";
    case FrameOrigin::kInterpreterAwaiting:
      return "by the interpreter: a coroutine that waits for the task, not on its stack";
  }
  return "";
}

std::string_view stack_end_advice(StackEnd ending) {
  switch (ending) {
    case StackEnd::kUnknown:
      return "record with call graphs: perf record -g, or --call-graph dwarf";
    case StackEnd::kComplete:
      return "";
    case StackEnd::kCopyTooShort:
      return "copy more of the stack (dwarf,65528); `wick record` as root, with BPF, copies 254 KB";
    case StackEnd::kTooDeep:
      return "let the kernel follow more frames: sysctl kernel.perf_event_max_stack=1024";
    case StackEnd::kNoModule:
      return "start the program with the recorder, so that all mappings are known";
    case StackEnd::kNoUnwindInfo:
      return "build this code with -fasynchronous-unwind-tables or -fno-omit-frame-pointer";
    case StackEnd::kNoFile:
      return "give the directory that has the recorded files: --symfs DIR";
    case StackEnd::kOtherStack:
      return "`wick record` as root, with BPF, also copies the stack that a signal handler "
             "interrupted";
    case StackEnd::kBadMemory:
    case StackEnd::kNoProgress:
    case StackEnd::kBadRule:
      return "report a bug: the unwind information of this module seems wrong";
    case StackEnd::kNoUserStack:
      return "record user call chains too; a program has none during exec and exit";
    case StackEnd::kFramePointer:
      return "record with --call-graph dwarf, or build with -fno-omit-frame-pointer";
    case StackEnd::kSwitched:
      return "`wick record` as root, with BPF, also copies the stack of the goroutine that Go's "
             "runtime has left";
    case StackEnd::kUnproven:
      return "give the directory that has the recorded files: --symfs DIR; without them, frames "
             "may be missing before the outermost one";
    case StackEnd::kCopyCut:
      return "none for perf: the kernel copies up to a page that is not in memory (of a large "
             "array that was not used yet), or up to the end of the stack; `wick record` reads "
             "such "
             "pages";
    case StackEnd::kZeroReturn:
      return "none: the program has probably started this thread or fiber by itself (clone), with "
             "a function that wick cannot know";
  }
  return "";
}

StackAdvice::StackAdvice(const Profile& profile) : runtimes_(generating_runtimes(profile)) {
  for (const Fact& fact : profile.facts) {
    is_copied_with_bpf_ |= profile.strings[fact.key] == kStackCopiesFact &&
                           profile.strings[fact.value] == kCopiedWithBpf;
  }
  const StackTree& stacks = profile.stacks;
  for (size_t row = 1; row < stacks.size() && !has_callers_; ++row) {
    has_callers_ = stacks.parent(StackId::from_index(row)) != kEmptyStack;
  }
}

std::string_view StackAdvice::text(StackEnd ending, std::string_view module_name) const {
  if (has_callers_ && ending == StackEnd::kUnknown) {
    return kNotRecorded;
  }
  if (is_copied_with_bpf_) {
    auto even = std::ranges::find(kEvenWithBpf, ending, &EvenWithBpf::ending);
    if (even != kEvenWithBpf.end()) {
      return even->advice;
    }
  }
  auto runtime = runtimes_.find(module_name);
  bool is_of_runtime = runtime != runtimes_.end() &&
                       std::ranges::find(kEndsInRuntimes, ending) != kEndsInRuntimes.end();
  return is_of_runtime ? runtime->second->callers : stack_end_advice(ending);
}

std::vector<StackAdvice::Special> StackAdvice::specials() const {
  std::vector<Special> all;
  if (has_callers_) {
    all.push_back({"", StackEnd::kUnknown, kNotRecorded});
  }
  if (is_copied_with_bpf_) {
    for (const EvenWithBpf& even : kEvenWithBpf) {
      all.push_back({"", even.ending, even.advice});
    }
  }
  for (const auto& [module, runtime] : runtimes_) {
    for (StackEnd ending : kEndsInRuntimes) {
      all.push_back({module, ending, runtime->callers});
    }
  }
  return all;
}

}  // namespace wick
