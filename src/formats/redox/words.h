// The bytes of a ring to records, with resynchronisation. Every byte is part of a record, of one
// that is lost, or skipped, and counted as such.
//
// Words may be missing or too many (a full ring, a dump of a part), and so may single bytes (a
// serial line): then the words after them stand at other places. What tells where a record begins:
//
//     first generation    a marked RIP, a TSC, and behind the kernel addresses that follow another
//                         one; or a TSC that goes on where the last record ended
//     second generation   the header, of which seven of eight bytes are known
//
// A record is whole when the next one begins where it ends. Of one that is not, what stands before
// the damage is kept, with precautions, because shifted words may look like good ones: its TSC must
// lie between those of its neighbours; addresses of programs are not believed where bytes were lost
// or gained in the record or right behind it, nor kernel addresses in the last 16 MiB, which
// shifted ones look like. The first record behind a damage is given up where the damage may reach
// into its RIP (first generation: a header would tell). What no precaution finds: words put
// together from the halves of two addresses, as a loss of whole words leaves them.
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
  uint64_t lost_records = 0;   // began, but had no RIP or no TSC that can be believed
  uint64_t skipped_bytes = 0;  // of nothing that is known
};

class RingParser {
 public:
  explicit RingParser(Generation generation) : generation_(generation) {}

  struct Step {
    size_t taken = 0;  // bytes from the beginning that are settled; 0: more are needed
    bool delivered = false;
  };
  // The next step into `bytes`, which begin where the last step ended. When it delivered a record,
  // that is in record() until the next call. `last`: nothing follows these bytes.
  Step next(Bytes bytes, bool last);

  const Record& record() const { return record_; }
  const RingAccount& account() const { return account_; }

 private:
  Step next_first(Bytes bytes, bool last);
  Step next_second(Bytes bytes, bool last);
  Step settle_damaged(Bytes bytes, bool last, size_t length, size_t next_header);
  Step settle_first(Bytes bytes, bool last);
  // Skips up to the first place, from the second byte on, where a record may begin.
  template <typename IsStart>
  Step skip_to(Bytes bytes, bool last, IsStart is_start);
  Step lose(size_t bytes);
  Step deliver(Bytes bytes, size_t words, size_t taken, bool cut);
  bool is_later(uint64_t tsc) const;
  // Whether bytes before the record at `at` show that what was damaged lies further back.
  bool stands_apart(Bytes bytes, size_t at) const;
  // Whether a record of the first generation begins there, for which nothing before it speaks.
  bool is_first_start(Bytes bytes, size_t at, bool last) const;
  // Whether its TSC goes on from the last record's, and the next record's from it.
  bool is_between(uint64_t tsc, uint64_t next_tsc) const;
  uint64_t tsc_after(Bytes bytes, size_t from, bool last) const;

  Generation generation_;
  RingAccount account_;
  bool in_step_ = false;         // the last record ended where one begins (first generation)
  bool may_be_damaged_ = false;  // the record that begins here (first generation)
  uint64_t last_tsc_ = kNoTsc;   // of the last whole record
  std::array<uint64_t, kMostWords> addresses_ = {};
  Record record_;
};

// Which generation these bytes are of.
struct RingSight {
  Generation generation = Generation::kFirst;
  bool found = false;
};
RingSight look_for_rings(Bytes head);

}  // namespace wick::redox
