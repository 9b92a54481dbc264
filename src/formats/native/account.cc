// SPDX-License-Identifier: Apache-2.0
#include "formats/native/account.h"

#include <algorithm>

#include "formats/broken_input.h"
#include "profile/lost_share.h"

namespace wick::native {
namespace {

constexpr std::string_view kLostInDamage = "lost with damaged parts of the file";

std::string describe(const ScannedChunk& chunk) {
  const ChunkHeader& header = chunk.header;
  std::optional<ProfileTable> table = table_of_type(header.type);
  std::string name =
      table ? std::string(info_of(*table).name) : fmt::format("'{}'", type_letters(header.type));
  return fmt::format(
      "{} from row {}, {} in total, at byte {}", name, header.first_row, header.rows, chunk.offset);
}

template <typename Describe>
void count(Occurrences& occurrences, Describe first) {
  if (occurrences.count++ == 0) {
    occurrences.first = first();
  }
}

// Appends losses with their texts to a finished profile.
class LossWriter {
 public:
  explicit LossWriter(Profile& profile) : profile_(profile) {}

  struct Row {
    std::string_view reason;
    std::string_view what;
    std::string_view detail = {};
    uint64_t count = 0;
    LossClass severity = LossClass::kDataLoss;
  };
  void always(const Row& row) {
    profile_.losses.push_back({.reason = text(row.reason),
                               .what = text(row.what),
                               .detail = text(row.detail),
                               .count = row.count,
                               .severity = row.severity});
  }
  void if_any(const Row& row) {
    if (row.count > 0) {
      always(row);
    }
  }

 private:
  StringId text(std::string_view text) {
    return text.empty() ? StringId() : profile_.strings.append(text);
  }

  Profile& profile_;
};

std::string weight_name(const Profile& profile, uint32_t event) {
  if (event == kMixedEvents || event >= profile.events.size()) {
    return "weight of several events";
  }
  return lost_weight_of(profile, EventId(event));
}

uint64_t samples_in(const Profile& profile) {
  uint64_t samples = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    samples += profile.samples.count[row];
  }
  return samples;
}

}  // namespace

bool Account::expects(const ScannedChunk& chunk) {
  uint64_t sequence = chunk.header.sequence;
  bool seen = sequences_.contains(sequence);
  bool late = sequence < sequences_.end();
  sequences_.add(sequence, sequence + 1);
  if (seen) {
    count(repeated_, [&] { return describe(chunk); });
  } else if (late) {
    lost_chunk(chunk, "it is out of order");
  }
  return !seen && !late;
}

void Account::expect_rows(ProfileTable table, const ChunkHeader& header) {
  uint64_t& expected = expected_rows_[static_cast<size_t>(table)];
  uint64_t end = header.first_row + header.rows;
  bool replaces = info_of(table).growth == Growth::kReplaced && header.first_row == 0;
  expected = replaces ? end : std::max(expected, end);
}

void Account::lost_chunk(const ScannedChunk& chunk, std::string_view why) {
  count(damaged_, [&] { return fmt::format("the first: {}: {}", describe(chunk), why); });
  const ChunkHeader& header = chunk.header;
  bool in_sums = header.sequence < after_sums_;
  if (header.type == type_of(ProfileTable::kSamples) && !in_sums) {
    lost_samples_ += header.samples;
    lost_weights_[header.event] += header.weight;
  }
}

void Account::unknown_chunk(const ScannedChunk& chunk) {
  count(unknown_chunks_, [&] { return fmt::format("the first: {}", describe(chunk)); });
}

void Account::unknown_column(const ScannedChunk& chunk, uint16_t column) {
  count(unknown_columns_,
        [&] { return fmt::format("the first: column {} of {}", column, describe(chunk)); });
}

