#include "formats/native/assembly.h"

#include <algorithm>
#include <utility>

namespace wick::native {
namespace {

// A deep recursion or a sampler as regular as a clock packs a thousandfold, so small files may grow
// to this; beyond it, 256 times is more than any recording has needed.
constexpr uint64_t kFreeBytes = uint64_t{256} << 20;
constexpr uint64_t kFreeHoleBytes = uint64_t{32} << 20;
constexpr uint64_t kMaxExpansion = 256;

// What a sample takes in its columns when none of them is constant.
constexpr uint64_t kSampleBytes = 38;

// More events than this have no sums of their own: nobody records that many.
constexpr size_t kMaxSummedEvents = 65'536;

void resize_rows(std::vector<StackRow>& rows, size_t size) {
  rows.resize(size, StackRow{kEmptyStack, FrameId()});
}
template <typename IdType, typename Row>
void resize_rows(IdVector<IdType, Row>& rows, size_t size) {
  rows.resize(size);
}
StackRow& row_at(std::vector<StackRow>& rows, size_t index) {
  return rows[index];
}
template <typename IdType, typename Row>
Row& row_at(IdVector<IdType, Row>& rows, size_t index) {
  return rows[IdType::from_index(index)];
}

template <typename Rows>
struct RowOf {
  using Type = typename Rows::value_type;
};
template <typename IdType, typename Row>
struct RowOf<IdVector<IdType, Row>> {
  using Type = Row;
};
template <>
struct RowOf<SampleColumns> {
  using Type = Sample;
};

}  // namespace

Assembly::Assembly() {
  resize_rows(stacks, 1);
  placed_rows(Table::kStrings).add(0, 1);
  placed_rows(Table::kStacks).add(0, 1);
}

Result<> Assembly::add(Table table,
                       const ChunkHeader& header,
                       PayloadReader& payload,
                       Progress progress) {
  progress_ = progress;
  if (header.first_row < info_of(table).implied_rows) {
    return fail("it holds row 0, which is never stored");
  }
  switch (table) {
    case Table::kStrings:
      return add_strings(header, payload);
    case Table::kModules:
      return place(table, profile.modules, header, payload);
    case Table::kFunctions:
      return place(table, profile.functions, header, payload);
    case Table::kFrames:
      return place(table, profile.frames, header, payload);
    case Table::kStacks:
      return place(table, stacks, header, payload);
    case Table::kProcesses:
      return place(table, profile.processes, header, payload);
    case Table::kThreads:
      return place(table, profile.threads, header, payload);
    case Table::kEvents:
      return place(table, profile.events, header, payload);
    case Table::kSamples:
      return append(table, profile.samples, header, payload);
    case Table::kSpans:
      return append(table, profile.spans, header, payload);
    case Table::kMarks:
      return append(table, profile.marks, header, payload);
    case Table::kCounters:
      return append(table, profile.counters, header, payload);
    case Table::kLosses:
      return replace(table, profile.losses, header, payload);
    case Table::kFacts:
      return replace(table, profile.facts, header, payload);
  }
  return {};
}

Result<> Assembly::claim(uint64_t bytes) {
  claimed_bytes_ += bytes;
  if (claimed_bytes_ > kFreeBytes + kMaxExpansion * progress_.file_bytes) {
    uint64_t wanted = std::exchange(claimed_bytes_, claimed_bytes_ - bytes);
    return fail("its rows would need {} MiB, more than such a file can need", wanted >> 20);
  }
  return {};
}

Result<> Assembly::claim_rows(const ChunkHeader& header, uint64_t size, uint64_t row_bytes) {
  uint64_t end = header.first_row + header.rows;
  if (end > kMaxId) {
    return fail("its row numbers are too large");
  }
  uint64_t hole = header.first_row - std::min(size, header.first_row);
  uint64_t hole_bytes = hole_bytes_ + hole * row_bytes;
  if (hole > progress_.lost_chunks * kMaxRows ||
      hole_bytes > kFreeHoleBytes + kMaxExpansion * progress_.file_bytes) {
    return fail("its row numbers leave {} rows out, more than can be missing", hole);
  }
  TRY(claim(end > size ? (end - size) * row_bytes : 0));
  hole_bytes_ = hole_bytes;
  return {};
}

Result<> Assembly::add_strings(const ChunkHeader& header, PayloadReader& payload) {
  std::vector<uint64_t> lengths = TRY(payload.words(kStringLengths));
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
  TRY(claim(bytes.size()));
  TRY(claim_rows(header, strings.places.size(), sizeof(StringRows::Place)));

  uint64_t end = header.first_row + header.rows;
  if (end > strings.places.size()) {
    strings.places.resize(end);
  }
  uint64_t begin = strings.bytes.size();
  strings.bytes += as_text(bytes);
  for (size_t row = 0; row < lengths.size(); ++row) {
    strings.places[header.first_row + row] = {begin, lengths[row]};
    begin += lengths[row];
  }
  placed_rows(Table::kStrings).add(header.first_row, end);
  return {};
}

template <typename Rows>
Result<> Assembly::place(Table table,
                         Rows& rows,
                         const ChunkHeader& header,
                         PayloadReader& payload) {
  using Row = typename RowOf<Rows>::Type;
  TRY(claim_rows(header, rows.size(), sizeof(Row)));
  std::vector<Row> arrived = TRY(decode_rows<Row>(payload, header.rows));
  uint64_t end = header.first_row + header.rows;
  if (end > rows.size()) {
    resize_rows(rows, end);
  }
  for (size_t row = 0; row < arrived.size(); ++row) {
    row_at(rows, header.first_row + row) = arrived[row];
  }
  placed_rows(table).add(header.first_row, end);
  return {};
}

template <typename Rows>
Result<> Assembly::append(Table table,
                          Rows& rows,
                          const ChunkHeader& header,
                          PayloadReader& payload) {
  using Row = typename RowOf<Rows>::Type;
  TRY(claim(header.rows * (std::is_same_v<Row, Sample> ? kSampleBytes : sizeof(Row))));
  std::vector<Row> arrived = TRY(decode_rows<Row>(payload, header.rows));
  RowSet& placed = placed_rows(table);
  uint64_t begin = std::max(header.first_row, placed.end());
  size_t first = std::min<uint64_t>(begin - header.first_row, header.rows);
  for (size_t row = first; row < arrived.size(); ++row) {
    rows.push_back(arrived[row]);
  }
  if constexpr (std::is_same_v<Row, Sample>) {
    count_samples(header, arrived, first);
  }
  repeated_rows_ += first;
  placed.add(header.first_row + first, header.first_row + header.rows);
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
    // Unsigned, because hostile weights may overflow; validate() refuses them later.
    Cost& sum = sums_[event];
    sum.weight = static_cast<int64_t>(static_cast<uint64_t>(sum.weight) +
                                      static_cast<uint64_t>(sample.weight));
    sum.count += sample.count;
  }
  wrong_sums_ += weight != header.weight || samples != header.samples ? 1 : 0;
}

template <typename Rows>
Result<> Assembly::replace(Table table,
                           Rows& rows,
                           const ChunkHeader& header,
                           PayloadReader& payload) {
  using Row = typename RowOf<Rows>::Type;
  TRY(claim(header.rows * sizeof(Row)));
  std::vector<Row> arrived = TRY(decode_rows<Row>(payload, header.rows));
  if (header.first_row == 0) {
    rows.clear();
    placed_rows(table).clear();
  }
  rows.insert(rows.end(), arrived.begin(), arrived.end());
  placed_rows(table).add(header.first_row, header.first_row + header.rows);
  return {};
}

}  // namespace wick::native
