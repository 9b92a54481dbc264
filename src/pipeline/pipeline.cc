// SPDX-License-Identifier: Apache-2.0
#include "pipeline/pipeline.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace wick {
namespace {

constexpr int32_t kKernelPid = -1;
constexpr TaskKey kHostKernel = {MachineId::kHost, kKernelPid};
constexpr size_t kSamplesABatch = 1024;
// A reader gives pages back a few MB behind what it has delivered; looked at later, they would be
// mapped again and stay.
constexpr size_t kStackBytesABatch = 1 << 20;
constexpr size_t kUpdatesABatch = 4096;
constexpr size_t kPiecesABatch = 16;
constexpr size_t kSamplesAhead = 3;
constexpr size_t kChainsAhead = 8;
constexpr size_t kSmallBatch = 128;

// What the unwinder looks at first: registers, and where the stack begins, right behind them. The
// recording is far larger than any cache, so waiting for each sample took a fifth of unwinding.
void prefetch(const SampleEvent& event) {
  constexpr size_t kLine = 64;
  constexpr size_t kLines = 6;
  const auto* first = reinterpret_cast<const std::byte*>(event.user_registers.values.data());
  for (size_t line = 0; line < kLines; ++line) {
    __builtin_prefetch(first + line * kLine);
  }
}

bool is_full(const Batch& batch) {
  size_t updates =
      batch.thread_updates.size() + batch.process_updates.size() + batch.cgroups.size();
  return batch.count == kSamplesABatch || batch.stack_bytes >= kStackBytesABatch ||
         updates >= kUpdatesABatch;
}

// Whether a batch is not worth waking other threads for: a live recording has a few dozen samples
// at a time, and waking took more than unwinding.
bool is_small(const Batch& batch) {
  return batch.count < kSmallBatch && !is_full(batch);
}

// A stack that never left the kernel is complete for a thread of the kernel, which maps nothing.
Ending ending_in_kernel(const SampleEvent& event, const SpaceState& space) {
  if (event.kernel_chain.empty()) {
    return Ending::kUnknown;
  }
  // Asked for the registers of the program, the kernel said that there are none: the thread has
  // given its memory back and ends.
  bool has_left =
      event.stack_bytes_asked > 0 && event.user_registers.width == RegisterValues::Width::kNone;
  bool is_whole = has_left || space.space.mappings().empty();
  return is_whole ? Ending::kComplete : Ending::kNoUserStack;
}

ProcessMemory* memory_of_live(const NameSources& sources,
                              const PipelineOptions& options,
                              ProcessMemory& running) {
  if (!sources.files.live) {
    return nullptr;
  }
  return options.memory != nullptr ? options.memory : &running;
}

}  // namespace

Pipeline::Pipeline(const NameSources& sources, const PipelineOptions& options)
    : options_(options),
      live_(memory_of_live(sources, options, running_)),
      modules_(sources.files, sources.cache),
      profile_(modules_, options.stitches),
      scratch_(pool_.workers()),
      assembler_([this](Batch& batch) { profile_.take(batch); }),
      naming_(sources, &modules_),
      live_names_(naming_, modules_) {}

Pipeline::~Pipeline() {
  pool_.finish();
}

void Pipeline::on_host(const HostEvent& event) {
  settle();
  architecture_ = event.architecture;
  profile_.set_host(event);
}

void Pipeline::on_clock(const ClockEvent& event) {
  settle();
  profile_.set_clock(event);
}

void Pipeline::on_event_kind(const EventKind& kind) {
  settle();
  profile_.add_kind(kind);
}

void Pipeline::on_map(const MapEvent& event) {
  // Interpreters read their code: it counts where the recording has names for it.
  if (!event.executable && !modules_.has_recorded_symbols(event.path)) {
    return;
  }
  // Sizes come from foreign files: a mapping ends where the addresses end.
  MapEvent map = event;
  map.size = std::min(map.size, std::numeric_limits<uint64_t>::max() - map.start);
  if (map.at.pid == kKernelPid) {
    hand_over();  // a batch has one state of the kernel
  }
  processes_.map({map.at.machine, map.at.pid}, modules_.mapping_of(map));
}

