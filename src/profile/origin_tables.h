// SPDX-License-Identifier: Apache-2.0
// Rows about the origin of samples: sources, processes, threads and their mappings.
//
//     source        one boot of one machine
//     process       a program in a process of a source
//     thread        a thread of a process, and its names over time
//     mapping       where a process mapped a module
//
// Each row type is followed by its columns (column_spec.h). A field's initial value means
// "unknown".
#pragma once

#include <cstdint>

#include "base/clock_kind.h"
#include "base/string_table.h"
#include "profile/column_spec.h"
#include "profile/unknown.h"

namespace wick {

constexpr ClockKind last_of(ClockKind) {
  return ClockKind::kTai;
}

// The origin of rows: one boot of one machine, in one run of an experiment. A guest refers to the
// machine that runs it.
struct Source {
  StringId host;     // the machine's name
  StringId boot_id;  // the kernel's random id of this boot
  StringId kernel;   // its release
  StringId run;      // a run of an experiment: "before", "threads=8"
  SourceId guest_of;
  ClockKind clock = ClockKind::kUnknown;
  int64_t wall_clock_ns = kNoTime;  // CLOCK_REALTIME when the source's clock was 0
  friend bool operator==(const Source&, const Source&) = default;
};
template <>
struct RowSchema<Source> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, host),
               WICK_COLUMN(2, boot_id),
               WICK_COLUMN(3, run),
               WICK_COLUMN(4, guest_of),
               WICK_COLUMN(5, clock),
               WICK_COLUMN(6, wall_clock_ns),
               WICK_COLUMN(7, kernel));
  }
};

// A program in a process. After an exec the new program is another row.
struct Process {
  int64_t pid = -1;
  StringId name;
  SourceId source;   // none if unknown
  ProcessId parent;  // none if unknown
  int64_t begin_ns = kNoTime;
  int64_t end_ns = kNoTime;
  StringId command;   // with its arguments; empty if unknown
  StringId jit_dump;  // the file in which the process describes its generated code
  friend bool operator==(const Process&, const Process&) = default;
};
template <>
struct RowSchema<Process> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, pid),
               WICK_COLUMN(2, name),
               WICK_COLUMN(3, source),
               WICK_COLUMN(4, parent),
               WICK_TIME(5, begin_ns),
               WICK_TIME(6, end_ns),
               WICK_COLUMN(7, command),
               WICK_COLUMN(8, jit_dump));
  }
};

struct Thread {
  int64_t tid = -1;
  ProcessId process;  // none if unknown
  StringId name;      // the last name; thread_names has all names if there were several
  int64_t begin_ns = kNoTime;
  int64_t end_ns = kNoTime;
  friend bool operator==(const Thread&, const Thread&) = default;
};
template <>
struct RowSchema<Thread> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, tid),
               WICK_COLUMN(2, process),
               WICK_COLUMN(3, name),
               WICK_TIME(4, begin_ns),
               WICK_TIME(5, end_ns));
  }
};

// A thread has this name from this time on. Only threads with several names have rows.
struct ThreadName {
  ThreadId thread;
  int64_t time_ns = kNoTime;  // kNoTime: since the thread started
  StringId name;
};
template <>
struct RowSchema<ThreadName> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, thread), WICK_TIME(2, time_ns), WICK_COLUMN(3, name));
  }
};

// Where a process mapped a module.
struct ModuleMapping {
  ProcessId process;  // none: the kernel
  ModuleId module;
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t file_offset = 0;
  friend bool operator==(const ModuleMapping&, const ModuleMapping&) = default;
};
template <>
struct RowSchema<ModuleMapping> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, process),
               WICK_COLUMN(2, module),
               WICK_COLUMN(3, start),
               WICK_COLUMN(4, end),
               WICK_COLUMN(5, file_offset));
  }
};

}  // namespace wick
