// SPDX-License-Identifier: Apache-2.0
#include "pipeline/interpreters.h"

#include <algorithm>

#include "base/hash.h"
#include "runtimes/frame_list_copy.h"
#include "runtimes/placement.h"
#include "symbolize/runtime_code.h"

namespace wick {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenAttempts = 10ms;  // to attach: an interpreter is not ready at once
constexpr int kMaxAttempts = 100;
constexpr auto kBetweenListings = 2ms;  // of threads, while one of them is unknown
constexpr size_t kMaxProcesses = 1024;
constexpr size_t kMaxThreads = 8192;     // of a process
constexpr size_t kMaxCodes = 1 << 16;    // of a process
constexpr size_t kMaxLateFrames = 1024;  // read in a moment in which they change
constexpr int kLateAttempts = 3;

// A frame of an interpreter has no stack pointer: 0, at which no other stack continues.
void insert_stack_pointers(const Placement& placement, UnwoundStack& found) {
  std::vector<uint64_t> pointers;
  for (const Placement::Frame& placed : placement.frames) {
    if (!placed.is_native) {
      pointers.push_back(0);
    } else if (placed.index < found.stack_pointers.size()) {
      pointers.push_back(found.stack_pointers[placed.index]);
    }
  }
  if (!found.stack_pointers.empty()) {
    found.stack_pointers = std::move(pointers);
  }
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
  if (attached_.size() >= kMaxProcesses) {
    attached_.clear();  // most of them have ended
  }
  return attached_[pid] = std::make_shared<Attached>(memory_, pid, loaded);
}

void Interpreters::forget(int32_t pid) {
  std::lock_guard lock(mutex_);
  attached_.erase(pid);
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
  }
  return attached.process != nullptr;
}

const StackFindings::FrameList* Interpreters::list_of(Attached& attached,
                                                      int32_t tid,
                                                      UnwindScratch& scratch) {
  if (auto known = attached.lists.find(tid); known != attached.lists.end()) {
    return &known->second;
  }
  Clock::time_point now = Clock::now();
  if (now < attached.next_listing) {
    return nullptr;
  }
  attached.next_listing = now + kBetweenListings;
  if (attached.lists.size() >= kMaxThreads) {
    attached.lists.clear();
  }
  int32_t inner_tid = innermost_pid(tid);
  for (StackFindings::FrameList& list : attached.process->threads()) {
    if (list.tid == inner_tid) {
      list.tid = tid;
      scratch.findings.frame_lists.push_back(list);
      return &(attached.lists[tid] = list);
    }
  }
  return nullptr;
}

UnresolvedFrame Interpreters::frame(Attached& attached,
                                    const InterpreterFrame& frame,
                                    FrameOrigin origin) {
  auto known = attached.codes.find(frame.code);
  if (known == attached.codes.end() || known->second.fingerprint != frame.fingerprint) {
    if (attached.codes.size() >= kMaxCodes) {
      attached.codes.clear();
    }
    std::optional<InterpretedCode> read = attached.process->code(frame);
    if (!read) {
      return {InterpretedFunctions::frame(functions_.intern({}), 0), Mode::kUser, origin};
    }
    KnownCode code = {.fingerprint = frame.fingerprint, .code = std::move(*read)};
    code.function = functions_.intern({.name = code.code.name,
                                       .file = code.code.file,
                                       .first_line = code.code.first_line,
                                       .language = attached.loaded.image->language()});
    known = attached.codes.insert_or_assign(frame.code, std::move(code)).first;
  }
  uint32_t line = known->second.code.line_at(frame.position);
  return {InterpretedFunctions::frame(known->second.function, line), Mode::kUser, origin};
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
    return;
  }
  const StackFindings::FrameList* where = list_of(*attached, sample.at.tid, scratch);
  CopiedFrameList list = sample.frame_list;
  FrameListCopy late;
  if (!list.is_known && where != nullptr) {
    scratch.findings.ran_out = true;
    late = copy_steady_frame_list(attached->memory, *where, kMaxLateFrames, kLateAttempts);
    list = late.list();
  }
  std::vector<InterpreterFrame> frames = attached->process->frames(list);
  if (frames.empty()) {
    return;
  }
  Placement placement = place_frames(
      {.is_evaluator = scratch.is_evaluator, .is_cut = found.ending != StackEnd::kComplete},
      {.frames = frames, .is_cut = list.is_cut});
  bool is_torn = !sample.frame_list.is_known && !late.is_steady;
  FrameOrigin origin = is_torn || placement.agreement == Placement::Agreement::kNone
                           ? FrameOrigin::kInterpreterUnmatched
                       : sample.frame_list.is_known ? FrameOrigin::kInterpreter
                                                    : FrameOrigin::kInterpreterLate;
  std::vector<UnresolvedFrame> joined;
  for (const Placement::Frame& placed : placement.frames) {
    joined.push_back(placed.is_native ? native[placed.index]
                                      : frame(*attached, frames[placed.index], origin));
  }
  insert_stack_pointers(placement, found);
  found.frames.resize(first_user);
  found.frames.insert(found.frames.end(), joined.begin(), joined.end());
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
