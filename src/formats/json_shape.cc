// SPDX-License-Identifier: Apache-2.0
#include "formats/json_shape.h"

#include <algorithm>

namespace wick {
namespace {

constexpr size_t kMaxDepth = 5;
constexpr size_t kMaxItems = 8;  // of a list
constexpr size_t kMaxEntries = 512;
constexpr size_t kMaxText = 256;

// An open object or list while the text is read.
struct Level {
  size_t path_size;  // of the path that leads to it
  size_t items = 0;
};

bool begins_like_json(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

JsonShape::JsonShape(Bytes head) {
  if (!begins_like_json(as_text(head))) {
    return;
  }
  JsonReader json(as_text(head));
  std::string path;
  std::vector<Level> levels;
  while (json.next() < JsonToken::kEnd && entries_.size() < kMaxEntries) {
    if (json.is(JsonToken::kEndObject) || json.is(JsonToken::kEndArray)) {
      levels.pop_back();
      continue;
    }
    if (!levels.empty()) {
      Level& level = levels.back();
      path.resize(level.path_size);
      if (json.is(JsonToken::kKey)) {
        path += path.empty() ? "" : ".";
        path += json.text().substr(0, kMaxText);
        json.next();
      } else if (++level.items > kMaxItems) {
        json.skip();
        continue;
      }
    }
    add(path, json);
    bool is_list = json.is(JsonToken::kBeginArray);
    if (is_list || json.is(JsonToken::kBeginObject)) {
      if (levels.size() == kMaxDepth) {
        json.skip();
        continue;
      }
      path += is_list ? "[]" : "";
      levels.push_back({.path_size = path.size()});
    }
  }
}

const JsonShape::Entry* JsonShape::find(std::string_view path) const {
  auto found = std::ranges::find(entries_, path, &Entry::path);
  return found == entries_.end() ? nullptr : &*found;
}

void JsonShape::add(std::string_view path, const JsonReader& json) {
  if (json.failed() || has(path)) {
    return;
  }
  bool has_text = json.is(JsonToken::kString) || json.is(JsonToken::kNumber);
  entries_.push_back({.path = std::string(path),
                      .kind = json.token(),
                      .text = std::string(has_text ? json.text().substr(0, kMaxText) : "")});
}

}  // namespace wick
