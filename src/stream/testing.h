// SPDX-License-Identifier: Apache-2.0
// For tests: one event of each kind. The compiler does not check this list: add a line for a new
// kind of event.
#pragma once

#include "stream/event.h"

namespace wick::testing {

// `at` is the context of all events that have one. Ends with a checkpoint.
inline void send_every_kind(const EventContext& at, EventSink& sink) {
  sink.on_host({.architecture = Architecture::kX86_64});
  sink.on_clock({.kind = ClockKind::kMonotonic});
  sink.on_event_kind({.number = 0, .name = "cpu-clock", .unit = "nanoseconds"});
  sink.on_fact("host", "lab");
  sink.on_build_id({.path = "/bin/a", .build_id = "\x12\x34"});
  sink.on_symbol({.path = "/bin/a", .address = 0x1000, .size = 16, .name = "main"});
  sink.on_cgroup({.at = at, .id = 9, .path = "/user.slice"});
  sink.on_process({.at = at, .parent_pid = 1, .command = "a b"});
  sink.on_comm({.at = at, .name = "a"});
  sink.on_map({.at = at, .start = 0x1000, .size = 0x200, .path = "/bin/a"});
  sink.on_kernel_symbol({.at = at, .start = 0x8000, .size = 0x20, .name = "bpf_prog"});
  sink.on_sample({.at = at, .address = 0x1010});
  sink.on_fork({.at = at, .parent_pid = at.pid, .parent_tid = at.tid});
  sink.on_switch({.at = at, .leaves = true});
  sink.on_lost({.at = at, .count = 4, .reason = "ring full"});
  sink.on_aux({.at = at, .truncated = true});
  sink.on_mark({.at = at, .name = "started", .kind = "phase"});
  sink.on_exit({.at = at});
  sink.on_checkpoint();
}

}  // namespace wick::testing
