// SPDX-License-Identifier: Apache-2.0
// The steps of add_frames(), under the lock of the process:
//
//   1. Which native frames are evaluators, and of which interpreter. Addresses are cached.
//   2. The list of the thread: the copy of the recorder, or one that is read now. Reading the threads
//      of a process takes longer, the more it has, so it happens seldom, and one reading serves all
//      threads that are sampled afterwards.
//   3. The frames of the list between the native ones (runtimes/placement.h). Where the list was cut,
//      [missing frames] follow its last frame: its caller is not known.
//   4. The task that the thread runs, and those that wait for it (task_frames.h).
//   5. The names of all these, from the process or the cache.
#include "pipeline/interpreters.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "pipeline/task_frames.h"
#include "runtimes/stack_evidence.h"
#include "symbolize/runtime_code.h"

namespace wick {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenAttempts = 10ms;  // to attach: an interpreter is not ready at once
constexpr int kMaxAttempts = 100;
// Of threads, while one of them is unknown: at least, and as a multiple of what a listing takes.
constexpr auto kBetweenListings = 2ms;
constexpr int kListingPause = 10;
constexpr int kMaxDisagreements = 3;
constexpr size_t kMaxProcesses = 256;
constexpr uint64_t kLeastUnread = 20;  // samples: a start takes as many
constexpr size_t kMaxReasons = 16;
constexpr size_t kMaxThreads = 8192;    // of a process
constexpr size_t kMaxCodes = 1 << 16;   // of a process
constexpr size_t kMaxLateFrames = 256;  // each takes two reads, while the list changes
constexpr int kLateAttempts = 2;
constexpr int kLatePause = 3;  // times what the last late copy took: a quarter of the time at most
// The recorder, if it can, copies the list of a thread after a few samples.
constexpr int kCopiedSoon = 32;
constexpr auto kNamesDie = 2s;
constexpr auto kFirstValid = 100ms;
constexpr auto kLongestValid = 10s;

// For tasks, while coroutines run in none that is known: it takes as long as a listing of threads.
constexpr auto kBetweenTaskSearches = 200ms;
constexpr int kMaxNameAttempts = 5;
constexpr auto kBetweenNameAttempts = 60ms;
constexpr std::string_view kUnknownTask = "[unknown task]";

constexpr uint32_t kMissing = UINT32_MAX;  // the index of a frame that is in neither input

// A list that was cut does not end at its last frame: what called it is missing.
void add_missing(std::span<const InterpreterFrame> frames, Placement& placement) {
  auto is_native = [](const Placement::Frame& placed) { return placed.is_native; };
  auto caller =
      std::find_if_not(placement.frames.rbegin(), placement.frames.rend(), is_native).base();
  bool has_last = caller != placement.frames.begin() && (caller - 1)->index + 1 == frames.size();
  if (has_last) {
    placement.frames.insert(caller, {.index = kMissing});
  }
}

bool has_callers(std::span<const InterpreterFrame> frames) {
  bool is_innermost = true;  // of the frames up to an entry
  for (const InterpreterFrame& frame : frames) {
    if (!is_innermost && frame.code != 0) {
      return true;
    }
    is_innermost = frame.is_entry;
  }
  return false;
}

// A frame of an interpreter has no stack pointer: 0, at which no other stack continues.
void insert_stack_pointers(const Placement& placement, UnwoundStack& found) {
  if (found.stack_pointers.empty()) {
    return;
  }
  std::vector<uint64_t> pointers;
  for (const Placement::Frame& placed : placement.frames) {
    bool is_known = placed.is_native && placed.index < found.stack_pointers.size();
    pointers.push_back(is_known ? found.stack_pointers[placed.index] : 0);
  }
  found.stack_pointers = std::move(pointers);
}

}  // namespace

Interpreters::Loaded Interpreters::evaluator_at(const SpaceState& space,
                                                uint64_t address,
                                                UnwindScratch& scratch) {
  KnownEvaluators& known = scratch.evaluators;
  std::optional<bool> is_evaluator = known.find(address, space.epoch);
  if (is_evaluator == std::optional(false)) {
    return {};
  }
  const Mapping* mapping = space.space.find(address);
  const InterpreterImage* image =
      mapping == nullptr ? nullptr : modules_.interpreter(mapping->loaded);
  std::optional<uint64_t> bias = image == nullptr ? std::nullopt : modules_.bias(*mapping);
  bool is_in = bias && image->is_evaluator(address - *bias);
  known.add(address, space.epoch, is_in);
  return is_in ? Loaded{image, *bias} : Loaded();
}

