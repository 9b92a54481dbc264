// SPDX-License-Identifier: Apache-2.0
// Decodes the kernel's records one by one and calls the sink. deliver() dispatches by type; each
// deliver_... function reads its fields, checks that they fit (accept), and sends one event. A
// record that does not fit is counted as a loss and skipped: it never stops the reading.
//
// The bodies of the kernel's records, in the order of their numbers (a sample id may follow each):
//
//     MMAP             pid 4, tid 4, address 8, length 8, file offset 8, path
//     LOST             id 8, lost 8
//     COMM             pid 4, tid 4, name
//     EXIT, FORK       pid 4, parent's pid 4, tid 4, parent's tid 4, time 8
//     (UN)THROTTLE     time 8, id 8, stream id 8
//     READ             pid 4, tid 4, values (sample.h)
//     SAMPLE           see sample.h
//     MMAP2            pid 4, tid 4, address 8, length 8, file offset 8,
//                      device 4 + 4, inode 8, generation 8,
//                         or with a bit of misc: build id's size 1, 3, build id 20,
//                      protection 4, flags 4, path
//     AUX              offset 8, size 8, flags 8 (1: cut short, 4: has gaps)
//     LOST_SAMPLES     lost 8
//     CGROUP           id 8, path
//     SWITCH           nothing; SWITCH_CPU_WIDE: pid 4 and tid 4 of the other thread
//     KSYMBOL          address 8, length 4, type 2, flags 2 (1: removed), name
//     CALLCHAIN_DEFERRED   cookie 8, n 8, n x 8: a call chain as in samples
//
// Not used: ITRACE_START, NAMESPACES, BPF_EVENT, TEXT_POKE, AUX_OUTPUT_HW_ID.
#include "kernel_records/delivery.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernel_records/chains.h"

