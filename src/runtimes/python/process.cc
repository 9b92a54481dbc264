// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/process.h"

#include <algorithm>
#include <string>

#include "runtimes/memory_words.h"
#include "runtimes/python/code.h"
#include "runtimes/python/frames.h"

namespace wick::python {
namespace {

using FrameList = StackFindings::FrameList;

constexpr uint64_t kLargestTid = 1 << 22;  // of the kernel

std::optional<int32_t> plausible_tid(uint64_t number) {
  bool is_plausible = number > 0 && number <= kLargestTid;
  return is_plausible ? std::optional(static_cast<int32_t>(number)) : std::nullopt;
}

}  // namespace

// 0 if it is not readable.
uint64_t PythonProcess::pointer(uint64_t address) {
  return read_number<uint64_t>(memory_, address).value_or(0);
}

// Before 3.11, a state has no tid. The C library has it in its description of the thread, whose
// address is the pthread_t (x86-64). Each starts with a pointer to itself. Then glibc has another
// one, and musl (1.2) a ring of all threads: previous, next.
std::optional<int32_t> PythonProcess::tid_of_pthread(uint64_t pthread) {
  constexpr uint64_t kSelfOrPrevious = 0x10;
  constexpr uint64_t kNext = 0x18;
  constexpr uint64_t kTidOfGlibc = 0x2d0;
  constexpr uint64_t kTidOfMusl = 0x30;
  if (pthread == 0 || pointer(pthread) != pthread) {
    return {};
  }
  uint64_t previous = pointer(pthread + kSelfOrPrevious);
  bool is_musl = previous != 0 && pointer(previous + kNext) == pthread;
  if (!is_musl && previous != pthread) {
    return {};
  }
  uint64_t tid = pthread + (is_musl ? kTidOfMusl : kTidOfGlibc);
  return plausible_tid(read_number<uint32_t>(memory_, tid).value_or(0));
}

std::optional<FrameList> PythonProcess::list_of(uint64_t thread, Bytes state) {
  bool has_tid = layout_.thread.tid != Layout::kAbsent;
  uint32_t checked = has_tid ? layout_.thread.tid : layout_.thread.pthread;
  auto expected = number_at<uint64_t>(state, checked);
  std::optional<int32_t> tid = has_tid ? plausible_tid(expected) : tid_of_pthread(expected);
  if (!tid) {
    return {};
  }
  return FrameList{
      .tid = *tid,
      .head = thread + layout_.thread.frame,
      .through = layout_.thread.through,
      .next = layout_.frame.next,
      .node_bytes = layout_.frame_bytes(),
      .code = layout_.frame.code,
      .code_mask = layout_.frame.code_mask,
      .code_begin = layout_.fingerprint_begin(),
      .code_bytes = layout_.fingerprint_bytes(),
      .check = thread + checked,
      .expected = expected,
  };
}

// Where the holder of the lock is, whether there is one, and whether others ask for it. The last one
// may be in the thread: then it is added later. Zeros without a lock, or if it is not in use: then
// nothing waits for it.
std::array<uint64_t, 3> PythonProcess::lock_words(uint64_t interpreter) {
  bool is_in_runtime = layout_.lock.pointer == Layout::kAbsent;
  uint64_t lock = is_in_runtime ? runtime_ : pointer(interpreter + layout_.lock.pointer);
  bool may_be_off = layout_.lock.enabled != Layout::kAbsent;
  if (lock == 0 ||
      (may_be_off && read_number<int32_t>(memory_, lock + layout_.lock.enabled).value_or(0) == 0)) {
    return {};
  }
  using Asked = Layout::Lock::Asked;
  uint64_t asked = layout_.lock.asked_in == Asked::kInterpreter ? interpreter + layout_.lock.asked
                   : layout_.lock.asked_in == Asked::kRuntime   ? runtime_ + layout_.lock.asked
                                                                : 0;
  return {lock + layout_.lock.holder, lock + layout_.lock.locked, asked};
}

void PythonProcess::add_threads(uint64_t interpreter,
                                std::unordered_set<uint64_t>& seen,
                                std::vector<FrameList>& lists) {
  std::array<uint64_t, 3> words = lock_words(interpreter);
  std::string state(layout_.thread_bytes(), '\0');
  uint64_t thread = pointer(interpreter + layout_.interpreter.threads);
  while (thread != 0 && seen.size() < kMaxThreads && seen.insert(thread).second) {
    bool is_read = memory_.read(thread, std::as_writable_bytes(std::span(state)));
    auto field = [&](uint32_t offset) { return number_at<uint64_t>(as_bytes(state), offset); };
    if (!is_read || field(layout_.thread.interpreter) != interpreter) {
      return;
    }
    if (std::optional<FrameList> list = list_of(thread, as_bytes(state))) {
      list->words = words;
      if (words[1] != 0 && words[2] == 0) {
        list->words[2] = thread + layout_.lock.asked;
      }
      list->task = tasks_.location(interpreter, thread);
      lists.push_back(*list);
    }
    thread = field(layout_.thread.next);
  }
}

bool PythonProcess::has_frames(const FrameList& list) {
  uint64_t head = pointer(list.head);
  bool is_direct = list.through == FrameList::kDirect;
  return (is_direct || head == 0 ? head : pointer(head + list.through)) != 0;
}

// `lists`: those of newer interpreters first. If a thread has more than two, those with frames count.
std::vector<FrameList> PythonProcess::one_per_thread(std::vector<FrameList> lists) {
  std::ranges::stable_sort(lists, {}, &FrameList::tid);
  std::vector<FrameList> result;
  for (auto begin = lists.begin(); begin != lists.end();) {
    auto end = std::find_if(
        begin, lists.end(), [&](const FrameList& list) { return list.tid != begin->tid; });
    if (end - begin > 2) {
      std::stable_partition(begin, end, [&](const FrameList& list) { return has_frames(list); });
    }
    result.push_back(*begin);
    if (end - begin > 1) {
      result.back().outer = (begin + 1)->head;
    }
    begin = end;
  }
  return result;
}

std::vector<FrameList> PythonProcess::threads() {
  std::vector<FrameList> lists;
  std::unordered_set<uint64_t> interpreters;
  std::unordered_set<uint64_t> threads;
  uint64_t interpreter = pointer(runtime_ + layout_.runtime.interpreters);
  while (interpreter != 0 && interpreters.size() < kMaxInterpreters &&
         interpreters.insert(interpreter).second) {
    add_threads(interpreter, threads, lists);
    interpreter = pointer(interpreter + layout_.interpreter.next);
  }
  return one_per_thread(std::move(lists));
}

std::string PythonProcess::why_no_threads() const {
  std::string reason = "It has no thread yet, or no longer";
  if (layout_.thread.tid == Layout::kAbsent) {
    reason += "; before 3.11, wick finds threads with glibc and musl 1.2 on x86-64 only";
  }
  return reason;
}

bool PythonProcess::has_lock() {
  uint64_t interpreter = pointer(runtime_ + layout_.runtime.interpreters);
  return interpreter != 0 && lock_words(interpreter)[0] != 0;
}

std::vector<InterpreterFrame> PythonProcess::frames(const CopiedFrameList& list) const {
  return decode_frames(layout_, list);
}

// The first word is the state of the holder; the second one starts with 1 if there is a holder, and
// is negative before there are threads. The third one says whether others ask for it.
LockUse PythonProcess::lock_use(const FrameList& list, const CopiedFrameList& copy) const {
  auto locked = static_cast<int32_t>(copy.words[1]);
  if (!copy.is_known || list.words[1] == 0 || locked < 0) {
    return LockUse::kUnknown;
  }
  uint64_t pointer_in_state = copy.words[0] + layout_.thread.frame;
  bool is_own = pointer_in_state == list.head || pointer_in_state == list.outer;
  bool is_bit = layout_.lock.asked_in == Layout::Lock::Asked::kThread;
  bool is_asked = (copy.words[2] & (is_bit ? 1 : UINT32_MAX)) != 0;
  return locked == 0 ? LockUse::kFree
         : !is_own   ? LockUse::kOtherHolds
         : is_asked  ? LockUse::kHoldsAsked
                     : LockUse::kHolds;
}

std::string PythonProcess::thread_name(const FrameList& list) {
  uint64_t thread = list.head - layout_.thread.frame;
  return thread_names_.name(pointer(thread + layout_.thread.interpreter),
                            pointer(thread + layout_.thread.pthread));
}

InterpreterTask PythonProcess::task(const FrameList& list,
                                    const CopiedFrameList& copy,
                                    std::span<const InterpreterFrame> frames) {
  return tasks_.task(list, copy, frames);
}

std::optional<InterpretedCode> PythonProcess::code(const InterpreterFrame& frame) {
  return read_code(memory_, layout_, objects_, frame);
}

}  // namespace wick::python
