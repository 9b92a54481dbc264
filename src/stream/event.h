// WAIST 1: events in time order, as a recorder or a recording delivers them, before anything is
// unwound or named. One struct for each kind; a producer (a perf.data reader, the live recorder)
// calls the sink's method for each event, a consumer (the pipeline) implements the ones it needs.
//
// Times are nanoseconds on one clock that never steps (CLOCK_MONOTONIC); addresses are as the
// process saw them. Spans and text are borrowed: they live until the method returns.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"

namespace wick {

// Who and when; every event has it.
struct EventContext {
  int64_t time_ns = 0;
  int32_t pid = -1;
  int32_t tid = -1;
  int32_t cpu = -1;
};

struct SampleEvent {
  EventContext at;
  uint32_t event = 0;    // number of the event that fired, in the order of their declaration
  uint64_t address = 0;  // the sampled instruction
  uint64_t weight = 1;   // what the event counted since the sample before
  bool in_kernel = false;
  std::span<const uint64_t> kernel_chain;  // leaf first, as the kernel followed it
  std::span<const uint64_t> user_chain;    // leaf first, by frame pointer or branch record
  std::span<const uint64_t> user_registers;
  Bytes user_stack;  // copied from the stack pointer upwards
};

// A file or anonymous memory appears in a process.
struct MapEvent {
  EventContext at;
  uint64_t start = 0;
  uint64_t size = 0;
  uint64_t file_offset = 0;
  std::string_view path;
  std::string_view build_id;  // raw bytes, empty when unknown
  bool executable = true;
};

struct CommEvent {
  EventContext at;
  std::string_view name;
  bool exec = false;  // the process starts a new program: its maps are gone
};

struct ForkEvent {
  EventContext at;  // the new thread or process
  int32_t parent_pid = -1;
  int32_t parent_tid = -1;
};

struct ExitEvent {
  EventContext at;
};

// A thread leaves or takes the CPU.
struct SwitchEvent {
  EventContext at;
  bool leaves = false;
  bool preempted = false;
};

// The recorder could not keep up, or a part of the file cannot be read.
struct LostEvent {
  EventContext at;
  uint64_t count = 0;  // 0: nobody can know
  std::string_view reason;
};

// A piece of a hardware trace (Intel PT), to be decoded by `trace`.
struct AuxEvent {
  EventContext at;
  Bytes data;
  bool truncated = false;
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_sample(const SampleEvent&) {}
  virtual void on_map(const MapEvent&) {}
  virtual void on_comm(const CommEvent&) {}
  virtual void on_fork(const ForkEvent&) {}
  virtual void on_exit(const ExitEvent&) {}
  virtual void on_switch(const SwitchEvent&) {}
  virtual void on_lost(const LostEvent&) {}
  virtual void on_aux(const AuxEvent&) {}
};

}  // namespace wick
