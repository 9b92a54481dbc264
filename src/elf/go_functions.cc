// SPDX-License-Identifier: Apache-2.0
#include "elf/go_functions.h"

#include <optional>

#include "elf/dwarf_cursor.h"

namespace wick {
namespace {

enum class Version : uint8_t { kGo2, kGo16, kGo18 };

std::optional<Version> version_of(uint32_t magic) {
  switch (magic) {
    case 0xFFFFFFFB:
      return Version::kGo2;
    case 0xFFFFFFFA:
      return Version::kGo16;
    case 0xFFFFFFF0:  // 1.18
    case 0xFFFFFFF1:  // 1.20
      return Version::kGo18;
    default:
      return {};
  }
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
    }
    if (!found.empty()) {
      found.back().end = text_ + rows.unsigned_of(number_size_);
    }
    return rows.ok() ? found : std::vector<GoFunction>();
  }

 private:
  bool read_header() {
    DwarfCursor header(table_);
    std::optional<Version> version = version_of(header.number<uint32_t>());
    header.skip(3);  // zeros, and the alignment of code
    size_t pointer = header.number<uint8_t>();
    if (!version || !header.ok() || (pointer != 4 && pointer != 8)) {
      return false;
    }
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
    header.skip(3 * pointer);  // units, files, tables of lines
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
};

}  // namespace

std::vector<GoFunction> read_go_functions(const ElfImage& image) {
  Bytes table = image.section(".gopclntab");
  if (table.empty()) {
    table = image.section(".data.rel.ro.gopclntab");  // position-independent programs
  }
  return table.empty() ? std::vector<GoFunction>() : GoTable(image, table).read();
}

}  // namespace wick
