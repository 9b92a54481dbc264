// SPDX-License-Identifier: Apache-2.0
// Reads JSON of any size from another program, one token at a time.
//
// The caller asks for the next token (a pull reader), so the code of a format has the shape of its
// data. Memory does not depend on the size of the input, nothing recurses, and an open bracket
// costs one bit.
//
//     JsonReader json(input);
//     if (json.next() != JsonToken::kBeginObject) { return fail("..."); }
//     while (json.next_key()) {
//       if (json.text() == "names" && json.next() == JsonToken::kBeginArray) {
//         while (json.next_item()) {
//           json.is(JsonToken::kString) ? names.emplace_back(json.text()) : json.skip();
//         }
//       } else {
//         json.skip();  // an unknown key, or a value of another type
//       }
//     }
//     if (json.failed()) { ... }  // json.is_cut(): what was read before is good
//
// Every value is read to its end or skipped, then the next call is at the next one. After an error
// every call returns kError, and next_key() and next_item() return false: loops end.
//
// Beyond the standard it accepts what profilers write: NaN and Infinity (numbers without a value),
// control characters and invalid UTF-8 in strings (unchanged), and a surrogate without its partner
// (U+FFFD). In skipped values it checks brackets and strings only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/input.h"

namespace wick {

enum class JsonToken : uint8_t {
  kBeginObject,
  kEndObject,
  kBeginArray,
  kEndArray,
  kKey,
  kString,
  kNumber,
  kTrue,
  kFalse,
  kNull,
  kEnd,  // of the input, after one whole value
  kError,
};

class JsonReader {
 public:
  static constexpr size_t kMaxDepth = size_t{1} << 22;
  static constexpr size_t kMaxTextBytes = size_t{64} << 20;

  // These must outlive the reader. A plain file is mapped, and strings borrow its bytes.
  explicit JsonReader(Input& input);
  explicit JsonReader(ByteSource& source) : source_(&source) {}
  explicit JsonReader(std::string_view text);

  JsonToken next();
  JsonToken token() const { return token_; }
  bool is(JsonToken token) const { return token_ == token; }

  // The next key of the object; false at its end.
  bool next_key() { return next() == JsonToken::kKey; }
  // The first token of the next item of the array; false at its end.
  bool next_item() {
    JsonToken token = next();
    return token != JsonToken::kEndArray && token < JsonToken::kEnd;
  }
  // To the end of the value that the current token begins; after a key, to the end of its value.
  void skip();

  // The text of a key, string (unescaped) or number (as written), borrowed until the next call.
  std::string_view text() const { return text_; }
  // The number exactly; nothing if it has a fraction, does not fit, or the token is not a number.
  std::optional<int64_t> as_int64() const {
    return token_ == JsonToken::kNumber && whole_ ? whole_ : parse_int64();
  }
  std::optional<uint64_t> as_uint64() const;
  // Nothing if it is not finite.
  std::optional<double> as_double() const;

  // Reads one value: its number or text; nothing, after skipping it, if it has another type.
  std::optional<int64_t> read_int64() { return next(), skip(), as_int64(); }
  std::optional<double> read_double() { return next(), skip(), as_double(); }
  std::optional<std::string_view> read_text() {
    next();
    skip();
    return is(JsonToken::kString) ? std::optional(text_) : std::nullopt;
  }

  bool failed() const { return token_ == JsonToken::kError; }
  // The input ended too early (or could not be read further), but was JSON until then.
  bool is_cut() const { return is_cut_; }
  // A sentence with the byte offset.
  const std::string& error() const { return error_; }
  // Of the next byte to read, from the start of the (unpacked) input.
  uint64_t offset() const { return window_offset_ + static_cast<uint64_t>(at_ - window_begin_); }
  // Open objects and arrays.
  size_t depth() const { return depth_; }

 private:
  enum class Expect : uint8_t { kValue, kFirstItem, kItem, kFirstKey, kKey, kColon, kSeparator };

  JsonToken next_or_error();
  JsonToken read_value(char first);
  JsonToken read_key(char first);
  JsonToken read_string(JsonToken token);
  bool read_short_number();
  JsonToken read_number();
  JsonToken read_word(std::string_view word, JsonToken token);
  JsonToken unescape(std::string_view raw, JsonToken token);
  JsonToken open(JsonToken bracket);
  JsonToken close(char bracket);
  JsonToken finish(JsonToken token) {
    expect_ = token == JsonToken::kKey ? Expect::kColon : Expect::kSeparator;
    return token;
  }
  JsonToken cut();
  JsonToken wrong(std::string_view reason);

  bool skip_blanks() { return (at_ < end_ && *at_ > ' ') || pass_blanks(); }
  bool pass_blanks();
  std::optional<int64_t> parse_int64() const;
  JsonToken skip_to_depth(size_t depth);
  // Brings more bytes after end_ into memory and retains those from at_ on. False at the end.
  bool extend();
  bool extend_in_file();
  bool extend_from_blocks();
  void show(std::string_view window);

  Input* input_ = nullptr;
  ByteSource* source_ = nullptr;
  const MappedFile* file_ = nullptr;

  // The bytes in memory are [window_begin_, end_); the reader has passed those before at_.
  const char* window_begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  uint64_t window_offset_ = 0;  // of window_begin_ in the input
  uint64_t forgotten_ = 0;      // bytes of the mapped file that were given back
  std::string carried_;         // a token that crosses blocks, and the block that follows it
  bool ended_ = false;

  std::vector<uint64_t> objects_;  // a bit for each open bracket: is it an object
  size_t depth_ = 0;
  bool in_object_ = false;  // whether the innermost one is an object
  Expect expect_ = Expect::kValue;
  bool skipping_ = false;  // texts are passed, not retained

  JsonToken token_ = JsonToken::kEnd;
  std::string_view text_;
  std::optional<int64_t> whole_;  // the value of a short whole number
  std::string unescaped_;
  bool is_cut_ = false;
  std::string error_;
  std::string input_error_;  // why the input gives no more bytes
};

}  // namespace wick
