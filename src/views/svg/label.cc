// SPDX-License-Identifier: Apache-2.0
#include "views/svg/label.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"
#include "views/names.h"
#include "views/numbers.h"

namespace wick {
namespace {

// A picture never contains longer names: a hostile name of a megabyte in ten thousand frames would
// make a picture of ten gigabytes.
constexpr size_t kLongestName = 4096;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

// Length of an operator's name at the start of `text` ("operator<<" in "operator<<(int)"); 0 if
// there is none.
size_t operator_name(std::string_view text) {
  constexpr std::string_view kWord = "operator";
  constexpr std::string_view kSigns = "<>=!+-*/%^&|~,";
  if (!text.starts_with(kWord)) {
    return 0;
  }
  std::string_view rest = text.substr(kWord.size());
  if (rest.starts_with("()") || rest.starts_with("[]")) {
    return kWord.size() + 2;
  }
  size_t signs = std::min(rest.find_first_not_of(kSigns), rest.size());
  if (signs > 2 && rest[2] != '=') {
    signs = 2;
  }
  return kWord.size() + std::min<size_t>(signs, 3);
}

bool opens_group(char c) {
  return c == '<' || c == '(';
}

// The '>' of an arrow does not close a group.
bool closes_group(std::string_view name, size_t at) {
  return name[at] == ')' || (name[at] == '>' && at > 0 && name[at - 1] != '-');
}

// Removes template arguments and parameter lists: groups in < > and ( ) that follow a word.
std::string without_arguments(std::string_view name) {
  std::string out;
  size_t depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    bool opens = opens_group(c);
    if (depth > 0) {
      depth += opens ? 1 : 0;
      depth -= closes_group(name, i) ? 1U : 0U;
    } else if (size_t taken = operator_name(name.substr(i));
               taken > 0 && (i == 0 || !is_word(name[i - 1]))) {
      out += name.substr(i, taken);
      i += taken - 1;
      std::string_view rest = name.substr(i + 1);
      if (rest.starts_with('(') || rest.starts_with('<') || rest.starts_with(" <")) {
        depth = 1;
        i += rest.starts_with(' ') ? 2U : 1U;
      }
    } else if (opens && i > 0 && (is_word(name[i - 1]) || name[i - 1] == '>')) {
      depth = 1;
    } else {
      out += c;
    }
  }
  if (depth > 0) {
    return std::string(name);  // not balanced, so not a C++ name
  }
  if (out.ends_with(" const")) {
    out.resize(out.size() - 6);
  }
  return out;
}

// Where the components of a name begin, except the first: after :: and / outside of brackets.
std::vector<size_t> component_starts(std::string_view name) {
  std::vector<size_t> starts;
  int depth = 0;
  for (size_t i = 0; i + 1 < name.size(); ++i) {
    char c = name[i];
    if (opens_group(c) || c == '{') {
      ++depth;
    } else if (closes_group(name, i) || c == '}') {
      depth = std::max(0, depth - 1);
    } else {
      bool scope = c == ':' && i > 0 && name[i - 1] == ':' && name[i + 1] != ':';
      if (depth == 0 && (c == '/' || scope)) {
        starts.push_back(i + 1);
      }
    }
  }
  return starts;
}

}  // namespace

std::string short_label(std::string_view name, size_t columns) {
  if (columns < 3) {
    return {};
  }
  if (first_columns(name, columns).size() == name.size()) {
    return std::string(name);
  }
  std::string plain = without_arguments(name);
  std::string_view rest = plain;
  if (display_columns(rest) <= columns) {
    return plain;
  }
  for (size_t start : component_starts(plain)) {
    rest = std::string_view(plain).substr(start);
    if (display_columns(rest) + 2 <= columns) {
      return ".." + std::string(rest);
    }
  }
  return cut_text(rest, columns);
}

std::string bounded_name(std::string_view name) {
  if (name.size() <= kLongestName) {
    return std::string(name);
  }
  size_t half = kLongestName / 2;
  size_t left_out = name.size() - 2 * half;
  return fmt::format("{} [.. {} bytes omitted ..] {}",
                     name.substr(0, half),
                     count_text(static_cast<double>(left_out)),
                     name.substr(name.size() - half));
}

}  // namespace wick
