// SPDX-License-Identifier: Apache-2.0
// WAIST 1: events in time order, as a recorder or a file delivers them, before wick unwinds or
// names anything. There is one struct for each kind of event. A producer (a perf.data reader, the
// live recorder) calls the sink's method for each event; a consumer (the pipeline) implements the
// sink.
//
// Order: on_host, on_clock and on_event_kind come first, then all other events by time. Times are
// nanoseconds on one clock that never steps, 0 if unknown. Addresses are those that the process
// saw.
//
// Lifetime: text and small structs are valid until the method returns. The spans of a sample are
// valid until the producer's next on_checkpoint() returns, so that a consumer may collect samples
// and unwind many at once. The consumer must finish with them before it returns from
// on_checkpoint().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/clock_kind.h"
#include "base/processor.h"

namespace wick {

// The recorded machine (kHost), or one of the virtual machines on it, numbered from 1.
enum class MachineId : uint32_t { kHost = 0 };

// Time, process, thread and machine; every event has them. A pid of -1 is the kernel. Each machine
// has its own kernel and memory, so pids and addresses mean nothing without the machine. If a guest
// was sampled from outside, pid and tid are those of the host's thread that ran the guest.
struct EventContext {
  int64_t time_ns = 0;
  int32_t pid = -1;
  int32_t tid = -1;
  int32_t cpu = -1;
  MachineId machine = MachineId::kHost;
};

// The recorded machine.
struct HostEvent {
  Architecture architecture = Architecture::kUnknown;
  std::string_view name;            // as in uname; empty if unknown
  std::string_view kernel_release;  // the same
};

// The clock of all times, and the time of day at one moment of it.
struct ClockEvent {
  ClockKind kind = ClockKind::kUnknown;
  bool has_wall_time = false;
  int64_t time_ns = 0;       // of this clock ...
  int64_t wall_time_ns = 0;  // ... and since 1970, at the same moment
  std::string_view boot_id;  // of the kernel; clocks of two boots do not compare; empty if unknown
};

enum class EventMeasure : uint8_t { kUnknown, kCpuTime, kCount };

// What the samples of one kind count; SampleEvent::event refers to `number`.
struct EventKind {
  uint32_t number = 0;
  std::string_view name;  // "cpu-clock", "cycles:u"
  std::string_view unit;  // "nanoseconds" for the clocks, otherwise the name of the event
  EventMeasure measure = EventMeasure::kUnknown;
  // The sampling rate: one sample for every `period` counts, or `frequency` samples a second. Both
  // are 0 if the event is only read when another event of its group is sampled.
  uint64_t period = 0;
  uint64_t frequency = 0;
  uint8_t precise = 0;  // required accuracy of addresses, from 0 (any) to 3 (exact)
};

// The registers of the interrupted thread: one value for each bit of the mask, lowest bit first.
// The bit numbers are those of the kernel's perf_regs.h for the architecture and width.
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
  // Cycles since the previous branch; 0 if the processor does not report them.
  uint32_t cycles() const { return static_cast<uint32_t>(flags >> 4 & 0xFFFF); }
  // The kernel's PERF_BR_...: conditional, call, return ...; 0 if it was not requested.
  uint32_t type() const { return static_cast<uint32_t>(flags >> 20 & 0xF); }
};

// What the processor reports about a sampled memory access; 0 if it was not requested.
struct MemoryAccess {
  uint64_t address = 0;  // of the data
  uint64_t physical_address = 0;
  uint64_t page_bytes = 0;
  uint64_t source = 0;  // the kernel's bit field: cache level, snoop, TLB, lock
  uint64_t cost = 0;    // cycles in the lower 32 bits; newer CPUs add two numbers above them
};

// A part of a thread's memory that does not fit into its record, copied at the same moment.
struct StackTail {
  uint64_t stack_pointer = 0;  // of the thread; it links this copy to its sample
  uint64_t address = 0;        // of the first byte
  Bytes bytes;
};

// The goroutine whose stack Go's runtime has left, as the thread was stopped.
struct LeftGoroutine {
  bool is_known = false;
  uint64_t address = 0;  // of its description; 0: the thread has none
  uint64_t pc = 0;       // where it continues
  uint64_t stack_pointer = 0;
  uint64_t frame_pointer = 0;
  StackTail stack;
};

// The task of an interpreter's thread (StackFindings::FrameList::Task): its memory, as the thread was
// stopped. What could not be read is zero.
struct CopiedTask {
  static constexpr size_t kObjectBytes = 192;
  static constexpr size_t kNameBytes = 128;
  uint64_t key = 0;      // of the entry, if it was in a table
  uint64_t address = 0;  // 0: the thread runs no task, or it was not found
  std::array<std::byte, kObjectBytes> object = {};
  std::array<std::byte, kNameBytes> name = {};
};

// A list of the frames of an interpreter, as the thread was stopped (StackFindings::FrameList).
struct CopiedFrameList {
  static constexpr size_t kMaxNodeBytes = 112;
  static constexpr size_t kMaxCodeBytes = 48;
  struct Node {
    uint64_t address = 0;
    // Only the first bytes are copied: FrameList::node_bytes and code_bytes of them.
    std::array<std::byte, kMaxNodeBytes> node = {};
    std::array<std::byte, kMaxCodeBytes> code = {};  // zero if it could not be read
  };

  bool is_known = false;               // it was copied; it may be empty
  bool is_cut = false;                 // another node follows, unreadable or beyond the limit
  std::span<const Node> nodes;         // innermost first
  std::array<uint64_t, 3> words = {};  // those of FrameList::words
  const CopiedTask* task = nullptr;    // that of FrameList::task; null: it was not looked for
};

