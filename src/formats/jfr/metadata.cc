// SPDX-License-Identifier: Apache-2.0
// Types are read in one walk over the tree of elements, with a stack of counts in place of recursion.
// References between types are resolved at the end, because a field can name a later type.
#include "formats/jfr/metadata.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/parse_number.h"

namespace wick::jfr {
namespace {

struct PrimitiveType {
  std::string_view name;
  TypeKind kind;
};
constexpr std::array<PrimitiveType, 9> kPrimitiveTypes = {{{"boolean", TypeKind::kByte},
                                                           {"byte", TypeKind::kByte},
                                                           {"char", TypeKind::kShort},
                                                           {"short", TypeKind::kShort},
                                                           {"int", TypeKind::kInt},
                                                           {"long", TypeKind::kLong},
                                                           {"float", TypeKind::kFloat},
                                                           {"double", TypeKind::kDouble},
                                                           {"java.lang.String", TypeKind::kText}}};

size_t size_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::kByte:
      return 1;
    case TypeKind::kShort:
      return 2;
    case TypeKind::kInt:
      return 4;
    default:
      return 8;
  }
}

bool is_number(TypeKind kind) {
  return kind == TypeKind::kByte || kind == TypeKind::kShort || kind == TypeKind::kInt ||
         kind == TypeKind::kLong;
}

}  // namespace

struct Types::Element {
  std::string_view name;
  Attributes attributes;

  // The text of an attribute; empty if it is absent.
  std::string_view get(std::string_view key, const std::vector<std::string>& strings) const {
    for (const auto& [name_index, value] : attributes) {
      if (name_index < strings.size() && strings[name_index] == key) {
        return value < strings.size() ? std::string_view(strings[value]) : std::string_view();
      }
    }
    return {};
  }
};

bool Types::read(ValueReader& reader) {
  reader.integer(8);  // start
  reader.integer(8);  // duration
  reader.integer(8);  // number of this metadata
  uint64_t count = reader.integer(4);
  if (count > reader.remaining()) {
    return false;
  }
  std::vector<std::string> strings;
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    strings.push_back(reader.text().text);
  }
  return reader.ok() && read_tree(reader, strings);
}

// Elements come in the order of a walk through the tree: each with its number of children, then the
// children. Only the depth of the class that is open matters.
bool Types::read_tree(ValueReader& reader, const std::vector<std::string>& strings) {
  std::vector<uint64_t> open = {1};  // by depth: elements that are still to come
  size_t class_depth = 0;            // 0: no class is open
  while (!open.empty()) {
    if (open.back() == 0) {
      open.pop_back();
      class_depth = open.size() < class_depth ? 0 : class_depth;
      continue;
    }
    --open.back();
    uint64_t name = reader.integer(4);
    uint64_t attributes = reader.integer(4);
    if (!reader.ok() || name >= strings.size() || attributes > reader.remaining()) {
      return false;
    }
    Element element = {.name = strings[name]};
    for (uint64_t i = 0; i < attributes; ++i) {
      uint64_t key = reader.integer(4);
      element.attributes.emplace_back(key, reader.integer(4));
    }
    if (element.name == "class") {
      add_class(element, strings);
      class_depth = open.size() + 1;
    } else if (element.name == "field" && class_depth == open.size()) {
      add_field(element, strings);
    }
    open.push_back(reader.integer(4));
    if (!reader.ok()) {
      return false;
    }
  }
  resolve();
  measure_depth();
  remove_empty_fields();
  return !types_.empty();
}

void Types::add_class(const Element& element, const std::vector<std::string>& strings) {
  Type type;
  type.id = parse_number<uint64_t>(element.get("id", strings)).value_or(UINT64_MAX);
  type.name = element.get("name", strings);
  auto primitive = std::ranges::find(kPrimitiveTypes, type.name, &PrimitiveType::name);
  type.kind = primitive == kPrimitiveTypes.end() ? TypeKind::kFields : primitive->kind;
  by_id_[type.id] = static_cast<uint32_t>(types_.size());
  types_.push_back(std::move(type));
}

void Types::add_field(const Element& element, const std::vector<std::string>& strings) {
  std::string_view dimension = element.get("dimension", strings);
  types_.back().fields.push_back({.name = std::string(element.get("name", strings)),
                                  .is_key = element.get("constantPool", strings) == "true",
                                  .is_array = !dimension.empty() && dimension != "0"});
  field_types_.push_back(
      parse_number<uint64_t>(element.get("class", strings)).value_or(UINT64_MAX));
}

void Types::resolve() {
  size_t next = 0;
  for (Type& type : types_) {
    for (Field& field : type.fields) {
      field.type = find(field_types_[next++]);
    }
  }
}

