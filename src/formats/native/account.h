// The account of a file: what should be in it, what was found, and the losses that tell the
// difference.
//
// Three witnesses say what was written, and the account takes the strongest that survived:
//
//   1. The last chunk of sums says it for everything before it, per table and per event.
//   2. For chunks after it, their headers say it even when their payloads are lost.
//   3. A gap in the sequence numbers, or bytes without a chunk, say that something is missing, not
//   what.
//
// Invariant: weights read + weights told as lost = weights written, per event, as far as 1 and 2
// reach; and nothing is ever missing without at least one loss.
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

// A thing that happened several times, and where it did first.
struct Occurrences {
  uint64_t count = 0;
  std::string first;
};

class Account {
 public:
  // True when the chunk is to be read: the first of its sequence number, and in order. If not, that
  // is noted here.
  bool expects(const ScannedChunk& chunk);
  // The chunk belongs to this table, whether its rows can be taken or not.
  void expect_rows(ProfileTable table, const ChunkHeader& header);
  // Its rows are not in the profile.
  void lost_chunk(const ScannedChunk& chunk, std::string_view why);
  // What a newer wick wrote is passed over; nothing this one knows is missing.
  void unknown_chunk(const ScannedChunk& chunk);
  void unknown_column(const ScannedChunk& chunk, uint16_t column);
  // `assembly` holds what has been read so far.
  void take_sums(const ChunkHeader& header,
                 const std::vector<SumRow>& sums,
                 const Assembly& assembly);
  // Chunks that are known to be missing or damaged.
  uint64_t lost_chunks() const { return damaged_.count + sequences_.end() - sequences_.count(); }
  bool ended() const { return ended_; }
  void set_bytes_after_end(uint64_t bytes) { bytes_after_end_ = bytes; }

  // Call with all chunks read, before the assembly is repaired.
  void count_lost_rows(const Assembly& assembly);

  // Adds what there is to tell to the profile's losses.
  void tell(const ChunkScanner& scanner, Repaired& repaired) const;

 private:
  RowSet sequences_;
  Occurrences damaged_;   // chunks
  Occurrences repeated_;  // chunks
  Occurrences unknown_chunks_;
  Occurrences unknown_columns_;
  std::array<uint64_t, kTableCount> expected_rows_ = {};
  std::array<uint64_t, kTableCount> lost_rows_ = {};
  // What the last sums and the headers after them say is lost.
  std::map<uint32_t, uint64_t> lost_weights_;  // by event; kMixedEvents when the header cannot tell
  uint64_t lost_samples_ = 0;
  uint64_t after_sums_ = 0;  // sequence number behind the last chunk of sums
  uint64_t repeated_rows_ = 0;
  uint64_t wrong_sums_ = 0;
  bool ended_ = false;
  uint64_t bytes_after_end_ = 0;
};

}  // namespace wick::native
