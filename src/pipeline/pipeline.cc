// SPDX-License-Identifier: Apache-2.0
// Turns events into a profile on several cores, with the same result on any number of them.
//
// Steps:
//   1. The on_... functions run on the thread of the producer. They update processes and address
//      spaces, give numbers to threads and processes, and collect samples and updates in
//      `collected_` (on_sample, collect_stack).
//   2. hand_over() moves a full batch to `unwound_`, where the workers unwind its stack copies. A
//      batch without copies skips this step.
//   3. finish_unwound_batch() passes the batch on to the assembler, which looks up call chains and adds
//      the samples to the profile (profile_assembly.h).
//   4. finish_all_batches() waits until all three are empty. cut() and finish() then take the profile.
//
// Invariants:
//   - Batches pass through the steps in the order of arrival, so numbers of threads and processes
//     are in the profile before the samples that refer to them.
//   - The assembler alone uses `profile_` while it is busy. Other code waits for it first.
//   - No batch borrows from the recording when on_checkpoint() returns.
#include "pipeline/pipeline.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "profile/interpreted_samples.h"

namespace wick {
namespace {

constexpr int32_t kKernelPid = -1;
constexpr TaskKey kHostKernel = {MachineId::kHost, kKernelPid};
constexpr size_t kSamplesABatch = 1024;
// A reader releases pages a few MB after it has delivered them. A stage that reads them later maps
// them again, and they stay mapped.
constexpr size_t kBorrowedBytesABatch = 1 << 20;
constexpr size_t kUpdatesABatch = 4096;
constexpr size_t kPiecesABatch = 16;
constexpr size_t kSamplesAhead = 3;
constexpr size_t kSmallBatch = 512;
constexpr std::string_view kWhatHelps =
    "The stacks are native; `wick doctor -p PID` says what would help";
// Events come in the order of their times, but a process ends in several steps.
constexpr int64_t kDropAfterNs = 2'000'000'000;
// A profile describes where processes mapped their modules. A recording without end cannot do so
// for all that ended: about 512 KB.
constexpr size_t kMaxMappingsOfEnded = 1 << 14;

// Prefetches what the unwinder reads first: the registers, and the start of the stack directly
// after them. The recording is far larger than any cache: waiting for each sample took a fifth of
// the time of unwinding.
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
  return batch.sample_count >= kSamplesABatch || batch.borrowed_bytes >= kBorrowedBytesABatch ||
         updates >= kUpdatesABatch;
}

// Whether waking other threads costs more than the batch itself: a live recording has a few dozen
// samples at a time.
bool is_small(const Batch& batch) {
  return batch.sample_count < kSmallBatch && !is_full(batch);
}

bool process_exists(TaskKey process) {
  return process.machine != MachineId::kHost || ::kill(process.number, 0) == 0 || errno != ESRCH;
}

ProcessMemory* memory_of_live(const PipelineOptions& options, ProcessMemory& running) {
  if (!options.is_live) {
    return nullptr;
  }
  return options.memory != nullptr ? options.memory : &running;
}

std::unique_ptr<Interpreters> interpreters_of(const PipelineOptions& options,
                                              ProcessMemory* live,
                                              LoadedModules& modules,
                                              InterpretedFunctions& functions) {
  bool reads = live != nullptr && options.reads_interpreters;
  return reads ? std::make_unique<Interpreters>(modules, *live, functions) : nullptr;
}

}  // namespace

Pipeline::Pipeline(const NameOptions& sources, const PipelineOptions& options)
    : options_(options),
      live_(memory_of_live(options, running_)),
      modules_(sources.files, sources.cache, options.is_live),
      interpreters_(interpreters_of(options, live_, modules_, interpreted_functions_)),
      stacks_(modules_, options.stitches, live_, interpreters_.get()),
      profile_(modules_, interpreted_functions_, stacks_, options.stitches),
      scratch_(pool_.workers()),
      assembler_([this](Batch& batch) { profile_.take(batch); }),
      naming_(sources, &modules_),
      live_names_(naming_, modules_) {}

Pipeline::~Pipeline() {
  pool_.finish();
}

void Pipeline::on_host(const HostEvent& event) {
  finish_all_batches();
  stacks_.set_architecture(event.architecture);
  profile_.set_host(event);
}

void Pipeline::on_clock(const ClockEvent& event) {
  finish_all_batches();
  stacks_.set_clock(event.kind);
  profile_.set_clock(event);
}

void Pipeline::on_event_kind(const EventKind& kind) {
  finish_all_batches();
  profile_.add_kind(kind);
}

