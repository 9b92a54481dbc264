// SPDX-License-Identifier: Apache-2.0
// Abbreviations: the attributes of the entries of a unit, and the form of each attribute.
//
// Every entry (DIE) starts with the code of an abbreviation, so the reader looks up this table for
// each of the millions of entries of a large program, mostly to skip the entry. Therefore each
// abbreviation also has the total size of its attributes, if that is the same for all entries.
// Otherwise it has the steps that skip them: neighbours of fixed size are one step, and most
// entries take two or three.
//
// The sizes of some forms depend on the unit (FormSizes), so a table is valid for the sizes of its
// unit.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "elf/dwarf_constants.h"
#include "elf/dwarf_cursor.h"
#include "elf/dwarf_sections.h"

namespace wick {

// The properties of a unit that determine the size of a form.
struct FormSizes {
  uint16_t version = 5;
  uint8_t address = 8;
  uint8_t offset = 4;  // of section offsets: 4 in 32-bit DWARF, 8 in 64-bit DWARF
  friend bool operator==(const FormSizes&, const FormSizes&) = default;
};

// A step that skips one or more attributes.
struct SkipStep {
  enum class Kind : uint8_t {
    kBytes,
    kLeb,
    kText,
    kBlockLeb,
    kBlock1,
    kBlock2,
    kBlock4,
    kIndirect
  };
  Kind kind = Kind::kBytes;
  uint32_t bytes = 0;
};
// The step for a form; unknown forms give kIndirect with bytes == UINT32_MAX.
inline constexpr uint32_t kUnknownForm = UINT32_MAX;
SkipStep skip_step(uint64_t form, const FormSizes& sizes);
void skip_form(DwarfCursor& cursor, uint64_t form, const FormSizes& sizes);
void take_step(DwarfCursor& cursor, const SkipStep& step, const FormSizes& sizes);

struct AttributeSpec {
  uint16_t name = 0;
  uint16_t form = 0;
  bool is_fixed = false;   // has a known size
  uint8_t fixed_size = 0;  // that size
  int64_t constant = 0;    // of DW_FORM_implicit_const

  void skip(DwarfCursor& cursor, const FormSizes& sizes) const {
    if (is_fixed) {
      cursor.skip(fixed_size);
    } else {
      skip_form(cursor, form, sizes);
    }
  }
};

struct Abbreviation {
  static constexpr uint32_t kVaries = UINT32_MAX;

  uint64_t code = 0;
  uint16_t tag = 0;
  bool children = false;
  bool has_sibling = false;
  uint32_t size = 0;  // of all attributes together
  uint32_t first_attribute = 0;
  uint32_t attributes = 0;
  uint32_t first_step = 0;
  uint32_t steps = 0;
};

class Abbreviations {
 public:
  // Reads the table at an offset, up to the first damage. With `only` it stops at the abbreviation
  // with that code. Sets `read` to the number of bytes it has read.
  static Abbreviations parse(
      Bytes section, uint64_t offset, const FormSizes& sizes, uint64_t only, uint64_t& read);

  const Abbreviation* find(uint64_t code) const {
    if (code - 1 < rows_.size() && rows_[code - 1].code == code) [[likely]] {
      return &rows_[code - 1];
    }
    return dense_ ? nullptr : search(code);
  }
  std::span<const AttributeSpec> attributes(const Abbreviation& row) const {
    return {attributes_.data() + row.first_attribute, row.attributes};
  }
  // The index of a row that find() returned.
  size_t number_of(const Abbreviation& row) const {
    return static_cast<size_t>(&row - rows_.data());
  }
  size_t size() const { return rows_.size(); }
  void skip(DwarfCursor& cursor, const Abbreviation& row) const {
    if (row.size != Abbreviation::kVaries) [[likely]] {
      cursor.skip(row.size);
      return;
    }
    const SkipStep* step = steps_.data() + row.first_step;
    for (const SkipStep* end = step + row.steps; step != end; ++step) {
      if (step->kind == SkipStep::Kind::kBytes) {
        cursor.skip(step->bytes);
      } else if (step->kind == SkipStep::Kind::kLeb) {
        cursor.uleb();
      } else {
        take_step(cursor, *step, sizes_);
      }
    }
  }

 private:
  bool read_row(DwarfCursor& cursor, uint64_t code);
  void add_step(const SkipStep& step, const Abbreviation& row);
  const Abbreviation* search(uint64_t code) const;

  FormSizes sizes_;
  bool dense_ = true;  // codes are 1, 2, 3 ...
  std::vector<Abbreviation> rows_;
  std::vector<AttributeSpec> attributes_;
  std::vector<SkipStep> steps_;
};

// The tables of one file, each read once. Threads may share it.
class AbbreviationCache {
 public:
  AbbreviationCache(Bytes section, DwarfLimits& limits) : section_(section), limits_(limits) {}

  // Null if the limit of work is reached.
  const Abbreviations* get(uint64_t offset, const FormSizes& sizes);
  // The same, but the result may contain only this code, and is not cached.
  Abbreviations get_one(uint64_t offset, const FormSizes& sizes, uint64_t code);

 private:
  struct Key {
    uint64_t offset;
    FormSizes sizes;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return static_cast<size_t>(key.offset * 64 + key.sizes.version * 16U + key.sizes.address +
                                 key.sizes.offset / 4U);
    }
  };

  Bytes section_;
  DwarfLimits& limits_;
  std::mutex mutex_;
  std::unordered_map<Key, std::unique_ptr<const Abbreviations>, KeyHash> tables_;
};

}  // namespace wick
