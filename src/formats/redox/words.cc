// SPDX-License-Identifier: Apache-2.0
// Each call of next() consumes one record, one lost record, or bytes to skip, so every byte is
// counted exactly once in account_. It needs kLookAhead bytes (or the end of the input), because a
// record is accepted only if the next one begins where it ends.
//
//   first generation    next_first: after a good record (in_step_) a marked RIP is enough;
//                       otherwise is_first_start must find evidence after it. resolve_first decides
//                       how many words belong to it.
//   second generation   next_second: the header has the length. If all words fit and another header
//                       follows, the record is good; else resolve_damaged retains its trustworthy
//                       part.
//
// Invariant: nothing is made up. A record that may contain shifted words is truncated or lost,
// never delivered with doubtful addresses. last_tsc_ is that of the last delivered record, and all
// checks of a TSC depend on it.
#include "formats/redox/words.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace wick::redox {
namespace {

constexpr size_t kWord = sizeof(uint64_t);
// A record, the next one, and the lost bytes between them.
constexpr size_t kLookAhead = 4 * kMaxWords * kWord;
constexpr size_t kNowhere = SIZE_MAX;
// Shorter than any record, even one that lost some bytes. So few bytes between two headers belong
// to the first record or are garbage; they cannot be a record that lost its header.
constexpr size_t kShortGap = 3 * kWord;
constexpr uint64_t kUnlikelyText = 0xFFFF'FFFF'FF00'0000;

bool has_word(Bytes bytes, size_t at) {
  return at + kWord <= bytes.size();
}

uint64_t word_at(Bytes bytes, size_t at) {
  uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, kWord);
  return word;
}

bool is_likely_text(uint64_t word) {
  return is_kernel_text(word) && word < kUnlikelyText;
}

bool is_likely_address(uint64_t word) {
  return is_user_address(word) || is_likely_text(word);
}

// Whether the word may be at that position of a record of the second generation.
template <typename IsAddress>
bool fits_second(uint64_t word, size_t position, IsAddress is_address_there) {
  if (header_length(word) > 0) {
    return false;
  }
  return position == 2   ? word < kTopBit
         : position == 3 ? word <= UINT32_MAX
                         : is_address_there(word);
}

template <typename IsAddress>
size_t fitting_words(Bytes bytes, size_t most, IsAddress is_address_there) {
  size_t words = 1;
  while (words < most && has_word(bytes, words * kWord) &&
         fits_second(word_at(bytes, words * kWord), words, is_address_there)) {
    ++words;
  }
  return words;
}

// The TSC of the record with this header; kNoTsc if it is not known.
uint64_t tsc_of_header(Bytes bytes, size_t header) {
  bool known = header != kNowhere && has_word(bytes, header + 2 * kWord);
  return known ? word_at(bytes, header + 2 * kWord) : kNoTsc;
}

size_t find_header(Bytes bytes, size_t from, size_t to) {
  for (size_t at = from; at < to && has_word(bytes, at); ++at) {
    if (header_length(word_at(bytes, at)) > 0) {
      return at;
    }
  }
  return kNowhere;
}

// The number of words of a record of the first generation that starts there: up to the first word
// that is not an address.
size_t first_words(Bytes bytes, size_t at) {
  size_t words = 2;
  while (words < kMaxWords && has_word(bytes, at + words * kWord) &&
         is_kernel_text(word_at(bytes, at + words * kWord))) {
    ++words;
  }
  return words;
}

bool is_first_tsc(uint64_t word) {
  return word < kTopBit && !is_marked_rip(word);
}

}  // namespace

bool RingParser::is_later(uint64_t tsc) const {
  return last_tsc_ != kNoTsc && tsc >= last_tsc_ && tsc - last_tsc_ < kWildStep;
}

bool RingParser::is_between(uint64_t tsc, uint64_t next_tsc) const {
  return (last_tsc_ == kNoTsc || is_later(tsc)) && (next_tsc == kNoTsc || tsc <= next_tsc);
}

RingParser::Step RingParser::lose(size_t bytes) {
  ++account_.lost_records;
  account_.bytes += bytes;
  in_step_ = false;
  return {.taken = bytes};
}

