// UnwindTable: the call frame information of one file, compiled into a flat sorted table.
//
// CFI is written to be small, not to be looked up: one must find the function, then run its program
// up to the address. Unwinding asks for the same few thousand addresses millions of times, so all
// programs are run once, and their rows put side by side:
//
//     pcs_    [ 1000  1004  1040  1041  1050 ... ]     u32, relative to base_, ascending
//     rules_  [    3     7     3     0     3 ... ]     u32, index into the dictionary
//     dictionary_ [ no information | end of stack | CFA = sp+8, ... | CFA = fp+16, ... ]
//
// A row holds from its pc to the next row's pc. Gaps between functions are rows too (rule 0), so
// one binary search tells everything. 8 bytes a row; neighbours with the same rule are one row. Few
// rules are distinct (glibc: 28 k rows, some 600 rules), so the dictionary is small and can afford
// to say everything in plain fields.
//
// Only the CFA (which is the caller's stack pointer), the return address and the frame pointer are
// kept. Now and then hand-written code finds its CFA through another register that its callees
// save: the dynamic linker's lazy binding does, through rbx. A file with such code has that `extra`
// register recorded in its rules too; others do not pay for it.
//
// .eh_frame counts first; functions that only .debug_frame describes are added. Code without CFI
// that is known by its bytes gets rows as well (unwind/stubs.h).
//
// A table owns all it needs, never changes, and may be shared between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "elf/cfi.h"
#include "elf/image.h"
#include "unwind/architecture.h"

namespace wick {

// How to get from one frame to its caller. All offsets are from the CFA except the CFA's own.
struct UnwindRule {
  // Values of cfa_register that are no registers.
  static constexpr uint8_t kNoInformation = 255;
  static constexpr uint8_t kEndOfStack = 254;     // there is no caller
  static constexpr uint8_t kCfaExpression = 253;  // cfa_offset is the number of an expression
  static constexpr uint8_t kSignalFrame = 252;  // the kernel saved all registers at sp; cfa_offset
                                                // is the form (unwind/signal_frame.h)

  enum class Where : uint8_t {
    kSame,          // the register still holds it
    kAtCfa,         // in memory at CFA + offset
    kCfaPlus,       // is CFA + offset
    kRegister,      // in register number offset
    kAtExpression,  // in memory where expression number offset says
    kExpression,    // what expression number offset computes
    kUnknown,       // cannot be found
  };
  enum Flags : uint8_t {
    kExact = 1,           // 'S': the caller was interrupted; its address is no return address
    kByFramePointer = 2,  // no CFI: this is a guess that the code keeps a frame pointer
    kStub = 4,            // known by its bytes, not by CFI
    kTracksExtra = 8,     // `extra` is meaningful
  };

  uint8_t cfa_register = kNoInformation;
  Where return_address = Where::kUnknown;
  Where frame_pointer = Where::kSame;
  Where extra : 4 = Where::kSame;
  uint8_t flags : 4 = 0;
  int32_t cfa_offset = 0;
  int32_t return_address_offset = 0;
  int32_t frame_pointer_offset = 0;
  int32_t extra_offset = 0;

  bool operator==(const UnwindRule&) const = default;
};
static_assert(sizeof(UnwindRule) == 20);

class UnwindTable {
 public:
  // A file without any CFI gives an empty table. `debug` is its separate debug file, or null: there
  // .debug_frame is looked for too.
  static UnwindTable compile(const ElfImage& image, const ElfImage* debug = nullptr);
  // A bare .eh_frame, as JIT compilers hand them out.
  static UnwindTable compile(UnwindArch arch, const CfiSection& section);

  // The table as bytes for a file of this machine, and back. Bytes that are no table, or whose
  // parts do not fit together, give none.
  std::string bytes() const;
  static std::optional<UnwindTable> parse(Bytes bytes);

  bool empty() const { return pcs_.empty(); }
  UnwindArch arch() const { return arch_; }

  // The rule that holds at a linked address; kNoInformation outside of the table.
  const UnwindRule& find(uint64_t linked) const;
  // Whether a function ends here or a few instructions before, and nothing is known since.
  bool ends_before(uint64_t linked) const;

  size_t size() const { return pcs_.size(); }
  uint64_t row_address(size_t row) const { return base_ + pcs_[row]; }
  const UnwindRule& row_rule(size_t row) const { return dictionary_[rules_[row]]; }
  size_t distinct_rules() const { return dictionary_.size(); }

  // DWARF expression number `index` of a rule.
  Bytes expression(int32_t index) const;
  // Whether its rules say where the extra register is (extra_register_of()).
  bool tracks_extra() const { return tracks_extra_; }

  // Parts of the CFI that could not be understood.
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
