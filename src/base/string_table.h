// SPDX-License-Identifier: Apache-2.0
// StringTable: every distinct string once, addressed by a 32-bit id, in one block of bytes.
//
// Strings retain their original bytes, valid UTF-8 or not; only output escapes them. Id 0 is always
// the empty string, so that an unset StringId in a record reads as "". Views into the table are
// borrowed until the next intern().
//
// StringInterner is the table plus the index that finds a string again; a finished profile has only
// the table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/id.h"
#include "base/id_index.h"

namespace wick {

struct StringId {
  uint32_t value = 0;  // 0 is the empty string
  constexpr bool empty() const { return value == 0; }
  constexpr auto operator<=>(const StringId&) const = default;
};

class StringTable {
 public:
  StringTable() { append(""); }

  std::string_view operator[](StringId id) const { return at(id.value); }
  bool contains(StringId id) const { return id.value < size(); }
  size_t size() const { return ends_.size(); }

  // Adds a row without a search for an equal one: for readers of files that already hold a table.
  StringId append(std::string_view text) {
    bytes_.append(text);
    ends_.push_back(bytes_.size());
    return {static_cast<uint32_t>(ends_.size() - 1)};
  }

 private:
  std::string_view at(uint32_t row) const {
    uint64_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::string_view(bytes_).substr(begin, ends_[row] - begin);
  }

  std::string bytes_;
  std::vector<uint64_t> ends_;
};

class StringInterner {
 public:
  StringInterner() { add(hash_bytes("")); }
  // Continues a finished table.
  explicit StringInterner(StringTable table) : table_(std::move(table)) {
    for (uint32_t row = 0; row < table_.size(); ++row) {
      std::string_view text = table_[StringId{row}];
      uint64_t hash = hash_bytes(text);
      // A file may hold one string a million times. With equal hashes these would form one long
      // chain.
      add(find(hash, text) == IdIndex::kNone ? hash : hash_mix(hash, row));
    }
  }

  StringId intern(std::string_view text) {
    uint64_t hash = hash_bytes(text);
    if (uint32_t row = find(hash, text); row != IdIndex::kNone) {
      return {row};
    }
    CHECK(table_.size() < IdIndex::kNone);
    StringId id = table_.append(text);
    add(hash);
    return id;
  }

  const StringTable& table() const { return table_; }
  StringTable release() { return std::move(table_); }
  // Lends the table to the caller, or takes it back unchanged.
  void swap_table(StringTable& table) { std::swap(table_, table); }

 private:
  uint32_t find(uint64_t hash, std::string_view text) const {
    return index_.find(hash, [&](uint32_t row) { return table_[StringId{row}] == text; });
  }
  void add(uint64_t hash) {
    hashes_.push_back(hash);
    index_.add(hash, [&](uint32_t row) { return hashes_[row]; });
  }

  StringTable table_;
  std::vector<uint64_t> hashes_;  // hashing long names again costs more than this memory
  IdIndex index_;
};

}  // namespace wick
