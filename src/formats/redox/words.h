// Raw words to records, one word after another, with resynchronisation. Every word is part of a
// record, of one that is lost, or skipped, and counted as such.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "formats/redox/record.h"

namespace wick::redox {

struct WordAccount {
  uint64_t words = 0;
  uint64_t records = 0;
  uint64_t cut_records = 0;    // delivered without all of their callers
  uint64_t lost_records = 0;   // began, but had no RIP or no TSC
  uint64_t skipped_words = 0;  // of nothing that is known
};

class WordParser {
 public:
  explicit WordParser(Generation generation) : generation_(generation) {}

  // The next word. True when that completed a record, which is then in record() until the next
  // call.
  bool take(uint64_t word);
  // At the end: true when one more record is there.
  bool finish();

  const Record& record() const { return record_; }
  const WordAccount& account() const { return account_; }

 private:
  bool take_first(uint64_t word);
  bool take_second(uint64_t word);
  // Starts over with this word, whatever came before.
  void seek(uint64_t word);
  // What was collected becomes a record, or is lost.
  bool deliver(bool cut);

  Generation generation_;
  WordAccount account_;
  std::array<uint64_t, kMostWords> words_ = {};
  std::array<uint64_t, kMostWords> addresses_ = {};
  size_t collected_ = 0;
  size_t length_ = 0;  // that the header tells (second generation)
  Record record_;
};

// Which generation these bytes are of, and at which of the eight offsets words begin.
struct WordSight {
  Generation generation = Generation::kFirst;
  size_t offset = 0;
  bool found = false;
};
WordSight look_for_words(Bytes head);

}  // namespace wick::redox
