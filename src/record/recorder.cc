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
#include "record/machine.h"
#include "record/processes.h"

namespace wick::record {
namespace {

constexpr size_t kSmallestRing = 64 * 1024;
constexpr size_t kBurstRingBytes = 16 << 20;
constexpr size_t kAllRingsBytes = 256 << 20;
// So many samples with full stacks shall fit into a ring.
constexpr size_t kSamplesARing = 32;
// Samples are unwound together when their records amount to this.
constexpr size_t kCheckpointBytes = 4 << 20;

std::string machine_name() {
  utsname name = {};
  return ::uname(&name) == 0 ? name.machine : "";
}

bool is_forbidden(int error) {
  return error == EACCES || error == EPERM;
}

// When another program asks the kernel for build ids, our maps are marked as having some, too,
// which we never ask for.
void drop_foreign_bits(std::byte* at) {
  perf_event_header header;
  std::memcpy(&header, at, sizeof header);
  if (header.type == PERF_RECORD_MMAP2) {
    header.misc &= static_cast<uint16_t>(~perf_data::kMiscMmapBuildId);
    std::memcpy(at, &header, sizeof header);
  }
}

// What runs already is told to two.
class BothSinks : public EventSink {
 public:
  BothSinks(EventSink& first, EventSink* second) : first_(first), second_(second) {}
  void on_map(const MapEvent& event) override {
    first_.on_map(event);
    if (second_ != nullptr) {
      second_->on_map(event);
    }
  }
  void on_comm(const CommEvent& event) override {
    first_.on_comm(event);
    if (second_ != nullptr) {
      second_->on_comm(event);
    }
  }