void Pipeline::on_build_id(const BuildIdEvent& event) {
  settle();
  live_names_.wait();
  modules_.add_build_id(event);
}

void Pipeline::on_symbol(const SymbolEvent& event) {
  settle();
  modules_.add_symbol(event);
}

void Pipeline::on_kernel_symbol(const KernelSymbolEvent& event) {
  if (event.removed || event.size > std::numeric_limits<uint64_t>::max() - event.start) {
    return;  // what stood there keeps its name until something else takes the place
  }
  hand_over();
  LoadedId loaded = modules_.intern_kernel_symbol(event.name);
  processes_.map({event.at.machine, kKernelPid},
                 {event.start, event.start + event.size, 0, loaded});
}

// An exec is the end of one row and the beginning of another; any other name is a new name of the
// same.
void Pipeline::on_comm(const CommEvent& event) {
  int64_t time = known_time(event.at.time_ns);
  ProcessState* process = processes_.find_process({event.at.machine, event.at.pid});
  ThreadState* thread = processes_.find_thread({event.at.machine, event.at.tid});
  bool is_main = event.at.pid == event.at.tid;
  bool starts_program = is_main && event.exec;
  if (is_main && process != nullptr && process->number != kNoRow) {
    ProcessUpdate update{.process = process->number};
    if (starts_program) {
      update.end_ns = time;
      update.space = process->space;
    } else {
      update.name = event.name;
    }
    collected_.process_updates.push_back(std::move(update));
  }
  bool is_known = thread != nullptr && thread->pid == event.at.pid && thread->number != kNoRow;
  if (is_known && (starts_program || thread->name != event.name)) {
    collected_.thread_updates.push_back({.thread = thread->number,
                                         .time_ns = time,
                                         .ended = starts_program,
                                         .name = starts_program ? "" : std::string(event.name)});
  }
  processes_.on_comm(event);
  hand_over_if_full();
}

void Pipeline::on_fork(const ForkEvent& event) {
  const ProcessState* before = processes_.find_process({event.at.machine, event.at.pid});
  bool takes_its_pid = event.at.pid != event.parent_pid && before != nullptr;
  if (takes_its_pid && before->number != kNoRow) {
    collected_.process_updates.push_back({.process = before->number, .space = before->space});
  }
  processes_.on_fork(event);
}

void Pipeline::on_process(const ProcessEvent& event) {
  processes_.on_process(event);
  const ProcessState& process = processes_.process({event.at.machine, event.at.pid});
  if (process.number != kNoRow) {
    collected_.process_updates.push_back(
        {.process = process.number, .begin_ns = process.begin_ns, .command = process.command});
  }
}

void Pipeline::on_exit(const ExitEvent& event) {
  const ThreadState* thread = processes_.find_thread({event.at.machine, event.at.tid});
  if (thread != nullptr && thread->pid == event.at.pid && thread->number != kNoRow) {
    collected_.thread_updates.push_back(
        {.thread = thread->number, .time_ns = known_time(event.at.time_ns), .ended = true});
  }
  // A process may outlive its first thread: then it ends with the last that is seen to end.
  ProcessState* process = processes_.find_process({event.at.machine, event.at.pid});
  bool is_main = event.at.pid == event.at.tid;
  bool ends = process != nullptr && (is_main || process->main_ended);
  if (ends) {
    process->main_ended = true;
  }
  if (ends && process->number != kNoRow) {
    collected_.process_updates.push_back(
        {.process = process->number, .end_ns = known_time(event.at.time_ns)});
  }
  hand_over_if_full();
}

