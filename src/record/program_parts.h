// SPDX-License-Identifier: Apache-2.0
// What the BPF programs of the chain have in common: parts to assemble them from, and the beginning
// of their records.
//
// A part is a list of instructions. Jumps are relative, so each part gets the length of the parts
// that it may skip. `ending` is the code that runs the next program or leaves, and is repeated
// wherever a path ends.
//
// All parts share registers and slots on the program's stack. After find_thread, register 7 is the
// thread's stack pointer.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <linux/bpf.h>

#include "base/descriptor.h"
#include "record/program_chain.h"

namespace wick::record {

// Which program has written a record.
enum class CopiedPart : uint32_t { kRest, kInterrupted, kGoroutine, kFrameList };
inline constexpr size_t kCopiedParts = 4;

// Every record begins with this. A record belongs to the sample of the same thread, stopped at the
// same moment at the same instruction.
struct CopyHead {
  uint64_t process_and_thread = 0;  // the tid is the lower half
  int64_t time_ns = 0;
  uint64_t stack_pointer = 0;
  uint64_t instruction = 0;
  uint64_t which = 0;  // CopiedPart
};
// The programs wake the reader for each record while the ring has more than this.
inline constexpr int32_t kBytesInUse = 1 << 20;

using Program = std::vector<bpf_insn>;

// The slots that all programs use, as offsets from register 10. Others are below kFirstFreeOffset.
inline constexpr int kWordOffset = -8;  // the word that was read
inline constexpr int kThreadOffset = -16;
inline constexpr int kContextOffset = -24;  // the context argument
inline constexpr int kInstructionOffset = -32;
inline constexpr int kFirstFreeOffset = kInstructionOffset;

void append(Program& program, std::span<const bpf_insn> more);

// The ending of a program.
Program go_on_after(const ProgramChain& chain, SampleStep step);
// Register 0: the entry of the thread, or 0.
Program find_thread(const Descriptor& threads);
// Register 3: the address of a word of the recorded program. Register 0: 0 if it could be read.
std::array<bpf_insn, 4> read_word();
// Runs `ending` if register 0 is 0.
void end_if_zero(Program& program, const Program& ending);
// Runs `ending` unless register 0 is 0: memory could not be read.
void end_if_failed(Program& program, const Program& ending);
// Writes the head of the record that a register points to.
std::array<bpf_insn, 8> write_head(int record, CopiedPart which);
// The register becomes the flags with which a record is added to the ring.
std::array<bpf_insn, 7> choose_wakeup(const Descriptor& ring, int flags);

}  // namespace wick::record
