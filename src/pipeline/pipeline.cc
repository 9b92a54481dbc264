#include "pipeline/pipeline.h"

#include <algorithm>
#include <limits>

namespace wick {
namespace {

constexpr int32_t kKernelPid = -1;
constexpr size_t kMostPending = 2048;
constexpr size_t kSamplesAPiece = 32;
constexpr uint32_t kMostKinds = 0xFFFF;

Mode mode_of(CpuMode mode) {
  switch (mode) {
    case CpuMode::kUnknown:
      return Mode::kUnknown;
    case CpuMode::kUser:
      return Mode::kUser;
    case CpuMode::kKernel:
      return Mode::kKernel;
    case CpuMode::kHypervisor:
      return Mode::kHypervisor;
    case CpuMode::kGuestUser:
      return Mode::kGuestUser;
    case CpuMode::kGuestKernel:
      return Mode::kGuestKernel;
  }
  return Mode::kUnknown;
}

bool is_kernel(CpuMode mode) {
  return mode == CpuMode::kKernel || mode == CpuMode::kGuestKernel || mode == CpuMode::kHypervisor;
}

// A stack that never left the kernel is complete for a thread of the kernel, which maps nothing.
Ending ending_in_kernel(const SampleEvent& event, const SpaceState& space) {
  if (event.kernel_chain.empty()) {
    return Ending::kUnknown;
  }
  return space.space.mappings().empty() ? Ending::kComplete : Ending::kNoUserStack;
}

}  // namespace

Pipeline::Pipeline(const NameSources& sources)
    : sources_(sources),
      modules_(sources.files),
      assembly_(builder_, modules_),
      scratch_(pool_.workers()),
      pending_(kMostPending) {}

void Pipeline::on_host(const HostEvent& event) {
  architecture_ = event.architecture;
}

void Pipeline::on_event_kind(const EventKind& kind) {
  uint32_t number = std::min(kind.number, kMostKinds);
  if (kinds_.size() <= number) {
    kinds_.resize(size_t{number} + 1);
  }
  kinds_[number] = {std::string(kind.name), std::string(kind.unit), {}};
}

EventId Pipeline::event_row(uint32_t number) {
  bool known = number < kinds_.size() && kinds_[number].row.valid();
  return known ? kinds_[number].row : add_event(std::min(number, kMostKinds));
}

EventId Pipeline::add_event(uint32_t number) {
  if (kinds_.size() <= number) {
    kinds_.resize(size_t{number} + 1);
  }
  NamedKind& kind = kinds_[number];
  kind.row = builder_.event({builder_.string(kind.name), builder_.string(kind.unit)});
  return kind.row;
}

void Pipeline::on_map(const MapEvent& event) {
  if (!event.executable) {
    return;
  }
  // Sizes come from foreign files: a mapping ends where the addresses end.
  MapEvent map = event;
  map.size = std::min(map.size, std::numeric_limits<uint64_t>::max() - map.start);
  processes_.map(map.at.pid, modules_.mapping_of(map));
}

void Pipeline::on_build_id(const BuildIdEvent& event) {
  modules_.add_build_id(event);
}

void Pipeline::on_symbol(const SymbolEvent& event) {
  modules_.add_symbol(event);
}

void Pipeline::on_kernel_symbol(const KernelSymbolEvent& event) {
  if (event.removed || event.size > std::numeric_limits<uint64_t>::max() - event.start) {
    return;  // what stood there keeps its name until something else takes the place
  }
  LoadedId loaded = modules_.intern_kernel_symbol(event.name);
  processes_.map(kKernelPid, {event.start, event.start + event.size, 0, loaded});
}

void Pipeline::on_comm(const CommEvent& event) {
  processes_.on_comm(event);
}

void Pipeline::on_fork(const ForkEvent& event) {
  processes_.on_fork(event);
}

void Pipeline::on_lost(const LostEvent& event) {
  builder_.add_loss({.reason = event.reason,
                     .what = event.what,
                     .detail = event.detail,
                     .count = event.count,
                     .severity = event.notice ? LossClass::kNotice : LossClass::kDataLoss});
}

void Pipeline::on_fact(std::string_view key, std::string_view value) {
  builder_.add_fact(key, value);
}

ThreadId Pipeline::thread_row(const EventContext& at) {
  ThreadState& thread = processes_.thread(at.pid, at.tid);
  const ProcessState& process = processes_.process(at.pid);
  if (thread.row == UINT32_MAX || thread.row_of_name != process.names_taken) {
    ProcessId process_row = builder_.process({at.pid, builder_.string(process.name)});
    thread.row = builder_.thread({at.tid, process_row, builder_.string(thread.name)}).value;
    thread.row_of_name = process.names_taken;
  }
  return ThreadId(thread.row);
}

void Pipeline::on_sample(const SampleEvent& event) {
  ThreadId thread = thread_row(event.at);
  const SpaceState& space = processes_.space(event.at.pid);
  if (pending_count_ == 0 && !UserStacks::needs_unwinding(event)) {
    frames_.clear();
    Ending ending = Ending::kUnknown;
    find_frames(event, space, scratch_[0], frames_, ending);
    add_sample(event, space, thread, frames_, ending);
    return;
  }
  Pending& pending = pending_[pending_count_++];
  pending.event = event;
  pending.space = processes_.process(event.at.pid).space;
  pending.thread = thread;
  if (pending_count_ == kMostPending) {
    unwind_pending();
  }
}

void Pipeline::on_checkpoint() {
  unwind_pending();
}

void Pipeline::unwind_pending() {
  pool_.run(pending_count_, kSamplesAPiece, [&](size_t index, size_t worker) {
    Pending& pending = pending_[index];
    pending.frames.clear();
    find_frames(pending.event, *pending.space, scratch_[worker], pending.frames, pending.ending);
  });
  for (size_t i = 0; i < pending_count_; ++i) {
    Pending& pending = pending_[i];
    add_sample(pending.event, *pending.space, pending.thread, pending.frames, pending.ending);
    pending.space.reset();
  }
  pending_count_ = 0;
}

void Pipeline::find_frames(const SampleEvent& event,
                           const SpaceState& space,
                           UnwindScratch& scratch,
                           std::vector<RawFrame>& frames,
                           Ending& ending) {
  Mode mode = mode_of(event.mode);
  bool first = true;
  for (uint64_t address : event.kernel_chain) {
    Mode kernel_mode = event.mode == CpuMode::kGuestKernel ? Mode::kGuestKernel : Mode::kKernel;
    Found found = first ? Found::kSampled : Found::kKernelChain;
    frames.push_back({first ? address : address - 1, kernel_mode, found});
    first = false;
  }
  if (frames.empty() && is_kernel(event.mode)) {
    frames.push_back({event.address, mode, Found::kSampled});
  }
  size_t kernel_frames = frames.size();
  UserStacks user_stacks(modules_, architecture_);
  ending = user_stacks.find(event, space, scratch, frames);
  if (frames.empty()) {
    frames.push_back({event.address, mode, Found::kSampled});
  } else if (frames.size() == kernel_frames) {
    ending = ending_in_kernel(event, space);
  }
}

void Pipeline::add_sample(const SampleEvent& event,
                          const SpaceState& space,
                          ThreadId thread,
                          std::span<const RawFrame> frames,
                          Ending ending) {
  has_samples_ = true;
  const SpaceState& kernel = processes_.space(kKernelPid);
  constexpr uint64_t kMostWeight = std::numeric_limits<int64_t>::max();
  bool has_cpu = event.at.cpu >= 0 && event.at.cpu < kNoCpu;
  builder_.add_sample({.time_ns = event.at.time_ns,
                       .weight = static_cast<int64_t>(std::min(event.weight, kMostWeight)),
                       .count = 1,
                       .stack = assembly_.assemble(frames, kernel, space),
                       .thread = thread,
                       .event = event_row(event.event),
                       .cpu = has_cpu ? static_cast<uint16_t>(event.at.cpu) : kNoCpu,
                       .ending = ending});
}

Profile Pipeline::finish() {
  unwind_pending();
  if (!kinds_.empty() && !kinds_[0].row.valid() && !has_samples_) {
    add_event(0);  // a recording without samples still has an event that they would be of
  }
  NameSources sources = sources_;
  sources.loaded = &modules_;
  return with_names(builder_.finish(), sources);
}

}  // namespace wick
