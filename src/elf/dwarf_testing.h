// SPDX-License-Identifier: Apache-2.0
// Writes DWARF entry by entry, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "elf/dwarf_constants.h"
#include "elf/testing.h"

namespace wick::testing {

inline std::string bytes_of(uint64_t value, size_t size) {
  return {reinterpret_cast<const char*>(&value), size};
}

// A table of abbreviations.
class AbbrevWriter {
 public:
  using Attributes = std::vector<std::pair<uint16_t, uint16_t>>;
  // Returns the code of the abbreviation.
  uint64_t add(uint16_t tag, bool children, const Attributes& attributes) {
    bytes_ += uleb(++codes_) + uleb(tag) + std::string(1, children ? '\1' : '\0');
    for (auto [name, form] : attributes) {
      bytes_ += uleb(name) + uleb(form);
    }
    bytes_ += std::string(2, '\0');
    return codes_;
  }
  std::string bytes() const { return bytes_ + '\0'; }

 private:
  std::string bytes_;
  uint64_t codes_ = 0;
};

// A unit of .debug_info, versions 2 to 5, in 32-bit or 64-bit DWARF. The offsets that it returns
// count from the start of the unit.
class UnitWriter {
 public:
  explicit UnitWriter(uint16_t version, bool wide = false) : version_(version), wide_(wide) {}

  size_t offset_size() const { return wide_ ? 8 : 4; }
  uint64_t here() const { return header().size() + body_.size(); }
  // Starts an entry; attributes follow with data().
  uint64_t entry(uint64_t code) {
    uint64_t at = here();
    body_ += uleb(code);
    return at;
  }
  UnitWriter& data(uint64_t value, size_t size) {
    body_ += bytes_of(value, size);
    return *this;
  }
  UnitWriter& offset(uint64_t value) { return data(value, offset_size()); }
  UnitWriter& text(const std::string& text) {
    body_ += text + '\0';
    return *this;
  }
  UnitWriter& raw(const std::string& bytes) {
    body_ += bytes;
    return *this;
  }
  void end_children() { body_ += '\0'; }
  std::string bytes() const { return header() + body_; }

