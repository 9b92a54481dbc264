// SPDX-License-Identifier: Apache-2.0
#include "elf/go_functions.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "elf/dwarf_cursor.h"

namespace wick {
namespace {

enum class Version : uint8_t { kGo2, kGo16, kGo18 };
constexpr uint32_t kGo20 = 0xFFFFFFF1;

std::optional<Version> version_of(uint32_t magic) {
  switch (magic) {
    case 0xFFFFFFFB:
      return Version::kGo2;
    case 0xFFFFFFFA:
      return Version::kGo16;
    case 0xFFFFFFF0:  // 1.18
    case kGo20:
      return Version::kGo18;
    default:
      return {};
  }
}

GoFrameRow::Kind kind_of_switch(std::string_view name) {
  return name == "runtime.mcall" ? GoFrameRow::Kind::kLeaves : GoFrameRow::Kind::kSwitches;
}

class GoTable {
 public:
  GoTable(const ElfImage& image, Bytes table) : image_(image), table_(table) {}

  std::vector<GoFunction> read() {
    if (!read_header()) {
      return {};
    }
    // A name must end with a NUL, so bytes after the last NUL are not names.
    size_t last = as_text(table_).rfind('\0');
    ended_ = last == std::string_view::npos ? 0 : last;
    DwarfCursor rows(from(functions_));
    std::vector<GoFunction> found;
    found.reserve(count_);
    for (uint64_t row = 0; row < count_; ++row) {
      uint64_t begin = text_ + rows.unsigned_of(number_size_);
      uint64_t description = rows.unsigned_of(number_size_);
      if (!found.empty()) {
        found.back().end = begin;
      }
      found.push_back({.begin = begin, .name = name_of(description)});
      described_.push_back(description);
    }
    if (!found.empty()) {
      found.back().end = text_ + rows.unsigned_of(number_size_);
    }
    return rows.ok() ? found : std::vector<GoFunction>();
  }

  std::vector<GoFrameRow> read_frames() {
    std::vector<GoFunction> functions = read();
    std::vector<GoFrameRow> rows;
    // Functions share their numbers. A damaged table could share them without end.
    size_t most = table_.size() / 8;
    for (size_t i = 0; i < functions.size() && rows.size() < most; ++i) {
      add_frames(functions[i], described_[i], rows);
    }
    return rows;
  }

 private:
  // Bits of a function's flags.
  static constexpr uint8_t kTopFrame = 1;
  static constexpr uint8_t kWritesStackPointer = 2;

  void add_frames(const GoFunction& function,
                  uint64_t description,
                  std::vector<GoFrameRow>& rows) const {
    constexpr size_t kFieldsBeforeFlags = 5;  // numbers of files and lines, count, unit, first line
    DwarfCursor cursor(from(descriptions_));
    cursor.skip(description);
    cursor.skip(number_size_ + 3 * sizeof(uint32_t));  // start, name, arguments, deferred returns
    auto numbers = cursor.number<uint32_t>();
    // Go 1.20 added the first line.
    size_t fields = has_first_line_ ? kFieldsBeforeFlags : kFieldsBeforeFlags - 1;
    cursor.skip(fields * sizeof(uint32_t) + 1);
    auto flags = cursor.number<uint8_t>();
    if (!cursor.ok()) {
      return;
    }
    bool has_flags = version_ == Version::kGo18;
    // Signal handlers have a caller: the kernel, which interrupted the program.
    std::string_view name = function.name;
    bool is_handler = name.starts_with("runtime.sigtramp");
    if (name.starts_with("runtime.sigreturn")) {
      return;  // it is recognised by its bytes, as that of C libraries
    }
    bool is_first = has_flags && !is_handler && (flags & kTopFrame) != 0;
    bool writes = has_flags && (flags & kWritesStackPointer) != 0;
    if (writes && !is_first && !name.starts_with("runtime.")) {
      return;  // a leaf of hand-written code that aligns its stack; the numbers ignore it
    }
    if (is_first || writes) {
      rows.push_back({.begin = function.begin,
                      .end = function.end,
                      .kind = is_first ? GoFrameRow::Kind::kOutermost : kind_of_switch(name)});
      return;
    }
    add_numbers(function, numbers, rows);
  }

