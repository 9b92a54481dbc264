// SPDX-License-Identifier: Apache-2.0
// Uses pages of its stack for the first time, again and again: most of its time is in page faults at the stack pointer.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

enum { kPage = 4096, kDepth = 700, kRounds = 300 };

__attribute__((noinline)) static long descend(int depth) {
  volatile char page[kPage];
  page[0] = (char)depth;
  long below = depth > 0 ? descend(depth - 1) : 0;
  return below + page[0];
}

__attribute__((noinline)) static void drop_pages(void) {
  char here;
  uintptr_t page = (uintptr_t)&here & ~(uintptr_t)(kPage - 1);
  madvise((void*)(page - (kDepth + 100) * kPage), (kDepth + 50) * kPage, MADV_DONTNEED);
}

static void* run(void* nothing) {
  long sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    sum += descend(kDepth);
    drop_pages();
  }
  return sum == 1 ? nothing : 0;
}

int main(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 8 << 20);
  pthread_create(&thread, &attributes, run, 0);
  pthread_join(thread, 0);
  return 0;
}
