// SPDX-License-Identifier: Apache-2.0
// The reader looks at each byte once: a table says which bytes end a number or matter in a skipped
// value, and strings are scanned eight bytes at a time. A token is contiguous in memory: in a
// mapped file it is anyway, and of a stream, extend() joins the start of a token with the block
// that follows.
#include "base/json_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/parse_number.h"
#include "base/utf8.h"

namespace wick {
namespace {

constexpr uint64_t kWindowBytes = 4 << 20;

constexpr uint8_t kDigit = 1;
constexpr uint8_t kOtherOfNumber = 2;
constexpr uint8_t kBlank = 4;
constexpr uint8_t kStructure = 8;  // brackets and quotes

constexpr std::array<uint8_t, 256> byte_kinds() {
  std::array<uint8_t, 256> kinds = {};
  auto mark = [&](std::string_view bytes, uint8_t kind) {
    for (char byte : bytes) {
      kinds[static_cast<unsigned char>(byte)] |= kind;
    }
  };
  mark("0123456789", kDigit);
  mark("+-.eE", kOtherOfNumber);
  mark(" \t\n\r", kBlank);
  mark("\"[]{}", kStructure);
  return kinds;
}

constexpr std::array<uint8_t, 256> kKinds = byte_kinds();

uint8_t kind_of(char byte) {
  return kKinds[static_cast<unsigned char>(byte)];
}

constexpr uint64_t repeated(char byte) {
  return 0x0101010101010101U * static_cast<unsigned char>(byte);
}

// The high bit of each byte that is zero. Bytes above the first zero may be marked wrongly.
uint64_t zero_bytes(uint64_t word) {
  return (word - repeated(1)) & ~word & repeated('\x80');
}

const char* find_quote_or_backslash(const char* at, const char* end) {
  for (; end - at >= 8; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    uint64_t marks = zero_bytes(word ^ repeated('"')) | zero_bytes(word ^ repeated('\\'));
    if (marks != 0) {
      return at + std::countr_zero(marks) / 8;
    }
  }
  while (at < end && *at != '"' && *at != '\\') {
    ++at;
  }
  return at;
}

// Removes leading digits; false if there are none.
bool take_digits(std::string_view& text) {
  size_t count = 0;
  while (count < text.size() && (kind_of(text[count]) & kDigit) != 0) {
    ++count;
  }
  text.remove_prefix(count);
  return count > 0;
}

bool take_one_of(std::string_view& text, std::string_view bytes) {
  bool taken = !text.empty() && bytes.find(text[0]) != std::string_view::npos;
  text.remove_prefix(taken ? 1 : 0);
  return taken;
}

bool is_number(std::string_view text) {
  take_one_of(text, "-");
  bool good = take_one_of(text, "0") || take_digits(text);
  if (good && take_one_of(text, ".")) {
    good = take_digits(text);
  }
  if (good && take_one_of(text, "eE")) {
    take_one_of(text, "+-");
    good = take_digits(text);
  }
  return good && text.empty();
}

// The character of an escape of one letter; 0 if there is no such escape.
char escaped_character(char letter) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kCharacters = "\"\\/\b\f\n\r\t";
  size_t position = kLetters.find(letter);
  return position == std::string_view::npos ? '\0' : kCharacters[position];
}

// The number after "\u" at the start of `raw`.
std::optional<uint32_t> unicode_escape(std::string_view raw) {
  if (raw.size() < 6 || !raw.starts_with("\\u")) {
    return std::nullopt;
  }
  std::optional<uint64_t> code = parse_hex(raw.substr(2, 4));
  return code ? std::optional(static_cast<uint32_t>(*code)) : std::nullopt;
}

bool is_between(uint32_t code, uint32_t first, uint32_t last) {
  return code >= first && code <= last;
}

// Appends the character of the escape at the start of `raw` and returns the bytes that it takes; 0
// if it is not valid.
size_t append_unicode(std::string& out, std::string_view raw) {
  std::optional<uint32_t> code = unicode_escape(raw);
  if (!code) {
    return 0;
  }
  if (is_between(*code, 0xD800, 0xDBFF)) {
    std::optional<uint32_t> second = unicode_escape(raw.substr(6));
    if (second && is_between(*second, 0xDC00, 0xDFFF)) {
      append_utf8(out, 0x10000 + ((*code - 0xD800) << 10) + (*second - 0xDC00));
      return 12;
    }
  }
  append_utf8(out, is_between(*code, 0xD800, 0xDFFF) ? 0xFFFD : *code);
  return 6;
}

// The value of a number that was written as "1e3" or "5.0"; doubles are exact up to 2^53.
std::optional<int64_t> whole_number(std::optional<double> number) {
  constexpr double kExact = 9007199254740992.0;
  bool is_whole = number && std::abs(*number) <= kExact && std::trunc(*number) == *number;
  return is_whole ? std::optional(static_cast<int64_t>(*number)) : std::nullopt;
}

}  // namespace

