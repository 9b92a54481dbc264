// The call before a return address.
//
// A stack that was put together from pieces may have a seam where no function called the next. The
// machine code shows it: a call must precede each return address, and when it names its target, the
// target must be the function of the inner frame. isa decodes the instructions; what is decided
// here is which of several readings counts, because x86 code is read backwards from the return
// address.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "unwind/architecture.h"

namespace wick {

struct CallSite {
  enum class Kind : uint8_t {
    kNone,      // no call ends here
    kDirect,    // a call of `target`
    kIndirect,  // a call through a register or memory
  };
  Kind kind = Kind::kNone;
  uint64_t target = 0;
  uint64_t slot = 0;  // the address of the called address, if the code names it
};

inline constexpr size_t kLongestCall = 8;

// `code` ends at the return address, and should have kLongestCall bytes or more.
CallSite call_before(UnwindArch arch, Bytes code, uint64_t return_address);

inline constexpr size_t kLongestStub = 16;

// The address of the pointer that a PLT stub at `address` jumps through; 0 when the code is not
// such a stub.
uint64_t slot_of_stub(UnwindArch arch, Bytes code, uint64_t address);

// Whether the function at `address`, whose code is `code`, has a jump into [begin, end): a tail
// call of another function, or the way to its own cold part.
bool jumps_into(UnwindArch arch, Bytes code, uint64_t address, uint64_t begin, uint64_t end);

}  // namespace wick
