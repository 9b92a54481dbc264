// SPDX-License-Identifier: Apache-2.0
// Time in the kernel: long calls that are only kernel time (reads of a megabyte of zeros), short
// calls that are both, and a user leaf next to them, 50 : 25 : 25.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "truth/phases/phases.h"

namespace truth {
namespace {

constexpr size_t kBlockBytes = 1 << 20;
constexpr Steps kStepsPerBlock = 40'000;
constexpr Steps kStepsPerCall = 100;

int zeros = -1;
char block[kBlockBytes];

}  // namespace

TRUTH_LEAF(beside_kernel_leaf)

WORKLOAD_FUNCTION uint32_t fill_from_kernel(Steps steps) {
  ssize_t got = 0;
  for (Steps left = steps / kStepsPerBlock + 1; left != 0; --left) {
    got += read(zeros, block, kBlockBytes);
  }
  return static_cast<uint32_t>(got);
}

WORKLOAD_FUNCTION uint32_t ask_kernel_often(Steps steps) {
  long sum = 0;
  for (Steps left = steps / kStepsPerCall + 1; left != 0; --left) {
    sum += syscall(SYS_getppid);
  }
  return static_cast<uint32_t>(sum);
}

namespace {

constexpr Row kRows[] = {
    {.path = "main > system_calls > fill_from_kernel",
     .weight = 50,
     .chunk = fill_from_kernel,
     .mode = Mode::kKernel,
     .any_leaf = true},
    {.path = "main > system_calls > ask_kernel_often",
     .weight = 25,
     .chunk = ask_kernel_often,
     .mode = Mode::kEither,
     .any_leaf = true},
    {.path = "main > system_calls > beside_kernel_leaf", .weight = 25, .chunk = beside_kernel_leaf},
};

}  // namespace

WORKLOAD_FUNCTION void system_calls(PhaseRun& run) {
  zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  if (zeros < 0) {
    stop("/dev/zero cannot be opened", "run without the phase syscall");
  }
  run.spend();
  close(zeros);
}

const Phase kSystemCalls = {
    "syscall", "long and short system calls: the kernel's share", nullptr, kRows, system_calls};

}  // namespace truth
