// SPDX-License-Identifier: Apache-2.0
#include "base/short_name.h"

namespace wick {
namespace {

constexpr std::string_view kOperator = "operator";
constexpr std::string_view kUnnamed = "(anonymous namespace)";

bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The length of an operator's name at the start of the text: "operator<<", "operator()",
// "operator->"; or 0.
size_t operator_size(std::string_view text) {
  if (!text.starts_with(kOperator)) {
    return 0;
  }
  std::string_view sign = text.substr(kOperator.size());
  for (std::string_view known :
       {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"}) {
    if (sign.starts_with(known)) {
      return kOperator.size() + known.size();
    }
  }
  return 0;
}

// The length of a bracketed part at the start of the text, with its brackets; 0 if it is not
// closed.
size_t bracketed_size(std::string_view text) {
  size_t angles = 0;
  size_t rounds = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (size_t sign = at > 0 && is_word(text[at - 1]) ? 0 : operator_size(text.substr(at))) {
      at += sign - 1;
      continue;
    }
    switch (text[at]) {
      case '(':
        ++rounds;
        break;
      case ')':
        rounds -= rounds > 0 ? 1U : 0U;
        break;
      case '<':
        ++angles;
        break;
      case '>':
        // The '>' of "->" (a return type) is not a bracket.
        angles -= angles > 0 && text[at - 1] != '-' ? 1U : 0U;
        break;
      default:
        break;
    }
    if (angles == 0 && rounds == 0) {
      return at + 1;
    }
  }
  return 0;
}

}  // namespace

std::string short_name(std::string_view name) {
  constexpr size_t kMaxWork = 1'000'000;  // hostile names can nest without limit
  std::string out;
  size_t work = 0;
  for (size_t at = 0; at < name.size();) {
    std::string_view rest = name.substr(at);
    size_t sign = at > 0 && is_word(name[at - 1]) ? 0 : operator_size(rest);
    if (sign > 0 || rest.starts_with(kUnnamed)) {
      sign = sign > 0 ? sign : kUnnamed.size();
      out += rest.substr(0, sign);
      at += sign;
      continue;
    }
    bool opens = rest[0] == '<' || rest[0] == '(';
    size_t size = opens ? bracketed_size(rest) : 0;
    work += opens ? (size == 0 ? rest.size() : size) : 0;
    if (work > kMaxWork) {
      return std::string(name);
    }
    if (size == 0) {
      out += rest[0];
      ++at;
      continue;
    }
    std::string_view inside = rest.substr(1, size - 2);
    bool begins_part = at == 0 || name.substr(0, at).ends_with("::");
    if (rest[0] == '<' && inside.starts_with("lambda")) {
      out += "<lambda>";
    } else if (rest[0] == '<' && begins_part) {
      // Rust's "<Type as Trait>". The depth of the recursion is the depth of the brackets.
      out += '<';
      ++at;
      continue;
    } else if (rest[0] == '<') {
      out += "<>";
    }
    at += size;
  }
  return out;
}

}  // namespace wick
