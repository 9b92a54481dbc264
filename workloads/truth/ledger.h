// SPDX-License-Identifier: Apache-2.0
// The measured CPU time of every row, in memory that forked and executed children share.
//
// It is in a memory file: a forked child has it mapped already, an executed one gets the
// descriptor. All numbers are added atomically, so threads and processes need no other
// synchronisation.
#pragma once

#include <atomic>
#include <cstdint>

#include <sys/types.h>

namespace truth {

inline constexpr int kMaxRows = 96;
inline constexpr int kMaxProcesses = 32;

struct Ledger {
  uint64_t magic;  // kLedgerMagic once it is set up
  int32_t descriptor;
  double steps_per_ns;  // speed of leaves
  double clock_read_ns;
  std::atomic<int64_t> clock_reads;
  std::atomic<int64_t> cpu_ns[kMaxRows];
  std::atomic<int32_t> chunks[kMaxRows];
  std::atomic<int32_t> tail_calls[kMaxRows];
  std::atomic<int32_t> process_count;
  struct Process {
    pid_t pid;
    char role[12];
  } processes[kMaxProcesses];
  // Of the dlopen phase: how often a library was opened, and how often at an address that another
  // one had used.
  int32_t library_opens;
  int32_t library_opens_in_same_place;
  char perf_map[64];  // the file that names generated code; empty if none

  void add_process(pid_t pid, const char* role);
};

// New and empty, with this process as "main"; null if the system has no memory files.
Ledger* create_ledger();
// The ledger of an inherited descriptor; null if there is none.
Ledger* attach_ledger(int descriptor);

}  // namespace truth
