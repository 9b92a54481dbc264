// SPDX-License-Identifier: Apache-2.0
// How rows of a chunk get into a table, and how the reader protects its memory.
//
//   store     tables with ids: rows go to the row numbers of the chunk, later ones replace earlier
//   append    samples, counters and other tables without ids: rows already seen are skipped
//   replace   small tables: a chunk with row 0 starts the table again
//
// A chunk is decoded completely before any row is stored, so a bad chunk leaves no trace. Row
// numbers and counts come from the file and may be hostile. Therefore every byte of table memory is
// first reserved with reserve(), which compares the total with the bytes of the file read so far. A
// gap in the row numbers needs a second reason: reserve_rows() accepts it only if enough chunks are
// known to be lost.
#include "formats/native/assembly.h"

#include <algorithm>
#include <utility>

namespace wick::native {
namespace {

// Deep recursion, or a sampler that is very regular, compresses a thousandfold, so small files may
// expand to this size. Above it, no recording has ever needed 256 times its size.
constexpr uint64_t kFreeBytes = uint64_t{256} << 20;
constexpr uint64_t kFreeGapBytes = uint64_t{32} << 20;
constexpr uint64_t kMaxExpansion = 256;

// Events above this number have no separate sums. No real recording has that many.
constexpr size_t kMaxSummedEvents = 65'536;

template <typename IdType, typename Row>
Row& row_to_set(IdVector<IdType, Row>& rows, size_t index) {
  return rows[IdType::from_index(index)];
}
template <typename Rows>
auto& row_to_set(Rows& rows, size_t index) {
  return rows[index];
}

// The memory of a row; in a table of columns, if none of them is constant.
template <typename Rows>
constexpr uint64_t row_bytes() {
  uint64_t bytes = 0;
  using Row = RowOf<Rows>;
  for_each_column<Row>([&](const auto& column) {
    Row row;
    bytes += sizeof(column.of(row));
  });
  return std::max<uint64_t>(bytes, sizeof(Row));
}

}  // namespace

Assembly::Assembly() {
  stacks.resize(1);
  label_sets.resize(1);
  for (ProfileTable table :
       {ProfileTable::kStrings, ProfileTable::kStacks, ProfileTable::kLabelSets}) {
    stored_rows(table).add(0, 1);
  }
}

Result<> Assembly::add(ProfileTable table,
                       const ChunkHeader& header,
                       PayloadReader& payload,
                       Progress progress) {
  progress_ = progress;
  if (header.first_row < info_of(table).implied_rows) {
    return fail("it holds row 0, which is never stored");
  }
  if (table == ProfileTable::kStrings) {
    return add_strings(header, payload);
  }
  Result<> result;
  visit_tables(
      [&](ProfileTable other, auto& rows) {
        if (other == table) {
          result = take(table, rows_of(rows), header, payload);
        }
      },
      profile);
  return result;
}

template <typename Rows>
Result<> Assembly::take(ProfileTable table,
                        Rows& rows,
                        const ChunkHeader& header,
                        PayloadReader& payload) {
  constexpr bool kIsColumns =
      std::is_same_v<Rows, SampleColumns> || std::is_same_v<Rows, CounterColumns>;
  if constexpr (kIsColumns) {
    return append(table, rows, header, payload);
  } else {
    switch (info_of(table).growth) {
      case Growth::kNamed:
        return store(table, rows, header, payload);
      case Growth::kAppended:
        return append(table, rows, header, payload);
      case Growth::kReplaced:
        return replace(table, rows, header, payload);
    }
    return {};
  }
}

// Decodes the rows of a chunk. In version 0, counters had their names in every row.
template <typename Row>
Result<std::vector<Row>> Assembly::decode(const ChunkHeader& header, PayloadReader& payload) {
  if constexpr (std::is_same_v<Row, CounterPoint>) {
    if (header.version == 0) {
      TRY(reserve(header.rows * sizeof(CounterSeries)));
      auto rows = TRY(counters_of_version0_.decode(payload, header.rows, profile.series));
      stored_rows(ProfileTable::kSeries).add(0, profile.series.size());
      return rows;
    }
  }
  return decode_rows<Row>(payload, header.rows);
}

Result<> Assembly::reserve(uint64_t bytes) {
  reserved_bytes_ += bytes;
  if (reserved_bytes_ > kFreeBytes + kMaxExpansion * progress_.file_bytes) {
    uint64_t wanted = std::exchange(reserved_bytes_, reserved_bytes_ - bytes);
    return fail("its rows would need {} MiB, more than such a file can need", wanted >> 20);
  }
  return {};
}

Result<> Assembly::reserve_rows(const ChunkHeader& header, uint64_t size, uint64_t row_bytes) {
  uint64_t end = header.first_row + header.rows;
  if (end > kMaxId) {
    return fail("its row numbers are too large");
  }
  uint64_t gap = header.first_row - std::min(size, header.first_row);
  uint64_t gap_bytes = gap_bytes_ + gap * row_bytes;
  if (gap > progress_.lost_chunks * kMaxRows ||
      gap_bytes > kFreeGapBytes + kMaxExpansion * progress_.file_bytes) {
    return fail("its row numbers leave {} rows out, more than can be missing", gap);
  }
  TRY(reserve(end > size ? (end - size) * row_bytes : 0));
  gap_bytes_ = gap_bytes;
  return {};
}

Result<> Assembly::add_strings(const ChunkHeader& header, PayloadReader& payload) {
  std::vector<uint64_t> lengths;
  TRY(payload.words(kStringLengths, lengths));
  Bytes bytes = TRY(payload.bytes(kStringBytes));
  uint64_t left = bytes.size();
  for (uint64_t length : lengths) {
    if (length > left) {
      return fail("its strings are longer than its bytes");
    }
    left -= length;
  }
  if (left > 0) {
    return fail("its strings are shorter than its bytes");
  }
  TRY(reserve(bytes.size()));
  TRY(reserve_rows(header, strings.ranges.size(), sizeof(StringRows::TextRange)));

  uint64_t end = header.first_row + header.rows;
  if (end > strings.ranges.size()) {
    strings.ranges.resize(end);
  }
  uint64_t begin = strings.bytes.size();
  strings.bytes += as_text(bytes);
  for (size_t row = 0; row < lengths.size(); ++row) {
    strings.ranges[header.first_row + row] = {begin, lengths[row]};
    begin += lengths[row];
  }
  stored_rows(ProfileTable::kStrings).add(header.first_row, end);
  return {};
}

template <typename Rows>
Result<> Assembly::store(ProfileTable table,
                         Rows& rows,
                         const ChunkHeader& header,
                         PayloadReader& payload) {
  using Row = RowOf<Rows>;
  TRY(reserve_rows(header, rows.size(), row_bytes<Rows>()));
  std::vector<Row> arrived = TRY(decode<Row>(header, payload));
  uint64_t end = header.first_row + header.rows;
  if (end > rows.size()) {
    rows.resize(end);
  }
  for (size_t row = 0; row < arrived.size(); ++row) {
    row_to_set(rows, header.first_row + row) = arrived[row];
  }
  stored_rows(table).add(header.first_row, end);
  return {};
}

template <typename Rows>
Result<> Assembly::append(ProfileTable table,
                          Rows& rows,
                          const ChunkHeader& header,
                          PayloadReader& payload) {
  using Row = RowOf<Rows>;
  TRY(reserve(header.rows * row_bytes<Rows>()));
  std::vector<Row> arrived = TRY(decode<Row>(header, payload));
  RowSet& stored = stored_rows(table);
  uint64_t begin = std::max(header.first_row, stored.end());
  size_t first = std::min<uint64_t>(begin - header.first_row, header.rows);
  for (size_t row = first; row < arrived.size(); ++row) {
    rows.push_back(arrived[row]);
  }
  if constexpr (std::is_same_v<Row, Sample>) {
    count_samples(header, arrived, first);
  }
  repeated_rows_ += first;
  stored.add(header.first_row + first, header.first_row + header.rows);
  return {};
}

void Assembly::count_samples(const ChunkHeader& header,
                             const std::vector<Sample>& rows,
                             size_t first) {
  uint64_t weight = 0;
  uint64_t samples = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    const Sample& sample = rows[row];
    weight += static_cast<uint64_t>(sample.weight);
    samples += sample.count;
    size_t event = sample.event.index();
    if (row < first || event >= kMaxSummedEvents) {
      continue;
    }
    if (event >= sums_.size()) {
      sums_.resize(event + 1);
    }
    // Unsigned, because hostile weights may overflow. validate() rejects them later.
    Cost& sum = sums_[event];
    sum.weight = static_cast<int64_t>(static_cast<uint64_t>(sum.weight) +
                                      static_cast<uint64_t>(sample.weight));
    sum.count += sample.count;
  }
  wrong_sums_ += weight != header.weight || samples != header.samples ? 1 : 0;
}

template <typename Rows>
Result<> Assembly::replace(ProfileTable table,
                           Rows& rows,
                           const ChunkHeader& header,
                           PayloadReader& payload) {
  using Row = RowOf<Rows>;
  TRY(reserve(header.rows * row_bytes<Rows>()));
  std::vector<Row> arrived = TRY(decode<Row>(header, payload));
  if (header.first_row != 0 && header.first_row != rows.size()) {
    return fail("the rows before it are missing");
  }
  if (header.first_row == 0) {
    rows = {};
    stored_rows(table).clear();
  }
  for (const Row& row : arrived) {
    rows.push_back(row);
  }
  stored_rows(table).add(header.first_row, header.first_row + header.rows);
  return {};
}

}  // namespace wick::native