 private:
  std::string header() const {
    std::string rest = bytes_of(version_, 2);
    if (version_ >= 5) {
      rest += std::string("\1\x8", 2) + bytes_of(0, offset_size());
    } else {
      rest += bytes_of(0, offset_size()) + '\x8';
    }
    uint64_t length = rest.size() + body_.size();
    return (wide_ ? bytes_of(0xFFFF'FFFF, 4) + bytes_of(length, 8) : bytes_of(length, 4)) + rest;
  }

  uint16_t version_;
  bool wide_;
  std::string body_;
};

// A line program of version 2 to 4, with two files "a.c" and "inc/b.h".
class LineWriter {
 public:
  LineWriter& address(uint64_t address) {
    program_ += std::string("\0\x9\x2", 3) + bytes_of(address, 8);
    return *this;
  }
  // A row for the current address, which then advances.
  LineWriter& row(uint64_t file, int64_t line, uint64_t column, uint64_t advance) {
    program_ += '\x4' + uleb(file) + '\x3' + sleb(line - line_) + '\x5' + uleb(column) + '\x1';
    program_ += '\x2' + uleb(advance);
    line_ = line;
    return *this;
  }
  LineWriter& end() {
    program_ += std::string("\0\x1\x1", 3);
    line_ = 1;
    return *this;
  }
  LineWriter& raw(const std::string& bytes) {
    program_ += bytes;
    return *this;
  }
  std::string bytes() const {
    std::string tables = std::string("inc\0\0", 5) + std::string("a.c\0\0\0\0", 7) +
                         std::string("b.h\0\1\0\0", 7) + '\0';
    // instruction size, statement, line base, line range, opcode base, operands
    std::string fixed =
        std::string("\1\1\xFB\xE\xD", 5) + std::string("\0\1\1\1\1\0\0\0\1\0\0\1", 12);
    std::string header = bytes_of(fixed.size() + tables.size(), 4) + fixed + tables;
    std::string all = bytes_of(3, 2) + header + program_;
    return bytes_of(all.size(), 4) + all;
  }

 private:
  std::string program_;
  int64_t line_ = 1;
};

// Sections of a file.
struct DwarfParts {
  std::string info;
  std::string abbrev;
  std::string line;
  std::string ranges;
  std::string aranges;
  std::string str = std::string("\0shared_name\0", 13);
  std::string build_id;

  void add_to(ElfWriter& writer) const {
    writer.add({.name = ".debug_info", .contents = info});
    writer.add({.name = ".debug_abbrev", .contents = abbrev});
    writer.add({.name = ".debug_line", .contents = line});
    writer.add({.name = ".debug_ranges", .contents = ranges});
    writer.add({.name = ".debug_aranges", .contents = aranges});
    writer.add({.name = ".debug_str", .contents = str});
    if (!build_id.empty()) {
      writer.add({.name = ".note.gnu.build-id",
                  .contents = build_id_note(build_id),
                  .type = 7});  // SHT_NOTE
    }
  }
  std::string elf() const {
    ElfWriter writer;
    add_to(writer);
    return writer.bytes();
  }
};

// outer is at 0x1000 to 0x1100; middle is inlined at 0x1010 to 0x1060, leaf in it at 0x1020 to
// 0x1030 and 0x1040 to 0x1050.
// NOLINTNEXTLINE(readability-function-size): a list of entries
inline DwarfParts inlined_program(uint16_t version, bool wide = false) {
  DwarfParts made;
  uint16_t offset_form = version >= 4 ? dw_form::kSecOffset
                         : wide       ? dw_form::kData8
                                      : dw_form::kData4;
  bool high_is_size = version >= 4;
  uint16_t high_form = high_is_size ? dw_form::kData4 : dw_form::kAddr;
  AbbrevWriter abbrev;
  uint64_t unit = abbrev.add(dw_tag::kCompileUnit,
                             true,
                             {{dw_at::kCompDir, dw_form::kString},
                              {dw_at::kStmtList, offset_form},
                              {dw_at::kLowPc, dw_form::kAddr},
                              {dw_at::kHighPc, high_form}});
  uint64_t abstract = abbrev.add(dw_tag::kSubprogram, false, {{dw_at::kName, dw_form::kString}});
  uint64_t declared =
      abbrev.add(dw_tag::kSubprogram,
                 false,
                 {{dw_at::kName, dw_form::kString}, {dw_at::kMipsLinkageName, dw_form::kStrp}});
  uint64_t specified =
      abbrev.add(dw_tag::kSubprogram, false, {{dw_at::kSpecification, dw_form::kRef4}});
  uint64_t concrete = abbrev.add(dw_tag::kSubprogram,
                                 true,
                                 {{dw_at::kName, dw_form::kString},
                                  {dw_at::kLowPc, dw_form::kAddr},
                                  {dw_at::kHighPc, high_form}});
  uint64_t inlined = abbrev.add(dw_tag::kInlinedSubroutine,
                                true,
                                {{dw_at::kAbstractOrigin, dw_form::kRef4},
                                 {dw_at::kLowPc, dw_form::kAddr},
                                 {dw_at::kHighPc, high_form},
                                 {dw_at::kCallFile, dw_form::kData1},
                                 {dw_at::kCallLine, dw_form::kUdata},
                                 {dw_at::kCallColumn, dw_form::kData1}});
  uint64_t in_pieces = abbrev.add(dw_tag::kInlinedSubroutine,
                                  false,
                                  {{dw_at::kAbstractOrigin, dw_form::kRefAddr},
                                   {dw_at::kRanges, offset_form},
                                   {dw_at::kCallFile, dw_form::kData1},
                                   {dw_at::kCallLine, dw_form::kUdata}});
  made.abbrev = abbrev.bytes();

  UnitWriter info(version, wide);
  auto high = [&](uint64_t begin, uint64_t end) {
    high_is_size ? info.data(end - begin, 4) : info.data(end, 8);
  };
  size_t reference = version <= 2 ? 8 : info.offset_size();
  info.entry(unit);
  info.text("/src").offset(0).data(0x1000, 8);
  high(0x1000, 0x1100);
  uint64_t middle = info.entry(abstract);
  info.text("middle");
  uint64_t declaration = info.entry(declared);
  info.text("leaf").offset(1);
  uint64_t leaf = info.entry(specified);
  info.data(declaration, 4);
  info.entry(concrete);
  info.text("outer").data(0x1000, 8);
  high(0x1000, 0x1100);
  info.entry(inlined);
  info.data(middle, 4).data(0x1010, 8);
  high(0x1010, 0x1060);
  info.data(1, 1).raw(uleb(200)).data(7, 1);
  info.entry(in_pieces);
  info.data(leaf, reference).offset(0).data(2, 1).raw(uleb(30));
  info.end_children();  // middle
  info.end_children();  // outer
  info.end_children();  // the unit
  made.info = info.bytes();

  // Relative to the unit's first address, in DWARF 5 as pairs of offsets.
  made.ranges = bytes_of(0x20, 8) + bytes_of(0x30, 8) + bytes_of(0x40, 8) + bytes_of(0x50, 8) +
                std::string(16, '\0');
  made.line = LineWriter()
                  .address(0x1000)
                  .row(1, 10, 1, 0x20)
                  .row(2, 50, 2, 0x10)
                  .row(1, 12, 3, 0xD0)
                  .end()
                  .bytes();
  return made;
}

}  // namespace wick::testing