// A process that executes another program, or loads another interpreter, is attached to again.
std::shared_ptr<Interpreters::Attached> Interpreters::attached(int32_t pid, const Loaded& loaded) {
  std::lock_guard lock(mutex_);
  auto known = attached_.find(pid);
  bool is_same =
      known != attached_.end() && (loaded.image == nullptr || known->second->loaded == loaded);
  if (is_same || loaded.image == nullptr) {
    return is_same ? known->second : nullptr;
  }
  if (known != attached_.end()) {
    count_unread(*known->second);
  }
  if (attached_.size() >= kMaxProcesses) {
    attached_.clear();  // most of them have ended
  }
  return attached_[pid] = std::make_shared<Attached>(memory_, pid, loaded);
}

void Interpreters::count_unread(Attached& attached) {
  std::lock_guard lock(attached.mutex);
  uint64_t unread = std::exchange(attached.unread, 0);
  bool is_new = !unread_.contains(attached.why_not);
  if (attached.process == nullptr && unread >= kLeastUnread &&
      (!is_new || unread_.size() < kMaxReasons)) {
    unread_[attached.why_not] += unread;
  }
}

void Interpreters::forget(int32_t pid) {
  std::lock_guard lock(mutex_);
  if (auto known = attached_.find(pid); known != attached_.end()) {
    count_unread(*known->second);
    attached_.erase(known);
  }
}

std::map<std::string, uint64_t> Interpreters::take_unread() {
  std::lock_guard lock(mutex_);
  for (auto& [pid, attached] : attached_) {
    count_unread(*attached);
  }
  return std::exchange(unread_, {});
}

bool Interpreters::attach(Attached& attached) {
  Clock::time_point now = Clock::now();
  if (attached.process != nullptr || attached.attempts == kMaxAttempts ||
      now < attached.next_attempt) {
    return attached.process != nullptr;
  }
  ++attached.attempts;
  attached.next_attempt = now + kBetweenAttempts;
  auto process = attached.loaded.image->attach(attached.memory, attached.loaded.bias);
  if (process) {
    attached.process = std::move(*process);
  } else {
    attached.why_not = process.error().message;
  }
  return attached.process != nullptr;
}

void Interpreters::list_threads(Attached& attached) {
  Clock::time_point begin = Clock::now();
  if (begin < attached.next_listing) {
    return;
  }
  attached.listed.clear();
  for (const StackFindings::FrameList& list : attached.process->threads()) {
    attached.listed.emplace(list.tid, list);
  }
  Clock::time_point end = Clock::now();
  attached.next_listing =
      end + std::max<Clock::duration>(kBetweenListings, kListingPause * (end - begin));
}

Interpreters::KnownThread* Interpreters::thread_of(Attached& attached,
                                                   int32_t tid,
                                                   UnwindScratch& scratch) {
  auto known = attached.threads.find(tid);
  bool is_known = known != attached.threads.end();
  if (is_known && known->second.disagreements < kMaxDisagreements) {
    return &known->second;
  }
  int32_t inner_tid = innermost_pid(tid);
  if (!attached.listed.contains(inner_tid)) {
    list_threads(attached);
  }
  auto listed = attached.listed.extract(inner_tid);
  if (listed.empty()) {
    return is_known ? &known->second : nullptr;
  }
  if (attached.threads.size() >= kMaxThreads) {
    attached.threads.clear();
  }
  KnownThread thread = {.list = listed.mapped()};
  thread.list.tid = tid;
  scratch.findings.frame_lists.push_back(thread.list);
  return &(attached.threads[tid] = thread);
}

FrameListWatch::Found Interpreters::read_late(Attached& attached,
                                              const SampleEvent& sample,
                                              UnwindScratch& scratch) {
  KnownThread* thread = thread_of(attached, sample.at.tid, scratch);
  if (thread != nullptr && ++thread->without_copy > kCopiedSoon) {
    watch_.watch(sample.at.pid, thread->list);
    FrameListWatch::Found found = watch_.at(sample.at.tid, sample.at.time_ns);
    if (found.copy.is_known) {
      scratch.findings.ran_out = true;
      return found;
    }
  }
  return {.copy = copy_late(attached, sample.at.tid, scratch)};
}

