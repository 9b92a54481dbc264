// SPDX-License-Identifier: Apache-2.0
// Assembly: the tables of a profile while its chunks arrive, possibly with gaps.
//
// Rows are stored at the row numbers that their chunk says. `stored` records which rows of each
// table have arrived. The others are gaps, filled with default rows until repair.h names them. How
// rows arrive depends on how their table grows (profile/schema.h): rows with ids may arrive again,
// and the last version counts; appended rows are taken once, in order, without gaps; a replaced
// table starts again with each row 0.
//
// Invariant: memory stays below a fixed allowance plus a multiple of the bytes of the file so far,
// whatever row numbers and counts the chunks contain; and a gap is accepted only if enough chunks
// were lost.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/native/columns.h"
#include "formats/native/layout.h"
#include "formats/native/row_set.h"
#include "formats/native/rows.h"
#include "formats/native/version0.h"
#include "profile/profile.h"

namespace wick::native {

// Strings that may be replaced, unlike those of a StringTable.
struct StringRows {
  struct TextRange {
    uint64_t begin = 0;
    uint64_t size = 0;
  };
  std::string bytes;
  std::vector<TextRange> ranges = {TextRange{}};
};

class Assembly {
 public:
  Assembly();

  // The progress of the reader: bytes of the file, and chunks known to be missing or damaged.
  struct Progress {
    uint64_t file_bytes = 0;
    uint64_t lost_chunks = 0;
  };
  // Stores the rows of an intact chunk. An error is a clause that says why none of them was stored.
  Result<> add(ProfileTable table,
               const ChunkHeader& header,
               PayloadReader& payload,
               Progress progress);

  const RowSet& stored(ProfileTable table) const { return stored_[static_cast<size_t>(table)]; }
  // Rows that arrived a second time in a table that takes each row once.
  uint64_t repeated_rows() const { return repeated_rows_; }
  // The sums of the samples so far, by event.
  const std::vector<Cost>& sums() const { return sums_; }
  // Chunks whose samples do not match the sums in their headers.
  uint64_t wrong_sums() const { return wrong_sums_; }

  // The tables. Strings and trees are stored outside `profile`, because those in it can only grow.
  Profile profile;
  StringRows strings;
  std::vector<StackRow> stacks;
  std::vector<LabelSetRow> label_sets;

 private:
  std::vector<StackRow>& rows_of(StackTree&) { return stacks; }
  std::vector<LabelSetRow>& rows_of(LabelSetTree&) { return label_sets; }
  template <typename Rows>
  Rows& rows_of(Rows& rows) {
    return rows;
  }
  template <typename Rows>
  Result<> take(ProfileTable table, Rows& rows, const ChunkHeader& header, PayloadReader& payload);
  template <typename Row>
  Result<std::vector<Row>> decode(const ChunkHeader& header, PayloadReader& payload);
  Result<> add_strings(const ChunkHeader& header, PayloadReader& payload);
  template <typename Rows>
  Result<> store(ProfileTable table, Rows& rows, const ChunkHeader& header, PayloadReader& payload);
  template <typename Rows>
  Result<> append(ProfileTable table,
                  Rows& rows,
                  const ChunkHeader& header,
                  PayloadReader& payload);
  template <typename Rows>
  Result<> replace(ProfileTable table,
                   Rows& rows,
                   const ChunkHeader& header,
                   PayloadReader& payload);
  // Fails if `bytes` more bytes would break the invariant.
  Result<> reserve(uint64_t bytes);
  // The same for the rows of a chunk in a table that has `size` rows now.
  Result<> reserve_rows(const ChunkHeader& header, uint64_t size, uint64_t row_bytes);
  void count_samples(const ChunkHeader& header, const std::vector<Sample>& rows, size_t first);
  RowSet& stored_rows(ProfileTable table) { return stored_[static_cast<size_t>(table)]; }

  std::array<RowSet, kTableCount> stored_;
  version0::Counters counters_of_version0_;
  std::vector<Cost> sums_;
  uint64_t repeated_rows_ = 0;
  uint64_t wrong_sums_ = 0;
  uint64_t reserved_bytes_ = 0;
  uint64_t gap_bytes_ = 0;
  Progress progress_;
};

}  // namespace wick::native
