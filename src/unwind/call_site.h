// The call that a return address stands behind.
//
// A stack that was put together from pieces may have a seam where nobody ever called anybody. The
// machine code tells: before each return address there must be a call, and when that names its
// target, the target must be the function that is found inside.
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
  uint64_t slot = 0;  // where the called address stands in memory, if the code names that place
};

inline constexpr size_t kLongestCall = 8;

// `code` ends at the return address, and should have kLongestCall bytes or more.
CallSite call_before(UnwindArch arch, Bytes code, uint64_t return_address);

inline constexpr size_t kLongestStub = 16;

// Where the address stands that a PLT stub at `address` jumps to; 0 when the code is no such stub.
uint64_t slot_of_stub(UnwindArch arch, Bytes code, uint64_t address);

// Whether code that stands at `address` has a jump into [begin, end): a tail call of a function, or
// the way to its own cold part.
bool jumps_into(UnwindArch arch, Bytes code, uint64_t address, uint64_t begin, uint64_t end);

}  // namespace wick