FrameListCopy Interpreters::copy_late(Attached& attached, int32_t tid, UnwindScratch& scratch) {
  Clock::time_point begin = Clock::now();
  for (int attempt = 0; attempt < 2 && begin >= attached.next_late_copy; ++attempt) {
    const KnownThread* thread = thread_of(attached, tid, scratch);
    if (thread == nullptr) {
      break;
    }
    scratch.findings.ran_out = true;
    FrameListCopy copy =
        copy_steady_frame_list(attached.memory, thread->list, kMaxLateFrames, kLateAttempts);
    if (copy.is_known) {
      Clock::time_point end = Clock::now();
      attached.next_late_copy = end + kLatePause * (end - begin);
      return copy;
    }
    attached.threads.erase(tid);
  }
  return {};
}

// `before`: what was read for this fingerprint, or null.
Interpreters::KnownCode Interpreters::read_code(Attached& attached,
                                                const InterpreterFrame& frame,
                                                const KnownCode* before) {
  std::optional<InterpretedCode> read = attached.process->code(frame);
  KnownCode code = {.valid_for = kFirstValid};
  if (!read && before != nullptr) {
    code.function = before->function;  // it has gone since the sample
    code.code = before->code;
  } else {
    attached.lost_names += read ? 0 : 1;
    code.code = std::move(read).value_or(InterpretedCode());
    code.function = functions_.intern({.name = code.code.name,
                                       .file = code.code.file,
                                       .first_line = code.code.first_line,
                                       .language = attached.loaded.image->language()});
    if (before != nullptr && before->function == code.function) {
      code.valid_for = std::min<Clock::duration>(2 * before->valid_for, kLongestValid);
    }
  }
  code.expires = attached.now + code.valid_for;
  return code;
}

const Interpreters::KnownCode& Interpreters::code_of(Attached& attached,
                                                     const InterpreterFrame& frame) {
  const CodeKey key = {frame.code, frame.fingerprint};
  auto known = attached.codes.find(key);
  bool is_same = known != attached.codes.end() && frame.fingerprint != 0;
  if (!is_same || attached.now >= known->second.expires) {
    KnownCode code = read_code(attached, frame, is_same ? &known->second : nullptr);
    if (attached.codes.size() >= kMaxCodes) {
      attached.codes.clear();
    }
    known = attached.codes.insert_or_assign(key, std::move(code)).first;
  }
  return known->second;
}

void Interpreters::read_names(int32_t pid, const CopiedFrameList& list) {
  std::shared_ptr<Attached> attached = this->attached(pid, {});
  if (attached == nullptr) {
    return;
  }
  std::lock_guard lock(attached->mutex);
  attached->now = Clock::now();
  if (attached->process != nullptr) {
    for (const InterpreterFrame& frame : attached->process->frames(list)) {
      if (frame.code != 0) {
        code_of(*attached, frame);
      }
    }
  }
}

UnresolvedFrame Interpreters::frame(Attached& attached,
                                    const InterpreterFrame& frame,
                                    FrameOrigin origin) {
  const KnownCode& known = code_of(attached, frame);
  uint32_t line = known.code.line_at(frame.position);
  return {InterpretedFunctions::frame(known.function, line), Mode::kUser, origin};
}

// The evaluators are in scratch.is_evaluator, of the frames in scratch.frames.
bool Interpreters::is_proven(Attached& attached,
                             const SampleEvent& sample,
                             std::span<const InterpreterFrame> frames,
                             bool is_held,
                             const UnwindScratch& scratch) {
  if (!is_held && has_callers(frames)) {
    return false;
  }
  std::vector<uint64_t> ends;
  for (size_t i = 0; i < scratch.is_evaluator.size(); ++i) {
    if (scratch.is_evaluator[i] != 0) {
      ends.push_back(i + 1 < scratch.frames.size() ? scratch.frames[i + 1].sp : 0);
    }
  }
  std::vector<RunningFrame> running;
  bool is_innermost = true;
  for (const InterpreterFrame& frame : frames) {
    if (is_innermost && frame.code == 0) {
      return false;  // an evaluator that runs nothing now
    }
    if (is_innermost) {
      const KnownCode& known = code_of(attached, frame);
      running.push_back({.node = frame.node,
                         .instructions = known.code.instructions,
                         .instruction_bytes = known.code.instruction_bytes});
    }
    is_innermost = frame.is_entry;
  }
  uint64_t begin = scratch.frames.empty() ? 0 : scratch.frames.front().sp;
  return proves({.begin = begin,
                 .bytes = sample.user_stack,
                 .registers = sample.user_registers.values,
                 .evaluator_ends = ends},
                running);
}