// After n rounds, all depths up to n are right, and greater ones are at least n.
void Types::measure_depth() {
  for (uint32_t round = 0; round <= kMostDepth; ++round) {
    for (Type& type : types_) {
      for (const Field& field : type.fields) {
        if (field.is_key) {
          continue;
        }
        uint32_t inner = field.type == kNone ? kMostDepth : types_[field.type].depth;
        type.depth = std::max(type.depth, std::min(inner + 1, kMostDepth + 1));
      }
    }
  }
}

// A value of a type without numbers, texts and keys has no bytes. Without fields of such types every
// step of skip() and decode() uses up a byte, so a chunk bounds the work, whatever its types are.
void Types::remove_empty_fields() {
  std::vector<bool> has_bytes(types_.size());
  auto is_empty = [&](const Field& field) {
    return !field.is_key && !field.is_array && field.type != kNone && !has_bytes[field.type] &&
           types_[field.type].depth <= kMostDepth;
  };
  for (uint32_t round = 0; round <= kMostDepth; ++round) {
    for (size_t i = 0; i < types_.size(); ++i) {
      has_bytes[i] =
          types_[i].kind != TypeKind::kFields || !std::ranges::all_of(types_[i].fields, is_empty);
    }
  }
  for (Type& type : types_) {
    std::erase_if(type.fields, is_empty);
  }
}

uint32_t Types::find(uint64_t id) const {
  auto found = by_id_.find(id);
  return found == by_id_.end() ? kNone : found->second;
}

uint32_t Types::find(std::string_view name) const {
  auto found = std::ranges::find(types_, name, &Type::name);
  return found == types_.end() ? kNone : static_cast<uint32_t>(found - types_.begin());
}

Layout Types::layout(uint32_t type, std::span<const SlotRule> rules) const {
  Layout layout;
  for (const Field& field : types_[type].fields) {
    Layout::Entry& entry = layout.entries.emplace_back();
    auto rule = std::ranges::find(rules, field.name, &SlotRule::field);
    if (rule == rules.end() || field.is_array || field.type == kNone) {
      continue;
    }
    TypeKind kind = types_[field.type].kind;
    bool fits = rule->want == Want::kKey      ? field.is_key
                : rule->want == Want::kNumber ? !field.is_key && is_number(kind)
                                              : kind == TypeKind::kText;
    if (fits) {
      entry = {rule->slot, rule->want};
    }
  }
  return layout;
}

void Types::decode(uint32_t type,
                   const Layout& layout,
                   ValueReader& reader,
                   const Slots& slots) const {
  const std::vector<Field>& fields = types_[type].fields;
  for (size_t i = 0; i < fields.size() && reader.ok(); ++i) {
    Layout::Entry entry = layout.entries[i];
    if (entry.slot == Layout::kSkip) {
      skip(fields[i], reader);
    } else if (entry.want == Want::kKey) {
      slots.numbers[entry.slot] = reader.integer(8);
    } else if (entry.want == Want::kNumber) {
      slots.numbers[entry.slot] = reader.integer(size_of(types_[fields[i].type].kind));
    } else if (fields[i].is_key) {
      slots.text_keys[entry.slot] = reader.integer(8);
    } else {
      ValueReader::Text text = reader.text();
      slots.texts[entry.slot] = std::move(text.text);
      slots.text_keys[entry.slot] = text.is_key ? text.key : 0;
    }
  }
}

void Types::skip(const Field& field, ValueReader& reader) const {
  uint64_t count = field.is_array ? reader.integer(4) : 1;
  if (field.type == kNone && !field.is_key) {
    reader.fail();
    return;
  }
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    if (field.is_key) {
      reader.integer(8);
      continue;
    }
    size_t before = reader.position();
    skip(field.type, reader);
    if (reader.position() == before) {
      return;  // values without bytes: there may be billions of them
    }
  }
}

// Recursion ends after kMostDepth types.
void Types::skip(uint32_t type, ValueReader& reader) const {
  const Type& skipped = types_[type];
  if (skipped.depth > kMostDepth) {
    reader.fail();
    return;
  }
  switch (skipped.kind) {
    case TypeKind::kText:
      reader.skip_text();
      return;
    case TypeKind::kFloat:
      reader.skip(4);
      return;
    case TypeKind::kDouble:
      reader.skip(8);
      return;
    case TypeKind::kFields:
      break;
    default:
      reader.integer(size_of(skipped.kind));
      return;
  }
  for (const Field& field : skipped.fields) {
    if (!reader.ok()) {
      return;
    }
    skip(field, reader);
  }
}

}  // namespace wick::jfr
