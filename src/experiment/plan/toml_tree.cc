// SPDX-License-Identifier: Apache-2.0
#include "experiment/plan/toml_tree.h"

#include <algorithm>

// The library's assertions do not always hold for hostile text ("[[["). Without them it continues
// and reports the error. So assertions must neither abort nor become assumptions of the compiler.
#undef NDEBUG
#define TOML_ASSERT(condition) static_assert(true)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "base/escape.h"

namespace wick {
namespace {

int line_of(const toml::node& node) {
  return static_cast<int>(node.source().begin.line);
}

// The library refuses nesting beyond 256 levels, so recursion is bounded.
TomlValue convert(const toml::node& node);

TomlValue convert_table(const toml::table& table) {
  struct Member {
    toml::source_position at;
    const toml::key* key;
    const toml::node* value;
  };
  std::vector<Member> members;
  for (const auto& [key, value] : table) {
    members.push_back({key.source().begin, &key, &value});
  }
  std::ranges::sort(members, [](const Member& a, const Member& b) { return a.at < b.at; });
  TomlValue result{.kind = TomlValue::Kind::kTable, .line = line_of(table)};
  for (const Member& member : members) {
    result.keys.emplace_back(member.key->str());
    result.items.push_back(convert(*member.value));
    result.items.back().line = static_cast<int>(member.at.line);
  }
  return result;
}

TomlValue convert(const toml::node& node) {
  TomlValue value{.line = line_of(node)};
  if (const toml::table* table = node.as_table()) {
    return convert_table(*table);
  }
  if (const toml::array* array = node.as_array()) {
    value.kind = TomlValue::Kind::kArray;
    for (const toml::node& item : *array) {
      value.items.push_back(convert(item));
    }
  } else if (const auto* text = node.as_string()) {
    value.kind = TomlValue::Kind::kText;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = TomlValue::Kind::kInteger;
    value.integer = integer->get();
    value.number = static_cast<double>(value.integer);
  } else if (const auto* number = node.as_floating_point()) {
    value.kind = TomlValue::Kind::kNumber;
    value.number = number->get();
  } else if (const auto* truth = node.as_boolean()) {
    value.kind = TomlValue::Kind::kBoolean;
    value.truth = truth->get();
  }
  return value;
}

}  // namespace

const TomlValue* TomlValue::find(std::string_view key) const {
  auto found = std::ranges::find(keys, key);
  return found == keys.end() ? nullptr : &items[static_cast<size_t>(found - keys.begin())];
}

std::string TomlValue::plain_text() const {
  switch (kind) {
    case Kind::kText:
      return text;
    case Kind::kInteger:
      return fmt::format("{}", integer);
    case Kind::kNumber:
      return fmt::format("{}", number);
    case Kind::kBoolean:
      return truth ? "true" : "false";
    default:
      return {};
  }
}

Result<TomlValue> parse_toml(const std::string& path, std::string_view text) {
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail("{}:{}: this is not valid TOML: {}.",
                terminal_text(path),
                error.source().begin.line,
                terminal_text(error.description()));
  }
  return convert_table(parsed.table());
}

}  // namespace wick
