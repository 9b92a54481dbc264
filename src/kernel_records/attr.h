// SPDX-License-Identifier: Apache-2.0
// perf_event_attr: the request for one event, which also determines the fields of its samples.
//
//      0 4 type      24 8 sample_type   52 4 bp_type          88 4 sample_stack_user
//      4 4 size      32 8 read_format   56 8 config1, bp_addr 92 4 clockid
//      8 8 config    40 8 flags         64 8 config2, bp_len  96 8 sample_regs_intr
//     16 8 period    48 4 wakeup        72 8 branch_sample_type   104 .. aux, signal, config3
//        or frequency                   80 8 sample_regs_user
//
// The structure grows with the kernel: 64 bytes in 2009, 72, 80, 96, 104, 112, 120, 128, 136 ... A
// field beyond the stored size is zero. Bytes after the known fields do not matter for reading.
//
// The flags are a bit field, which compilers fill from the other end on big-endian machines: there
// the bits of each byte are in reverse order.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "kernel_records/fields.h"

namespace wick::kernel_records {

// The source of the event. Larger numbers are PMUs, which each machine numbers itself.
enum EventType : uint32_t {
  kHardware = 0,
  kSoftware = 1,
  kTracepoint = 2,
  kHardwareCache = 3,
  kRaw = 4,
  kBreakpoint = 5,
};

// Bit numbers in the flags.
enum class AttrFlag : uint8_t {
  kInherit = 1,
  kExcludeUser = 4,
  kExcludeKernel = 5,
  kExcludeHypervisor = 6,
  kFrequency = 10,
  kPrecise = 15,  // two bits
  kSampleIdAll = 18,
  kExcludeHost = 19,
  kExcludeGuest = 20,
  kExcludeCallchainUser = 22,
  kUseClockId = 25,
  kBuildId = 34,
  kDeferCallchain = 38,
};

struct EventAttr {
  uint32_t type = kHardware;
  uint64_t config = 0;
  uint64_t period_or_frequency = 0;
  uint64_t sample_type = 0;
  uint64_t read_format = 0;
  uint64_t flags = 0;
  uint32_t breakpoint_type = 0;
  uint64_t breakpoint_address = 0;
  uint64_t breakpoint_length = 0;
  uint64_t branch_sample_type = 0;
  uint64_t user_registers = 0;
  uint32_t user_stack_bytes = 0;
  int32_t clock_id = 0;
  uint64_t interrupt_registers = 0;

  bool has(AttrFlag flag) const { return (flags >> static_cast<unsigned>(flag) & 1) != 0; }
  bool samples(uint64_t bit) const { return (sample_type & bit) != 0; }
  bool reads(uint64_t bit) const { return (read_format & bit) != 0; }
  unsigned precise() const { return flags >> static_cast<unsigned>(AttrFlag::kPrecise) & 3; }
  // cpu-clock and task-clock count nanoseconds.
  bool is_clock() const { return type == kSoftware && config <= 1; }
  // Counts nothing: it is opened only for the records about maps and names.
  bool is_dummy() const { return type == kSoftware && config == 9; }
};

// The size that the structure states; 0 if the bytes end before the size field does.
uint32_t stored_attr_size(Bytes bytes, ByteOrder order);

// Reads the attribute at the start of `bytes`. It ends at its stated size or at the end of the
// bytes.
EventAttr parse_attr(Bytes bytes, ByteOrder order);

}  // namespace wick::kernel_records