RingParser::Step RingParser::deliver(Bytes bytes, size_t words, size_t taken, bool cut) {
  bool first = generation_ == Generation::kFirst;
  size_t begin = first ? 2 : 4;
  addresses_[0] = first ? word_at(bytes, 0) | kTopBit : word_at(bytes, kWord);
  for (size_t i = begin; i < words; ++i) {
    addresses_[i - begin + 1] = word_at(bytes, i * kWord);
  }
  record_ = {.tsc = word_at(bytes, (first ? 1 : 2) * kWord),
             .context = first ? kNoContext : static_cast<uint32_t>(word_at(bytes, 3 * kWord)),
             .context_name = {},
             .addresses = std::span(addresses_).first(words - begin + 1),
             .cut = cut,
             .too_deep = words == kMaxWords};
  ++account_.records;
  account_.cut_records += cut ? 1U : 0U;
  account_.bytes += taken;
  last_tsc_ = record_.tsc;
  return {.taken = taken, .delivered = true};
}

template <typename IsStart>
RingParser::Step RingParser::skip_to(Bytes bytes, bool last, IsStart is_start) {
  size_t end = last ? bytes.size() : bytes.size() - kLookAhead + 1;
  size_t at = 1;
  while (at < end && !is_start(at)) {
    ++at;
  }
  account_.bytes += at;
  account_.skipped_bytes += at;
  in_step_ = false;
  may_be_damaged_ = account_.records > 0 && at < end && !is_separate(bytes, at);
  return {.taken = at};
}

// ---- First generation ---------------------------------------------------------------------------

bool RingParser::is_first_start(Bytes bytes, size_t at, bool last) const {
  if (!has_word(bytes, at + kWord)) {
    return false;
  }
  uint64_t rip = word_at(bytes, at);
  uint64_t tsc = word_at(bytes, at + kWord);
  if (!is_marked_rip(rip) || !is_likely_text(rip | kTopBit) || !is_first_tsc(tsc)) {
    return false;
  }
  size_t next = at + first_words(bytes, at) * kWord;
  if (!has_word(bytes, next)) {
    return last && (last_tsc_ == kNoTsc || is_later(tsc));
  }
  bool ends_well = is_marked_rip(word_at(bytes, next)) && has_word(bytes, next + kWord);
  uint64_t next_tsc = ends_well ? word_at(bytes, next + kWord) : kNoTsc;
  return is_later(tsc) || (ends_well && next_tsc >= tsc && next_tsc - tsc < kWildStep);
}

bool RingParser::is_separate(Bytes bytes, size_t at) const {
  if (at % kWord == 0 || generation_ == Generation::kSecond) {
    return true;
  }
  uint64_t before = at >= kWord ? word_at(bytes, at - kWord) : 0;
  return is_likely_text(before) || (is_later(before) && before <= word_at(bytes, at + kWord));
}

// The TSC of the first record that starts at `from` or after it; kNoTsc if none is near.
uint64_t RingParser::tsc_after(Bytes bytes, size_t from, bool last) const {
  for (size_t at = from; at < from + kLookAhead / 2 && has_word(bytes, at + kWord); ++at) {
    if (is_first_start(bytes, at, last)) {
      return word_at(bytes, at + kWord);
    }
  }
  return kNoTsc;
}

RingParser::Step RingParser::next_first(Bytes bytes, bool last) {
  bool starts = has_word(bytes, 0) &&
                (in_step_ ? is_marked_rip(word_at(bytes, 0)) : is_first_start(bytes, 0, last));
  if (!starts) {
    return skip_to(bytes, last, [&](size_t at) { return is_first_start(bytes, at, last); });
  }
  if (!has_word(bytes, kWord) || !is_first_tsc(word_at(bytes, kWord))) {
    return lose(std::min(bytes.size(), kWord));
  }
  return resolve_first(bytes, last);
}

