// SPDX-License-Identifier: Apache-2.0
// A TOML text as a tree of values with their lines. Members are in the order of the text. (The
// library sorts them; only one file includes it.)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wick {

struct TomlValue {
  enum class Kind : uint8_t { kText, kInteger, kNumber, kBoolean, kArray, kTable, kOther };

  Kind kind = Kind::kOther;
  int line = 0;
  bool truth = false;
  int64_t integer = 0;
  double number = 0;  // of an integer, too
  std::string text = {};
  std::vector<TomlValue> items = {};   // of an array or a table
  std::vector<std::string> keys = {};  // of a table, one for each item

  bool is(Kind wanted) const { return kind == wanted; }
  bool is_number() const { return kind == Kind::kInteger || kind == Kind::kNumber; }
  bool is_scalar() const { return is(Kind::kText) || is_number() || is(Kind::kBoolean); }
  const TomlValue* find(std::string_view key) const;
  // A scalar, as it would be written in a command line.
  std::string plain_text() const;
};

// An Error begins with "path:line: ".
Result<TomlValue> parse_toml(const std::string& path, std::string_view text);

}  // namespace wick