void Account::take_sums(const ChunkHeader& header,
                        const std::vector<SumRow>& sums,
                        const Assembly& assembly) {
  lost_samples_ = 0;
  lost_weights_.clear();
  after_sums_ = uint64_t{header.sequence} + 1;
  ended_ = header.type == kEndType;
  // The sums cover everything before them: the difference between them and the rows read is lost.
  auto missing = [&](uint64_t written, uint64_t found) {
    wrong_sums_ += written < found ? 1U : 0U;
    return written < found ? 0 : written - found;
  };
  const std::vector<Cost>& read = assembly.sums();
  for (const SumRow& sum : sums) {
    Cost found = sum.key < read.size() ? read[sum.key] : Cost{};
    if (sum.kind == static_cast<uint32_t>(SumKind::kWeight)) {
      lost_weights_[sum.key] += missing(sum.value, static_cast<uint64_t>(found.weight));
    } else if (sum.kind == static_cast<uint32_t>(SumKind::kSamples)) {
      lost_samples_ += missing(sum.value, found.count);
    } else if (sum.kind == static_cast<uint32_t>(SumKind::kRows)) {
      if (std::optional<ProfileTable> table = table_of_type(sum.key)) {
        uint64_t& expected = expected_rows_[static_cast<size_t>(*table)];
        expected = std::max(expected, sum.value);
        wrong_sums_ += assembly.stored(*table).end() > sum.value ? 1U : 0U;
      }
    }
  }
}

void Account::count_lost_rows(const Assembly& assembly) {
  for (size_t table = 0; table < kTableCount; ++table) {
    uint64_t found = assembly.stored(static_cast<ProfileTable>(table)).count();
    lost_rows_[table] = expected_rows_[table] - std::min(expected_rows_[table], found);
  }
  repeated_rows_ = assembly.repeated_rows();
  wrong_sums_ += assembly.wrong_sums();
}

void Account::report(const ChunkScanner& scanner, Repaired& repaired) const {
  Profile& profile = repaired.profile;
  LossWriter losses(profile);
  uint64_t samples = samples_in(profile);

  if (!scanner.read_error().empty()) {
    losses.always({kInputBrokeOff, "bytes", scanner.read_error()});
  }
  if (!ended_) {
    losses.always(
        {"the file ends early: the recording was cut",
         "samples",
         fmt::format("{} in the file",
                     samples == 1 ? "1 sample is" : fmt::format("{} samples are", samples))});
  }
  std::string detail = damaged_.count > 0 ? damaged_.first : "they are missing entirely";
  losses.if_any({"damaged and skipped", "parts", detail, lost_chunks()});
  losses.if_any({"bytes of the file do not belong to any part",
                 "bytes",
                 fmt::format("the first at byte {}", scanner.first_stray()),
                 scanner.stray_bytes()});
  losses.if_any({scanner.at_other_file() ? "another profile begins inside the file; it was not read"
                                         : "the file continues after its end",
                 "bytes",
                 "",
                 bytes_after_end_});
  losses.if_any({kLostInDamage, "samples", "", lost_samples_});
  for (auto [event, weight] : lost_weights_) {
    losses.if_any({kLostInDamage, weight_name(profile, event), "", weight});
  }
  for (size_t table = 0; table < kTableCount; ++table) {
    if (static_cast<ProfileTable>(table) != ProfileTable::kSamples) {
      losses.if_any({kLostInDamage, kTables[table].name, "", lost_rows_[table]});
    }
  }
  losses.if_any({"names and locations refer to data not in the file; they show as [damaged]",
                 "references",
                 "",
                 repaired.references});
  losses.if_any({"sums in the file do not match its content", "parts", "", wrong_sums_});

  auto notice = [&](std::string_view reason, std::string_view what, const Occurrences& seen) {
    losses.if_any({reason, what, seen.first, seen.count, LossClass::kNotice});
  };
  notice("samples kept their weight but lost frames in damaged parts of the file",
         "samples",
         {repaired.damaged_samples, "they show as [damaged]"});
  notice("the first bytes of the file are damaged; its parts were read one by one",
         "bytes",
         {scanner.header_damaged() ? kFileHeaderBytes : 0, ""});
  notice("spans end before they begin; they are shown as moments",
         "spans",
         {repaired.backward_spans, ""});
  notice("skipped: only a newer wick knows this kind of part", "parts", unknown_chunks_);
  notice("skipped: only a newer wick knows them", "columns", unknown_columns_);
  notice("read as unknown: only a newer wick knows them", "values", {repaired.unknown_values, ""});
  notice("parts of the file occur twice and were read once", "parts", repeated_);
  notice("rows of the file occur twice and were read once", "rows", {repeated_rows_, ""});
}

}  // namespace wick::native
