// SPDX-License-Identifier: Apache-2.0
// The account of a file: the expected content, the content that was read, and the losses that
// describe the difference.
//
// There are three kinds of evidence for the written content. The account uses the strongest one
// that survived:
//
//   1. The last chunk of sums covers everything before it, per table and per event.
//   2. For chunks after it, their headers describe their content, even if their payloads are lost.
//   3. A gap in the sequence numbers, or bytes without a chunk, show that something is missing, but
//      not what.
//
// Invariant: weights read + weights reported as lost = weights written, per event, as far as 1 and
// 2 reach; and nothing is ever missing without at least one loss.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/native/assembly.h"
#include "formats/native/chunk_scanner.h"
#include "formats/native/layout.h"
#include "formats/native/repair.h"
#include "formats/native/row_set.h"
#include "formats/native/rows.h"

namespace wick::native {

// How often something happened, and where it happened first.
struct Occurrences {
  uint64_t count = 0;
  std::string first;
};

class Account {
 public:
  // True if the chunk should be read: it is the first with its sequence number, and in order.
  // Otherwise the problem is recorded here.
  bool expects(const ScannedChunk& chunk);
  // The chunk belongs to this table, even if its rows turn out to be unusable.
  void expect_rows(ProfileTable table, const ChunkHeader& header);
  // Its rows are not in the profile.
  void lost_chunk(const ScannedChunk& chunk, std::string_view why);
  // Chunks of a newer wick are skipped. Nothing that this version knows is missing.
  void unknown_chunk(const ScannedChunk& chunk);
  void unknown_column(const ScannedChunk& chunk, uint16_t column);
  // `assembly` has the rows read so far.
  void take_sums(const ChunkHeader& header,
                 const std::vector<SumRow>& sums,
                 const Assembly& assembly);
  // Chunks that are known to be missing or damaged.
  uint64_t lost_chunks() const { return damaged_.count + sequences_.end() - sequences_.count(); }
  bool ended() const { return ended_; }
  void set_bytes_after_end(uint64_t bytes) { bytes_after_end_ = bytes; }

  // Call with all chunks read, before the assembly is repaired.
  void count_lost_rows(const Assembly& assembly);

  // Adds the losses to the profile.
  void report(const ChunkScanner& scanner, Repaired& repaired) const;

 private:
  RowSet sequences_;
  Occurrences damaged_;   // chunks
  Occurrences repeated_;  // chunks
  Occurrences unknown_chunks_;
  Occurrences unknown_columns_;
  std::array<uint64_t, kTableCount> expected_rows_ = {};
  std::array<uint64_t, kTableCount> lost_rows_ = {};
  // Losses computed from the last sums and the headers after them.
  std::map<uint32_t, uint64_t> lost_weights_;  // by event; kMixedEvents if the header does not say
  uint64_t lost_samples_ = 0;
  uint64_t after_sums_ = 0;  // sequence number after the last chunk of sums
  uint64_t repeated_rows_ = 0;
  uint64_t wrong_sums_ = 0;
  bool ended_ = false;
  uint64_t bytes_after_end_ = 0;
};

}  // namespace wick::native
