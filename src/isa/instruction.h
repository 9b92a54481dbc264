// SPDX-License-Identifier: Apache-2.0
// One instruction, as far as control flow is concerned: its length, whether and how it branches,
// and where to.
//
// Three users need the same answers. The unwinder checks that a call precedes a return address. The
// disassembler must find the end of an instruction even if it has no name for it. A decoder of
// hardware traces follows every instruction between two packets of the trace, and only needs to
// know which instructions consume a packet.
//
// Bytes are untrusted: decode() reads nothing beyond `code`, allocates nothing, and gives one of
// three outcomes. The result for an instruction does not depend on the bytes after it; each proper
// prefix of it is too short.
//
// The decoder does not check operands if the length does not depend on them. So it may accept bytes
// that a processor would reject (a lock prefix on a load, a vector opcode that no processor has
// yet). This also lets it step over instructions that are newer than the decoder.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace wick::isa {

// NOLINTNEXTLINE(readability-identifier-naming): x86-64 is its name
enum class InstructionSet : uint8_t { kX86, kX86_64, kAarch64 };

enum class Outcome : uint8_t {
  kDecoded,
  kTooShort,  // an instruction may start here, but `code` ends inside it
  kInvalid,   // not an instruction
};

//                         x86                                  AArch64
enum class Kind : uint8_t {
  kOther,            // execution continues with the next instruction
  kJump,             // jmp                                  b
  kConditionalJump,  // jcc, loop, jrcxz                     b.cond, cbz, tbz
  kCall,             // call                                 bl
  kIndirectJump,     // jmp *                                br
  kIndirectCall,     // call *                               blr
  kReturn,           // ret                                  ret
  kFarJump,          // ljmp
  kFarCall,          // lcall
  kFarReturn,        // lret
  kInterrupt,        // int, int1, int3, into (if overflow)  brk, hlt
  kInterruptReturn,  // iret, uiret, eretu, erets, rsm       eret, drps
  kSystemCall,       // syscall, sysenter                    svc
  kSystemReturn,     // sysret, sysexit
  kVmCall,           // vmcall, vmmcall, vmgexit             hvc, smc
  kVmEntry,          // vmlaunch, vmresume, vmrun
  kTransaction,      // xbegin: continues, and at `target` after an abort
  kUndefined,        // ud0, ud1, ud2                        udf
  kWriteCr3,         // mov to %cr3: continues, in another address space
  kPtWrite,          // ptwrite: continues, and leaves a packet in the trace
};

struct Instruction {
  Outcome outcome = Outcome::kInvalid;
  Kind kind = Kind::kOther;
  uint8_t length = 0;           // bytes; 0 unless decoded
  bool through_memory = false;  // indirect: the pointer is in memory, not in a register
  uint64_t target = 0;          // if has_target(kind)
  uint64_t slot = 0;            // address of that pointer if the code alone gives it; else 0

  bool ok() const { return outcome == Outcome::kDecoded; }
};

// `code` starts with the instruction, which is located at `address`.
Instruction decode(InstructionSet set, Bytes code, uint64_t address);

// Whether `code` starts with x86's hlt, which ends a program: only the kernel may execute it.
bool is_halt(InstructionSet set, Bytes code);

constexpr bool is_call(Kind kind) {
  return kind == Kind::kCall || kind == Kind::kIndirectCall || kind == Kind::kFarCall;
}
constexpr bool is_jump(Kind kind) {
  return kind == Kind::kJump || kind == Kind::kConditionalJump || kind == Kind::kIndirectJump ||
         kind == Kind::kFarJump;
}
// Whether the instruction itself contains its possible target.
constexpr bool has_target(Kind kind) {
  return kind == Kind::kJump || kind == Kind::kConditionalJump || kind == Kind::kCall ||
         kind == Kind::kTransaction;
}

// The packet that Intel PT records for an instruction that executes without an exception.
enum class TracePacket : uint8_t {
  kNone,      // execution continues, or leads to `target`
  kTaken,     // a bit of a TNT packet: taken or not
  kReturned,  // a bit "taken" if the return matches its call, else a TIP
  kAddress,   // a TIP packet, or TIP.PGD if this leaves the traced code
};
constexpr TracePacket trace_packet(Kind kind) {
  switch (kind) {
    case Kind::kConditionalJump:
      return TracePacket::kTaken;
    case Kind::kReturn:
      return TracePacket::kReturned;
    case Kind::kOther:
    case Kind::kJump:
    case Kind::kCall:
    case Kind::kTransaction:
    case Kind::kUndefined:  // an exception is asynchronous: FUP gives its address, then TIP
    case Kind::kWriteCr3:
    case Kind::kPtWrite:
      return TracePacket::kNone;
    default:
      return TracePacket::kAddress;
  }
}

}  // namespace wick::isa
