// SPDX-License-Identifier: Apache-2.0
// Reads JSON from other programs into a tree of values.
//
// Nothing recurses over it: the reader is iterative and rejects nesting deeper than kMaxJsonDepth,
// so that the tree can be walked and freed on any stack. Numbers are doubles. If an object has a
// key twice, the last one counts, as in other readers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wick {

inline constexpr size_t kMaxJsonDepth = 100;

struct Json {
  enum class Kind : uint8_t { kNull, kBoolean, kNumber, kText, kArray, kObject };

  Kind kind = Kind::kNull;
  bool truth = false;
  double number = 0;
  std::string text = {};
  std::vector<Json> items = {};        // elements of an array, values of an object
  std::vector<std::string> keys = {};  // keys of an object, one for each item

  bool is(Kind wanted) const { return kind == wanted; }
  // The member with that name; null if there is none, or if this is not an object.
  const Json* find(std::string_view key) const;
  // "read.p99", "tasks.0.name": names of members and indexes of elements, separated by dots.
  const Json* at(std::string_view path) const;

  // The member as a value of the expected type; the fallback if it has another type.
  double number_at(std::string_view key, double fallback) const;
  std::string_view text_at(std::string_view key) const;
};

// The Error gives the byte offset at which the text is not JSON.
Result<Json> parse_json(std::string_view text);

}  // namespace wick