JsonReader::JsonReader(Input& input) : input_(&input), file_(input.map()) {
  if (file_ != nullptr) {
    window_begin_ = at_ = end_ = as_text(file_->bytes()).data();
  }
}

JsonReader::JsonReader(std::string_view text) : ended_(true) {
  show(text);
}

std::optional<int64_t> JsonReader::parse_int64() const {
  if (token_ != JsonToken::kNumber) {
    return std::nullopt;
  }
  std::optional<int64_t> number = parse_number<int64_t>(text_);
  return number ? number : whole_number(as_double());
}

std::optional<uint64_t> JsonReader::as_uint64() const {
  if (token_ != JsonToken::kNumber) {
    return std::nullopt;
  }
  std::optional<uint64_t> number = parse_number<uint64_t>(text_);
  if (number) {
    return number;
  }
  std::optional<int64_t> whole = whole_number(as_double());
  return whole && *whole >= 0 ? std::optional(static_cast<uint64_t>(*whole)) : std::nullopt;
}

std::optional<double> JsonReader::as_double() const {
  return token_ == JsonToken::kNumber ? parse_number<double>(text_) : std::nullopt;
}

// Most numbers are whole, have few digits and end inside the window: their value is computed while
// they are scanned. False for all others.
inline bool JsonReader::read_short_number() {
  constexpr ptrdiff_t kMaxDigits = 18;  // fit into 64 bits
  const char* first = at_ + (*at_ == '-' ? 1 : 0);
  const char* last = first;
  uint64_t value = 0;
  while (last < end_ && (kind_of(*last) & kDigit) != 0 && last - first <= kMaxDigits) {
    value = value * 10 + static_cast<uint64_t>(*last++ - '0');
  }
  ptrdiff_t digits = last - first;
  if (digits == 0 || digits > kMaxDigits || last == end_ || (*first == '0' && digits > 1) ||
      (kind_of(*last) & (kDigit | kOtherOfNumber)) != 0) {
    return false;
  }
  auto whole = static_cast<int64_t>(value);
  whole_ = first == at_ ? whole : -whole;
  text_ = {at_, static_cast<size_t>(last - at_)};
  at_ = last;
  return true;
}

JsonToken JsonReader::next() {
  return token_ = token_ == JsonToken::kError ? token_ : next_or_error();
}

JsonToken JsonReader::next_or_error() {
  if (!skip_blanks()) {
    bool is_complete = depth_ == 0 && expect_ == Expect::kSeparator && input_error_.empty();
    return is_complete ? JsonToken::kEnd : cut();
  }
  if (expect_ == Expect::kSeparator) {
    if (depth_ == 0 || *at_ != ',') {
      return depth_ == 0 ? wrong("more text follows the value") : close(*at_);
    }
    ++at_;
    expect_ = in_object_ ? Expect::kKey : Expect::kItem;
    if (!in_object_ && at_ < end_ && read_short_number()) {
      return finish(JsonToken::kNumber);
    }
    if (!skip_blanks()) {
      return cut();
    }
  } else if (expect_ == Expect::kColon) {
    if (*at_ != ':') {
      return wrong("a colon is missing after a key");
    }
    ++at_;
    expect_ = Expect::kValue;
    if (!skip_blanks()) {
      return cut();
    }
  }
  char first = *at_;
  bool is_key = expect_ == Expect::kKey || expect_ == Expect::kFirstKey;
  return is_key ? read_key(first) : read_value(first);
}

JsonToken JsonReader::read_key(char first) {
  if (first == '"') {
    ++at_;
    return read_string(JsonToken::kKey);
  }
  return expect_ == Expect::kFirstKey ? close(first) : wrong("a key is missing");
}

