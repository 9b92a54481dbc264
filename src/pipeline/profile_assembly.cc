// SPDX-License-Identifier: Apache-2.0
// Adds batches to the profile. For recordings with call chains this is half of the work of reading
// them, so it does little for each sample and waits for memory as rarely as possible.
//
// Steps of take():
//   1. New processes, threads and cgroups of the batch get rows.
//   2. The stack of each sample: from its call chain, if an earlier sample had the same chain
//      (known_chains.h); else from its frames (stack_assembly.h).
//   3. The sample becomes a row.
//   4. Threads and processes are updated, after the samples that precede the update.
//
// finish() completes the profile and starts the next one.
//
// Invariants:
//   - Numbers of processes, threads and kinds of events are those of the recording and stay valid.
//     Rows are those of the current profile; start_over() drops them all, and known chains as well.
//   - A process has its row before its threads and children.
#include "pipeline/profile_assembly.h"

#include <algorithm>

#include <fmt/format.h>

#include "profile/validate.h"

namespace wick {
namespace {

constexpr uint32_t kMaxKinds = 0xFFFF;
// Forked processes share their mappings, and a hostile file may have any number of both.
constexpr uint64_t kMaxMappings = 1 << 20;
constexpr uint64_t kEndedACleaning = 1024;  // processes; to fill the caches again costs far less
// A program may make a new task for each sample. Beyond this many, tasks have one name.
constexpr size_t kMaxTasks = 50'000;
constexpr std::string_view kOtherTasks = "[other tasks]";
// Enough that the memory of a lookup has arrived when it is used, few enough to stay in the cache.
constexpr size_t kChainsAtOnce = 16;

// From the kernel's bit field to the profile's (profile/tables.h).
uint16_t branch_flags(uint64_t kernel) {
  return static_cast<uint16_t>(
      (kernel & 0xF) | kBranchType.put(kernel >> 20) | kBranchSpeculation.put(kernel >> 24) |
      kBranchNewType.put(kernel >> 26) | kBranchPrivilege.put(kernel >> 30));
}

}  // namespace

ProfileAssembly::NamedKind& ProfileAssembly::kind(uint32_t number) {
  number = std::min(number, kMaxKinds);
  if (kinds_.size() <= number) {
    kinds_.resize(size_t{number} + 1);
  }
  return kinds_[number];
}

void ProfileAssembly::add_kind(const EventKind& event) {
  Quantity quantity = event.measure == EventMeasure::kCpuTime ? Quantity::kCpuTime
                      : event.measure == EventMeasure::kCount ? Quantity::kCount
                                                              : Quantity::kUnknown;
  kind(event.number) = {.name = std::string(event.name),
                        .unit = std::string(event.unit),
                        .event = {.kind = quantity,
                                  .period = event.period,
                                  .frequency = event.frequency,
                                  .precise = event.precise}};
}

EventId ProfileAssembly::event_row(uint32_t number) {
  NamedKind& named = kind(number);
  if (!named.row.valid()) {
    Event event = named.event;
    event.name = builder_.string(named.name);
    event.unit = builder_.string(named.unit);
    named.row = builder_.event(event);
  }
  return named.row;
}

void ProfileAssembly::set_host(const HostEvent& event) {
  Host& host = host_ ? *host_ : host_.emplace(Host());
  host.name = event.name;
  host.kernel = event.kernel_release;
  forget_unknown_source();
}

void ProfileAssembly::set_clock(const ClockEvent& event) {
  Host& host = host_ ? *host_ : host_.emplace(Host());
  host.clock = event.kind;
  host.boot_id = event.boot_id;
  if (event.has_wall_time) {
    bool overflows = __builtin_sub_overflow(event.wall_time_ns, event.time_ns, &host.wall_clock_ns);
    host.wall_clock_ns = overflows ? kNoTime : host.wall_clock_ns;
  }
  forget_unknown_source();
}

Source ProfileAssembly::host_source() {
  Host host = host_.value_or(Host());
  return {.host = builder_.string(host.name),
          .boot_id = builder_.string(host.boot_id),
          .kernel = builder_.string(host.kernel),
          .clock = host.clock,
          .wall_clock_ns = host.wall_clock_ns};
}

void ProfileAssembly::forget_unknown_source() {
  auto known = sources_.find(MachineId::kHost);
  if (known != sources_.end() && !known->second.valid()) {
    sources_.erase(known);
  }
}

SourceId ProfileAssembly::source_of(MachineId machine) {
  auto [known, is_new] = sources_.try_emplace(machine);
  if (!is_new) {
    return known->second;
  }
  Source source = host_source();
  if (machine != MachineId::kHost) {
    SourceId host = source_of(MachineId::kHost);
    source = {.host = builder_.string(fmt::format("guest {}", static_cast<uint32_t>(machine))),
              .guest_of = host,
              .clock = source.clock,
              .wall_clock_ns = source.wall_clock_ns};
  }
  return sources_[machine] = source == Source() ? SourceId() : builder_.source(source);
}

void ProfileAssembly::take(Batch& batch) {
  for (const SeenProcess& seen : batch.new_processes) {
    processes_.resize(std::max<size_t>(processes_.size(), size_t{seen.number} + 1));
    KnownProcess& process = processes_[seen.number];
    process = {.seen = seen, .serial = ++serials_, .serial_of_parent = serial_of(seen.parent)};
    process.row = add_process(process);
  }
  for (const SeenThread& seen : batch.new_threads) {
    threads_.resize(std::max<size_t>(threads_.size(), size_t{seen.number} + 1));
    KnownThread& thread = threads_[seen.number];
    thread = {.seen = seen, .serial_of_process = serial_of(seen.process), .is_used = true};
    thread.row = add_thread(thread);
  }
  for (const SeenCgroup& cgroup : batch.cgroups) {
    cgroups_[cgroup.id] = {.path = cgroup.path};
  }
  if (stitches_) {
    for (const PendingSample& sample : batch.pending()) {
      stitching_.apply(sample.thread, batch.stacks[sample.stack].found);
    }
  }
  for (size_t i = 0; i < batch.sample_count; i += kChainsAtOnce) {
    size_t count = std::min(kChainsAtOnce, batch.sample_count - i);
    add_samples(batch.pending().subspan(i, count), batch);
  }
  for (const ThreadUpdate& update : batch.thread_updates) {
    update_thread(update);
  }
  for (const ProcessUpdate& update : batch.process_updates) {
    update_process(update);
  }
}

// 0 if it has ended or never began.
uint64_t ProfileAssembly::serial_of(uint32_t process) const {
  return process < processes_.size() ? processes_[process].serial : 0;
}

// Whether the process that once had this number and serial still has it.
bool ProfileAssembly::is_process(uint32_t number, uint64_t serial) const {
  return serial != 0 && serial_of(number) == serial;
}

ProcessId ProfileAssembly::add_process(const KnownProcess& known) {
  const SeenProcess& seen = known.seen;
  bool is_guest = seen.machine != MachineId::kHost;
  bool is_named = !is_guest || !seen.name.empty();
  std::string name = is_named ? seen.name : fmt::format("[guest/{}]", seen.pid);
  Process process{.pid = seen.pid,
                  .name = builder_.string(name),
                  .source = source_of(seen.machine),
                  .begin_ns = seen.begin_ns,
                  .command = builder_.string(seen.command)};
  if (is_process(seen.parent, known.serial_of_parent)) {
    process.parent = process_row(seen.parent);
  }
  // Without a start time it may be the same process as another with this number and name.
  return seen.begin_ns == kNoTime ? builder_.process(process) : builder_.add_process(process);
}

// Parents get their rows first: their serials are smaller, so the line of ancestors ends.
ProcessId ProfileAssembly::process_row(uint32_t number) {
  std::vector<uint32_t> line;
  for (uint32_t at = number; !processes_[at].row.valid();) {
    line.push_back(at);
    const KnownProcess& child = processes_[at];
    if (!is_process(child.seen.parent, child.serial_of_parent)) {
      break;
    }
    at = child.seen.parent;
  }
  for (; !line.empty(); line.pop_back()) {
    KnownProcess& process = processes_[line.back()];
    process.row = add_process(process);
  }
  return processes_[number].row;
}

ThreadId ProfileAssembly::add_thread(const KnownThread& known) {
  const SeenThread& seen = known.seen;
  Thread thread{.tid = seen.tid, .name = builder_.string(seen.name), .begin_ns = seen.begin_ns};
  if (is_process(seen.process, known.serial_of_process)) {
    thread.process = process_row(seen.process);
  }
  return seen.begin_ns == kNoTime ? builder_.thread(thread) : builder_.add_thread(thread);
}

ThreadId ProfileAssembly::thread_row(uint32_t number) {
  if (number >= threads_.size()) {
    return {};
  }
  KnownThread& thread = threads_[number];
  if (!thread.is_used) {
    return {};
  }
  if (!thread.row.valid()) {
    thread.row = add_thread(thread);
  }
  return thread.row;
}

void ProfileAssembly::update_thread(const ThreadUpdate& update) {
  if (update.ended || !update.name.empty()) {
    change_thread(update);
  }
  if (update.is_last) {
    stitching_.forget(update.thread);
    threads_[update.thread] = {};
  }
}

void ProfileAssembly::change_thread(const ThreadUpdate& update) {
  ThreadId id = thread_row(update.thread);
  builder_.update(id, [&](Thread& thread) {
    if (update.ended) {
      thread.end_ns = std::max(thread.end_ns, update.time_ns);
    }
    if (!update.name.empty()) {
      rename_thread(id, thread, update);
    }
  });
  if (!update.name.empty()) {
    threads_[update.thread].seen.name = update.name;
  }
}

void ProfileAssembly::rename_thread(ThreadId id, Thread& thread, const ThreadUpdate& update) {
  has_several_names_.resize(std::max(has_several_names_.size(), id.index() + 1));
  if (!has_several_names_[id.index()]) {
    builder_.add_thread_name({.thread = id, .time_ns = thread.begin_ns, .name = thread.name});
    has_several_names_[id.index()] = true;
  }
  thread.name = builder_.string(update.name);
  builder_.add_thread_name({.thread = id, .time_ns = update.time_ns, .name = thread.name});
}

// A name from an interpreter. One that the system has counts, unless it is that of the process, which
// threads inherit.
void ProfileAssembly::name_thread(uint32_t number, const std::string& name) {
  ThreadId id = thread_row(number);
  SeenThread& seen = threads_[number].seen;
  bool was_renamed = id.index() < has_several_names_.size() && has_several_names_[id.index()];
  if (!id.valid() || was_renamed || seen.name != processes_[seen.process].seen.name) {
    return;
  }
  seen.name = name;
  builder_.update(id, [&](Thread& thread) { thread.name = builder_.string(name); });
}

// The row of a process that has ended remains; a later window has none.
void ProfileAssembly::update_process(const ProcessUpdate& update) {
  if (update.end_ns != kNoTime || update.begin_ns != kNoTime || !update.name.empty() ||
      !update.command.empty()) {
    change_process(update);
  }
  if (update.space != nullptr) {
    add_mappings(update.process, update.space->space);
  }
  if (update.is_last) {
    processes_[update.process] = {};
    if (++ended_ % kEndedACleaning == 0) {
      stacks_.forget_cached();
    }
  }
}

void ProfileAssembly::change_process(const ProcessUpdate& update) {
  SeenProcess& seen = processes_[update.process].seen;
  builder_.update(process_row(update.process), [&](Process& process) {
    process.end_ns = std::max(process.end_ns, update.end_ns);
    if (process.begin_ns == kNoTime) {
      process.begin_ns = update.begin_ns;
    }
    process.name = update.name.empty() ? process.name : builder_.string(update.name);
    process.command = update.command.empty() ? process.command : builder_.string(update.command);
  });
  seen.begin_ns = seen.begin_ns == kNoTime ? update.begin_ns : seen.begin_ns;
  seen.name = update.name.empty() ? seen.name : update.name;
  seen.command = update.command.empty() ? seen.command : update.command;
}

LabelSetId ProfileAssembly::labels_of(uint64_t cgroup, const UnwoundStack& found) {
  bool is_of_task = !found.task.empty();
  if (cgroup == 0 && found.lock_use == LockUse::kUnknown && !is_of_task) {
    return kNoLabels;
  }
  Cgroup& known = cgroups_[cgroup];
  TaskName name = {found.task, found.coroutine};
  if (is_of_task && tasks_ >= kMaxTasks && !known.of_tasks.contains(name)) {
    name = {std::string(kOtherTasks), {}};
  }
  if (is_of_task && known.of_tasks.try_emplace(name).second) {
    ++tasks_;
  }
  Cgroup::Labels& labels = is_of_task ? known.of_tasks[name] : known.labels;
  std::optional<LabelSetId>& made = labels[static_cast<size_t>(found.lock_use)];
  if (!made) {
    made = make_labels(cgroup, found.lock_use, name);
  }
  return *made;
}

LabelSetId ProfileAssembly::make_labels(uint64_t cgroup, LockUse lock_use, const TaskName& task) {
  std::vector<LabelId> labels;
  auto add = [&](std::string_view key, std::string_view text) {
    if (!text.empty()) {
      labels.push_back(
          builder_.label({.key = builder_.string(key), .text = builder_.string(text)}));
    }
  };
  if (cgroup != 0 && cgroups_[cgroup].path.empty()) {
    labels.push_back(builder_.label({.key = builder_.string("cgroup"),
                                     .number = static_cast<int64_t>(cgroup),
                                     .is_number = true}));
  } else if (cgroup != 0) {
    add("cgroup", cgroups_[cgroup].path);
  }
  add("gil", name_of(lock_use));
  add("task", task.name);
  add("coroutine", task.coroutine);
  return builder_.label_set(labels);
}

BranchSetId ProfileAssembly::branches_of(const PendingSample& sample, const Batch& batch) {
  if (sample.branch_count == 0) {
    return {};
  }
  auto frame = [&](uint64_t address) {
    bool in_kernel = (address >> 63) != 0;
    Mode mode = sample.in_guest ? (in_kernel ? Mode::kGuestKernel : Mode::kGuestUser)
                                : (in_kernel ? Mode::kKernel : Mode::kUser);
    return stacks_.frame({FrameAddress::exact(address), mode, FrameOrigin::kBranchStack},
                         *sample.kernel,
                         *sample.space);
  };
  branches_.clear();
  for (uint32_t i = 0; i < sample.branch_count; ++i) {
    const BranchEntry& entry = batch.branches[sample.first_branch + i];
    EdgeId edge = builder_.edge({.from = frame(entry.from), .to = frame(entry.to)});
    branches_.push_back({.edge = edge,
                         .cycles = static_cast<uint16_t>(entry.cycles()),
                         .flags = branch_flags(entry.flags)});
  }
  return builder_.branch_set(branches_);
}

// Looks up several chains together, because a lookup that waits for memory costs more than all
// other work on a sample.
void ProfileAssembly::add_samples(std::span<const PendingSample> samples, const Batch& batch) {
  for (const PendingSample& sample : samples) {
    known_chains_.prefetch_slot(sample.chain);
  }
  for (const PendingSample& sample : samples) {
    known_chains_.prefetch_record(sample.chain);
  }
  for (const PendingSample& sample : samples) {
    bool has_chain = sample.stack == PendingSample::kNoStack;
    add_sample(
        sample,
        has_chain ? stack_of_chain(sample) : assemble(batch.stacks[sample.stack].found, sample),
        batch);
  }
}

AssembledStack ProfileAssembly::assemble(const UnwoundStack& found, const PendingSample& sample) {
  return {stacks_.assemble(found.frames, found.callers_hash, *sample.kernel, *sample.space),
          found.ending};
}

AssembledStack ProfileAssembly::stack_of_chain(const PendingSample& sample) {
  if (uint32_t number = known_chains_.find(sample.chain); number != KnownChains::kNone) {
    return known_chains_.stack(number);
  }
  sample_stacks_.find(KnownChains::sample_of(sample.chain), *sample.space, scratch_, found_);
  AssembledStack assembled = assemble(found_, sample);
  known_chains_.add(sample.chain, assembled);
  return assembled;
}

void ProfileAssembly::add_sample(const PendingSample& sample,
                                 const AssembledStack& assembled,
                                 const Batch& batch) {
  if (sample.weight > kMaxTotalWeight - total_weight_) {
    builder_.add_loss({.reason = "their weights add up to more than 62 bits can hold"});
    return;
  }
  total_weight_ += sample.weight;
  has_samples_ = true;
  bool has_chain = sample.stack == PendingSample::kNoStack;
  static const UnwoundStack kNothing;
  const UnwoundStack& found = has_chain ? kNothing : batch.stacks[sample.stack].found;
  if (!found.thread_name.empty()) {
    name_thread(sample.thread, found.thread_name);
  }
  builder_.add_sample({.time_ns = sample.time_ns,
                       .weight = static_cast<int64_t>(sample.weight),
                       .count = 1,
                       .stack = assembled.stack,
                       .thread = thread_row(sample.thread),
                       .event = event_row(sample.kind),
                       .cpu = sample.cpu,
                       .ending = assembled.ending,
                       .labels = labels_of(sample.cgroup, found),
                       .branches = branches_of(sample, batch),
                       .group = sample.group});
}

void ProfileAssembly::add_mappings(uint32_t process, const AddressSpace& space) {
  if (!processes_[process].row.valid()) {
    return;
  }
  for (const Mapping& mapping : space.mappings()) {
    if (ModuleId module = stacks_.known_module(mapping.loaded); module.valid()) {
      if (mappings_ == kMaxMappings) {
        builder_.add_loss({.reason = "there are more mappings than a profile can hold",
                           .what = "mappings",
                           .severity = LossClass::kNotice});
        continue;
      }
      ++mappings_;
      builder_.add_mapping({.process = processes_[process].row,
                            .module = module,
                            .start = mapping.start,
                            .end = mapping.end,
                            .file_offset = mapping.file_offset});
    }
  }
}

RecordedWindow ProfileAssembly::finish(const std::vector<LoadedId>& missing_files) {
  if (!kinds_.empty() && !has_samples_) {
    event_row(0);  // a recording without samples has an event, too
  }
  Profile profile = builder_.finish();
  for (LoadedId loaded : missing_files) {
    if (ModuleId module = stacks_.known_module(loaded); module.valid()) {
      profile.modules[module].address_kind = AddressKind::kFileOffset;
    }
  }
  order_events(profile);
  std::span<const LoadedId> loaded = stacks_.loaded_of_modules();
  RecordedWindow window{std::move(profile), {loaded.begin(), loaded.end()}};
  start_over(window.profile);
  return window;
}

// Facts, machine and clock describe the whole recording, so they are in every profile of it.
void ProfileAssembly::start_over(const Profile& finished) {
  builder_ = ProfileBuilder();
  stacks_.start_over();
  known_chains_.clear();
  for (const Fact& fact : finished.facts) {
    builder_.add_fact(finished.strings[fact.key], finished.strings[fact.value]);
  }
  for (NamedKind& named : kinds_) {
    named.row = EventId();
  }
  for (KnownProcess& process : processes_) {
    process.row = ProcessId();
  }
  for (KnownThread& thread : threads_) {
    thread.row = ThreadId();
  }
  tasks_ = 0;
  for (auto& [id, cgroup] : cgroups_) {
    cgroup.of_tasks.clear();
    cgroup.labels = {};
  }
  sources_.clear();
  has_several_names_.clear();
  mappings_ = 0;
  total_weight_ = 0;
  has_samples_ = false;
}

// Rows are in the order of the samples. Sorts them by number, so that the recorder's first event is
// the first row.
void ProfileAssembly::order_events(Profile& profile) const {
  IdVector<EventId, Event> ordered;
  std::vector<EventId> moved(profile.events.size());  // the new rows; none: not moved yet
  auto append = [&](EventId row) {
    if (row.valid() && !moved[row.index()].valid()) {
      moved[row.index()] = EventId::from_index(ordered.size());
      ordered.push_back(profile.events[row]);
    }
  };
  for (const NamedKind& named : kinds_) {
    append(named.row);
  }
  for (size_t row = 0; row < moved.size(); ++row) {
    append(EventId::from_index(row));
  }
  profile.events = std::move(ordered);
  profile.samples.event.transform([&](EventId event) { return moved[event.index()]; });
}

}  // namespace wick
