// SPDX-License-Identifier: Apache-2.0
// Chooses sizes, then opens the events.
//
//     sizes          the ring size follows from the limit of locked memory and from the kind of
//                    events (bursts need more); the size of a stack copy from the ring size
//     open()         tries one event for each CPU; if the kernel forbids that, one for each thread
//     open_target()  opens all events for one CPU or thread. The first event of a CPU maps the
//                    ring, the others are redirected to it
//
// open_on_threads() repeats its scan until it finds no new thread, because threads start while it
// runs. A thread that starts during the scan may inherit events and get its own; is_counted_twice()
// then drops the inherited samples.
//
// Invariants: the event with index i in request_.events is attrs_[i]; open_[i] belongs to the
// request event_numbers_[i]. All events of a ring have the same sample contents, so readers need no
// lookup to find the layout.
#include "record/open_events.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <set>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/escape.h"
#include "record/machine.h"
#include "record/processes.h"

namespace wick::record {
namespace {

constexpr size_t kRingBytes = 4 << 20;
constexpr size_t kSmallestRing = 64 * 1024;
constexpr size_t kBurstRingBytes = 16 << 20;
constexpr size_t kAllRingsBytes = 256 << 20;
// This many samples with full stacks must fit into a ring.
constexpr size_t kSamplesARing = 32;

bool is_forbidden(int error) {
  return error == EACCES || error == EPERM;
}

std::unexpected<Error> open_failure(int error,
                                    const EventRequest& event,
                                    const SampleContents& contents) {
  switch (error) {
    case EACCES:
    case EPERM:
      return fail(
          "This machine does not allow you to record this; `wick doctor` shows what is missing and "
          "which command would allow it.");
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      if (contents.stacks == StackSource::kBranches) {
        return fail(
            "--call-graph lbr needs a processor that records calls (LBR), and its hardware events; "
            "--call-graph dwarf works everywhere.");
      }
      if (contents.branches != 0) {
        return fail(
            "-b needs a processor that records branches (Intel LBR, AMD BRS and LbrExtV2, Arm "
            "BRBE), its hardware events (-e cycles), and a kernel that supports both; virtual "
            "machines mostly have none. `wick doctor` shows what this machine has.");
      }
      return fail(
          "The event {} does not exist on this machine (virtual machines have no hardware "
          "counters); -e cpu-clock always works.",
          event.name);
    case ENOSYS:
      return fail(
          "This kernel, or the container around wick, has no perf_event_open; see `wick doctor`.");
    case EMFILE:
    case ENFILE:
      return fail(
          "Too many files are open: wick needs two for each CPU or, without privilege, for each "
          "thread. Raise the limit of open files: `ulimit -n 1024`.");
    case ESRCH:
      return fail("The process has ended.");
    default:
      return fail("Cannot open the event {}: {}.", event.name, std::strerror(error));
  }
}

}  // namespace

OpenEvents::OpenEvents(const RecorderRequest& request)
    : request_(request),
      cpus_(request.cpus.empty() ? online_cpus() : request.cpus),
      ring_bytes_(kRingBytes) {
  choose_ring_size();
  choose_copy(kMaxStackBytes);
}

// The memory of rings is locked, and the kernel limits locked memory for each user: an amount for
// each CPU, plus the amount that the process may lock.
void OpenEvents::choose_ring_size() {
  // A clock ticks evenly. Faults come in bursts of hundreds, faster than the drain empties a ring.
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
}

uint32_t OpenEvents::choose_copy(uint32_t wanted) {
  if (!request_.stack_bytes_given) {
    size_t fits = ring_bytes_ / kSamplesARing / 8 * 8;
    request_.contents.stack_bytes = static_cast<uint32_t>(std::min<size_t>(wanted, fits));
  }
  return request_.contents.stack_bytes;
}

Result<> OpenEvents::open() {
  raise_descriptor_limit();
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
  clock_periods_.clear();
  rings_.clear();
  attrs_.clear();
  return open_on_threads();
}

Result<> OpenEvents::open_on_cpus(bool& may_fall_back) {
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
            "Cannot record {}: it is not a cgroup that perf events support. Use a directory below "
            "the cgroup2 mount, or one of the perf_event controller.",
            terminal_text(request_.cgroup));
      }
      return open_failure(opened.error(), request_.events[0], request_.contents);
    }
  }
  return {};
}

// A thread that starts during this scan inherits the events of its parent, or the next pass finds
// it, or both; is_counted_twice() detects the last case.
Result<> OpenEvents::open_on_threads() {
  per_thread_ = true;
  choose_copy(kMaxStackBytes);
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
      std::vector<int32_t> threads = threads_of(pid);
      if (threads.empty()) {
        threads.push_back(pid);  // without /proc, at least the known one
      }
      for (int32_t thread : threads) {
        if (done.insert(thread).second) {
          found = true;
          TRY(open_on_thread(thread, rings));
        }
      }
    }
  }
  if (rings_.empty()) {
    return open_failure(ESRCH, request_.events[0], request_.contents);
  }
  return {};
}

std::unexpected<Error> OpenEvents::failure_on_thread(int32_t thread, int error) const {
  std::optional<uint32_t> owner =
      is_forbidden(error) ? other_owner_of(thread) : std::optional<uint32_t>();
  if (!owner) {
    return open_failure(error, request_.events[0], request_.contents);
  }
  return fail(
      "Process {} belongs to another user (uid {}), and without privilege you can record only "
      "your own: `sudo wick record -p {}`.",
      thread,
      *owner,
      thread);
}

