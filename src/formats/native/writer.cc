#include "formats/native/writer.h"

#include <algorithm>

#include "base/check.h"
#include "formats/native/tables.h"

namespace wick::native {

namespace {

constexpr int kZstdLevel = 3;
// Below this zstd saves nothing worth a reader's call, and the bytes stay legible.
constexpr size_t kSmallPayloadBytes = 128;
// A chunk of strings is closed when it has reached this size.
constexpr size_t kStringChunkBytes = 1024 * 1024;
constexpr size_t kMaxStringBytes = kMaxPayloadBytes / 2;

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
  TRY(write_tables(profile));
  if (sequence_ != sums_sequence_) {
    write_sums(profile, kSumsType);
  }
  return {};
}

Result<> NativeWriter::finish(const Profile& profile) {
  TRY(write_tables(profile));
  write_sums(profile, kEndType);
  return {};
}

Result<> NativeWriter::write_tables(const Profile& profile) {
  TRY(write_strings(profile.strings));
  auto by_id = [&](Table table, const auto& rows) {
    write_rows(table, rows.size(), [&](size_t row) { return rows.rows()[row]; });
  };
  auto by_position = [&](Table table, const auto& rows) {
    write_rows(table, rows.size(), [&](size_t row) { return rows[row]; });
  };
  by_id(Table::kModules, profile.modules);
  by_id(Table::kFunctions, profile.functions);
  by_id(Table::kFrames, profile.frames);
  write_rows(Table::kStacks, profile.stacks.size(), [&](size_t row) {
    StackId stack = StackId::from_index(row);
    return StackRow{profile.stacks.parent(stack), profile.stacks.frame(stack)};
  });
  by_id(Table::kProcesses, profile.processes);
  by_id(Table::kThreads, profile.threads);
  by_id(Table::kEvents, profile.events);
  write_samples(profile.samples, profile.events.size());
  by_position(Table::kSpans, profile.spans);
  by_position(Table::kMarks, profile.marks);
  by_position(Table::kCounters, profile.counters);
  if (losses_ != profile.losses) {
    losses_ = profile.losses;
    written(Table::kLosses) = 0;
    by_position(Table::kLosses, losses_);
  }
  if (facts_ != profile.facts) {
    facts_ = profile.facts;
    written(Table::kFacts) = 0;
    by_position(Table::kFacts, facts_);
  }
  return {};
}

Result<> NativeWriter::write_strings(const StringTable& strings) {
  uint64_t& next = written(Table::kStrings);
  CHECK(next <= strings.size());
  while (next < strings.size()) {
    std::vector<uint64_t> lengths;
    std::string bytes;
    uint64_t row = next;
    while (row < strings.size() && lengths.size() < kMaxRows && bytes.size() < kStringChunkBytes) {
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
    write_chunk({.type = info_of(Table::kStrings).type,
                 .first_row = next,
                 .rows = static_cast<uint32_t>(lengths.size())},
                payload);
    next = row;
  }
  return {};
}

template <typename RowAt>
void NativeWriter::write_rows(Table table, size_t size, RowAt row_at) {
  uint64_t& next = written(table);
  CHECK(next <= size);
  while (next < size) {
    size_t rows = std::min<size_t>(kMaxRows, size - next);
    PayloadWriter payload;
    encode_rows(payload, rows, [&](size_t row) { return row_at(next + row); });
    write_chunk(
        {.type = info_of(table).type, .first_row = next, .rows = static_cast<uint32_t>(rows)},
        payload);
    next += rows;
  }
}

void NativeWriter::write_samples(const SampleColumns& samples, size_t events) {
  uint64_t& next = written(Table::kSamples);
  CHECK(next <= samples.size());
  sums_.resize(events);
  while (next < samples.size()) {
    size_t rows = std::min<size_t>(kMaxRows, samples.size() - next);
    EventId event = samples.event[next];
    Cost chunk;
    bool mixed = false;
    for (size_t row = next; row < next + rows; ++row) {
      Sample sample = samples[row];
      CHECK(sample.event.index() < events);
      Cost cost{sample.weight, sample.count};
      chunk += cost;
      sums_[sample.event.index()] += cost;
      mixed = mixed || sample.event != event;
    }
    PayloadWriter payload;
    encode_rows(payload, rows, [&](size_t row) { return samples[next + row]; });
    write_chunk({.type = info_of(Table::kSamples).type,
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
    add(SumKind::kRows, kTables[table].type, written_[table]);
  }
  for (uint32_t event = 0; event < profile.events.size(); ++event) {
    add(SumKind::kWeight, event, static_cast<uint64_t>(sums_[event].weight));
    add(SumKind::kSamples, event, sums_[event].count);
  }
  // More events than fit one chunk would lose their own totals only; the rows stay exact.
  rows.resize(std::min<size_t>(rows.size(), kMaxRows));
  PayloadWriter payload;
  encode_rows(payload, rows.size(), [&](size_t row) { return rows[row]; });
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
