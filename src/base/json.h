// JSON that others wrote, read into a tree of values.
//
// Nothing recurses over it: the reader is iterative, and deeper nesting than kMostJsonDepth is
// refused, so that the tree can be walked and freed on any stack. Numbers are doubles; of equal
// keys in an object the last counts, as everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wick {

inline constexpr size_t kMostJsonDepth = 100;

struct Json {
  enum class Kind : uint8_t { kNull, kBoolean, kNumber, kText, kArray, kObject };

  Kind kind = Kind::kNull;
  bool truth = false;
  double number = 0;
  std::string text = {};
  std::vector<Json> items = {};        // of an array or an object
  std::vector<std::string> keys = {};  // of an object, one for each item

  bool is(Kind wanted) const { return kind == wanted; }
  // The member of that name; null when there is none, or this is no object.
  const Json* find(std::string_view key) const;
  // "read.p99", "tasks.0.name": members and positions, one after the other.
  const Json* at(std::string_view path) const;

  // Members as what they are expected to be; the fallback where they are not.
  double number_at(std::string_view key, double fallback) const;
  std::string_view text_at(std::string_view key) const;
};

// An Error says where (a byte offset) it is no JSON.
Result<Json> parse_json(std::string_view text);

}  // namespace wick