  void add_numbers(const GoFunction& function,
                   uint32_t offset,
                   std::vector<GoFrameRow>& rows) const {
    constexpr int64_t kLargestFrame = 1 << 30;
    DwarfCursor cursor(from(numbers_));
    cursor.skip(offset);
    int64_t value = -1;
    uint64_t address = function.begin;
    for (bool first = true; address < function.end; first = false) {
      auto change = static_cast<uint32_t>(cursor.uleb());
      uint64_t distance = cursor.uleb() * quantum_;
      if (!cursor.ok() || (change == 0 && !first)) {
        return;
      }
      value += int64_t{change >> 1U} ^ -int64_t{change & 1U};
      uint64_t end = std::min(address + distance, function.end);
      if (value < 0 || value > kLargestFrame || end <= address) {
        return;
      }
      rows.push_back({.begin = address, .end = end, .size = static_cast<uint32_t>(value)});
      address = end;
    }
  }

  bool read_header() {
    DwarfCursor header(table_);
    auto magic = header.number<uint32_t>();
    std::optional<Version> version = version_of(magic);
    has_first_line_ = magic == kGo20;
    header.skip(2);  // zeros
    quantum_ = header.number<uint8_t>();
    size_t pointer = header.number<uint8_t>();
    if (!version || !header.ok() || (pointer != 4 && pointer != 8)) {
      return false;
    }
    version_ = *version;
    number_size_ = *version == Version::kGo18 ? 4 : pointer;
    count_ = header.unsigned_of(pointer);
    if (count_ > table_.size() / (2 * number_size_)) {
      return false;
    }
    if (*version == Version::kGo2) {
      functions_ = header.offset();
      return header.ok();
    }
    header.skip(pointer);  // number of files
    uint64_t text = *version == Version::kGo18 ? header.unsigned_of(pointer) : 0;
    names_ = header.unsigned_of(pointer);
    header.skip(2 * pointer);  // units, files
    numbers_ = header.unsigned_of(pointer);
    functions_ = header.unsigned_of(pointer);
    descriptions_ = functions_;
    return header.ok() && (*version != Version::kGo18 || set_text(text));
  }

  // Position-independent programs, and all since Go 1.26, do not give the start of the text. Then
  // it is the section of that name, unless the section also contains code that is not Go's.
  bool set_text(uint64_t address) {
    constexpr uint64_t kPadding = 64;
    text_ = address;
    if (address != 0) {
      return true;
    }
    const ElfSection* section = image_.find_section(".text");
    DwarfCursor last(from(functions_));
    last.skip(count_ * 2 * number_size_);
    uint64_t end = last.unsigned_of(number_size_);
    text_ = section != nullptr ? section->address : 0;
    return section != nullptr && last.ok() && end <= section->size + kPadding &&
           section->size <= end + kPadding;
  }

  const char* name_of(uint64_t description) const {
    DwarfCursor cursor(from(descriptions_));
    cursor.skip(description);
    cursor.skip(number_size_);  // its start, again
    uint64_t name = names_ + cursor.number<uint32_t>();
    return cursor.ok() && name < ended_ ? as_text(table_).data() + name : "";
  }

  Bytes from(uint64_t offset) const {
    return offset < table_.size() ? table_.subspan(static_cast<size_t>(offset)) : Bytes();
  }

  const ElfImage& image_;
  Bytes table_;
  uint64_t count_ = 0;
  uint64_t functions_ = 0;  // offsets in the table
  uint64_t descriptions_ = 0;
  uint64_t names_ = 0;
  uint64_t text_ = 0;       // base of the functions' starts
  size_t number_size_ = 0;  // of starts and of offsets of descriptions
  size_t ended_ = 0;        // names end before this offset
  uint64_t numbers_ = 0;    // offset of the numbers of all functions
  uint64_t quantum_ = 1;    // unit of differences of addresses
  Version version_ = Version::kGo2;
  bool has_first_line_ = false;
  std::vector<uint64_t> described_;  // offsets of descriptions, by function
};

Bytes table_of(const ElfImage& image) {
  Bytes table = image.section(".gopclntab");
  return table.empty() ? image.section(".data.rel.ro.gopclntab")  // position-independent programs
                       : table;
}

}  // namespace

std::vector<GoFunction> read_go_functions(const ElfImage& image) {
  Bytes table = table_of(image);
  return table.empty() ? std::vector<GoFunction>() : GoTable(image, table).read();
}

std::vector<GoFrameRow> read_go_frames(const ElfImage& image) {
  Bytes table = table_of(image);
  return table.empty() ? std::vector<GoFrameRow>() : GoTable(image, table).read_frames();
}

}  // namespace wick