JsonToken JsonReader::read_value(char first) {
  switch (first) {
    case '"':
      ++at_;
      return read_string(JsonToken::kString);
    case '{':
      return open(JsonToken::kBeginObject);
    case '[':
      return open(JsonToken::kBeginArray);
    case 't':
      return read_word("true", JsonToken::kTrue);
    case 'f':
      return read_word("false", JsonToken::kFalse);
    case 'n':
      return read_word("null", JsonToken::kNull);
    case 'N':
      return read_word("NaN", JsonToken::kNumber);
    case 'I':
      return read_word("Infinity", JsonToken::kNumber);
    case ']':
      return expect_ == Expect::kFirstItem ? close(first) : wrong("a value is missing");
    default:
      return read_number();
  }
}

JsonToken JsonReader::open(JsonToken bracket) {
  if (depth_ == kMaxDepth) {
    return wrong("it is nested too deeply");
  }
  ++at_;
  bool is_object = bracket == JsonToken::kBeginObject;
  if (depth_ % 64 == 0 && depth_ / 64 == objects_.size()) {
    objects_.push_back(0);
  }
  uint64_t bit = uint64_t{1} << (depth_ % 64);
  uint64_t& bits = objects_[depth_ / 64];
  bits = is_object ? bits | bit : bits & ~bit;
  ++depth_;
  in_object_ = is_object;
  expect_ = is_object ? Expect::kFirstKey : Expect::kFirstItem;
  return bracket;
}

JsonToken JsonReader::close(char bracket) {
  bool is_object = in_object_;
  if (bracket != (is_object ? '}' : ']')) {
    return wrong(is_object ? "a comma or a brace is missing" : "a comma or a bracket is missing");
  }
  ++at_;
  --depth_;
  in_object_ = depth_ > 0 && ((objects_[(depth_ - 1) / 64] >> ((depth_ - 1) % 64)) & 1) != 0;
  return finish(is_object ? JsonToken::kEndObject : JsonToken::kEndArray);
}

JsonToken JsonReader::read_string(JsonToken token) {
  size_t length = 0;
  bool is_escaped = false;
  for (;;) {
    const char* stop = find_quote_or_backslash(at_ + length, end_);
    length = static_cast<size_t>(stop - at_);
    if (end_ - stop >= 2 && *stop == '\\') {
      is_escaped = true;
      length += 2;
      continue;
    }
    if (stop != end_ && *stop == '"') {
      break;
    }
    if (skipping_) {
      at_ += length;
      length = 0;
    }
    if (!extend()) {
      return cut();
    }
  }
  text_ = {at_, length};
  at_ += length + 1;
  return is_escaped && !skipping_ ? unescape(text_, token) : finish(token);
}

JsonToken JsonReader::unescape(std::string_view raw, JsonToken token) {
  unescaped_.clear();
  while (!raw.empty()) {
    size_t plain = std::min(raw.find('\\'), raw.size());
    unescaped_ += raw.substr(0, plain);
    raw.remove_prefix(plain);
    if (raw.empty()) {
      break;
    }
    char letter = escaped_character(raw[1]);
    size_t taken = letter != '\0' ? 2 : append_unicode(unescaped_, raw);
    if (taken == 0) {
      at_ = raw.data();
      return wrong("a string contains an unknown escape");
    }
    if (letter != '\0') {
      unescaped_ += letter;
    }
    raw.remove_prefix(taken);
  }
  text_ = unescaped_;
  return finish(token);
}

JsonToken JsonReader::read_number() {
  if (read_short_number()) {
    return finish(JsonToken::kNumber);
  }
  whole_.reset();
  size_t length = 0;
  do {
    while (at_ + length < end_ && (kind_of(at_[length]) & (kDigit | kOtherOfNumber)) != 0) {
      ++length;
    }
  } while (at_ + length == end_ && extend());
  text_ = {at_, length};
  bool is_good = is_number(text_);
  // A number in a list may lack digits if nothing follows it.
  if (at_ + length == end_ && (depth_ > 0 || !is_good || !input_error_.empty())) {
    return length > 0 ? cut() : wrong("this does not start a value");
  }
  if (text_ == "-" && at_[1] == 'I') {
    return read_word("-Infinity", JsonToken::kNumber);
  }
  if (!is_good) {
    return wrong(length > 0 ? "this is not a number" : "this does not start a value");
  }
  at_ += length;
  return finish(JsonToken::kNumber);
}

