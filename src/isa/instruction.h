// One instruction, as far as control flow goes: its length, whether and how it leaves the straight
// line, and where to.
//
// Three users need the same answers. The unwinder checks that a call precedes a return address. The
// disassembler must know where an instruction ends even when it has no name for it. A decoder of
// hardware traces follows every instruction between two packets of the trace, and only needs to
// know which instructions consume one.
//
// Bytes are foreign: decode() reads nothing beyond `code`, allocates nothing, and gives one of
// three outcomes. An instruction decodes the same, whatever follows it; each proper prefix of it is
// too short.
//
// Operands are not checked where lengths do not depend on them: bytes that a processor would refuse
// (a lock prefix on a load, an opcode that no processor has yet in a map of vector instructions)
// may decode. So instructions that are newer than this decoder can be stepped over.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace wick::isa {

// NOLINTNEXTLINE(readability-identifier-naming): x86-64 is its name
enum class InstructionSet : uint8_t { kX86, kX86_64, kAarch64 };

enum class Outcome : uint8_t {
  kDecoded,
  kTooShort,  // an instruction may begin here, but `code` ends before it does
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
  bool through_memory = false;  // indirect: by a pointer in memory, not in a register
  uint64_t target = 0;          // of kinds that have_target()
  uint64_t slot = 0;            // where that pointer is, when the code alone says so; else 0

  bool ok() const { return outcome == Outcome::kDecoded; }
};

// `code` begins with the instruction, whose address is `address`.
Instruction decode(InstructionSet set, Bytes code, uint64_t address);

constexpr bool is_call(Kind kind) {
  return kind == Kind::kCall || kind == Kind::kIndirectCall || kind == Kind::kFarCall;
}
constexpr bool is_jump(Kind kind) {
  return kind == Kind::kJump || kind == Kind::kConditionalJump || kind == Kind::kIndirectJump ||
         kind == Kind::kFarJump;
}
// Whether the instruction itself says where it may lead.
constexpr bool has_target(Kind kind) {
  return kind == Kind::kJump || kind == Kind::kConditionalJump || kind == Kind::kCall ||
         kind == Kind::kTransaction;
}

// What Intel PT records of an instruction that executes without an exception.
enum class TracePacket : uint8_t {
  kNone,      // execution continues, or leads to `target`
  kTaken,     // a bit of a TNT packet: taken or not
  kReturned,  // a bit "taken" when the return address is that of the matching call, else a TIP
  kAddress,   // a TIP packet, or TIP.PGD when this leaves what is traced
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
