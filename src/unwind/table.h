// SPDX-License-Identifier: Apache-2.0
// UnwindTable: the call frame information of one file, compiled into a flat sorted table.
//
// CFI is designed to be small, not to be looked up: a reader must find the function, then run its
// program up to the address. Unwinding needs the same few thousand addresses millions of times. So
// wick runs all programs once and stores their rows side by side:
//
//     pcs_    [ 1000  1004  1040  1041  1050 ... ]     u32, relative to base_, ascending
//     rules_  [    3     7     3     0     3 ... ]     u32, index into the dictionary
//     dictionary_ [ no information | end of stack | CFA = sp+8, ... | CFA = fp+16, ... ]
//
// A row is valid from its pc to the next row's pc. Gaps between functions are rows too (rule 0), so
// one binary search gives the complete answer. A row takes 8 bytes; neighbours with the same rule
// are one row. Few rules are distinct (glibc: 28 k rows, some 600 rules), so the dictionary is
// small and can use plain fields.
//
// Rules contain only the CFA (which is the caller's stack pointer), the return address and the
// frame pointer. In rare cases hand-written code finds its CFA through another register that its
// callees save: the dynamic linker's lazy binding does so, through rbx. If a file has such code,
// its rules also contain that `extra` register; other files do not pay for it.
//
// Go's own table of frames has priority: it also says where the runtime switches stacks. Then
// .eh_frame; functions that only .debug_frame describes are added. Code without CFI
// that wick recognises by its bytes gets rows as well (unwind/stubs.h).
//
// A table owns all its data, never changes, and may be shared between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "elf/cfi.h"
#include "elf/image.h"
#include "unwind/architecture.h"

namespace wick {

// How to find the caller of a frame. All offsets are relative to the CFA, except the CFA's own.
struct UnwindRule {
  // Values of cfa_register that are not registers.
  static constexpr uint8_t kNoInformation = 255;
  static constexpr uint8_t kEndOfStack = 254;     // there is no caller
  static constexpr uint8_t kCfaExpression = 253;  // cfa_offset is the number of an expression
  static constexpr uint8_t kSignalFrame = 252;  // the kernel saved all registers at sp; cfa_offset
                                                // is the form (unwind/signal_frame.h)

  static constexpr uint8_t kCfaAtStack = 251;     // the word at sp + extra_offset, plus cfa_offset
  static constexpr uint8_t kCfaAtFrame = 249;     // the same with the frame pointer instead of sp
  static constexpr uint8_t kSwitchesStack = 250;  // the caller is on another stack
  static constexpr uint8_t kLeavesStack = 248;    // the same, if the word at sp is its goroutine

  enum class Where : uint8_t {
    kSame,          // the register still has it
    kAtCfa,         // in memory at CFA + offset
    kCfaPlus,       // is CFA + offset
    kRegister,      // in register number offset
    kAtExpression,  // in memory at the result of expression number offset
    kExpression,    // is the result of expression number offset
    kUnknown,       // cannot be found
  };
  enum Flags : uint8_t {
    kExact = 1,           // 'S': the caller was interrupted; not a return address
    kByFramePointer = 2,  // no CFI: assumes that the code has a frame pointer
    kStub = 4,            // recognised by its bytes, not by CFI
    kTracksExtra = 8,     // `extra` is meaningful
    kByCode = 16,         // no CFI: found by following the code
  };

  uint8_t cfa_register = kNoInformation;
  Where return_address = Where::kUnknown;
  Where frame_pointer = Where::kSame;
  Where extra : 3 = Where::kSame;
  uint8_t flags : 5 = 0;
  int32_t cfa_offset = 0;
  int32_t return_address_offset = 0;
  int32_t frame_pointer_offset = 0;
  int32_t extra_offset = 0;

  bool operator==(const UnwindRule&) const = default;
};
static_assert(sizeof(UnwindRule) == 20);

class UnwindTable {
 public:
  // A file without CFI gives an empty table. `debug` is its separate debug file, or null;
  // .debug_frame is searched there, too.
  static UnwindTable compile(const ElfImage& image, const ElfImage* debug = nullptr);
  // Compiles a bare .eh_frame, as JIT compilers produce it.
  static UnwindTable compile(UnwindArch arch, const CfiSection& section);

  // The table as bytes for a file of this machine, and back. parse() returns none if the bytes are
  // not a table, or if their parts are inconsistent.
  std::string bytes() const;
  static std::optional<UnwindTable> parse(Bytes bytes);

  bool empty() const { return pcs_.empty(); }
  UnwindArch arch() const { return arch_; }

  // The rule at a linked address; kNoInformation outside of the table.
  const UnwindRule& find(uint64_t linked) const;
  // Whether a function ends here or a few instructions before, and no rule follows it.
  bool ends_before(uint64_t linked) const;

  size_t size() const { return pcs_.size(); }
  uint64_t row_address(size_t row) const { return base_ + pcs_[row]; }
  const UnwindRule& row_rule(size_t row) const { return dictionary_[rules_[row]]; }
  size_t distinct_rules() const { return dictionary_.size(); }

  // DWARF expression number `index` of a rule.
  Bytes expression(int32_t index) const;
  // Whether its rules contain the extra register (extra_register_of()).
  bool tracks_extra() const { return tracks_extra_; }

  // The number of parts of the CFI that could not be interpreted.
  uint64_t damaged() const { return damaged_; }
  size_t memory_bytes() const;

 private:
  friend class UnwindTableBuilder;

  static constexpr size_t kNoRow = SIZE_MAX;
  size_t row_at(uint64_t linked) const;
  bool is_sound() const;

  UnwindArch arch_ = UnwindArch::kX86_64;
  bool tracks_extra_ = false;
  uint64_t base_ = 0;
  std::vector<uint32_t> pcs_;
  std::vector<uint32_t> rules_;
  std::vector<UnwindRule> dictionary_ = {UnwindRule{}};  // the first is "no information"
  std::string expression_bytes_;
  std::vector<uint32_t> expression_ends_;
  uint64_t damaged_ = 0;
};

}  // namespace wick
