// SPDX-License-Identifier: Apache-2.0
// The call before a return address.
//
// A stack that was assembled from parts may have a seam at which no function called the next.
// Machine code reveals it: a call must precede each return address, and if it contains its target,
// the target must be the function of the inner frame. isa decodes the instructions. x86 code is
// read backwards from the return address, so several readings are possible; this file chooses one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "unwind/architecture.h"

namespace wick {

struct CallSite {
  enum class Kind : uint8_t {
    kNone,      // not after a call
    kDirect,    // a call of `target`
    kIndirect,  // a call through a register or memory
  };
  Kind kind = Kind::kNone;
  uint64_t target = 0;
  uint64_t slot = 0;  // address of the pointer to the target, if the code contains it
};

inline constexpr size_t kLongestCall = 8;

// `code` ends at the return address, and should have at least kLongestCall bytes.
CallSite call_before(UnwindArch arch, Bytes code, uint64_t return_address);

inline constexpr size_t kLongestSystemCall = 4;

// Whether `code`, which has kLongestSystemCall bytes, ends with an instruction that calls the
// kernel.
bool is_system_call_before(UnwindArch arch, Bytes code);

// Whether the code begins with the system call that returns from a signal handler.
bool begins_signal_return(UnwindArch arch, Bytes code);

inline constexpr size_t kLongestSignalReturn = 9;

// Whether `code`, which has kLongestSignalReturn bytes, ends with the system call that returns from
// a signal handler.
bool is_signal_return_before(UnwindArch arch, Bytes code);

inline constexpr size_t kLongestExec = 8;

// Whether `code`, which has kLongestExec bytes, ends with a system call that executes another
// program.
bool is_exec_before(UnwindArch arch, Bytes code);

inline constexpr size_t kLongestStub = 16;

// The address of the pointer that a PLT stub at `address` jumps through; 0 if the code is not such
// a stub.
uint64_t slot_of_stub(UnwindArch arch, Bytes code, uint64_t address);

// Where the jumps out of the function at `address` with the bytes `code` lead: tail calls of other
// functions, and jumps to its own cold part. In ascending order.
std::vector<uint64_t> jumps_out_of(UnwindArch arch, Bytes code, uint64_t address);

// Whether one of the ascending addresses is in [begin, end).
bool has_address_in(std::span<const uint64_t> addresses, uint64_t begin, uint64_t end);

}  // namespace wick
