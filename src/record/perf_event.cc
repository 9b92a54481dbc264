// SPDX-License-Identifier: Apache-2.0
#include "record/perf_event.h"

#include <array>
#include <bit>
#include <cerrno>
#include <ctime>

#include <sys/ioctl.h>
#include <sys/syscall.h>

namespace wick::record {
namespace {

int perf_event_open(perf_event_attr& attr, const PerfEvent::Target& target) {
  unsigned long flags = PERF_FLAG_FD_CLOEXEC;
  if (target.is_cgroup) {
    flags |= PERF_FLAG_PID_CGROUP;
  }
  long number = ::syscall(SYS_perf_event_open, &attr, target.pid, target.cpu, target.leader, flags);
  return static_cast<int>(number);
}

}  // namespace

uint64_t SampleContents::sample_type() const {
  uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                  PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
  if (stacks != StackSource::kNone) {
    type |= PERF_SAMPLE_CALLCHAIN;
  }
  if (stacks == StackSource::kCopy) {
    type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  }
  if (stacks == StackSource::kBranches || branches != 0) {
    type |= PERF_SAMPLE_BRANCH_STACK;
  }
  if (raw) {
    type |= PERF_SAMPLE_RAW;
  }
  return type;
}

uint64_t SampleContents::user_registers() {
#if defined(__x86_64__)
  constexpr uint64_t kSegments = 1ULL << PERF_REG_X86_DS | 1ULL << PERF_REG_X86_ES |
                                 1ULL << PERF_REG_X86_FS | 1ULL << PERF_REG_X86_GS;
  return ((1ULL << PERF_REG_X86_64_MAX) - 1) & ~kSegments;
#elif defined(__aarch64__)
  return (1ULL << PERF_REG_ARM64_MAX) - 1;
#else
#error "wick records on x86-64 and AArch64"
#endif
}

perf_event_attr make_attr(const EventRequest& request,
                          const SampleContents& contents,
                          const OpenOptions& options) {
  perf_event_attr attr = {};
  attr.size = sizeof attr;
  attr.type = request.type;
  attr.config = request.config;
  attr.config1 = request.config1;
  attr.config2 = request.config2;
  if (request.period != 0) {
    attr.sample_period = request.period;
  } else {
    attr.freq = 1;
    attr.sample_freq = request.frequency;
  }
  attr.sample_type = contents.sample_type();
  attr.read_format =
      PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_LOST;
  attr.disabled = 1;
  attr.inherit = options.inherit;
  attr.exclude_user = request.exclude_user;
  attr.exclude_kernel = request.exclude_kernel;
  attr.exclude_hv = 1;
  attr.exclude_idle = 1;
  attr.exclude_guest = 1;
  attr.precise_ip = request.precise & 3;
  attr.sample_id_all = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.watermark = 1;
  attr.wakeup_watermark = options.wakeup_bytes;
  if (options.tracks) {
    attr.mmap = 1;
    attr.mmap2 = 1;
    attr.mmap_data = options.tracks_data;
    // wick does not set attr.build_id: for the event that asks, the kernel puts a build id in place
    // of the inode, but it marks the header of all listeners' records. A perf that runs at the same
    // time then takes inodes for build ids and aborts ("assertion failed at util/build-id.c"). So
    // wick gets the inode and looks for the build id itself (loaded_modules.h).
    attr.comm = 1;
    attr.comm_exec = 1;
    attr.task = 1;
  }
  if (contents.stacks == StackSource::kCopy) {
    attr.sample_regs_user = SampleContents::user_registers();
    attr.sample_stack_user = contents.stack_bytes;
    attr.exclude_callchain_user = 1;  // the copy contains the whole stack
  }
  if (contents.stacks == StackSource::kBranches) {
    attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
                              PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES;
  }
  if (contents.branches != 0) {
    attr.branch_sample_type = contents.branches;
  }
  return attr;
}

perf_event_attr make_counting_attr(const EventRequest& request, const CountingOptions& options) {
  perf_event_attr attr = {};
  attr.size = sizeof attr;
  attr.type = request.type;
  attr.config = request.config;
  attr.config1 = request.config1;
  attr.config2 = request.config2;
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attr.disabled = options.leads;
  attr.enable_on_exec = options.leads && options.on_exec;
  attr.inherit = options.inherit;
  attr.exclude_user = request.exclude_user;
  attr.exclude_kernel = request.exclude_kernel;
  attr.exclude_hv = request.exclude_kernel;
  attr.exclude_guest = 1;
  attr.precise_ip = request.precise & 3;
  return attr;
}

std::expected<PerfEvent, int> PerfEvent::open(perf_event_attr& attr, const Target& target) {
  int number = perf_event_open(attr, target);
  if (number < 0 && errno == EINVAL && (attr.read_format & PERF_FORMAT_LOST) != 0) {
    attr.read_format &= ~static_cast<uint64_t>(PERF_FORMAT_LOST);
    number = perf_event_open(attr, target);
  }
  if (number < 0) {
    return std::unexpected(errno);
  }
  PerfEvent event;
  event.descriptor_ = Descriptor(number);
  event.reads_lost_ = (attr.read_format & PERF_FORMAT_LOST) != 0;
  if (::ioctl(number, PERF_EVENT_IOC_ID, &event.id_) != 0) {
    return std::unexpected(errno);
  }
  return event;
}

bool PerfEvent::enable() const {
  return ::ioctl(descriptor(), PERF_EVENT_IOC_ENABLE, 0) == 0;
}

void PerfEvent::disable() const {
  ::ioctl(descriptor(), PERF_EVENT_IOC_DISABLE, 0);
}

bool PerfEvent::set_period(uint64_t period) const {
  return ::ioctl(descriptor(), PERF_EVENT_IOC_PERIOD, &period) == 0;
}

bool PerfEvent::redirect_to(const PerfEvent& owner) const {
  return ::ioctl(descriptor(), PERF_EVENT_IOC_SET_OUTPUT, owner.descriptor()) == 0;
}

bool PerfEvent::attach_bpf(int program) const {
  return ::ioctl(descriptor(), PERF_EVENT_IOC_SET_BPF, program) == 0;
}

PerfEvent::Counts PerfEvent::read() const {
  std::array<uint64_t, 4> words = {};
  size_t bytes = (reads_lost_ ? 4 : 3) * sizeof(uint64_t);
  if (::read(descriptor(), words.data(), bytes) != static_cast<ssize_t>(bytes)) {
    return {};
  }
  return {.value = words[0],
          .enabled_ns = words[1],
          .running_ns = words[2],
          .lost = reads_lost_ ? words[3] : 0};
}

}  // namespace wick::record
