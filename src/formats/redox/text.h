// SPDX-License-Identifier: Apache-2.0
// Parses the daemon's text into records, line by line, by a description of its fields or by
// guessing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "formats/redox/record.h"

namespace wick::redox {

enum class FieldKind : uint8_t {
  kCpu,
  kTsc,
  kTime,
  kContext,
  kName,
  kAddress,
  kAddresses,
  kIgnored
};
enum class NumberBase : uint8_t { kAuto, kDecimal, kHexadecimal };

struct Field {
  FieldKind kind = FieldKind::kIgnored;
  NumberBase base = NumberBase::kAuto;
};

struct FieldSpec {
  std::vector<Field> first;    // of the line that starts a sample
  std::vector<Field> further;  // of each line after it, up to a blank one; empty: one line a sample
  bool guessed() const { return first.empty(); }
};
Result<FieldSpec> parse_fields(std::string_view text);

struct TextAccount {
  uint64_t lines = 0;
  uint64_t records = 0;
  uint64_t bad_lines = 0;
  uint64_t lost_records = 0;  // without an address
  size_t most_addresses = 0;  // of one record
  std::string first_problem;
};

class TextParser {
 public:
  // `head` shows whether time stamps are hexadecimal.
  TextParser(FieldSpec spec, std::string_view head);

  // Parses the next line. True if a record was completed before it (or by it); record() returns it
  // until the next call.
  bool take(std::string_view line, uint64_t number);
  bool finish();

  const Record& record() const { return done_; }
  const TextAccount& account() const { return account_; }

 private:
  struct Sample {
    Record record;
    std::string name;
    std::vector<uint64_t> addresses;
    bool started = false;
  };

  bool take_by_spec(std::string_view line, uint64_t number);
  bool take_by_guess(std::string_view line, uint64_t number);
  bool ends_current(const Sample& found, bool indented) const;
  static bool apply_field(const Field& field, std::string_view token, Sample& into);
  static bool add_address(std::optional<uint64_t> address, Sample& into);
  static bool apply(const std::vector<Field>& fields, std::string_view line, Sample& into);
  // Makes the collected sample the current record; false if there is nothing to deliver.
  bool deliver();
  void bad_line(uint64_t number, std::string_view problem);

  FieldSpec spec_;
  NumberBase tsc_base_ = NumberBase::kDecimal;
  Sample current_;
  Sample delivered_;
  Record done_;
  TextAccount account_;
};

// Whether the first lines look like such text. Strict, because other formats have addresses, too:
// requires lines of numbers only, with kernel addresses and increasing time stamps.
bool looks_like_text(std::string_view head);

}  // namespace wick::redox