 private:
  EventSink& first_;
  EventSink* second_;
};

std::unexpected<Error> open_failure(int error,
                                    const EventRequest& event,
                                    const SampleContents& contents) {
  switch (error) {
    case EACCES:
    case EPERM:
      return fail(
          "This machine does not let you record this; `wick doctor` says what is missing and which "
          "command would allow it.");
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      if (contents.stacks == StackSource::kBranches) {
        return fail(
            "--call-graph lbr needs a processor that keeps a record of calls, and its hardware "
            "events; --call-graph dwarf works everywhere.");
      }
      return fail(
          "The event {} does not exist on this machine (virtual machines have no hardware "
          "counters); -e cpu-clock always does.",
          event.name);
    case ENOSYS:
      return fail(
          "This kernel, or the container around wick, has no perf_event_open; see `wick doctor`.");
    case EMFILE:
    case ENFILE:
      return fail(
          "There are more threads than file descriptors; `ulimit -n` raises the limit, and as root "
          "wick needs two descriptors for each CPU only.");
    case ESRCH:
      return fail("The process has ended.");
    default:
      return fail("The event {} could not be opened: {}.", event.name, std::strerror(error));
  }
}

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::open(const RecorderRequest& request, EventSink& sink) {
  std::unique_ptr<Recorder> recorder(new Recorder(request, sink));
  TRY(recorder->open_events());
  recorder->describe_events();
  recorder->look_around();
  recorder->drain_ =
      std::make_unique<Drain>(recorder->rings_, SampleShape(recorder->request_.contents));
  return recorder;
}

Recorder::Recorder(const RecorderRequest& request, EventSink& sink)
    : request_(request),
      cpus_(request.cpus.empty() ? online_cpus() : request.cpus),
      tree_(sink),
      recording_(tree_, perf_data::ByteOrder::kLittle),
      delivery_(recording_),
      order_(recording_, *this) {
  recording_.machine = machine_name();
  if (request.everybody || !request.cgroup.empty()) {
    tree_.take_everybody();
  }
}

// Memory for rings is locked, and locked memory is counted for each user: so much for each CPU, and
// what the process may lock beyond that.
void Recorder::settle_ring_size() {
  // A clock ticks evenly. Faults come in bursts of hundreds, faster than anybody empties a ring.
  if (!std::ranges::all_of(request_.events, &EventRequest::is_clock)) {
    ring_bytes_ = std::clamp<size_t>(
        std::bit_floor(kAllRingsBytes / cpus_.size()), kRingBytes, kBurstRingBytes);
  }
  bool unlimited = has_capability(Capability::kIpcLock) ||
                   read_number("/proc/sys/kernel/perf_event_paranoid").value_or(2) < 0;
  if (!unlimited) {
    auto free_kb = read_number("/proc/sys/kernel/perf_event_mlock_kb").value_or(516);
    rlimit limit = {};
    ::getrlimit(RLIMIT_MEMLOCK, &limit);
    uint64_t allowed = static_cast<uint64_t>(free_kb) * 1024 +
                       std::min<uint64_t>(limit.rlim_cur, 1ULL << 40) / cpus_.size();
    auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    uint64_t room = allowed > 2 * page ? allowed - page : page;
    ring_bytes_ = std::clamp<size_t>(std::bit_floor(room), kSmallestRing, ring_bytes_);
  }
  if (!request_.stack_bytes_given) {
    size_t fits = ring_bytes_ / kSamplesARing / 8 * 8;
    request_.contents.stack_bytes =
        static_cast<uint32_t>(std::min<size_t>(request_.contents.stack_bytes, fits));
  }
}

Result<> Recorder::open_events() {
  raise_descriptor_limit();
  settle_ring_size();
  if (request_.per_thread && !request_.everybody) {
    return open_on_threads();
  }
  bool may_fall_back = false;
  Result<> on_cpus = open_on_cpus(may_fall_back);
  if (on_cpus || !may_fall_back) {
    return on_cpus;
  }
  open_.clear();
  event_numbers_.clear();
  rings_.clear();
  attrs_.clear();
  return open_on_threads();
}

Result<> Recorder::open_on_cpus(bool& may_fall_back) {
  Descriptor cgroup;
  if (!request_.cgroup.empty()) {
    cgroup = Descriptor(::open(request_.cgroup.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
    if (!cgroup.valid()) {
      return fail(
          "There is no cgroup {}: {}.", terminal_text(request_.cgroup), std::strerror(errno));
    }
  }
  for (int cpu : cpus_) {
    PerfEvent::Target target{
        .pid = cgroup.valid() ? cgroup.get() : -1, .cpu = cpu, .is_cgroup = cgroup.valid()};
    std::optional<size_t> ring;
    if (auto opened = open_target(target, ring); !opened) {
      may_fall_back =
          is_forbidden(opened.error()) && !request_.everybody && request_.cgroup.empty();
      if (opened.error() == EBADF && cgroup.valid()) {
        return fail(
            "{} cannot be recorded: it is no cgroup that perf events know. Take a directory below "
            "the cgroup2 mount, or of the perf_event controller.",
            terminal_text(request_.cgroup));
      }
      return open_failure(opened.error(), request_.events[0], request_.contents);
    }
  }
  return {};
}

// Threads that start while this looks round inherit the events of who started them, are found in
// the next look, or both: is_counted_twice() tells.
Result<> Recorder::open_on_threads() {
  per_thread_ = true;
  std::vector<std::optional<size_t>> rings(cpus_.size());
  std::set<int32_t> done;
  bool found = true;
  while (found) {
    found = false;
    std::vector<int32_t> pids = with_descendants(request_.pids);
    if (request_.child > 0) {
      pids.push_back(request_.child);
    }
    for (int32_t pid : pids) {
      for (int32_t thread : threads_of(pid)) {
        if (!done.insert(thread).second) {
          continue;
        }
        found = true;
        size_t first = open_.size();
        for (size_t i = 0; i < cpus_.size(); ++i) {
          auto opened = open_target({.pid = thread, .cpu = cpus_[i]}, rings[i]);
          if (!opened && is_forbidden(opened.error()) && sees_kernel_) {
            sees_kernel_ = false;
            for (EventRequest& event : request_.events) {
              event.exclude_kernel = true;
            }
            opened = open_target({.pid = thread, .cpu = cpus_[i]}, rings[i]);
          }
          if (!opened && opened.error() != ESRCH) {
            return open_failure(opened.error(), request_.events[0], request_.contents);
          }
        }
        for (size_t i = first; i < open_.size(); ++i) {
          thread_of_id_.emplace(open_[i]->id(), thread);
          has_events_.insert(thread);
        }
      }
    }
  }
  if (rings_.empty()) {
    return open_failure(ESRCH, request_.events[0], request_.contents);
  }
  return {};
}

std::expected<void, int> Recorder::open_target(const PerfEvent::Target& target,
                                               std::optional<size_t>& ring) {
  const PerfEvent* owner = ring ? open_[*ring].get() : nullptr;
  for (size_t i = 0; i < request_.events.size(); ++i) {
    // perf reads unwind information as if it were the program, from maps that are only read.
    OpenOptions options{.tracks = i == 0,
                        .tracks_data = request_.raw != nullptr,
                        .inherit = per_thread_,
                        .wakeup_bytes = static_cast<uint32_t>(ring_bytes_ / 4 * 3)};
    perf_event_attr attr = make_attr(request_.events[i], request_.contents, options);
    std::expected<PerfEvent, int> opened = PerfEvent::open(attr, target);
    if (!opened) {
      return std::unexpected(opened.error());
    }
    auto event = std::make_unique<PerfEvent>(std::move(*opened));
    if (owner == nullptr) {
      if (auto mapped = map_ring(*event); !mapped) {
        return mapped;
      }
      owner = event.get();
      ring = open_.size();
    } else if (!event->redirect_to(*owner)) {
      return std::unexpected(errno);
    }
    if (attrs_.size() <= i) {
      attrs_.push_back(attr);
    }
    open_.push_back(std::move(event));
    event_numbers_.push_back(static_cast<uint32_t>(i));
  }
  return {};
}

std::expected<void, int> Recorder::map_ring(const PerfEvent& owner) {
  while (true) {
    std::expected<Ring, int> ring = Ring::map(owner, ring_bytes_);
    if (ring) {
      rings_.push_back(std::move(*ring));
      return {};
    }
    if (ring.error() != EPERM || ring_bytes_ <= kSmallestRing) {
      return std::unexpected(ring.error());
    }
    ring_bytes_ /= 2;
  }
}

void Recorder::describe_events() {
  for (size_t i = 0; i < attrs_.size(); ++i) {
    auto bytes = std::as_bytes(std::span(&attrs_[i], 1));
    uint32_t number = recording_.add_event(perf_data::parse_attr(bytes, recording_.order));
    recording_.name_event(number, request_.events[i].name);
  }
  for (size_t i = 0; i < open_.size(); ++i) {
    recording_.events.add_id(event_numbers_[i], open_[i]->id());
  }
  recording_.announce();
  begin_raw();
}

void Recorder::begin_raw() {
  if (request_.raw == nullptr) {
    return;
  }
  std::vector<perf_data::WrittenEvent> events;
  for (size_t i = 0; i < attrs_.size(); ++i) {
    events.push_back({.attr = std::string(as_text(std::as_bytes(std::span(&attrs_[i], 1)))),
                      .name = request_.events[i].name,
                      .ids = {}});
  }
  for (size_t i = 0; i < open_.size(); ++i) {
    events[event_numbers_[i]].ids.push_back(open_[i]->id());
  }
  request_.raw->begin(std::move(events));
}

// Samples tell their process behind identifier and address, all others tell it first.
bool Recorder::is_of_target(const perf_data::Record& record) const {
  switch (record.type()) {
    case perf_data::kMmap:
    case perf_data::kMmap2:
    case perf_data::kComm:
    case perf_data::kFork:
    case perf_data::kExit:
    case perf_data::kSample: {
      size_t at = perf_data::kRecordHeaderBytes + (record.type() == perf_data::kSample ? 16 : 0);
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

void Recorder::look_around() {
  bool filters = !per_thread_ && !tree_.takes_everybody();
  if (filters && request_.pids.empty()) {
    at_open_.strangers = all_processes();
  } else if (!request_.pids.empty()) {
    at_open_ = relations_to(request_.pids);
  }
}

// Whoever ran when events were opened and is no member is a stranger; who came later is unknown to
// the set, be it a child of the target or not.
void Recorder::filter_strangers() {
  if (per_thread_ || tree_.takes_everybody()) {
    return;
  }
  filter_ = BpfFilter::make();
  if (!filter_) {
    return;
  }
  for (int32_t pid : at_open_.strangers) {
    if (pid != request_.child) {
      filter_->add_stranger(pid);
    }
  }
  for (const std::unique_ptr<PerfEvent>& event : open_) {
    event->attach_bpf(filter_->program());  // one that cannot have it gives us everybody, as before
  }
  tree_.tell_strangers_to(*filter_);
}

Result<> Recorder::start() {
  filter_strangers();
  TRY(drain_->start());
  for (const std::unique_ptr<PerfEvent>& event : open_) {
    if (!event->enable()) {
      return fail("An event could not be started: {}.", std::strerror(errno));
    }
  }
  tell_what_runs();
  return {};
}

void Recorder::tell_what_runs() {
  uint64_t now = monotonic_ns();
  BothSinks both(tree_, request_.raw);
  tell_kernel(now, both);
  std::vector<int32_t> pids =
      tree_.takes_everybody() ? all_processes() : with_descendants(request_.pids);
  for (int32_t pid : pids) {
    tree_.add(pid);
    tell_process(pid, now, both);
  }
  if (request_.child > 0) {
    tree_.add_at_exec(request_.child);
  }
}

void Recorder::work() {
  // Not those that come meanwhile: who is slower than the rings would never return.
  for (size_t rounds = drain_->take_notice(); rounds > 0; --rounds) {
    take_round(*drain_->take());
  }
  checkpoint();
}

void Recorder::take_round(Round round) {
  for (Piece& piece : round.pieces) {
    std::byte* at = piece.block->data();
    const std::byte* end = at + piece.bytes;
    while (at < end) {
      drop_foreign_bits(at);
      perf_data::Record record{at, perf_data::load_header(at, recording_.order)};
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
  if (round.horizon > 0) {
    order_.flush(round.horizon - 1);
  }
  if (delivered_bytes_ > kCheckpointBytes) {
    checkpoint();
  }
}

// A thread that has events of its own, and inherits others besides: those carry the number of the
// thread that they were opened for.
bool Recorder::is_counted_twice(const perf_data::Record& record) {
  if (has_events_.empty()) {
    return false;
  }
  constexpr size_t kTidOfSample = perf_data::kRecordHeaderBytes + 16 + 4;  // identifier, address
  constexpr size_t kTidOfExit = perf_data::kRecordHeaderBytes + 8;
  int32_t tid = -1;
  if (record.type() == perf_data::kExit && record.size() >= kTidOfExit + sizeof tid) {
    std::memcpy(&tid, record.at + kTidOfExit, sizeof tid);
    has_events_.erase(tid);  // the number may be used again
  }
  if (record.type() != perf_data::kSample || record.size() < kTidOfSample + sizeof tid) {
    return false;
  }
  uint64_t id = 0;
  std::memcpy(&id, record.at + perf_data::kRecordHeaderBytes, sizeof id);
  std::memcpy(&tid, record.at + kTidOfSample, sizeof tid);
  auto opened_for = thread_of_id_.find(id);
  return opened_for != thread_of_id_.end() && opened_for->second != tid &&
         has_events_.contains(tid);
}

void Recorder::take(const perf_data::Record& record, uint64_t time) {
  if (is_counted_twice(record)) {
    return;
  }
  delivery_.deliver(record, time);
  delivered_bytes_ += record.size();
  if (request_.raw != nullptr && is_of_target(record)) {
    request_.raw->write(record, time);
  }
}

void Recorder::checkpoint() {
  tree_.on_checkpoint();
  if (request_.raw != nullptr) {
    request_.raw->finish_round();
  }
  delivery_.clear_scratch();
  std::erase_if(blocks_, [](const auto& block) { return block->is_free(); });
  delivered_bytes_ = 0;
}

void Recorder::finish() {
  if (finished_) {
    return;
  }
  finished_ = true;
  for (const std::unique_ptr<PerfEvent>& event : open_) {
    event->disable();
  }
  drain_->finish();
  work();
  order_.flush_all();
  if (order_.late_records() > 0) {
    recording_.account.lose({.reason = "some came after their time had been passed",
                             .count = order_.late_records(),
                             .notice = true});
  }
  tell_lost();
  delivery_.finish();
  recording_.account.tell(tree_);
  checkpoint();
}

// A full ring leaves a LOST record only once there is room again; the true number is asked for now,
// and told as perf tells it, by a record of its own that has no time.
void Recorder::tell_lost() {
  uint64_t lost = 0;
  for (const std::unique_ptr<PerfEvent>& event : open_) {
    lost += event->read().lost;
  }
  if (lost == 0) {
    return;
  }
  constexpr size_t kSampleIdBytes = 32;  // pid and tid, time, cpu, identifier
  constexpr size_t kBytes = perf_data::kRecordHeaderBytes + 8 + kSampleIdBytes;
  std::array<std::byte, kBytes> bytes = {};
  std::memcpy(bytes.data() + perf_data::kRecordHeaderBytes, &lost, sizeof lost);
  perf_data::Record record{bytes.data(), {.type = perf_data::kLostSamples, .size = kBytes}};
  delivery_.deliver(record, 0);
  if (request_.raw != nullptr) {
    perf_event_header header{
        .type = perf_data::kLostSamples, .misc = 0, .size = static_cast<uint16_t>(kBytes)};
    std::memcpy(bytes.data(), &header, sizeof header);
    request_.raw->write(record, 0);
  }
}

}  // namespace wick::record
