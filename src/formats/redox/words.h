// SPDX-License-Identifier: Apache-2.0
// Converts the bytes of a ring to records, with resynchronisation. Every byte is counted as part of
// a record, of a lost record, or as skipped.
//
// Words may be missing or duplicated (a full ring, a partial dump), and so may single bytes (a
// serial line). Then the words after them are at shifted positions. The start of a record is
// recognised by:
//
//     first generation    a marked RIP, a TSC, and another marked RIP after the kernel addresses
//                         that follow; or a TSC that continues from the last record
//     second generation   the header, in which seven of eight bytes are known
//
// A record is complete if the next one starts where it ends. Of an incomplete record, the words
// before the damage are retained, with precautions, because shifted words may look like valid ones:
// its TSC must be between those of its neighbours. Addresses of programs are not trusted if bytes
// were lost or added in the record or right after it, nor are kernel addresses in the last 16 MiB,
// because shifted words look like them. The first record after damage is dropped if the damage may
// reach into its RIP (first generation; in the second a header would show it). No precaution
// detects words that consist of the halves of two addresses, which can result when whole words are
// lost.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "formats/redox/record.h"

namespace wick::redox {

struct RingAccount {
  uint64_t bytes = 0;
  uint64_t records = 0;
  uint64_t cut_records = 0;    // delivered without all of their callers
  uint64_t lost_records = 0;   // had no RIP or no plausible TSC
  uint64_t skipped_bytes = 0;  // unknown content
};

class RingParser {
 public:
  explicit RingParser(Generation generation) : generation_(generation) {}

  struct Step {
    size_t taken = 0;  // bytes consumed from the start; 0: more bytes are needed
    bool delivered = false;
  };
  // Takes the next step in `bytes`, which start where the last step ended. If it delivered a
  // record, record() returns it until the next call. `last`: nothing follows these bytes.
  Step next(Bytes bytes, bool last);

  const Record& record() const { return record_; }
  const RingAccount& account() const { return account_; }

 private:
  Step next_first(Bytes bytes, bool last);
  Step next_second(Bytes bytes, bool last);
  Step resolve_damaged(Bytes bytes, bool last, size_t length, size_t next_header);
  Step resolve_first(Bytes bytes, bool last);
  // Skips to the first position, from the second byte on, where a record may start.
  template <typename IsStart>
  Step skip_to(Bytes bytes, bool last, IsStart is_start);
  Step lose(size_t bytes);
  Step deliver(Bytes bytes, size_t words, size_t taken, bool cut);
  bool is_later(uint64_t tsc) const;
  // Whether the bytes before the record at `at` show that the damage is further back.
  bool is_separate(Bytes bytes, size_t at) const;
  // Whether a record of the first generation starts there, judged only by itself and the bytes
  // after it.
  bool is_first_start(Bytes bytes, size_t at, bool last) const;
  // Whether its TSC continues from the last record's, and the next record's TSC continues from it.
  bool is_between(uint64_t tsc, uint64_t next_tsc) const;
  uint64_t tsc_after(Bytes bytes, size_t from, bool last) const;

  Generation generation_;
  RingAccount account_;
  bool in_step_ = false;  // the last record ended where another one starts (first generation)
  bool may_be_damaged_ = false;  // the record that starts here (first generation)
  uint64_t last_tsc_ = kNoTsc;   // of the last delivered record
  std::array<uint64_t, kMaxWords> addresses_ = {};
  Record record_;
};

// The generation of these bytes.
struct RingSight {
  Generation generation = Generation::kFirst;
  bool found = false;
};
RingSight look_for_rings(Bytes head);

}  // namespace wick::redox
