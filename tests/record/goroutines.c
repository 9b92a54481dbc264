// SPDX-License-Identifier: Apache-2.0
// Starts the goroutine of goroutines.S on a stack of its own, with the descriptions that Go's runtime keeps of it and of
// its thread.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

static unsigned long goroutine[64], system_goroutine[64], thread[64];
static unsigned long stack[4096];

void run_goroutine(unsigned long* g, unsigned long* g0);

static void describe(unsigned long* g, unsigned long begin, unsigned long end) {
  g[0] = begin;
  g[1] = end;
  g[0x28 / 8] = (unsigned long)thread;
}

int main(void) {
  unsigned long here = (unsigned long)__builtin_frame_address(0);
  describe(goroutine, (unsigned long)stack, (unsigned long)(stack + 4096));
  describe(system_goroutine, here - 65536, here + 65536);
  thread[0] = (unsigned long)system_goroutine;
  thread[0x58 / 8] = syscall(SYS_gettid);
  thread[0x98 / 8] = (unsigned long)goroutine;
  run_goroutine(goroutine, system_goroutine);
}