JsonToken JsonReader::read_word(std::string_view word, JsonToken token) {
  while (static_cast<size_t>(end_ - at_) < word.size() && extend()) {
  }
  std::string_view seen(at_, std::min(word.size(), static_cast<size_t>(end_ - at_)));
  if (!word.starts_with(seen)) {
    return wrong("this does not start a value");
  }
  if (seen.size() < word.size()) {
    return cut();
  }
  text_ = seen;
  whole_.reset();
  at_ += word.size();
  return finish(token);
}

void JsonReader::skip() {
  skipping_ = true;
  if (token_ == JsonToken::kKey) {
    next();
  }
  if (token_ == JsonToken::kBeginObject || token_ == JsonToken::kBeginArray) {
    token_ = skip_to_depth(depth_ - 1);
  }
  skipping_ = false;
}

JsonToken JsonReader::skip_to_depth(size_t depth) {
  JsonToken last = JsonToken::kNull;
  while (last != JsonToken::kError && depth_ > depth) {
    while (at_ < end_ && (kind_of(*at_) & kStructure) == 0) {
      ++at_;
    }
    if (at_ == end_) {
      last = extend() ? last : cut();
    } else if (*at_ == '"') {
      ++at_;
      last = read_string(JsonToken::kString);
    } else if (*at_ == '{' || *at_ == '[') {
      last = open(*at_ == '{' ? JsonToken::kBeginObject : JsonToken::kBeginArray);
    } else {
      last = close(*at_);
    }
  }
  return last;
}

bool JsonReader::pass_blanks() {
  for (;;) {
    while (at_ < end_ && (kind_of(*at_) & kBlank) != 0) {
      ++at_;
    }
    if (at_ < end_ || !extend()) {
      return at_ < end_;
    }
  }
}

bool JsonReader::extend() {
  if (ended_) {
    return false;
  }
  if (static_cast<size_t>(end_ - at_) > kMaxTextBytes) {
    wrong("a text is longer than 64 MiB");
    return false;
  }
  return file_ != nullptr ? extend_in_file() : extend_from_blocks();
}

bool JsonReader::extend_in_file() {
  std::string_view all = as_text(file_->bytes());
  uint64_t passed = offset();
  uint64_t shown = static_cast<uint64_t>(end_ - window_begin_);
  file_->forget(forgotten_, passed);
  forgotten_ = passed;
  input_->report_progress(passed);
  uint64_t end = std::min<uint64_t>(all.size(), shown + kWindowBytes);
  end_ = all.data() + end;
  ended_ = end == shown;
  if (ended_ && file_->changed()) {
    input_error_ = "The file became shorter while it was read.";
  }
  return !ended_;
}

bool JsonReader::extend_from_blocks() {
  size_t rest = static_cast<size_t>(end_ - at_);
  uint64_t rest_offset = offset();
  bool is_carried = window_begin_ == carried_.data() && !carried_.empty();
  if (rest == 0) {
    carried_.clear();
  } else if (is_carried) {
    carried_.erase(0, static_cast<size_t>(at_ - window_begin_));
  } else {
    carried_.assign(at_, rest);
  }
  Result<Bytes> block = input_ != nullptr ? input_->next() : source_->next();
  if (!block) {
    input_error_ = block.error().message;
  }
  ended_ = !block || block->empty();
  std::string_view bytes = ended_ ? std::string_view() : as_text(*block);
  if (rest > 0) {
    carried_ += bytes;
  }
  show(rest > 0 ? carried_ : bytes);
  window_offset_ = rest_offset;
  return !ended_;
}

void JsonReader::show(std::string_view window) {
  window_begin_ = at_ = window.data();
  end_ = window_begin_ + window.size();
}

JsonToken JsonReader::cut() {
  if (error_.empty()) {
    is_cut_ = true;
    uint64_t end = window_offset_ + static_cast<uint64_t>(end_ - window_begin_);
    error_ = input_error_.empty() ? fmt::format("The JSON ends too early, at byte {}.", end)
                                  : input_error_;
  }
  return token_ = JsonToken::kError;
}

JsonToken JsonReader::wrong(std::string_view reason) {
  if (error_.empty()) {
    error_ = fmt::format("This is not valid JSON from byte {} on: {}.", offset(), reason);
  }
  return token_ = JsonToken::kError;
}

}  // namespace wick