struct SampleEvent {
  EventContext at;
  uint32_t event = 0;  // number of the event kind
  // All samples of one interrupt that read several counters have the same number; 0 for a single
  // one.
  uint32_t group = 0;
  uint64_t address = 0;  // the sampled instruction
  uint64_t weight = 1;   // the amount that the event counted since the previous sample
  Mode mode = Mode::kUnknown;
  // Call chains, leaf first, without the kernel's context markers. The first entry of the first
  // non-empty chain is the sampled instruction itself.
  std::span<const uint64_t> kernel_chain;
  std::span<const uint64_t> user_chain;
  // The recorder asked for the program's half of the chain, and the kernel has reported that the
  // thread has none: it is a thread of the kernel, or has released its memory and is about to end.
  bool has_no_user_half = false;
  RegisterValues user_registers;
  Bytes user_stack;                // copied from the stack pointer upwards
  uint64_t stack_bytes_asked = 0;  // the size of the copy that the recorder asked for
  StackTail stack_tail;            // starts where the copy ends, or before
  StackTail interrupted_stack;     // the stack that a handler on an alternate stack interrupted
  LeftGoroutine left_goroutine;
  CopiedFrameList frame_list;
  std::span<const BranchEntry> branches;
  bool branches_are_calls = false;  // the branches are a call stack, not the last branches
  Bytes raw;                        // the fields of a tracepoint
  // Rarely recorded; 0 and empty if not recorded.
  MemoryAccess memory;
  RegisterValues interrupt_registers;  // of the interrupted code, which may be the kernel
  uint64_t code_page_bytes = 0;
  uint64_t transaction = 0;  // the kernel's bit field: why a transaction aborted
  uint64_t cgroup = 0;       // CgroupEvent::id
  Bytes aux;                 // the newest part of the hardware trace
};

// Identifies a file even after its path has changed; all zero if unknown. File systems reuse the
// inode numbers of deleted files; the generation distinguishes such files (0 if unknown).
struct FileIdentity {
  uint64_t device = 0;  // major << 32 | minor
  uint64_t inode = 0;
  uint64_t generation = 0;
};

// A process maps a file or anonymous memory. pid -1: the text of the machine's kernel, or a kernel
// module.
struct MapEvent {
  EventContext at;
  uint64_t start = 0;
  uint64_t size = 0;
  uint64_t file_offset = 0;
  std::string_view path;
  std::string_view build_id;  // raw bytes, empty if unknown
  FileIdentity file;
  bool executable = true;
  Mode mode = Mode::kUnknown;
};

// The recording knows the build id of a file, in whatever process it is mapped.
struct BuildIdEvent {
  std::string_view path;
  std::string_view build_id;  // raw bytes
};

// The kernel generated code (a BPF program, a trampoline) or removed it.
struct KernelSymbolEvent {
  EventContext at;
  uint64_t start = 0;
  uint64_t size = 0;
  std::string_view name;
  bool removed = false;
};

// A control group; SampleEvent::cgroup refers to its id.
struct CgroupEvent {
  EventContext at;
  uint64_t id = 0;
  std::string_view path;  // below the root of its hierarchy
};

// Facts about a process besides its name, from a recorder that can look them up. Other producers do
// not send this event; there, forks give the parent of each process.
struct ProcessEvent {
  EventContext at;
  int32_t parent_pid = -1;
  int64_t begin_ns = 0;           // on the recording's clock, may be before its start; 0 if unknown
  std::string_view command;       // words separated by blanks
  std::string_view next_command;  // of the program that it will exec next, if known
};

struct CommEvent {
  EventContext at;
  std::string_view name;
  bool exec = false;  // the process starts a new program: its maps are no longer valid
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
  // The thread that runs next, or ran before; -1 if the record does not say.
  int32_t other_pid = -1;
  int32_t other_tid = -1;
};

// The recorder lost records, or a part of the file is unreadable.
struct LostEvent {
  EventContext at;     // of the record that reports it: the loss happened earlier
  uint64_t count = 0;  // 0: unknown
  std::string_view what = "samples";
  std::string_view reason;
  std::string_view detail;  // where it happened first
  bool notice = false;      // nothing is missing from the numbers, but the user should know
};

// A moment that the program itself marked, for example by a line of output, with an optional number
// (a second clock). Marks of the same kind are points of one line.
struct MarkEvent {
  EventContext at;
  std::string_view name;
  std::string_view kind;
  double value = 0;
  bool has_value = false;
};

// A part of a hardware trace (Intel PT), which `trace` decodes.
struct AuxEvent {
  EventContext at;
  uint32_t queue = 0;   // one for each recorded buffer
  uint64_t offset = 0;  // in that buffer
  Bytes data;
  bool truncated = false;
};

// A name for an address of a file that the recording itself contains (simpleperf writes them).
struct SymbolEvent {
  static constexpr uint64_t kNoFile = UINT64_MAX;

  std::string_view path;
  uint64_t address = 0;  // in the file, as linked
  uint64_t size = 0;
  std::string_view name;
  // Offset of the symbol's first byte in the file; maps give file offsets, too. If there is no file
  // (the kernel, code generated at run time), `address` is the address in the process.
  uint64_t file_offset = kNoFile;
};

// Receives the events. stream/sinks.h has base classes: one ignores all kinds of events, one
// forwards all of them.
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
  // A fact about the whole recording: host, command line, number of records by type.
  virtual void on_fact(std::string_view key, std::string_view value) = 0;
  // The producer is about to reuse the memory that its delivered samples point to.
  virtual void on_checkpoint() = 0;
};

}  // namespace wick
