// SPDX-License-Identifier: Apache-2.0
// For tests: parses protobuf's text format, which quipper's expected results have, into a tree.
//
//     events {                     a message
//       sample_event {
//         pid: 5805                a field; texts are quoted, with C's escapes
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/parse_number.h"

namespace wick::testing {

struct PbNode {
  std::string name;
  std::string value;
  std::vector<PbNode> children;

  const PbNode* child(std::string_view wanted) const {
    for (const PbNode& node : children) {
      if (node.name == wanted) {
        return &node;
      }
    }
    return nullptr;
  }
  bool has(std::string_view wanted) const { return child(wanted) != nullptr; }
  std::string_view text(std::string_view wanted) const {
    const PbNode* node = child(wanted);
    return node == nullptr ? std::string_view() : std::string_view(node->value);
  }
  uint64_t number(std::string_view wanted) const {
    return parse_number<uint64_t>(text(wanted)).value_or(0);
  }
  int32_t id(std::string_view wanted) const { return static_cast<int32_t>(number(wanted)); }
};

inline std::string unescape_c(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      continue;
    }
    char next = text[++i];
    if (next >= '0' && next <= '7') {
      int value = 0;
      for (int digits = 0; digits < 3 && i < text.size() && text[i] >= '0' && text[i] <= '7';
           ++digits, ++i) {
        value = value * 8 + (text[i] - '0');
      }
      --i;
      plain += static_cast<char>(value);
    } else {
      plain += next == 'n' ? '\n' : next == 't' ? '\t' : next == 'r' ? '\r' : next;
    }
  }
  return plain;
}

// A loop with its own stack: nothing recurses over input.
inline PbNode parse_pb_text(std::string_view text) {
  PbNode root;
  std::vector<PbNode> open;
  open.emplace_back();
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) {
      continue;
    }
    if (line == "}") {
      PbNode done = std::move(open.back());
      open.pop_back();
      CHECK(!open.empty());
      open.back().children.push_back(std::move(done));
    } else if (line.ends_with(" {")) {
      open.push_back(
          {.name = std::string(line.substr(0, line.size() - 2)), .value = {}, .children = {}});
    } else {
      size_t colon = line.find(": ");
      CHECK(colon != std::string_view::npos);
      std::string_view value = line.substr(colon + 2);
      bool quoted = value.starts_with('"');
      open.back().children.push_back(
          {.name = std::string(line.substr(0, colon)),
           .value = quoted ? unescape_c(value.substr(1, value.size() - 2)) : std::string(value),
           .children = {}});
    }
  }
  CHECK(open.size() == 1);
  return std::move(open.front());
}

}  // namespace wick::testing