void Pipeline::on_cgroup(const CgroupEvent& event) {
  collected_.cgroups.push_back({event.id, std::string(event.path)});
  hand_over_if_full();
}

void Pipeline::hand_over_if_full() {
  if (is_full(collected_)) {
    hand_over();
  }
}

void Pipeline::on_lost(const LostEvent& event) {
  assembler_.wait();
  LossId loss = profile_.builder().add_loss(
      {.reason = event.reason,
       .what = event.what,
       .detail = event.detail,
       .count = event.count,
       .severity = event.notice ? LossClass::kNotice : LossClass::kDataLoss});
  if (event.at.time_ns != 0 && !event.notice) {
    profile_.builder().add_loss_moment({.loss = loss,
                                        .end_ns = event.at.time_ns,
                                        .cpu = ProfileAssembly::cpu_of(event.at),
                                        .thread = known_thread(event.at),
                                        .count = event.count,
                                        .source = profile_.source_of(event.at.machine)});
  }
}

// The row of a thread that has one. Only while the stages rest.
ThreadId Pipeline::known_thread(const EventContext& at) {
  const ThreadState* thread = processes_.find_thread({at.machine, at.tid});
  if (thread == nullptr || thread->pid != at.pid || thread->number == kNoRow) {
    return {};
  }
  if (!profile_.thread_row(thread->number).valid()) {
    settle();  // its first sample is on the way
  }
  return profile_.thread_row(thread->number);
}

void Pipeline::on_mark(const MarkEvent& event) {
  assembler_.wait();
  ProfileBuilder& builder = profile_.builder();
  SourceId source = profile_.source_of(event.at.machine);
  builder.add_mark({.time_ns = event.at.time_ns,
                    .name = builder.string(event.name),
                    .value = event.value,
                    .has_value = event.has_value,
                    .thread = known_thread(event.at),
                    .cpu = ProfileAssembly::cpu_of(event.at),
                    .kind = builder.string(event.kind),
                    .source = source});
  if (event.has_value) {
    builder.add_counter(
        {.time_ns = event.at.time_ns,
         .series = builder.series({.name = builder.string(event.kind), .source = source}),
         .value = event.value});
  }
}

void Pipeline::on_fact(std::string_view key, std::string_view value) {
  assembler_.wait();
  profile_.builder().add_fact(key, value);
}

uint32_t Pipeline::thread_number(const EventContext& at) {
  ThreadState& thread = processes_.thread(at);
  if (thread.number == kNoRow) {
    uint32_t process = process_number({at.machine, at.pid});
    thread.number = thread_count_++;
    collected_.new_threads.push_back({.number = thread.number,
                                      .tid = at.tid,
                                      .process = process,
                                      .begin_ns = thread.begin_ns,
                                      .name = thread.name});
  }
  return thread.number;
}

// Parents get their rows first. Recordings may claim that two processes are each other's parents:
// a process that is being given a number has none yet, and cannot be a parent.
uint32_t Pipeline::process_number(TaskKey key) {
  constexpr size_t kMostAncestors = 64;
  std::vector<TaskKey> line = {key};
  while (line.size() < kMostAncestors) {
    const ProcessState& child = processes_.process(line.back());
    TaskKey parent = {key.machine, child.parent_pid};
    const ProcessState* known = child.parent_pid < 0 ? nullptr : processes_.find_process(parent);
    if (child.number != kNoRow || known == nullptr ||
        std::ranges::find(line, parent) != line.end()) {
      break;
    }
    line.push_back(parent);
  }
  uint32_t parent = kNoRow;
  for (size_t i = line.size(); i-- > 0;) {
    ProcessState& process = processes_.process(line[i]);
    if (process.number == kNoRow) {
      process.number = process_count_++;
      collected_.new_processes.push_back({.number = process.number,
                                          .machine = key.machine,
                                          .pid = line[i].number,
                                          .parent = parent,
                                          .begin_ns = process.begin_ns,
                                          .name = process.name,
                                          .command = process.command});
    }
    parent = process.number;
  }
  return parent;
}