Result<> OpenEvents::open_on_thread(int32_t thread, std::span<std::optional<size_t>> rings) {
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
      return failure_on_thread(thread, opened.error());
    }
  }
  for (size_t i = first; i < open_.size(); ++i) {
    thread_of_id_.emplace(open_[i]->id(), thread);
    has_events_.insert(thread);
  }
  return {};
}

std::expected<void, int> OpenEvents::open_target(const PerfEvent::Target& target,
                                                 std::optional<size_t>& ring) {
  const PerfEvent* owner = ring ? open_[*ring].get() : nullptr;
  for (size_t i = 0; i < request_.events.size(); ++i) {
    // perf reads unwind information through mappings that are readable but not executable.
    OpenOptions options{.tracks = i == 0,
                        .tracks_data = request_.raw != nullptr,
                        .inherit = per_thread_,
                        .wakeup_bytes = static_cast<uint32_t>(ring_bytes_ / 4 * 3)};
    perf_event_attr attr = make_attr(request_.events[i], request_.contents, options);
    perf_event_attr own = attr;
    uint64_t own_period = ClockPeriods::period_for(request_.events[i]);
    if (own_period != 0) {
      own.freq = 0;
      own.sample_period = own_period;
    }
    std::expected<PerfEvent, int> opened = PerfEvent::open(own, target);
    if (!opened) {
      return std::unexpected(opened.error());
    }
    attr.read_format = own.read_format;
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
    clock_periods_.add(own_period);
    event_numbers_.push_back(static_cast<uint32_t>(i));
  }
  return {};
}

std::expected<void, int> OpenEvents::map_ring(const PerfEvent& owner) {
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

// Periods vary from the first sample on: a third of a second in step is much of a short recording.
Result<> OpenEvents::enable() {
  vary_clocks();
  for (const std::unique_ptr<PerfEvent>& event : open_) {
    if (!event->enable()) {
      return fail("Cannot start an event: {}.", std::strerror(errno));
    }
  }
  return {};
}

void OpenEvents::disable() {
  for (const std::unique_ptr<PerfEvent>& event : open_) {
    event->disable();
  }
}

void OpenEvents::vary_clocks() {
  constexpr size_t kMaxEvents = 4096;  // one system call each: with more, they keep their periods
  if (open_.size() > kMaxEvents) {
    return;
  }
  std::vector<uint64_t> periods = clock_periods_.next();
  for (size_t i = 0; i < periods.size(); ++i) {
    if (periods[i] != 0) {
      open_[i]->set_period(periods[i]);
    }
  }
}

uint64_t OpenEvents::fill_ns() const {
  constexpr size_t kMaxOtherBytes = 2048;  // of a sample: registers, the call chain, branches
  const SampleContents& contents = request_.contents;
  size_t copied = contents.stacks == StackSource::kCopy ? contents.stack_bytes : 0;
  size_t bytes = copied + kMaxOtherBytes;
  double samples_per_ns = 0;
  for (const EventRequest& event : request_.events) {
    if (!event.is_clock()) {
      return 0;
    }
    samples_per_ns += event.period != 0 ? 1.0 / static_cast<double>(event.period)
                                        : static_cast<double>(event.frequency) / 1e9;
  }
  uint64_t samples = ring_bytes_ / bytes;
  return static_cast<uint64_t>(static_cast<double>(samples) / samples_per_ns);
}

// If an event cannot have the program, its samples include all processes.
void OpenEvents::attach(const SampleProgram& program) {
  for (const std::unique_ptr<PerfEvent>& event : open_) {
    event->attach_bpf(program.descriptor());
  }
}

uint64_t OpenEvents::lost() const {
  uint64_t lost = 0;
  for (const std::unique_ptr<PerfEvent>& event : open_) {
    lost += event->read().lost;
  }
  return lost;
}

// A thread with its own events may also inherit others; their samples have the id of an event that
// was opened for another thread.
bool OpenEvents::is_counted_twice(const kernel_records::Record& record) {
  if (has_events_.empty()) {
    return false;
  }
  constexpr size_t kTidOfSample =
      kernel_records::kRecordHeaderBytes + 16 + 4;  // identifier, address
  constexpr size_t kTidOfExit = kernel_records::kRecordHeaderBytes + 8;
  int32_t tid = -1;
  if (record.type() == kernel_records::kExit && record.size() >= kTidOfExit + sizeof tid) {
    std::memcpy(&tid, record.at + kTidOfExit, sizeof tid);
    has_events_.erase(tid);  // the kernel may reuse the number
  }
  if (record.type() != kernel_records::kSample || record.size() < kTidOfSample + sizeof tid) {
    return false;
  }
  uint64_t id = 0;
  std::memcpy(&id, record.at + kernel_records::kRecordHeaderBytes, sizeof id);
  std::memcpy(&tid, record.at + kTidOfSample, sizeof tid);
  auto opened_for = thread_of_id_.find(id);
  return opened_for != thread_of_id_.end() && opened_for->second != tid &&
         has_events_.contains(tid);
}

}  // namespace wick::record