void Pipeline::on_map(const MapEvent& event) {
  // Interpreters map their code without execute permission. Such a mapping counts if the recording
  // has names for it.
  if (!event.executable && !modules_.has_recorded_symbols(event.path)) {
    return;
  }
  // Sizes come from untrusted files: a mapping ends at the last address.
  MapEvent map = event;
  map.size = std::min(map.size, std::numeric_limits<uint64_t>::max() - map.start);
  if (map.at.pid == kKernelPid) {
    hand_over();  // a batch has one state of the kernel
  }
  processes_.map({map.at.machine, map.at.pid}, modules_.mapping_of(map));
}

void Pipeline::on_build_id(const BuildIdEvent& event) {
  finish_all_batches();
  live_names_.wait();
  modules_.add_build_id(event);
}

void Pipeline::on_symbol(const SymbolEvent& event) {
  finish_all_batches();
  modules_.add_symbol(event);
}

void Pipeline::on_kernel_symbol(const KernelSymbolEvent& event) {
  if (event.removed || event.size > std::numeric_limits<uint64_t>::max() - event.start) {
    return;  // the name stays valid until another symbol has the address
  }
  hand_over();
  LoadedId loaded = modules_.intern_kernel_symbol(event.name);
  processes_.map({event.at.machine, kKernelPid},
                 {event.start, event.start + event.size, 0, loaded});
}

// An exec ends one row and begins another. Any other name is a new name for the same row.
void Pipeline::on_comm(const CommEvent& event) {
  int64_t time = known_time(event.at.time_ns);
  ProcessState* process = processes_.find_process({event.at.machine, event.at.pid});
  ThreadState* thread = processes_.find_thread({event.at.machine, event.at.tid});
  bool is_main = event.at.pid == event.at.tid;
  bool starts_program = is_main && event.exec;
  if (is_main && process != nullptr && process->number != kNoRow) {
    ProcessUpdate update{.process = process->number};
    if (starts_program) {
      forget_interpreter({event.at.machine, event.at.pid});
      update.end_ns = time;
      update.space = last_space(*process);
      update.is_last = process->children == 0;  // rows of children refer to its row
    } else {
      update.name = event.name;
    }
    if (update.is_last) {
      process_numbers_.release(update.process);
    }
    collected_.process_updates.push_back(std::move(update));
  }
  bool is_known = thread != nullptr && thread->pid == event.at.pid && thread->number != kNoRow;
  if (is_known && (starts_program || thread->name != event.name)) {
    collected_.thread_updates.push_back({.thread = thread->number,
                                         .time_ns = time,
                                         .ended = starts_program,
                                         .name = starts_program ? "" : std::string(event.name),
                                         .is_last = starts_program});
    if (starts_program) {
      thread_numbers_.release(thread->number);
    }
  }
  processes_.on_comm(event);
  hand_over_if_full();
}