const SpaceState& Pipeline::keep_space(const std::shared_ptr<SpaceState>& space) {
  if (collected_.spaces.empty() || collected_.spaces.back() != space) {
    collected_.spaces.push_back(space);
  }
  return *space;
}

void Pipeline::on_sample(const SampleEvent& event) {
  if (collected_.kernel == nullptr) {
    collected_.kernel = processes_.space(kHostKernel);
  }
  PendingSample& pending = collected_.add();
  pending.chain = {};
  pending.at = event.at;
  pending.kind = event.event;
  pending.weight = event.weight;
  pending.thread = thread_number(event.at);
  pending.group = event.group;
  pending.cgroup = event.cgroup;
  pending.first_branch = static_cast<uint32_t>(collected_.branches.size());
  pending.branch_count = 0;
  if (!event.branches.empty() && !event.branches_are_calls) {
    pending.branch_count = static_cast<uint32_t>(event.branches.size());
    collected_.branches.insert(
        collected_.branches.end(), event.branches.begin(), event.branches.end());
  }
  pending.space = &keep_space(processes_.space_of(event));
  pending.kernel = event.at.machine == MachineId::kHost
                       ? collected_.kernel.get()
                       : &keep_space(processes_.space({event.at.machine, kKernelPid}));
  pending.needs_unwinding = UserStacks::needs_unwinding(event, live_ != nullptr);
  if (pending.needs_unwinding) {
    pending.event = event;
    ++collected_.to_unwind;
    collected_.stack_bytes += event.user_stack.size();
  } else if (options_.stitches || !KnownChains::decide(event)) {
    find_stack(event, *pending.space, scratch_[0], pending.found);
  } else {
    WaitingChain& waiting = waiting_chains_.emplace_back();
    waiting.sample = collected_.count - 1;
    waiting.key = KnownChains::key_of(event, pending.kernel->epoch, pending.space->epoch);
    known_chains_.prefetch_slot(waiting.key);
  }
  if (is_full(collected_)) {
    hand_over();
  }
}

// Many at once, because a lookup that waits for memory costs more than all the rest of a sample.
void Pipeline::look_up_chains() {
  for (size_t i = 0; i < waiting_chains_.size(); ++i) {
    if (i + kChainsAhead < waiting_chains_.size()) {
      known_chains_.prefetch_record(waiting_chains_[i + kChainsAhead].key);
    }
    const KnownChains::Key& key = waiting_chains_[i].key;
    PendingSample& pending = collected_.samples[waiting_chains_[i].sample];
    pending.chain = known_chains_.find(key);
    if (pending.chain.is_new) {
      find_stack(KnownChains::sample_of(key), *pending.space, scratch_[0], pending.found);
    }
  }
  waiting_chains_.clear();
}

// Spans of samples end here; what has been found lives on.
void Pipeline::on_checkpoint() {
  look_up_chains();
  if (collected_.to_unwind > 0) {
    hand_over();
  }
  settle_unwound();
}

StackFindings Pipeline::take_stack_findings() {
  StackFindings all;
  for (UnwindScratch& scratch : scratch_) {
    StackFindings some = std::exchange(scratch.findings, {});
    all.ran_out |= some.ran_out;
    all.ends.insert(all.ends.end(), some.ends.begin(), some.ends.end());
    all.handlers.insert(all.handlers.end(), some.handlers.begin(), some.handlers.end());
  }
  return all;
}

