// WAIST 1: events in time order, as a recorder or a recording delivers them, before anything is
// unwound or named. One struct for each kind; a producer (a perf.data reader, the live recorder)
// calls the sink's method for each event, a consumer (the pipeline) implements the ones it needs.
//
// Order: on_host, on_clock and on_event_kind first, then everything else by time. Times are
// nanoseconds on one clock that never steps, 0 where it is unknown; addresses are as the process
// saw them.
//
// Lifetime: text and small structs live until the method returns. The spans of a sample live until
// the producer's next on_checkpoint() returns, so that a consumer may collect samples and unwind
// many at once; before returning from on_checkpoint it must be done with them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/clock_kind.h"
#include "base/processor.h"

namespace wick {

// The machine that was recorded, or one of the virtual machines that ran on it, numbered from 1.
enum class MachineId : uint32_t { kHost = 0 };

// Who and when; every event has it. A pid of -1 is the kernel. Each machine has its own kernel and
// its own memory, so that pids and addresses mean nothing without it. Where a guest was sampled
// from outside, pid and tid are those of the host's thread that ran it.
struct EventContext {
  int64_t time_ns = 0;
  int32_t pid = -1;
  int32_t tid = -1;
  int32_t cpu = -1;
  MachineId machine = MachineId::kHost;
};

// The machine that was recorded.
struct HostEvent {
  Architecture architecture = Architecture::kUnknown;
  std::string_view name;            // as uname says; empty when unknown
  std::string_view kernel_release;  // the same
};

// The clock of all times, and what calendars said at one moment of it.
struct ClockEvent {
  ClockKind kind = ClockKind::kUnknown;
  bool has_wall_time = false;
  int64_t time_ns = 0;       // of this clock ...
  int64_t wall_time_ns = 0;  // ... and since 1970, at the same moment
  std::string_view boot_id;  // of the kernel: times of two boots do not compare; empty when unknown
};

enum class EventMeasure : uint8_t { kUnknown, kCpuTime, kCount };

// What the samples of one kind count; `number` is what SampleEvent::event says.
struct EventKind {
  uint32_t number = 0;
  std::string_view name;  // "cpu-clock", "cycles:u"
  std::string_view unit;  // "nanoseconds" for the clocks, else what is counted: the name itself
  EventMeasure measure = EventMeasure::kUnknown;
  // How often it was sampled: once in so many, or so many times a second. 0 and 0: only counted,
  // when another event of its group was sampled.
  uint64_t period = 0;
  uint64_t frequency = 0;
  uint8_t precise = 0;  // how exact addresses had to be, from 0 (any) to 3 (the instruction itself)
};

// The registers of the interrupted thread: one value for each bit of the mask, lowest bit first, in
// the numbering of the kernel's perf_regs.h for the architecture and width.
struct RegisterValues {
  enum class Width : uint8_t { kNone, k32, k64 };
  Width width = Width::kNone;
  uint64_t mask = 0;
  std::span<const uint64_t> values;
};

// A branch that the processor took and recorded, newest first.
struct BranchEntry {
  uint64_t from = 0;
  uint64_t to = 0;
  // The kernel's bit field, lowest bit first: mispredicted 1, predicted 1, in transaction 1,
  // abort 1, cycles 16, type 4, speculation 2, new type 4, privilege 3.
  uint64_t flags = 0;