// A thread that has just started may not have its name yet.
void Interpreters::name_thread(Attached& attached, KnownThread& thread, UnwoundStack& found) {
  Clock::time_point now = Clock::now();
  if (thread.name_attempts == kMaxNameAttempts || now < thread.next_name_attempt) {
    return;
  }
  found.thread_name = attached.process->thread_name(thread.list);
  thread.name_attempts = found.thread_name.empty() ? thread.name_attempts + 1 : kMaxNameAttempts;
  thread.next_name_attempt = now + kBetweenNameAttempts;
}

InterpreterTask Interpreters::task_of(Attached& attached,
                                      const CopiedFrameList& list,
                                      std::span<const InterpreterFrame> frames,
                                      KnownThread* thread,
                                      UnwindScratch& scratch) {
  if (thread == nullptr) {
    return {};
  }
  InterpreterTask task = attached.process->task(thread->list, list, frames);
  if (task.where != thread->list.task) {
    thread->list.task = task.where;
    scratch.findings.frame_lists.push_back(thread->list);
  }
  return task;
}

// A coroutine may run in a task that is not known: then its module may have been loaded since the
// threads were listed.
void Interpreters::name_task(Attached& attached,
                             const InterpreterTask& task,
                             std::span<const InterpreterFrame> frames,
                             KnownThread* thread,
                             UnwoundStack& found) {
  auto code_of = [&](const InterpreterFrame& frame) {
    auto known = attached.codes.find({frame.code, frame.fingerprint});
    return known == attached.codes.end() ? nullptr : &known->second.code;
  };
  if (task.state == InterpreterTask::State::kKnown) {
    const InterpretedCode* code = code_of(frames[task.root]);
    found.task = task.name;
    found.coroutine = code == nullptr ? "" : code->name;
    return;
  }
  bool has_coroutine = std::ranges::any_of(frames, [&](const InterpreterFrame& frame) {
    const InterpretedCode* code = frame.generator == 0 ? nullptr : code_of(frame);
    return code != nullptr && code->is_coroutine;
  });
  if (task.state != InterpreterTask::State::kUnknown || !has_coroutine) {
    return;
  }
  found.task = kUnknownTask;
  Clock::time_point now = Clock::now();
  if (thread != nullptr && thread->list.task.pointer == 0 && now >= attached.next_task_search) {
    attached.next_task_search = now + kBetweenTaskSearches;
    thread->disagreements = kMaxDisagreements;  // it is looked for again
  }
}

// How far to trust frames that agree with the native ones. A list that changed while it was read may
// have frames of two moments.
FrameOrigin Interpreters::origin_of(Attached& attached,
                                    const SampleEvent& sample,
                                    std::span<const InterpreterFrame> frames,
                                    const FrameListWatch::Found& late,
                                    const UnwindScratch& scratch) {
  if (sample.frame_list.is_known) {
    return FrameOrigin::kInterpreter;
  }
  if (!late.copy.is_steady) {
    return FrameOrigin::kInterpreterUnmatched;
  }
  return is_proven(attached, sample, frames, late.is_held, scratch) ? FrameOrigin::kInterpreter
                                                                    : FrameOrigin::kInterpreterLate;
}

