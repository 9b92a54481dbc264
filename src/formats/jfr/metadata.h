// SPDX-License-Identifier: Apache-2.0
// The types of a chunk, and values of these types.
//
// A value is a number, a text, a key of a constant pool, or the values of the type's fields. A type
// that contains itself has no finite value. Such types, and types nested more than kMostDepth deep,
// are not usable: reading a value of them fails. So no value needs deep recursion.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/jfr/values.h"

namespace wick::jfr {

enum class TypeKind : uint8_t {
  kFields,  // not a primitive type
  kByte,    // boolean and byte
  kShort,   // short and char
  kInt,
  kLong,
  kFloat,
  kDouble,
  kText,
};

struct Field {
  std::string name;
  uint32_t type = 0;    // index in Types
  bool is_key = false;  // the value is in the constant pool of the type
  bool is_array = false;
};

struct Type {
  uint64_t id = 0;
  std::string name;
  TypeKind kind = TypeKind::kFields;
  std::vector<Field> fields;
  uint32_t depth = 0;  // of nested fields; more than kMostDepth: not usable
};

// Where decode() puts the fields of a value. A field that is absent, or is not what the caller
// expects, leaves its slot unchanged.
struct Slots {
  std::span<uint64_t> numbers;  // numbers, and keys of constants
  std::span<std::string> texts;
  std::span<uint64_t> text_keys;  // keys of texts that are constants
};

// What a caller wants of a field.
enum class Want : uint8_t { kNumber, kKey, kText };
struct SlotRule {
  std::string_view field;
  Want want = Want::kNumber;
  uint8_t slot = 0;
};

// The slot of each field of a type; kSkip for fields that nothing needs.
class Layout {
 public:
  static constexpr uint8_t kSkip = 0xff;
  struct Entry {
    uint8_t slot = kSkip;
    Want want = Want::kNumber;
  };
  std::vector<Entry> entries;  // by field
};

class Types {
 public:
  static constexpr uint32_t kMostDepth = 16;
  static constexpr uint32_t kNone = UINT32_MAX;

  // Reads a metadata event, from after its type to its end. False if it is damaged.
  bool read(ValueReader& reader);

  uint32_t find(uint64_t id) const;
  uint32_t find(std::string_view name) const;
  const Type& operator[](uint32_t index) const { return types_[index]; }
  size_t size() const { return types_.size(); }

  Layout layout(uint32_t type, std::span<const SlotRule> rules) const;
  void decode(uint32_t type, const Layout& layout, ValueReader& reader, const Slots& slots) const;
  // A value, or with `is_array` a number of values.
  void skip(uint32_t type, ValueReader& reader) const;
  void skip(const Field& field, ValueReader& reader) const;

 private:
  using Attributes = std::vector<std::pair<uint64_t, uint64_t>>;  // numbers of strings
  struct Element;

  bool read_tree(ValueReader& reader, const std::vector<std::string>& strings);
  void add_class(const Element& element, const std::vector<std::string>& strings);
  void add_field(const Element& element, const std::vector<std::string>& strings);
  void resolve();
  void measure_depth();
  void remove_empty_fields();

  std::vector<Type> types_;
  std::vector<uint64_t> field_types_;  // ids, in the order of all fields, until resolve()
  std::unordered_map<uint64_t, uint32_t> by_id_;
};

}  // namespace wick::jfr
