// SPDX-License-Identifier: Apache-2.0
// Call frame information (CFI): how to find the caller of a frame, for every instruction.
//
// .eh_frame (for exceptions, always present on x86-64 and AArch64) and .debug_frame (for debuggers)
// contain the same two kinds of entry, one after the other:
//
//     CIE: length, id, version, augmentation, code and data factors, return address column,
//          initial instructions      - what a family of functions has in common
//     FDE: length, CIE pointer, first address, number of bytes, instructions    - one function
//
// The instructions are a small program that builds a table. Each `advance` starts a new row; the
// other instructions say where the CFA (the caller's stack pointer) and each register are in the
// following rows. CfiReader walks over the entries. FrameProgram (elf/frame_program.h) runs the
// program of one FDE and returns the rows, reduced to the needs of unwinding: the CFA, the return
// address, the frame pointer, and at most one more register (unwind/table.h explains why).
//
// The two sections differ in small ways, which depend on `CfiKind`:
//
//                      .eh_frame                        .debug_frame
//     CIE id           0                                all ones
//     CIE pointer      distance back from itself        offset in the section
//     addresses        encoded as the augmentation      plain
//                      ('R') says
//     end              an entry of length 0             the end of the section
//
// Hostile input: the reader finds all entries in one pass over the section, and an FDE may refer
// only to a CIE found in that pass, so the work is linear in the bytes. The reader counts every
// entry that it cannot interpret in `damaged` and skips it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "elf/image.h"

namespace wick {

enum class CfiKind : uint8_t { kEhFrame, kDebugFrame };

// The bytes of a section, and the addresses needed to decode pointers in it.
struct CfiSection {
  CfiKind kind = CfiKind::kEhFrame;
  Bytes bytes;
  uint64_t address = 0;       // linked address of the first byte
  uint64_t data_address = 0;  // base of DW_EH_PE_datarel
  uint64_t text_address = 0;  // base of DW_EH_PE_textrel
  uint8_t address_size = 8;
};

// The section of that kind in a file; without section headers, .eh_frame is found through
// PT_GNU_EH_FRAME. Its bytes are empty if there is none.
CfiSection find_cfi(const ElfImage& image, CfiKind kind);

// DWARF register numbers are small on the supported machines; larger ones are not tracked.
using DwarfRegister = uint16_t;

// Where to find the value of one of the caller's registers.
struct RegisterRule {
  enum class Kind : uint8_t {
    kUnspecified,   // no rule was given
    kUndefined,     // lost; for the return address: the outermost frame
    kSame,          // not changed
    kAtCfa,         // in memory at CFA + offset
    kCfaPlus,       // is CFA + offset
    kRegister,      // in another register, number `offset`
    kAtExpression,  // in memory at the result of the expression
    kExpression,    // is the result of the expression
  };
  Kind kind = Kind::kUnspecified;
  int64_t offset = 0;
  Bytes expression;
};

// The CFA: register + offset, or an expression.
struct CfaRule {
  enum class Kind : uint8_t { kUnspecified, kRegister, kExpression };
  Kind kind = Kind::kUnspecified;
  DwarfRegister base = 0;
  int64_t offset = 0;
  Bytes expression;
};

// One row of the table that an FDE describes.
struct CfiRow {
  CfaRule cfa;
  RegisterRule return_address;
  RegisterRule frame_pointer;
  RegisterRule extra;
};

struct Cie {
  uint64_t offset = 0;
  uint64_t code_factor = 1;
  int64_t data_factor = 1;
  DwarfRegister return_column = 0;
  uint8_t address_encoding = 0;  // DW_EH_PE_*
  uint8_t address_size = 8;
  bool has_augmentation_data = false;  // 'z'
  bool signal_frame = false;           // 'S': the address in the interrupted frame is exact
  bool usable = true;                  // false: an unknown augmentation
  Bytes instructions;
};

struct Fde {
  uint64_t begin = 0;  // linked addresses
  uint64_t end = 0;
  uint32_t cie = 0;  // index into CfiReader::cies()
  Bytes instructions;
};

// All entries of a section.
class CfiReader {
 public:
  explicit CfiReader(const CfiSection& section);

  std::span<const Cie> cies() const { return cies_; }
  // In the order of the file, without empty ones.
  std::span<const Fde> fdes() const { return fdes_; }
  // The number of entries that the reader could not interpret.
  uint64_t damaged() const { return damaged_; }

 private:
  struct RawFde {
    uint64_t cie_offset = 0;
    uint64_t offset = 0;  // after the CIE pointer
    uint64_t size = 0;
  };
  void find_entries(std::vector<RawFde>& raw);
  bool add_entry(uint64_t entry, Bytes body, bool wide, std::vector<RawFde>& raw);
  void add_cie(uint64_t offset, Bytes body);
  void read_augmentation(Cie& cie,
                         std::string_view letters,
                         Bytes data,
                         uint64_t data_offset) const;
  bool add_fde(const RawFde& raw);

  CfiSection section_;
  std::vector<Cie> cies_;  // by offset
  std::vector<Fde> fdes_;
  uint64_t damaged_ = 0;
};

}  // namespace wick
