// SPDX-License-Identifier: Apache-2.0
// How the parts of a recorder work together. In order:
//
//     open()        loads BPF programs, opens events, describes them, lists the running processes
//     start()       attaches the programs, starts the drain, enables events, and then reports the
//                   processes that already run. In this order nothing is missed: the kernel
//                   reports what happens from now on, /proc the rest
//     work()        takes rounds from the drain: each record goes to Order, and Order delivers all
//                   up to the round's horizon: take() -> Delivery -> ProcessTree -> the sink
//     checkpoint()  lets the consumer finish its samples, then frees their memory
//     finish()      stops events, empties the rings and reports losses
//
// After each work() the recorder asks the unwinder for its findings and passes them on: ends of
// stacks to StackEnds and DeepStacks, and requests for shorter rounds to the drain.
//
// Invariants: delivered samples point into blocks_ and into the BPF ring, so both may be freed only
// after a checkpoint. drain_ is created last, because it refers to the rings of events_.
#include "record/recorder.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <set>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "base/escape.h"
#include "record/bpf.h"
#include "record/machine.h"
#include "record/processes.h"

namespace wick::record {
namespace {

// Samples are unwound together when their records reach this size.
constexpr size_t kCheckpointBytes = 4 << 20;
// Signals, the file and the status line wait for the unwinding at most this long.
constexpr uint64_t kLongestWorkNs = 100'000'000;

// The events of a recorder use the monotonic clock.
void describe_host(kernel_records::Recording& recording) {
  utsname name = {};
  if (::uname(&name) == 0) {
    recording.machine = name.machine;
    recording.host_name = name.nodename;
    recording.kernel_release = name.release;
  }
  timespec wall = {};
  ::clock_gettime(CLOCK_REALTIME, &wall);
  std::string boot_id = read_line("/proc/sys/kernel/random/boot_id").value_or("");
  recording.set_clock({.kind = ClockKind::kMonotonic,
                       .has_wall_time = true,
                       .time_ns = static_cast<int64_t>(monotonic_ns()),
                       .wall_time_ns = int64_t{wall.tv_sec} * 1'000'000'000 + wall.tv_nsec,
                       .boot_id = boot_id});
}

// If another program asks the kernel for build ids, wick's maps are marked as having them, too,
// although wick never asks for them.
void drop_foreign_bits(std::byte* at) {
  perf_event_header header;
  std::memcpy(&header, at, sizeof header);
  if (header.type == PERF_RECORD_MMAP2) {
    header.misc &= static_cast<uint16_t>(~kernel_records::kMiscMmapBuildId);
    std::memcpy(at, &header, sizeof header);
  }
}

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::open(const RecorderRequest& request, EventSink& sink) {
  std::unique_ptr<Recorder> recorder(new Recorder(request, sink));
  recorder->load_programs();
  TRY(recorder->events_.open());
  if (recorder->is_per_thread()) {
    recorder->program_.reset();
    recorder->deep_stacks_.reset();
  }
  recorder->describe_events();
  recorder->scan_existing_processes();
  SampleShape shape(recorder->request().contents);
  if (request.raw == nullptr) {
    shape.end_stacks_at(recorder->stack_ends_);
  }
  Drain::Hints hints{.fill_ns = recorder->events_.fill_ns(),
                     .deep_stacks = recorder->deep_stacks_.get()};
  recorder->drain_ = std::make_unique<Drain>(recorder->events_.rings(), shape, hints);
  return recorder;
}

Recorder::Recorder(const RecorderRequest& request, EventSink& sink)
    : events_(request),
      raw_(request.raw),
      tree_(sink),
      recording_(tree_, kernel_records::ByteOrder::kLittle),
      delivery_(recording_),
      order_(recording_, *this) {
  describe_host(recording_);
  if (request.everybody || !request.cgroup.empty()) {
    tree_.take_everybody();
  }
}

void Recorder::describe_events() {
  std::span<const perf_event_attr> attrs = events_.attrs();
  for (size_t i = 0; i < attrs.size(); ++i) {
    auto bytes = std::as_bytes(attrs.subspan(i, 1));
    uint32_t number = recording_.add_event(kernel_records::parse_attr(bytes, recording_.order));
    recording_.name_event(number, events()[i].name);
  }
  events_.for_each_id([&](uint32_t number, uint64_t id) { recording_.events.add_id(number, id); });
  recording_.announce();
  begin_raw();
}

void Recorder::begin_raw() {
  if (raw_ == nullptr) {
    return;
  }
  std::span<const perf_event_attr> attrs = events_.attrs();
  std::vector<kernel_records::WrittenEvent> written;
  for (size_t i = 0; i < attrs.size(); ++i) {
    written.push_back({.attr = std::string(as_text(std::as_bytes(attrs.subspan(i, 1)))),
                       .name = events()[i].name,
                       .ids = {}});
  }
  events_.for_each_id([&](uint32_t number, uint64_t id) { written[number].ids.push_back(id); });
  raw_->begin(std::move(written));
}

// A sample has its pid after identifier and address; all other records have it first.
bool Recorder::is_of_target(const kernel_records::Record& record) const {
  switch (record.type()) {
    case kernel_records::kMmap:
    case kernel_records::kMmap2:
    case kernel_records::kComm:
    case kernel_records::kFork:
    case kernel_records::kExit:
    case kernel_records::kSample: {
      size_t at =
          kernel_records::kRecordHeaderBytes + (record.type() == kernel_records::kSample ? 16 : 0);
      int32_t pid = -1;
      if (at + sizeof pid <= record.size()) {
        std::memcpy(&pid, record.at + at, sizeof pid);
      }
      return tree_.contains(pid);
    }
    default:
      return true;
  }
}

void Recorder::scan_existing_processes() {
  bool filters = !is_per_thread() && !tree_.takes_everybody();
  if (filters && request().pids.empty()) {
    at_open_.other_processes = all_processes();
  } else if (!request().pids.empty()) {
    at_open_ = relations_to(request().pids);
  }
}

// Runs before events are opened: the size of their stack copies depends on whether a program reads
// the rest.
void Recorder::load_programs() {
  if (request().per_thread || bpf::others_trace()) {
    return;
  }
  program_ = SampleProgram::make();
  if (!program_ || request().contents.stacks != StackSource::kCopy) {
    return;
  }
  // Readers of raw recordings have only the copies, and tracepoints run no program. At -F max a
  // ring with room for only a few samples limits the clock; otherwise there would be no time to
  // unwind.
  bool is_short = raw_ == nullptr && std::ranges::all_of(events(), &EventRequest::runs_programs) &&
                  std::ranges::none_of(events(), &EventRequest::is_hectic);
  uint32_t copied = events_.choose_copy(is_short ? kShortCopyBytes : kMaxStackBytes);
  deep_stacks_ = DeepStacks::make(*program_, copied);
  if (!deep_stacks_) {
    events_.choose_copy(kMaxStackBytes);
  }
}

// All processes at the time of opening that are not members go into the program's set. Later ones
// are not in the set, whether or not they are children of the target.
void Recorder::attach_programs() {
  if (!program_) {
    return;
  }
  for (int32_t pid : at_open_.other_processes) {
    if (pid != request().child) {
      program_->add_other_process(pid);
    }
  }
  events_.attach(*program_);
  if (!tree_.takes_everybody()) {
    tree_.report_other_processes_to(*program_);
  }
  tree_.complete_stacks_from(deep_stacks_.get());
}

Result<> Recorder::start() {
  attach_programs();
  TRY(drain_->start());
  TRY(events_.enable());
  report_running();
  return {};
}

void Recorder::report_running() {
  uint64_t now = monotonic_ns();
  std::optional<TeeSink> both;
  if (raw_ != nullptr) {
    both.emplace(tree_, *raw_);
  }
  EventSink& sink = both ? static_cast<EventSink&>(*both) : tree_;
  report_kernel(now, sink);
  // The events report those that are loaded from now on.
  for (const bpf::Code& code : bpf::loaded_code()) {
    tree_.on_kernel_symbol({.at = {.time_ns = static_cast<int64_t>(now)},
                            .start = code.start,
                            .size = code.size,
                            .name = code.name});
  }
  if (!at_open_.descendants.empty()) {
    add_newcomers(
        at_open_);  // processes that started between scan_existing_processes() and the events
  }
  uint64_t hidden = 0;
  for (int32_t pid : tree_.takes_everybody() ? all_processes() : at_open_.descendants) {
    tree_.add(pid);
    report_process(pid, now, sink);
    hidden += hides_maps(pid) ? 1U : 0U;
  }
  if (hidden > 0) {
    sink.on_lost({.count = hidden,
                  .what = "processes",
                  .reason =
                      "of other users: without privilege wick cannot read which files they "
                      "map, so their samples have no names and no callers; `sudo wick record`",
                  .notice = true});
  }
  if (request().child > 0) {
    tree_.add_at_exec(request().child);
  }
}

void Recorder::work() {
  work_until(monotonic_ns() + kLongestWorkNs);
}

void Recorder::work_until(uint64_t time) {
  // Takes only the rounds of this moment: otherwise a consumer slower than the rings would never
  // return.
  size_t rounds = drain_->take_notice();
  for (; rounds > 0 && monotonic_ns() < time; --rounds) {
    take_round(*drain_->take());
  }
  if (rounds > 0) {
    drain_->remind();
  }
  checkpoint();
  use_stack_findings();
}

void Recorder::use_stack_findings() {
  if (request().feedback == nullptr) {
    return;
  }
  StackFindings findings = request().feedback->take_stack_findings();
  std::erase_if(findings.ends,
                [&](const StackFindings::End& end) { return !stack_ends_.learn(end); });
  if (deep_stacks_ && deep_stacks_->use(findings)) {
    drain_->deliver_names();
  }
  if (findings.ran_out || (deep_stacks_ && deep_stacks_->fills_up())) {
    drain_->speed_up();
  }
}

void Recorder::take_round(Round round) {
  for (Piece& piece : round.pieces) {
    std::byte* at = piece.block->data();
    const std::byte* end = at + piece.bytes;
    while (at < end) {
      drop_foreign_bits(at);
      kernel_records::Record record{at, kernel_records::load_header(at, recording_.order)};
      recording_.account.count_record(record.type());
      uint64_t time = recording_.events.time_of(record, recording_.order);
      if (time == 0) {
        delivery_.deliver(record, 0);
      } else {
        order_.add(record, time, *piece.block);
      }
      at += record.size();
    }
    order_.close();
    piece.block->retire();
    blocks_.push_back(std::move(piece.block));
  }
  if (deep_stacks_) {
    deep_stacks_->collect();
  }
  if (round.horizon > 0) {
    order_.flush(round.horizon - 1);
  }
  if (delivered_bytes_ > kCheckpointBytes) {
    checkpoint();
  }
}

void Recorder::take(const kernel_records::Record& record, uint64_t time) {
  if (events_.is_counted_twice(record)) {
    return;
  }
  delivery_.deliver(record, time);
  // wick learns the stacks of new threads from their first samples.
  if (record.type() == kernel_records::kFork && is_of_target(record)) {
    drain_->watch_closely();
  }
  delivered_bytes_ += record.size();
  delivered_time_ = std::max(delivered_time_, time);
  if (raw_ != nullptr && is_of_target(record)) {
    raw_->write(record, time);
  }
}

void Recorder::checkpoint() {
  tree_.on_checkpoint();
  if (raw_ != nullptr) {
    raw_->finish_round();
  }
  delivery_.clear_scratch();
  auto free = std::ranges::partition(blocks_, [](const auto& block) { return !block->is_free(); });
  for (std::unique_ptr<kernel_records::Block>& block : free) {
    drain_->reuse(std::move(block));
  }
  blocks_.erase(free.begin(), free.end());
  delivered_bytes_ = 0;
  if (deep_stacks_) {
    deep_stacks_->release(static_cast<int64_t>(delivered_time_));
  }
}

void Recorder::finish() {
  if (finished_) {
    return;
  }
  finished_ = true;
  events_.disable();
  drain_->finish();
  work_until(UINT64_MAX);
  order_.flush_all();
  if (order_.late_records() > 0) {
    recording_.account.lose({.reason = "some arrived too late to be sorted by time",
                             .count = order_.late_records(),
                             .notice = true});
  }
  report_lost();
  delivery_.finish();
  recording_.account.report_records(tree_);
  recording_.account.report_losses(tree_);
  checkpoint();
}

// A full ring leaves a LOST record only after there is room again. So this asks for the true number
// at the end and reports it as perf does, by a separate record without a time.
void Recorder::report_lost() {
  uint64_t lost = events_.lost();
  if (lost == 0) {
    return;
  }
  constexpr size_t kSampleIdBytes = 32;  // pid and tid, time, cpu, identifier
  constexpr size_t kBytes = kernel_records::kRecordHeaderBytes + 8 + kSampleIdBytes;
  std::array<std::byte, kBytes> bytes = {};
  std::memcpy(bytes.data() + kernel_records::kRecordHeaderBytes, &lost, sizeof lost);
  kernel_records::Record record{bytes.data(),
                                {.type = kernel_records::kLostSamples, .size = kBytes}};
  delivery_.deliver(record, 0);
  if (raw_ != nullptr) {
    perf_event_header header{
        .type = kernel_records::kLostSamples, .misc = 0, .size = static_cast<uint16_t>(kBytes)};
    std::memcpy(bytes.data(), &header, sizeof header);
    raw_->write(record, 0);
  }
}

}  // namespace wick::record