void Pipeline::on_fork(const ForkEvent& event) {
  const ProcessState* before = processes_.find_process({event.at.machine, event.at.pid});
  bool takes_its_pid = event.at.pid != event.parent_pid && before != nullptr;
  if (takes_its_pid) {
    forget_interpreter({event.at.machine, event.at.pid});
  }
  if (takes_its_pid && before->number != kNoRow) {
    bool is_last = before->children == 0;
    collected_.process_updates.push_back(
        {.process = before->number, .space = last_space(*before), .is_last = is_last});
    if (is_last) {
      process_numbers_.release(before->number);
    }
  }
  const ThreadState* thread = processes_.find_thread({event.at.machine, event.at.tid});
  if (thread != nullptr && thread->number != kNoRow) {
    release_thread(thread->number);
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
  // A process can outlive its first thread: then it ends with the last thread whose end is
  // recorded.
  ProcessState* process = processes_.find_process({event.at.machine, event.at.pid});
  bool is_main = event.at.pid == event.at.tid;
  bool ends = process != nullptr && (is_main || process->main_ended);
  processes_.on_exit(event);
  if (ends && process->number != kNoRow) {
    collected_.process_updates.push_back(
        {.process = process->number, .end_ns = known_time(event.at.time_ns)});
  }
  if (live_ != nullptr && event.at.time_ns != 0) {
    ended_.push_back({{event.at.machine, event.at.pid}, event.at.tid, event.at.time_ns});
    drop_ended(event.at.time_ns);
  }
  hand_over_if_full();
}

// A recording of the whole machine sees any number of short processes. What is left of one that
// ended is its rows in the profile. Events are older than what the kernel says now: a process can
// be gone while samples of its other threads are still to come. So its state is dropped only when
// another while has passed since it was seen to be gone.
void Pipeline::drop_ended(int64_t now) {
  while (!ended_.empty() && ended_.front().time_ns + kDropAfterNs < now) {
    EndedThread ended = ended_.front();
    ended_.pop_front();
    drop_thread({ended.process.machine, ended.tid});
    if (ended.was_gone) {
      drop_process(ended.process);
    }
    bool waits = processes_.may_drop(ended.process);
    if (waits && ended.tid == ended.process.number) {
      bool is_gone = !process_exists(ended.process);
      ended_.push_back({ended.process, ended.tid, now, is_gone});
    }
  }
}

void Pipeline::drop_thread(TaskKey key) {
  if (uint32_t number = processes_.drop_thread(key); number != kNoRow) {
    release_thread(number);
  }
}

void Pipeline::release_thread(uint32_t number) {
  collected_.thread_updates.push_back({.thread = number, .is_last = true});
  thread_numbers_.release(number);
}

// A recording that is read is bounded by its size.
std::shared_ptr<SpaceState> Pipeline::last_space(const ProcessState& process) {
  if (live_ != nullptr && mappings_of_ended_ >= kMaxMappingsOfEnded) {
    return nullptr;
  }
  mappings_of_ended_ += process.space->space.mappings().size();
  return process.space;
}

// The process has ended, or executes another program.
void Pipeline::forget_interpreter(TaskKey process) {
  if (interpreters_ != nullptr && process.machine == MachineId::kHost) {
    interpreters_->forget(process.number);
  }
}

// The parent may have ended before, and waited only for its children.
void Pipeline::drop_process(TaskKey key) {
  while (processes_.may_drop(key) && !process_exists(key)) {
    const ProcessState& process = processes_.process(key);
    TaskKey parent = {key.machine, process.parent_pid};
    if (process.number != kNoRow) {
      collected_.process_updates.push_back(
          {.process = process.number, .space = last_space(process), .is_last = true});
      process_numbers_.release(process.number);
    }
    processes_.drop_process(key);
    forget_interpreter(key);
    key = parent;
  }
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
  wait_for_assembler();
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

// The row of a thread, or none if it does not have one. Only while the assembler is idle.
ThreadId Pipeline::known_thread(const EventContext& at) {
  const ThreadState* thread = processes_.find_thread({at.machine, at.tid});
  if (thread == nullptr || thread->pid != at.pid || thread->number == kNoRow) {
    return {};
  }
  if (!collected_.new_threads.empty() || !unwound_.new_threads.empty()) {
    finish_all_batches();  // it may be one of them, and its number have been another's
  }
  return profile_.thread_row(thread->number);
}

void Pipeline::on_mark(const MarkEvent& event) {
  wait_for_assembler();
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
  wait_for_assembler();
  profile_.builder().add_fact(key, value);
}

uint32_t Pipeline::thread_number(const EventContext& at) {
  ThreadState& thread = processes_.thread(at);
  if (thread.number == kNoRow) {
    uint32_t process = process_number({at.machine, at.pid});
    thread.number = thread_numbers_.take();
    collected_.new_threads.push_back({.number = thread.number,
                                      .tid = at.tid,
                                      .process = process,
                                      .begin_ns = thread.begin_ns,
                                      .name = thread.name});
  }
  return thread.number;
}

// Parents get their rows first. A recording may say that two processes are each other's parents: a
// process that does not have its number yet cannot be a parent.
uint32_t Pipeline::process_number(TaskKey key) {
  constexpr size_t kMaxAncestors = 64;
  std::vector<TaskKey> line = {key};
  while (line.size() < kMaxAncestors) {
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
      process.number = process_numbers_.take();
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
  unused_.see(event);
  if (collected_.kernel == nullptr) {
    collected_.kernel = processes_.space(kHostKernel);
  }
  const SpaceState& space = keep_space(processes_.space_of(event));
  bool in_guest = event.at.machine != MachineId::kHost;
  const SpaceState& kernel =
      in_guest ? keep_space(processes_.space({event.at.machine, kKernelPid})) : *collected_.kernel;
  PendingSample& pending = collected_.add_sample();
  pending.time_ns = event.at.time_ns;
  pending.weight = event.weight;
  pending.cgroup = event.cgroup;
  pending.space = &space;
  pending.kernel = &kernel;
  pending.kind = event.event;
  pending.thread = thread_number(event.at);
  pending.group = event.group;
  pending.cpu = ProfileAssembly::cpu_of(event.at);
  pending.in_guest = in_guest;
  pending.branch_count = 0;
  pending.stack = PendingSample::kNoStack;
  if (!event.branches.empty() && !event.branches_are_calls) {
    pending.first_branch = static_cast<uint32_t>(collected_.branches.size());
    pending.branch_count = static_cast<uint32_t>(event.branches.size());
    collected_.branches.insert(
        collected_.branches.end(), event.branches.begin(), event.branches.end());
  }
  if (!options_.stitches && KnownChains::decide(event)) {
    pending.chain.set(event, kernel.epoch, space.epoch);
    collected_.has_chains = true;
    collected_.borrowed_bytes += pending.chain.bytes();
  } else {
    pending.stack = static_cast<uint32_t>(collected_.stack_count);
    collect_stack(event, space);
  }
  hand_over_if_full();
}

void Pipeline::collect_stack(const SampleEvent& event, const SpaceState& space) {
  PendingStack& stack = collected_.add_stack();
  stack.needs_unwinding = stacks_.needs_unwinding(event);
  if (stack.needs_unwinding) {
    stack.event = event;
    stack.space = &space;
    ++collected_.to_unwind;
    collected_.borrowed_bytes += event.user_stack.size();
  } else {
    stacks_.find(event, space, scratch_[0], stack.found);
  }
}

// The spans of samples end here.
void Pipeline::on_checkpoint() {
  if (collected_.borrows()) {
    hand_over();
  }
  finish_unwound_batch();
  if (assembler_borrows_) {
    wait_for_assembler();
  }
}

StackFindings Pipeline::take_stack_findings() {
  StackFindings all;
  for (UnwindScratch& scratch : scratch_) {
    StackFindings some = std::exchange(scratch.findings, {});
    all.ran_out |= some.ran_out;
    all.ends.insert(all.ends.end(), some.ends.begin(), some.ends.end());
    all.handlers.insert(all.handlers.end(), some.handlers.begin(), some.handlers.end());
    all.goroutines.insert(all.goroutines.end(), some.goroutines.begin(), some.goroutines.end());
    all.frame_lists.insert(all.frame_lists.end(), some.frame_lists.begin(), some.frame_lists.end());
  }
  return all;
}

void Pipeline::hand_over() {
  if (collected_.is_empty()) {
    return;
  }
  finish_unwound_batch();
  std::swap(collected_, unwound_);
  thread_numbers_.start_batch();
  process_numbers_.start_batch();
  if (unwound_.to_unwind == 0) {
    finish_unwound_batch();
    return;
  }
  size_t count = unwound_.stack_count;
  size_t piece = is_small(unwound_) ? count : std::max<size_t>(1, count / kPiecesABatch);
  pool_.start(count, piece, [this, count](size_t index, size_t worker) {
    size_t ahead = index + kSamplesAhead;
    if (ahead < count && unwound_.stacks[ahead].needs_unwinding) {
      prefetch(unwound_.stacks[ahead].event);
    }
    PendingStack& stack = unwound_.stacks[index];
    if (stack.needs_unwinding) {
      stacks_.find(stack.event, *stack.space, scratch_[worker], stack.found);
    }
  });
}

void Pipeline::finish_unwound_batch() {
  pool_.finish();
  if (!is_small(unwound_)) {
    assembler_borrows_ |= unwound_.has_chains;
    unwound_ = assembler_.exchange(std::move(unwound_));
  } else if (!unwound_.is_empty()) {
    wait_for_assembler();
    profile_.take(unwound_);
  }
  unwound_.clear();
}

void Pipeline::wait_for_assembler() {
  assembler_.wait();
  assembler_borrows_ = false;
}

void Pipeline::finish_all_batches() {
  hand_over();
  finish_unwound_batch();
  wait_for_assembler();
}

RecordedWindow Pipeline::cut() {
  finish_all_batches();
  processes_.for_each_process([&](const ProcessState& process) {
    if (process.number != kNoRow) {
      profile_.add_mappings(process.number, process.space->space);
    }
  });
  mappings_of_ended_ = 0;
  unused_.report(profile_.builder());
  report_unread_interpreters();
  live_names_.start_over();
  return profile_.finish(modules_.missing_files());
}

void Pipeline::report_unread_interpreters() {
  if (interpreters_ == nullptr) {
    return;
  }
  for (const auto& [why, samples] : interpreters_->take_unread()) {
    profile_.builder().add_loss({.reason = fmt::format("{}. {}", why, kWhatHelps),
                                 .what = kUnreadSamples,
                                 .count = samples,
                                 .severity = LossClass::kNotice});
  }
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