void Pipeline::hand_over() {
  if (collected_.is_empty()) {
    return;
  }
  look_up_chains();
  settle_unwound();
  std::swap(collected_, unwound_);
  if (unwound_.to_unwind == 0) {
    settle_unwound();
    return;
  }
  size_t piece =
      is_small(unwound_) ? unwound_.count : std::max<size_t>(1, unwound_.count / kPiecesABatch);
  pool_.start(unwound_.count, piece, [&](size_t index, size_t worker) {
    size_t ahead = index + kSamplesAhead;
    if (ahead < unwound_.count && unwound_.samples[ahead].needs_unwinding) {
      prefetch(unwound_.samples[ahead].event);
    }
    PendingSample& pending = unwound_.samples[index];
    if (pending.needs_unwinding) {
      find_stack(pending.event, *pending.space, scratch_[worker], pending.found);
    }
  });
}

void Pipeline::settle_unwound() {
  pool_.finish();
  if (!is_small(unwound_)) {
    unwound_ = assembler_.exchange(std::move(unwound_));
  } else if (!unwound_.is_empty()) {
    assembler_.wait();
    profile_.take(unwound_);
  }
  unwound_.clear();
}

void Pipeline::settle() {
  hand_over();
  settle_unwound();
  assembler_.wait();
}

// For the few stacks that may be, or complete, one that was cut.
void Pipeline::keep_stack_pointers(const SampleEvent& event,
                                   size_t first_unwound,
                                   const UnwindScratch& scratch,
                                   UnwoundStack& found) const {
  found.stack_pointers.clear();
  bool half_used = event.user_stack.size() >= event.stack_bytes_asked / 2;
  if (!options_.stitches || !half_used || !UserStacks::needs_unwinding(event, live_ != nullptr)) {
    return;
  }
  found.first_unwound = first_unwound;
  for (const UnwoundFrame& frame : scratch.frames) {
    found.stack_pointers.push_back(frame.sp);
  }
}

void Pipeline::find_stack(const SampleEvent& event,
                          const SpaceState& space,
                          UnwindScratch& scratch,
                          UnwoundStack& found) {
  std::vector<UnresolvedFrame>& frames = found.frames;
  frames.clear();
  bool first = true;
  for (uint64_t address : event.kernel_chain) {
    Mode kernel_mode = event.mode == Mode::kGuestKernel ? Mode::kGuestKernel : Mode::kKernel;
    FrameOrigin how = first ? FrameOrigin::kSampled : FrameOrigin::kKernelChain;
    frames.push_back({FrameAddress::in_chain(address, first), kernel_mode, how});
    first = false;
  }
  if (frames.empty() && is_kernel(event.mode)) {
    frames.push_back({FrameAddress::exact(event.address), event.mode, FrameOrigin::kSampled});
  }
  size_t kernel_frames = frames.size();
  UserStacks user_stacks(modules_, architecture_, live_);
  found.ending = user_stacks.find(event, space, scratch, frames);
  keep_stack_pointers(event, kernel_frames, scratch, found);
  if (frames.empty()) {
    frames.push_back({FrameAddress::exact(event.address), event.mode, FrameOrigin::kSampled});
  } else if (frames.size() == kernel_frames && found.ending != Ending::kComplete) {
    found.ending = ending_in_kernel(event, space);
  }
  found.callers_hash = StackAssembly::callers_hash(frames);
}

RecordedWindow Pipeline::cut() {
  settle();
  processes_.for_each_process([&](const ProcessState& process) {
    if (process.number != kNoRow) {
      profile_.add_mappings(process.number, process.space->space);
    }
  });
  live_names_.start_over();
  known_chains_.forget();
  return profile_.finish(modules_.missing_files());
}

void Pipeline::look_up_names() {
  if (live_names_.is_idle()) {
    with_profile_so_far(
        [&](const Profile& profile) { live_names_.start(profile, profile_.loaded_of_modules()); });
  }
}

Profile Pipeline::named(RecordedWindow window) {
  return naming_.name(std::move(window.profile), {.loaded = window.loaded});
}

Profile Pipeline::finish() {
  RecordedWindow window = cut();
  live_names_.wait();
  return naming_.name(std::move(window.profile), {.loaded = window.loaded, .is_last = true});
}

}  // namespace wick
