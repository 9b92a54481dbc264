// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/dictionary.h"

#include <algorithm>
#include <array>
#include <string>

#include "runtimes/memory_words.h"

namespace wick::python {
namespace {

constexpr uint64_t kMaxEntries = 1 << 16;

// How many bytes the indices of a table of this many slots have.
uint64_t index_bytes(uint64_t slots) {
  return slots * (slots <= UINT8_MAX ? 1 : slots <= UINT16_MAX ? 2 : 4);
}

}  // namespace

uint32_t entries_offset(const Layout::Object& layout) {
  return layout.has_table_logarithms ? 24 : 32;
}

std::optional<DictionaryTable> table_at(InterpreterMemory& memory,
                                        const Layout::Object& layout,
                                        uint64_t address) {
  std::array<char, 40> head = {};
  if (address == 0 || !memory.read(address, std::as_writable_bytes(std::span(head)))) {
    return {};
  }
  Bytes start = std::as_bytes(std::span(head));
  DictionaryTable table = {.address = address,
                           .entries = number_at<uint64_t>(start, entries_offset(layout)),
                           .entry_bytes = 24};
  uint64_t indices = 0;
  if (layout.has_table_logarithms) {
    constexpr size_t kLogarithm = 9;
    constexpr size_t kKind = 10;
    constexpr uint8_t kMaxLogarithm = 20;
    auto logarithm = number_at<uint8_t>(start, kLogarithm);
    indices = logarithm < kMaxLogarithm ? uint64_t{1} << logarithm : UINT64_MAX;
    table.entry_bytes = number_at<uint8_t>(start, kKind) == 0 ? 24 : 16;
  } else {
    auto slots = number_at<uint64_t>(start, 8);
    indices = slots <= 2 * kMaxEntries ? index_bytes(slots) : UINT64_MAX;
  }
  if (indices > 8 * kMaxEntries || table.entries > kMaxEntries) {
    return {};
  }
  table.first = entries_offset(layout) + 8 + static_cast<uint32_t>(indices);
  return table;
}

std::optional<DictionaryTable> read_table(InterpreterMemory& memory,
                                          const Layout::Object& layout,
                                          uint64_t dictionary) {
  if (dictionary == 0 ||
      read_number<uint64_t>(memory, dictionary + DictionaryTable::kValues).value_or(1) != 0) {
    return {};
  }
  return table_at(memory,
                  layout,
                  read_number<uint64_t>(memory, dictionary + DictionaryTable::kTable).value_or(0));
}

std::vector<DictionaryEntry> last_entries(InterpreterMemory& memory,
                                          const DictionaryTable& table,
                                          size_t most) {
  uint64_t count = std::min<uint64_t>(table.entries, most);
  std::string bytes(count * table.entry_bytes, '\0');
  uint64_t begin = table.address + table.first + (table.entries - count) * table.entry_bytes;
  bytes.resize(memory.read_some(begin, std::as_writable_bytes(std::span(bytes))));
  std::vector<DictionaryEntry> entries;
  for (size_t i = count; i-- > 0;) {
    size_t key = (i + 1) * table.entry_bytes - 16;
    DictionaryEntry entry = {.key = number_at<uint64_t>(as_bytes(bytes), key),
                             .value = number_at<uint64_t>(as_bytes(bytes), key + 8)};
    if (entry.value != 0) {
      entries.push_back(entry);
    }
  }
  return entries;
}

std::optional<size_t> find_key(InterpreterMemory& memory,
                               const Layout::Object& layout,
                               const DictionaryTable& table,
                               std::string_view key,
                               size_t most) {
  std::string text(layout.ascii_data + key.size(), '\0');
  std::string entries(std::min<uint64_t>(table.entries, most) * table.entry_bytes, '\0');
  entries.resize(
      memory.read_some(table.address + table.first, std::as_writable_bytes(std::span(entries))));
  for (size_t entry = 0; (entry + 1) * table.entry_bytes <= entries.size(); ++entry) {
    auto name = number_at<uint64_t>(as_bytes(entries), (entry + 1) * table.entry_bytes - 16);
    bool is_key = name != 0 && memory.read(name, std::as_writable_bytes(std::span(text))) &&
                  number_at<uint64_t>(as_bytes(text), layout.text_length) == key.size() &&
                  std::string_view(text).substr(layout.ascii_data) == key;
    if (is_key) {
      return entry;
    }
  }
  return {};
}

uint64_t find_value(InterpreterMemory& memory,
                    const Layout::Object& layout,
                    const DictionaryTable& table,
                    std::string_view key) {
  std::optional<size_t> entry = find_key(memory, layout, table, key, kMaxEntries);
  uint64_t end = table.address + table.first + (entry.value_or(0) + 1) * table.entry_bytes;
  return entry ? read_number<uint64_t>(memory, end - 8).value_or(0) : 0;
}

}  // namespace wick::python
