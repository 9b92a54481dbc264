// SPDX-License-Identifier: Apache-2.0
// The shape of a JSON text, from its first bytes: formats recognise their files by it, whatever the
// name of the file.
//
//     JsonShape shape(head);
//     shape.has("nodes[].callFrame")      an object with a list "nodes" of objects with "callFrame"
//     shape.has("[].ph")                  a list of objects with "ph"
//     shape.text("$schema")               the value of a string
//
// The head is a part of the file: a key after a long value may be missing. So a format tests the
// keys inside its large lists, too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/json_reader.h"

namespace wick {

class JsonShape {
 public:
  explicit JsonShape(Bytes head);

  // Whether the text begins like JSON and contains at least one value.
  bool is_json() const { return !entries_.empty(); }
  bool has(std::string_view path) const { return find(path) != nullptr; }
  // Whether the first value at this path is of this kind.
  bool has(std::string_view path, JsonToken kind) const {
    const Entry* entry = find(path);
    return entry != nullptr && entry->kind == kind;
  }
  // The value of a string or number at this path; empty if there is none.
  std::string_view text(std::string_view path) const {
    const Entry* entry = find(path);
    return entry != nullptr ? std::string_view(entry->text) : std::string_view();
  }

 private:
  struct Entry {
    std::string path;
    JsonToken kind;
    std::string text;
  };
  const Entry* find(std::string_view path) const;
  void add(std::string_view path, const JsonReader& json);

  std::vector<Entry> entries_;
};

}  // namespace wick
