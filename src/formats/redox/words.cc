#include "formats/redox/words.h"

#include <algorithm>

namespace wick::redox {

void WordParser::seek(uint64_t word) {
  collected_ = 0;
  bool starts = generation_ == Generation::kFirst ? is_marked_rip(word) : header_length(word) > 0;
  if (!starts) {
    ++account_.skipped_words;
    return;
  }
  length_ = header_length(word);
  words_[0] = word;
  collected_ = 1;
}

bool WordParser::deliver(bool cut) {
  bool first = generation_ == Generation::kFirst;
  size_t needed = first ? 2 : 4;
  size_t begin = first ? 2 : 4;
  if (collected_ < needed) {
    account_.lost_records += collected_ > 0 ? 1U : 0U;
    collected_ = 0;
    return false;
  }
  addresses_[0] = first ? words_[0] | kTopBit : words_[1];
  std::copy(words_.begin() + static_cast<std::ptrdiff_t>(begin),
            words_.begin() + static_cast<std::ptrdiff_t>(collected_),
            addresses_.begin() + 1);
  record_ = {.tsc = first ? words_[1] : words_[2],
             .context = first ? kNoContext : static_cast<uint32_t>(words_[3]),
             .context_name = {},
             .addresses = std::span(addresses_).first(collected_ - begin + 1),
             .cut = cut,
             .too_deep = collected_ == kMostWords};
  ++account_.records;
  account_.cut_records += cut ? 1U : 0U;
  collected_ = 0;
  return true;
}

bool WordParser::take_first(uint64_t word) {
  if (collected_ == 0) {
    seek(word);
    return false;
  }
  if (collected_ == 1) {
    if (word < kTopBit && !is_marked_rip(word)) {
      words_[collected_++] = word;
      return false;
    }
    ++account_.lost_records;
    seek(word);
    return false;
  }
  if (is_kernel_text(word) && collected_ < kMostWords) {
    words_[collected_++] = word;
    return false;
  }
  bool ends_well = is_marked_rip(word);
  bool delivered = deliver(!ends_well);
  seek(word);
  return delivered;
}

bool WordParser::take_second(uint64_t word) {
  if (collected_ == 0) {
    seek(word);
    return false;
  }
  bool fits = header_length(word) == 0 && (collected_ == 1   ? is_address(word)
                                           : collected_ == 2 ? word < kTopBit
                                           : collected_ == 3 ? word <= UINT32_MAX
                                                             : is_address(word));
  if (!fits) {
    bool delivered = deliver(true);
    seek(word);
    return delivered;
  }
  words_[collected_++] = word;
  return collected_ == length_ && deliver(false);
}

bool WordParser::take(uint64_t word) {
  ++account_.words;
  return generation_ == Generation::kFirst ? take_first(word) : take_second(word);
}

bool WordParser::finish() {
  return collected_ > 0 && deliver(generation_ == Generation::kSecond);
}

WordSight look_for_words(Bytes head) {
  WordSight best;
  uint64_t most = 0;
  for (Generation generation : {Generation::kFirst, Generation::kSecond}) {
    for (size_t offset = 0; offset < sizeof(uint64_t); ++offset) {
      WordParser parser(generation);
      ByteReader reader(head.subspan(std::min(offset, head.size())));
      while (reader.remaining() >= sizeof(uint64_t)) {
        parser.take(reader.number<uint64_t>());
      }
      parser.finish();
      const WordAccount& account = parser.account();
      uint64_t known = account.words - account.skipped_words;
      bool convincing = account.records > 0 && known * 2 >= account.words &&
                        account.records > account.lost_records;
      if (convincing && known > most) {
        most = known;
        best = {.generation = generation, .offset = offset, .found = true};
      }
    }
  }
  return best;
}

}  // namespace wick::redox
