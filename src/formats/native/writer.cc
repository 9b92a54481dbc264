// SPDX-License-Identifier: Apache-2.0
// Each call writes the rows of every table from `written_` up to some row, table by table, in an
// order in which no row refers to a later chunk:
//
//   append()   up to the last row of each table
//   finish()   the same in parts: up to a sample, and the rows that the samples until there refer
//              to (need_rows_of). Rows are numbered in the order in which they came up, so the rows
//              of a part are nearly those that it needs
#include "formats/native/writer.h"

#include <algorithm>

#include "base/check.h"
#include "formats/native/rows.h"

namespace wick::native {

namespace {

constexpr int kZstdLevel = 3;
// For smaller payloads zstd saves too little to be worth a call, and the bytes stay readable.
constexpr size_t kSmallPayloadBytes = 128;
// A chunk of strings ends when it reaches this size.
constexpr size_t kStringChunkBytes = 1024 * 1024;
constexpr size_t kMaxStringBytes = kMaxPayloadBytes / 2;
// Into how many parts finish() divides the samples of a short profile. Each part costs about a
// kilobyte, so none has fewer samples than this.
constexpr size_t kParts = 4;
constexpr size_t kMinPartSamples = 1024;

// Whether rows of this type are among `Lists`, a tuple of vectors.
template <typename Row, typename Lists>
constexpr bool kHasList = false;
template <typename Row, typename... Others>
constexpr bool kHasList<Row, std::tuple<std::vector<Others>...>> =
    (std::is_same_v<Row, Others> || ...);

size_t samples_of_a_part(const Profile& profile) {
  return std::clamp(profile.samples.size() / kParts, kMinPartSamples, size_t{kMaxRows});
}

std::array<uint64_t, kTableCount> all_rows_of(const Profile& profile) {
  std::array<uint64_t, kTableCount> rows = {};
  rows[static_cast<size_t>(ProfileTable::kStrings)] = profile.strings.size();
  visit_tables(
      [&](ProfileTable table, const auto& table_rows) {
        rows[static_cast<size_t>(table)] = table_rows.size();
      },
      profile);
  return rows;
}

}  // namespace

NativeWriter::NativeWriter(Output& out) : out_(out), zstd_(ZSTD_createCCtx()) {
  CHECK(zstd_ != nullptr);
  ZSTD_CCtx_setParameter(zstd_.get(), ZSTD_c_compressionLevel, kZstdLevel);
  for (size_t table = 0; table < kTableCount; ++table) {
    written_[table] = kTables[table].implied_rows;
  }
  out_.write(encode_file_header());
}

Result<> NativeWriter::append(const Profile& profile) {
  TRY(write_tables(profile, all_rows_of(profile)));
  if (sequence_ != sums_sequence_) {
    write_sums(profile, kSumsType);
  }
  return {};
}

Result<> NativeWriter::finish(const Profile& profile) {
  size_t part = samples_of_a_part(profile);
  for (uint64_t end = written(ProfileTable::kSamples) + part; end < profile.samples.size();
       end += part) {
    need_rows_of(profile, end);
    TRY(write_tables(profile, needed_));
  }
  TRY(write_tables(profile, all_rows_of(profile)));
  write_sums(profile, kEndType);
  return {};
}

// Follows references from rows that are newly needed. Rows refer to tables before their own, or to
// earlier rows, so after a few rounds no row is new.
void NativeWriter::need_rows_of(const Profile& profile, size_t samples) {
  needed_[static_cast<size_t>(ProfileTable::kSamples)] = samples;
  auto need = [&](ProfileTable table, uint64_t end) {
    uint64_t& needed = needed_[static_cast<size_t>(table)];
    needed = std::max(needed, end);
  };
  auto follow = [&]<typename Rows>(const Rows& rows, uint64_t begin, uint64_t end) {
    for_each_column<RowOf<Rows>>([&](const auto& column) {
      for (uint64_t row = begin; row < end; ++row) {
        auto value = value_at(rows, row, column);
        if constexpr (RowReference<decltype(value)>) {
          need(table_of(value), value.value == Id<void>::kNone ? 0 : uint64_t{value.value} + 1);
        }
      }
    });
    if constexpr (std::is_same_v<RowOf<Rows>, BranchSet>) {
      for (uint64_t row = begin; row < end; ++row) {
        const BranchSet& set = row_at(rows, row);
        need(ProfileTable::kBranches, uint64_t{set.first} + set.count);
      }
    }
  };
  for (bool is_new = true; is_new;) {
    is_new = false;
    visit_tables(
        [&](ProfileTable table, const auto& rows) {
          uint64_t& followed = followed_[static_cast<size_t>(table)];
          uint64_t end = needed_[static_cast<size_t>(table)];
          is_new = is_new || followed < end;
          follow(rows, followed, end);
          followed = std::max(followed, end);
        },
        profile);
  }
}

// Writes the rows of each table up to its number in `ends`.
Result<> NativeWriter::write_tables(const Profile& profile, const RowCounts& ends) {
  TRY(write_strings(profile.strings, ends[static_cast<size_t>(ProfileTable::kStrings)]));
  sums_.resize(profile.events.size());
  visit_tables(
      [&](ProfileTable table, const auto& rows) {
        uint64_t end = ends[static_cast<size_t>(table)];
        bool may_shrink = info_of(table).growth == Growth::kReplaced;
        write_table(table, rows, may_shrink ? end : std::max(written(table), end));
      },
      profile);
  return {};
}

Result<> NativeWriter::write_strings(const StringTable& strings, uint64_t end) {
  uint64_t& next = written(ProfileTable::kStrings);
  CHECK(next <= strings.size());
  while (next < end) {
    std::vector<uint64_t> lengths;
    std::string bytes;
    uint64_t row = next;
    while (row < end && lengths.size() < kMaxRows && bytes.size() < kStringChunkBytes) {
      std::string_view text = strings[StringId{static_cast<uint32_t>(row)}];
      if (text.size() > kMaxStringBytes) {
        return fail(
            "A name of {} bytes is too long for a .wick file, which holds names of up to {} MiB; "
            "shorten it in the input.",
            text.size(),
            kMaxStringBytes >> 20);
      }
      lengths.push_back(text.size());
      bytes += text;
      ++row;
    }
    PayloadWriter payload;
    payload.words(kStringLengths, lengths);
    payload.bytes(kStringBytes, bytes);
    write_chunk({.type = type_of(ProfileTable::kStrings),
                 .first_row = next,
                 .rows = static_cast<uint32_t>(lengths.size())},
                payload);
    next = row;
  }
  return {};
}

template <typename Rows>
void NativeWriter::write_table(ProfileTable table, const Rows& rows, uint64_t end) {
  using Row = RowOf<Rows>;
  uint64_t& next = written(table);
  if constexpr (kHasList<Row, decltype(last_rows_)>) {
    write_changed(table, rows, end);
  }
  CHECK(next <= end && end <= rows.size());
  write_rows(table, rows, next, end);
  next = end;
}

// Writes rows that changed since they were written: the range that contains all of them, or the
// whole table if it can only be replaced as a whole.
template <typename Rows>
void NativeWriter::write_changed(ProfileTable table, const Rows& rows, uint64_t end_of_rows) {
  auto& last = std::get<std::vector<RowOf<Rows>>>(last_rows_);
  size_t begin = last.size();
  size_t end = 0;
  for (size_t row = 0; row < std::min<size_t>(last.size(), end_of_rows); ++row) {
    if (last[row] != row_at(rows, row)) {
      begin = std::min(begin, row);
      end = row + 1;
    }
  }
  if (info_of(table).growth == Growth::kReplaced) {
    bool is_same = begin >= end && last.size() == end_of_rows;
    written(table) = is_same ? end_of_rows : 0;
  } else {
    write_rows(table, rows, begin, end);
  }
  last.assign(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(end_of_rows));
}

template <typename Rows>
void NativeWriter::write_rows(ProfileTable table, const Rows& rows, size_t begin, size_t end) {
  for (size_t first = begin; first < end; first += kMaxRows) {
    size_t count = std::min<size_t>(kMaxRows, end - first);
    PayloadWriter payload;
    encode_rows(payload, rows, first, count);
    write_chunk({.type = type_of(table), .first_row = first, .rows = static_cast<uint32_t>(count)},
                payload);
  }
}

void NativeWriter::write_table(ProfileTable table, const SampleColumns& samples, uint64_t end) {
  uint64_t& next = written(table);
  CHECK(next <= end && end <= samples.size());
  while (next < end) {
    size_t rows = std::min<size_t>(kMaxRows, end - next);
    EventId event = samples.event[next];
    Cost chunk;
    bool mixed = false;
    for (size_t row = next; row < next + rows; ++row) {
      EventId own = samples.event[row];
      CHECK(own.index() < sums_.size());
      Cost cost{samples.weight[row], samples.count[row]};
      chunk += cost;
      sums_[own.index()] += cost;
      mixed = mixed || own != event;
    }
    PayloadWriter payload;
    encode_rows(payload, samples, next, rows);
    write_chunk({.type = type_of(table),
                 .first_row = next,
                 .rows = static_cast<uint32_t>(rows),
                 .event = mixed ? kMixedEvents : event.value,
                 .samples = chunk.count,
                 .weight = static_cast<uint64_t>(chunk.weight)},
                payload);
    next += rows;
  }
}

void NativeWriter::write_sums(const Profile& profile, uint32_t type) {
  std::vector<SumRow> rows;
  auto add = [&](SumKind kind, uint32_t key, uint64_t value) {
    rows.push_back({static_cast<uint32_t>(kind), key, value});
  };
  for (size_t table = 0; table < kTableCount; ++table) {
    if (written_[table] > kTables[table].implied_rows) {
      add(SumKind::kRows, type_of(static_cast<ProfileTable>(table)), written_[table]);
    }
  }
  for (uint32_t event = 0; event < profile.events.size(); ++event) {
    add(SumKind::kWeight, event, static_cast<uint64_t>(sums_[event].weight));
    add(SumKind::kSamples, event, sums_[event].count);
  }
  // If there are more events than fit in one chunk, the rest have no separate totals. The rows stay
  // exact.
  rows.resize(std::min<size_t>(rows.size(), kMaxRows));
  PayloadWriter payload;
  encode_rows(payload, rows, 0, rows.size());
  write_chunk({.type = type, .rows = static_cast<uint32_t>(rows.size())}, payload);
  sums_sequence_ = sequence_;
}

void NativeWriter::write_chunk(ChunkHeader header, const PayloadWriter& payload) {
  const std::string& plain = payload.payload();
  CHECK(plain.size() <= kMaxPayloadBytes);
  std::string_view stored = plain;
  if (plain.size() >= kSmallPayloadBytes) {
    packed_.resize(ZSTD_compressBound(plain.size()));
    size_t size =
        ZSTD_compress2(zstd_.get(), packed_.data(), packed_.size(), plain.data(), plain.size());
    CHECK(ZSTD_isError(size) == 0);
    if (size < plain.size()) {
      stored = std::string_view(packed_).substr(0, size);
      header.compression = Compression::kZstd;
    }
  }
  header.sequence = sequence_++;
  header.stored_bytes = static_cast<uint32_t>(stored.size());
  header.plain_bytes = static_cast<uint32_t>(plain.size());
  header.payload_checksum = checksum(as_bytes(stored));
  out_.write(encode_chunk_header(header));
  out_.write(stored);
}

}  // namespace wick::native
