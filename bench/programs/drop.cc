// SPDX-License-Identifier: Apache-2.0
// A recorder that records nothing: what the kernel alone costs.
//
//     drop SECONDS           opens the same events as `wick record -F 999`, one for each CPU with a
//                            stack copy of 8 KB, empties the rings every 160 ms and drops what it
//                            reads; for SECONDS
//     drop -- COMMAND...     the same until the command has ended
//
// It samples all processes: it has no program that excludes some.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <vector>

#include <asm/perf_regs.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr size_t kRingBytes = 4 << 20;

#if defined(__x86_64__)
constexpr uint64_t kRegisters = 0xff0fff;  // without the segments
#else
constexpr uint64_t kRegisters = (1ULL << PERF_REG_ARM64_MAX) - 1;
#endif

perf_event_mmap_page* open_on(int cpu) {
  perf_event_attr attr = {};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.freq = 1;
  attr.sample_freq = 999;
  attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                     PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
                     PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  attr.sample_regs_user = kRegisters;
  attr.sample_stack_user = 8192;
  attr.exclude_callchain_user = 1;
  attr.exclude_idle = 1;
  attr.mmap = attr.mmap2 = attr.comm = attr.task = attr.sample_id_all = 1;
  attr.watermark = 1;
  attr.wakeup_watermark = kRingBytes / 4 * 3;
  auto event =
      static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC));
  void* ring = event < 0 ? MAP_FAILED
                         : mmap(nullptr,
                                kRingBytes + static_cast<size_t>(sysconf(_SC_PAGESIZE)),
                                PROT_READ | PROT_WRITE,
                                MAP_SHARED,
                                event,
                                0);
  return ring == MAP_FAILED ? nullptr : static_cast<perf_event_mmap_page*>(ring);
}

}  // namespace

int main(int count, char** words) {
  bool launches = count > 2 && std::string_view(words[1]) == "--";
  if (count < 2) {
    std::fputs("usage: drop SECONDS | drop -- COMMAND...\n", stderr);
    return 2;
  }
  std::vector<perf_event_mmap_page*> rings;
  for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); ++cpu) {
    rings.push_back(open_on(cpu));
    if (rings.back() == nullptr) {
      std::perror("drop");
      return 1;
    }
  }
  pid_t child = launches ? fork() : -1;
  if (child == 0) {
    execvp(words[2], words + 2);
    _exit(127);
  }
  long rounds = launches ? 1'000'000'000 : static_cast<long>(std::atof(words[1]) / 0.16);
  bool runs = true;
  for (; runs && rounds > 0; --rounds) {
    timespec round{0, 160'000'000};
    nanosleep(&round, nullptr);
    for (perf_event_mmap_page* ring : rings) {
      __atomic_store_n(
          &ring->data_tail, __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
    }
    runs = child < 0 || waitpid(child, nullptr, WNOHANG) == 0;
  }
  return 0;
}