  bool is_mispredicted() const { return (flags & 1) != 0; }
  bool is_predicted() const { return (flags & 2) != 0; }
  bool is_in_transaction() const { return (flags & 4) != 0; }
  bool is_abort() const { return (flags & 8) != 0; }
  // Since the branch before; 0 when the processor does not say.
  uint32_t cycles() const { return static_cast<uint32_t>(flags >> 4 & 0xFFFF); }
  // The kernel's PERF_BR_...: conditional, call, return ...; 0 when it was not asked for.
  uint32_t type() const { return static_cast<uint32_t>(flags >> 20 & 0xF); }
};

// What the processor tells about a sampled memory access; 0 where it was not asked.
struct MemoryAccess {
  uint64_t address = 0;  // of the data
  uint64_t physical_address = 0;
  uint64_t page_bytes = 0;
  uint64_t source = 0;  // the kernel's bit field: cache level, snoop, TLB, lock
  uint64_t cost = 0;    // cycles in the lower 32 bits; newer processors have two more numbers above
};

// More of a thread's memory than a record has room for, copied at the same moment.
struct StackRest {
  uint64_t stack_pointer = 0;  // of the thread, by which both know each other
  uint64_t address = 0;        // of the first byte
  Bytes bytes;
};

struct SampleEvent {
  EventContext at;
  uint32_t event = 0;  // number of the kind that fired
  // The same for all samples of one interrupt that read several counters; 0 for one alone.
  uint32_t group = 0;
  uint64_t address = 0;  // the sampled instruction
  uint64_t weight = 1;   // what the event counted since the sample before
  Mode mode = Mode::kUnknown;
  // Call chains leaf first, without the kernel's context markers. The first entry of the first one
  // is the sampled instruction itself.
  std::span<const uint64_t> kernel_chain;
  std::span<const uint64_t> user_chain;
  RegisterValues user_registers;
  Bytes user_stack;                // copied from the stack pointer upwards
  uint64_t stack_bytes_asked = 0;  // how much the recorder wanted to copy
  StackRest stack_rest;            // from where the copy ends, or before
  StackRest interrupted_stack;     // the one that a signal handler with a stack of its own left
  std::span<const BranchEntry> branches;
  bool branches_are_calls = false;  // the processor kept a call stack, not the last branches
  Bytes raw;                        // a tracepoint's own fields
  // Rarely asked for; 0 and empty when not recorded.
  MemoryAccess memory;
  RegisterValues interrupt_registers;  // of the interrupted code, be it the kernel's
  uint64_t code_page_bytes = 0;
  uint64_t transaction = 0;  // the kernel's bit field: why a hardware transaction was given up
  uint64_t cgroup = 0;       // CgroupEvent::id
  Bytes aux;                 // the newest piece of the hardware trace
};

// Which file it is, whatever its path says by now; all zero when nobody knows. File systems use the
// numbers of deleted files again, which the generation tells apart (0 where it is not known).
struct FileIdentity {
  uint64_t device = 0;  // major << 32 | minor
  uint64_t inode = 0;
  uint64_t generation = 0;
};

// A file or anonymous memory appears in a process; pid -1: the text of the machine's kernel, or a
// kernel module.
struct MapEvent {
  EventContext at;
  uint64_t start = 0;
  uint64_t size = 0;
  uint64_t file_offset = 0;
  std::string_view path;
  std::string_view build_id;  // raw bytes, empty when unknown
  FileIdentity file;
  bool executable = true;
  Mode mode = Mode::kUnknown;
};

// The recording knows the build id of a file, whatever process maps it.
struct BuildIdEvent {
  std::string_view path;
  std::string_view build_id;  // raw bytes
};

// The kernel made code (a BPF program, a trampoline) or took it away.
struct KernelSymbolEvent {
  EventContext at;
  uint64_t start = 0;
  uint64_t size = 0;
  std::string_view name;
  bool removed = false;
};

// A control group: what SampleEvent::cgroup means.
struct CgroupEvent {
  EventContext at;
  uint64_t id = 0;
  std::string_view path;  // below the root of its hierarchy
};

// What is known of a process beside its name, from a recorder that can ask. Others say nothing:
// there, forks tell who is whose parent.
struct ProcessEvent {
  EventContext at;
  int32_t parent_pid = -1;
  int64_t begin_ns = 0;      // on the recording's clock, may be before its start; 0 when unknown
  std::string_view command;  // words separated by blanks
  std::string_view next_command;  // of the program that it is about to exec, if known
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
  // Who comes, or who was there before; -1 when the record does not say.
  int32_t other_pid = -1;
  int32_t other_tid = -1;
};

// The recorder could not keep up, or a part of the file cannot be read.
struct LostEvent {
  EventContext at;     // of the record that says so: what is missing came before it
  uint64_t count = 0;  // 0: unknown
  std::string_view what = "samples";
  std::string_view reason;
  std::string_view detail;  // where it happened first
  bool notice = false;      // nothing is missing from the numbers, but the reader should know
};

// A moment that the program itself has named, as by a line of its output, with a number of its own
// (a second clock) where it has one. Marks of one kind are points of one line.
struct MarkEvent {
  EventContext at;
  std::string_view name;
  std::string_view kind;
  double value = 0;
  bool has_value = false;
};

// A piece of a hardware trace (Intel PT), to be decoded by `trace`.
struct AuxEvent {
  EventContext at;
  uint32_t queue = 0;   // one for each buffer that was recorded
  uint64_t offset = 0;  // in that buffer
  Bytes data;
  bool truncated = false;
};

// A name that the recording itself carries for an address of a file (simpleperf does).
struct SymbolEvent {
  static constexpr uint64_t kNoFile = UINT64_MAX;

  std::string_view path;
  uint64_t address = 0;  // in the file, as linked
  uint64_t size = 0;
  std::string_view name;
  // Where its first byte stands in the file, which is what a map tells. Without a file behind it
  // (the kernel, code made at run time) `address` is as the process saw it.
  uint64_t file_offset = kNoFile;
};

// Takes the events. stream/sinks.h has sinks to derive from: one that ignores all kinds, one that
// passes all on.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_host(const HostEvent&) = 0;
  virtual void on_clock(const ClockEvent&) = 0;
  virtual void on_event_kind(const EventKind&) = 0;
  virtual void on_sample(const SampleEvent&) = 0;
  virtual void on_map(const MapEvent&) = 0;
  virtual void on_build_id(const BuildIdEvent&) = 0;
  virtual void on_kernel_symbol(const KernelSymbolEvent&) = 0;
  virtual void on_symbol(const SymbolEvent&) = 0;
  virtual void on_cgroup(const CgroupEvent&) = 0;
  virtual void on_process(const ProcessEvent&) = 0;
  virtual void on_comm(const CommEvent&) = 0;
  virtual void on_fork(const ForkEvent&) = 0;
  virtual void on_exit(const ExitEvent&) = 0;
  virtual void on_switch(const SwitchEvent&) = 0;
  virtual void on_lost(const LostEvent&) = 0;
  virtual void on_aux(const AuxEvent&) = 0;
  virtual void on_mark(const MarkEvent&) = 0;
  // A fact about the recording as a whole: host, command line, how many records of which kind.
  virtual void on_fact(std::string_view key, std::string_view value) = 0;
  // The producer is about to reuse the memory behind the samples it has delivered.
  virtual void on_checkpoint() = 0;
};

}  // namespace wick