namespace wick::kernel_records {
namespace {

constexpr uint32_t kProtectionExecute = 4;
constexpr uint64_t kAuxTruncated = 1;
constexpr uint64_t kAuxPartial = 4;

// The build id in the 24 bytes of an MMAP2 whose misc has the build id bit; empty if there is none.
// The bit alone is not reliable: the kernel sets it for an event that asked for build ids and
// leaves it set for the next event, of another profiler, whose bytes are device and inode. `perf
// inject` adds build ids for events that did not ask for them. Their size identifies them, because
// no device has the number 20.
std::string_view build_id_in(Bytes identity, bool asked) {
  if (identity.empty()) {
    return {};
  }
  auto size = std::to_integer<size_t>(identity[0]);
  bool other_bytes =
      std::ranges::any_of(identity.subspan(1, 3), [](std::byte b) { return b != std::byte{}; });
  bool trusted = asked ? size <= kBuildIdBytes : size == kBuildIdBytes && !other_bytes;
  return trusted ? as_text(identity.subspan(4, size)) : std::string_view();
}

}  // namespace

void Delivery::deliver(const Record& record, uint64_t time) {
  recording_.announce();
  if (time != 0) {
    time_ = static_cast<int64_t>(std::min<uint64_t>(time, INT64_MAX));
  }
  switch (record.type()) {
    case kSample:
      deliver_sample(record);
      break;
    case kMmap:
    case kMmap2:
      deliver_map(record);
      break;
    case kComm:
      deliver_comm(record);
      break;
    case kFork:
    case kExit:
      deliver_task(record);
      break;
    case kSwitch:
    case kSwitchCpuWide:
      deliver_switch(record);
      break;
    case kKsymbol:
      deliver_kernel_symbol(record);
      break;
    case kCgroup:
      deliver_cgroup(record);
      break;
    case kLost:
      deliver_lost(record);
      break;
    case kLostSamples:
      deliver_lost_samples(record);
      break;
    case kThrottle:
      deliver_throttle(record);
      break;
    case kRead:
      note_read(record);
      break;
    case kAux:
      deliver_aux(record);
      break;
    case kCallchainDeferred:
      forget_deferred(record);
      break;
    default:
      break;
  }
}

FieldReader Delivery::body(const Record& record) const {
  size_t size = record.size() - kRecordHeaderBytes;
  size_t trailer = recording_.events.trailer_of(record, recording_.order).bytes;
  size -= std::min(size, trailer);
  return {Bytes(record.at + kRecordHeaderBytes, size), recording_.order};
}

MachineId Delivery::machine_of(uint64_t id, Mode mode, int32_t pid) {
  if (int32_t guest = recording_.events.guest_of(id); guest != 0) {
    return guests_.run_by(guest);
  }
  return is_guest(mode) ? guests_.sampled_in(pid) : MachineId::kHost;
}

EventContext Delivery::context(const Record& record) {
  SampleId id = recording_.events.sample_id(record, recording_.order);
  return {.time_ns = time_,
          .pid = id.pid,
          .tid = id.tid,
          .cpu = id.cpu,
          .machine = machine_of(id.id, Mode::kUnknown, id.pid)};
}

EventContext Delivery::map_context(const Record& record, int32_t pid, int32_t tid) {
  EventContext at = context(record, pid, tid);
  Mode mode = mode_of(record.header.misc);
  if (at.machine == MachineId::kHost && is_guest(mode)) {
    at.machine = guests_.run_by(pid);
  }
  if (mode == Mode::kGuestKernel) {
    at.pid = -1;  // only the mode says that this is a kernel map
    at.tid = -1;
  }
  return at;
}

EventContext Delivery::context(const Record& record, int32_t pid, int32_t tid) {
  EventContext at = context(record);
  at.pid = pid;
  at.tid = tid;
  return at;
}

bool Delivery::accept(const FieldReader& fields, const Record& record) {
  if (!fields.ok()) {
    refuse(record);
  }
  return fields.ok();
}

void Delivery::refuse(const Record& record) {
  recording_.account.lose({.reason = "too short for their fields",
                           .detail = fmt::format("the first is a {} record of {} bytes",
                                                 kernel_record_name(record.type()),
                                                 record.size())});
}

void Delivery::deliver_sample(const Record& record) {
  const EventTable& events = recording_.events;
  uint32_t number = events.event_of_sample(record, recording_.order);
  if (number == EventTable::kUnknown) {
    recording_.account.lose(
        {.reason = "the file does not describe the event they belong to", .what = "samples"});
    return;
  }
  const RecordedEvent& event = events[number];
  DecodedSample* sample = decoder_.decode(record, event, number);
  if (sample == nullptr) {
    recording_.account.lose(
        {.reason = "their fields do not fit into their records",
         .what = "samples",
         .detail = fmt::format("the first has {} bytes and is of {}", record.size(), event.name)});
    return;
  }
  sample->event.at.time_ns = time_;
  sample->event.at.machine = machine_of(sample->id, sample->event.mode, sample->event.at.pid);
  if (sample->has_time) {
    first_sample_ = sampled_ ? std::min(first_sample_, time_) : time_;
    last_sample_ = sampled_ ? std::max(last_sample_, time_) : time_;
    sampled_ = true;
  } else {
    without_time_ = true;
  }
  if (sample->deferred) {
    join_deferred(*sample);
  }
  if (event.attr.samples(kSampleRead)) {
    deliver_values(*sample, event.attr);
  } else {
    recording_.sink.on_sample(sample->event);
  }
}

// Sends one sample for each event of the group, as perf does. Its weight is the amount that the
// event counted since the last time; an event that counted nothing gets no sample.
void Delivery::deliver_values(const DecodedSample& sample, const EventAttr& attr) {
  bool per_thread = attr.has(AttrFlag::kInherit);
  bool group = attr.reads(kReadGroup);
  if (group && !attr.reads(kReadId)) {
    recording_.sink.on_sample(sample.event);
    return;
  }
  uint32_t number = group ? ++groups_ : 0;
  for (const ReadValue& read : decoder_.read_values()) {
    SampleEvent event = sample.event;
    event.group = number;
    uint64_t id = read.id != 0 ? read.id : sample.id;
    if (group) {
      event.event = recording_.events.find(id);
      if (event.event == EventTable::kUnknown) {
        recording_.account.lose(
            {.reason = "the file does not describe the event they belong to", .what = "samples"});
        continue;
      }
    }
    event.weight =
        counters_.advance(id, per_thread ? sample.event.at.tid : -1, read.value, read.lost);
    if (event.weight != 0) {
      recording_.sink.on_sample(event);
    }
  }
}

void Delivery::remember_deferred(const Record& record) {
  FieldReader fields = body(record);
  uint64_t cookie = fields.u64();
  if (fields.ok() && deferred_.size() < kMaxDeferred) {
    deferred_.insert_or_assign(cookie, record);
  }
}

void Delivery::forget_deferred(const Record& record) {
  auto known = deferred_.find(body(record).u64());
  if (known != deferred_.end() && known->second.at == record.at) {
    deferred_.erase(known);
  }
}

void Delivery::join_deferred(DecodedSample& sample) {
  auto known = deferred_.find(sample.cookie);
  if (known == deferred_.end()) {
    recording_.account.lose({.reason = "the user half of the call chain never arrived",
                             .what = "call chains",
                             .notice = true});
    return;
  }
  FieldReader fields = body(known->second);
  fields.skip(8);
  uint64_t count = fields.u64();
  if (!fields.ok() || count > fields.remaining() / 8) {
    refuse(known->second);
    return;
  }
  std::span<uint64_t> entries = arena_.words(count);
  for (uint64_t& entry : entries) {
    entry = fields.u64();
  }
  sample.event.user_chain = split_chain(entries, Mode::kUser, arena_).user;
}

void Delivery::deliver_map(const Record& record) {
  FieldReader fields = body(record);
  MapEvent map;
  int32_t pid = fields.i32();
  int32_t tid = fields.i32();
  map.at = map_context(record, pid, tid);
  map.start = fields.u64();
  map.size = fields.u64();
  map.file_offset = fields.u64();
  map.executable = !record.has(kMiscMmapData);
  map.mode = mode_of(record.header.misc);
  if (record.type() == kMmap2) {
    Bytes identity = fields.take(24);
    if (record.has(kMiscMmapBuildId)) {
      bool asked = recording_.events.asks_for_build_ids(record, recording_.order);
      map.build_id = build_id_in(identity, asked);
      recording_.build_ids_are_known |= !map.build_id.empty();
    }
    if (map.build_id.empty() && !identity.empty()) {
      FieldReader numbers(identity, recording_.order);
      uint64_t major = numbers.u32();
      map.file.device = major << 32 | numbers.u32();
      map.file.inode = numbers.u64();
      map.file.generation = numbers.u64();
    }
    map.executable = (fields.u32() & kProtectionExecute) != 0;
    fields.skip(4);
  }
  map.path = text_before_nul(fields.rest());
  if (!accept(fields, record)) {
    return;
  }
  recording_.sink.on_map(map);
  if (record.has(kMiscMapsTimedOut)) {
    recording_.account.lose({.reason = "perf gave up reading the maps of a process",
                             .what = "processes",
                             .detail = fmt::format("first process {}", pid)});
  }
}

void Delivery::deliver_comm(const Record& record) {
  FieldReader fields = body(record);
  int32_t pid = fields.i32();
  int32_t tid = fields.i32();
  std::string_view name = text_before_nul(fields.rest());
  if (accept(fields, record)) {
    recording_.sink.on_comm(
        {.at = context(record, pid, tid), .name = name, .exec = record.has(kMiscCommExec)});
  }
}

void Delivery::deliver_task(const Record& record) {
  FieldReader fields = body(record);
  int32_t pid = fields.i32();
  int32_t parent_pid = fields.i32();
  int32_t tid = fields.i32();
  int32_t parent_tid = fields.i32();
  if (!accept(fields, record)) {
    return;
  }
  EventContext at = context(record, pid, tid);
  if (record.type() == kFork) {
    recording_.sink.on_fork({.at = at, .parent_pid = parent_pid, .parent_tid = parent_tid});
  } else {
    recording_.sink.on_exit({.at = at});
  }
}

void Delivery::deliver_switch(const Record& record) {
  SwitchEvent event{.at = context(record),
                    .leaves = record.has(kMiscSwitchOut),
                    .preempted = record.has(kMiscSwitchPreempted)};
  FieldReader fields = body(record);
  if (record.type() == kSwitchCpuWide && fields.remaining() >= 8) {
    event.other_pid = fields.i32();
    event.other_tid = fields.i32();
  }
  recording_.sink.on_switch(event);
}

void Delivery::deliver_cgroup(const Record& record) {
  FieldReader fields = body(record);
  CgroupEvent event{.at = context(record), .id = fields.u64()};
  event.path = text_before_nul(fields.rest());
  if (accept(fields, record)) {
    recording_.sink.on_cgroup(event);
  }
}

void Delivery::deliver_kernel_symbol(const Record& record) {
  FieldReader fields = body(record);
  KernelSymbolEvent symbol{.at = context(record)};
  symbol.start = fields.u64();
  symbol.size = fields.u32();
  fields.skip(2);
  symbol.removed = (fields.u16() & 1) != 0;
  symbol.name = text_before_nul(fields.rest());
  if (accept(fields, record)) {
    recording_.sink.on_kernel_symbol(symbol);
  }
}

void Delivery::deliver_lost(const Record& record) {
  FieldReader fields = body(record);
  fields.skip(8);
  uint64_t lost = fields.u64();
  if (accept(fields, record)) {
    reported_lost_ += lost;
    recording_.sink.on_lost({.at = context(record),
                             .count = lost,
                             .what = "samples",
                             .reason = "the kernel's buffer was full while recording"});
  }
}

void Delivery::deliver_lost_samples(const Record& record) {
  FieldReader fields = body(record);
  LostEvent event{.at = context(record), .count = fields.u64(), .what = "samples"};
  if (!accept(fields, record)) {
    return;
  }
  if (record.has(kMiscLostByFilter)) {
    event.reason = "a filter of perf record dropped samples";
    event.notice = true;
  } else if (recording_.events.trailer_of(record, recording_.order).time != 0 &&
             recording_.events.time_of(record, recording_.order) == 0) {
    counted_lost_ += event.count;
    return;
  } else {
    event.reason = "the processor's own buffer of samples was full";
  }
  recording_.sink.on_lost(event);
}

void Delivery::deliver_throttle(const Record& record) {
  recording_.sink.on_lost({.at = context(record),
                           .count = 1,
                           .what = "pauses",
                           .reason = "the kernel paused sampling, because it took too much time",
                           .notice = true});
}

void Delivery::deliver_aux(const Record& record) {
  FieldReader fields = body(record);
  fields.skip(16);
  uint64_t flags = fields.u64();
  if (accept(fields, record) && (flags & (kAuxTruncated | kAuxPartial)) != 0) {
    recording_.sink.on_lost({.at = context(record),
                             .count = 1,
                             .what = "pieces of hardware trace",
                             .reason = "the buffer of the hardware trace was full"});
  }
}

void Delivery::note_read(const Record& record) {
  FieldReader fields = body(record);
  fields.skip(4);
  int32_t tid = fields.i32();
  if (recording_.events.empty() ||
      !parse_read_values(fields, recording_.events[0].attr.read_format, read_values_)) {
    refuse(record);
    return;
  }
  for (const ReadValue& read : read_values_) {
    exit_counters_.advance(read.id, tid, read.value, read.lost);
  }
}

void Delivery::finish() {
  uint64_t counted = std::max({counted_lost_, counters_.total_lost(), exit_counters_.total_lost()});
  if (counted > reported_lost_) {
    recording_.account.lose({.reason = "the kernel's buffer was full while recording",
                             .what = "samples",
                             .count = counted - reported_lost_,
                             .detail = "counted by the kernel at the end of the recording"});
  }
  if (sampled_) {
    auto seconds = [](int64_t time) { return static_cast<double>(time) / 1e9; };
    recording_.fact("sample times",
                    fmt::format("{:.9f} s to {:.9f} s, {:.6f} s in total",
                                seconds(first_sample_),
                                seconds(last_sample_),
                                seconds(last_sample_ - first_sample_)));
  } else if (without_time_) {
    recording_.fact("sample times", "not recorded");
  }
}

}  // namespace wick::kernel_records