// Decides about a record that has a RIP and a TSC.
RingParser::Step RingParser::resolve_first(Bytes bytes, bool last) {
  size_t words = first_words(bytes, 0);
  size_t end = words * kWord;
  bool at_end = !has_word(bytes, end);
  bool ends_well = at_end || is_marked_rip(word_at(bytes, end));
  if (std::exchange(may_be_damaged_, false)) {
    Step step = lose(end);
    in_step_ = ends_well;
    return step;
  }
  in_step_ = ends_well;
  if (ends_well) {
    return deliver(bytes, words, end, false);
  }
  while (words > 2 && !is_likely_text(word_at(bytes, (words - 1) * kWord))) {
    --words;
  }
  end = words * kWord;
  uint64_t tsc = word_at(bytes, kWord);
  return is_between(tsc, tsc_after(bytes, end, last)) ? deliver(bytes, words, end, true)
                                                      : lose(words > 2 ? end : kWord);
}

// ---- Second generation --------------------------------------------------------------------------

// Decides about a record that is not followed directly by another one. `next_header` is the
// position of the next one, if it is near.
RingParser::Step RingParser::resolve_damaged(Bytes bytes,
                                             bool last,
                                             size_t length,
                                             size_t next_header) {
  size_t room = std::min(length, next_header / kWord);
  size_t words = fitting_words(bytes, room, is_likely_address);
  bool at_end = next_header == kNowhere && last && !has_word(bytes, words * kWord);
  bool by_words = at_end || (next_header != kNowhere && next_header % kWord == 0);
  size_t taken = next_header != kNowhere ? next_header : at_end ? bytes.size() : words * kWord;
  if (!by_words) {
    size_t believed = 4;
    while (believed < words && is_likely_text(word_at(bytes, believed * kWord))) {
      ++believed;
    }
    words = believed > 4 ? std::min(words, believed) : 0;  // else the first words are not trusted
  }
  if (words < 4 ||
      (!at_end && !is_between(word_at(bytes, 2 * kWord), tsc_of_header(bytes, next_header)))) {
    return lose(taken);
  }
  return deliver(bytes, words, taken, true);
}

RingParser::Step RingParser::next_second(Bytes bytes, bool last) {
  size_t length = has_word(bytes, 0) ? header_length(word_at(bytes, 0)) : 0;
  if (length == 0) {
    return skip_to(bytes, last, [&](size_t at) {
      return has_word(bytes, at) && header_length(word_at(bytes, at)) > 0;
    });
  }
  size_t end = length * kWord;
  bool fits = fitting_words(bytes, length, is_address) == length;
  bool followed = has_word(bytes, end) ? header_length(word_at(bytes, end)) > 0 : last;
  if (fits && followed) {
    return deliver(bytes, length, end, false);
  }
  size_t next_header = find_header(bytes, kWord, end + kShortGap);
  fits = fitting_words(bytes, length, is_likely_address) == length &&
         is_between(word_at(bytes, 2 * kWord), tsc_of_header(bytes, next_header));
  if (fits && (next_header == kNowhere || next_header >= end + kWord)) {
    bool doubtful = length > 4 && is_user_address(word_at(bytes, end - kWord));
    return deliver(bytes, length - (doubtful ? 1 : 0), end, doubtful);
  }
  // A few extra bytes: they are garbage after the record, unless they could end with its last word.
  if (fits && next_header > end &&
      !fits_second(word_at(bytes, next_header - kWord), length - 1, is_likely_address)) {
    return deliver(bytes, length, end, false);
  }
  return resolve_damaged(bytes, last, length, next_header);
}

RingParser::Step RingParser::next(Bytes bytes, bool last) {
  if (bytes.empty() || (!last && bytes.size() < kLookAhead)) {
    return {};
  }
  return generation_ == Generation::kFirst ? next_first(bytes, last) : next_second(bytes, last);
}

RingSight look_for_rings(Bytes head) {
  RingSight best;
  uint64_t most = 0;
  for (Generation generation : {Generation::kFirst, Generation::kSecond}) {
    RingParser parser(generation);
    for (Bytes rest = head; !rest.empty();) {
      rest = rest.subspan(parser.next(rest, true).taken);
    }
    const RingAccount& account = parser.account();
    uint64_t known = account.bytes - account.skipped_bytes;
    bool convincing =
        account.records > 0 && known * 2 >= account.bytes && account.records > account.lost_records;
    if (convincing && known > most) {
      most = known;
      best = {.generation = generation, .found = true};
    }
  }
  return best;
}

}  // namespace wick::redox