// The native frames and the functions of the interpreter, each in its place. The placement numbers
// those that wait for the task after `own`.
std::vector<UnresolvedFrame> Interpreters::joined_frames(Attached& attached,
                                                         const Placement& placement,
                                                         std::span<const UnresolvedFrame> native,
                                                         std::span<const InterpreterFrame> own,
                                                         const InterpreterTask& task,
                                                         FrameOrigin origin) {
  std::vector<UnresolvedFrame> joined;
  joined.reserve(placement.frames.size());
  for (const Placement::Frame& placed : placement.frames) {
    if (placed.is_native) {
      joined.push_back(native[placed.index]);
    } else if (placed.index == kMissing) {
      joined.push_back({.origin = FrameOrigin::kMissing});
    } else if (placed.index < own.size()) {
      joined.push_back(frame(attached, own[placed.index], origin));
    } else {
      joined.push_back(frame(
          attached, task.awaiters[placed.index - own.size()], FrameOrigin::kInterpreterAwaiting));
    }
  }
  return joined;
}

void Interpreters::add_frames(const SampleEvent& sample,
                              const SpaceState& space,
                              size_t first_user,
                              UnwindScratch& scratch,
                              UnwoundStack& found) {
  std::span native = std::span(found.frames).subspan(first_user);
  Loaded loaded = find_evaluators(space, native, scratch);
  if (loaded.image == nullptr && !sample.frame_list.is_known) {
    return;
  }
  std::shared_ptr<Attached> attached = this->attached(sample.at.pid, loaded);
  if (attached == nullptr) {
    return;
  }
  std::lock_guard lock(attached->mutex);
  if (!attach(*attached)) {
    ++attached->unread;
    return;
  }
  attached->now = Clock::now();
  CopiedFrameList list = sample.frame_list;
  FrameListWatch::Found late;
  if (!list.is_known) {
    late = read_late(*attached, sample, scratch);
    list = late.copy.list();
  }
  KnownThread* thread = list.is_known ? thread_of(*attached, sample.at.tid, scratch) : nullptr;
  if (thread != nullptr && sample.frame_list.is_known) {
    found.lock_use = attached->process->lock_use(thread->list, sample.frame_list);
  }
  if (thread != nullptr && sample.at.tid != sample.at.pid) {
    name_thread(*attached, *thread, found);
  }
  std::vector<InterpreterFrame> frames = attached->process->frames(list);
  Placement placement = place_frames(
      {.is_evaluator = scratch.is_evaluator, .is_cut = found.ending != StackEnd::kComplete},
      {.frames = frames, .is_cut = list.is_cut});
  if (thread != nullptr) {
    bool agrees = placement.agreement != Placement::Agreement::kNone;
    thread->disagreements = agrees ? 0 : thread->disagreements + 1;
  }
  if (frames.empty()) {
    return;
  }
  if (list.is_cut) {
    add_missing(frames, placement);
  }
  InterpreterTask task = task_of(*attached, list, frames, thread, scratch);
  FrameOrigin origin = placement.agreement == Placement::Agreement::kNone
                           ? FrameOrigin::kInterpreterUnmatched
                           : origin_of(*attached, sample, frames, late, scratch);
  attached->lost_names = 0;
  place_awaiters(task.root, frames.size(), task.awaiters.size(), scratch.is_evaluator, placement);
  std::vector<UnresolvedFrame> joined =
      joined_frames(*attached, placement, native, frames, task, origin);
  if (thread != nullptr) {
    watch_names(*attached, *thread, sample.at.pid, scratch);
  }
  name_task(*attached, task, frames, thread, found);
  insert_stack_pointers(placement, found);
  found.frames.resize(first_user);
  found.frames.insert(found.frames.end(), joined.begin(), joined.end());
}

// Reads the names of functions that live shorter than samples take to arrive.
void Interpreters::watch_names(Attached& attached,
                               KnownThread& thread,
                               int32_t pid,
                               UnwindScratch& scratch) {
  if (attached.lost_names > 0) {
    thread.names_die_until = attached.now + kNamesDie;
  }
  if (attached.now < thread.names_die_until) {
    scratch.findings.ran_out = true;
    watch_.watch(pid, thread.list);
  }
}

Interpreters::Loaded Interpreters::find_evaluators(const SpaceState& space,
                                                   std::span<const UnresolvedFrame> native,
                                                   UnwindScratch& scratch) {
  Loaded loaded;
  scratch.is_evaluator.assign(native.size(), 0);
  for (size_t i = 0; i < native.size(); ++i) {
    Loaded here = evaluator_at(space, native[i].address.lookup(), scratch);
    if (here.image != nullptr) {
      scratch.is_evaluator[i] = 1;
      loaded = here;
    }
  }
  return loaded;
}

}  // namespace wick
