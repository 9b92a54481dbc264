// SPDX-License-Identifier: Apache-2.0
// Each kind of constant has a row of rules: which fields of the type wick needs, and in which slot
// they go. What a constant means in the profile (a function, a thread) is cached by its row in the
// pool, since events refer to the same constants again and again.
#include "formats/jfr/pools.h"

#include <algorithm>

#include "base/hash.h"

namespace wick::jfr {
namespace {

constexpr std::array<std::string_view, 8> kTypeNames = {"jdk.types.StackTrace",
                                                        "jdk.types.Method",
                                                        "java.lang.Class",
                                                        "jdk.types.Symbol",
                                                        "java.lang.Thread",
                                                        "jdk.types.ThreadState",
                                                        "jdk.types.FrameType",
                                                        "java.lang.String"};
constexpr std::array<SlotRule, 3> kMethodRules = {
    {{"type", Want::kKey, 0}, {"name", Want::kKey, 1}, {"descriptor", Want::kKey, 2}}};
constexpr std::array<SlotRule, 1> kClassRules = {{{"name", Want::kKey, 0}}};
constexpr std::array<SlotRule, 1> kSymbolRules = {{{"string", Want::kText, 0}}};
constexpr std::array<SlotRule, 4> kThreadRules = {{{"osName", Want::kText, 0},
                                                   {"javaName", Want::kText, 1},
                                                   {"osThreadId", Want::kNumber, 0},
                                                   {"javaThreadId", Want::kNumber, 1}}};
constexpr std::array<SlotRule, 1> kStateRules = {{{"name", Want::kText, 0}}};
constexpr std::array<SlotRule, 1> kFrameTypeRules = {{{"description", Want::kText, 0}}};
constexpr std::array<SlotRule, 3> kFrameRules = {
    {{"method", Want::kKey, 0}, {"lineNumber", Want::kNumber, 1}, {"type", Want::kKey, 2}}};

// By Kind.
constexpr std::array<std::span<const SlotRule>, 8> kPoolRules = {
    {{}, kMethodRules, kClassRules, kSymbolRules, kThreadRules, kStateRules, kFrameTypeRules, {}}};

// async-profiler gives functions that are not Java this descriptor, which no method can have.
constexpr std::string_view kNativeDescriptor = "()L;";

std::string_view primitive_name(char code) {
  switch (code) {
    case 'B':
      return "byte";
    case 'C':
      return "char";
    case 'D':
      return "double";
    case 'F':
      return "float";
    case 'I':
      return "int";
    case 'J':
      return "long";
    case 'S':
      return "short";
    case 'Z':
      return "boolean";
    default:
      return {};
  }
}

}  // namespace

std::string java_name(std::string_view internal) {
  size_t dimensions = std::min(internal.find_first_not_of('['), internal.size());
  std::string_view element = internal.substr(dimensions);
  std::string name(element);
  if (dimensions > 0 && element.size() == 1 && !primitive_name(element[0]).empty()) {
    name = primitive_name(element[0]);
  } else if (dimensions > 0 && element.starts_with('L') && element.ends_with(';')) {
    name = element.substr(1, element.size() - 2);
  }
  std::ranges::replace(name, '/', '.');
  for (size_t i = 0; i < std::min<size_t>(dimensions, 255); ++i) {
    name += "[]";
  }
  return name;
}

void Pool::add(uint64_t key, size_t position) {
  uint64_t hash = hash_mix(key, 0);
  if (index_.find(hash, [&](uint32_t row) { return keys_[row] == key; }) != kNone) {
    return;
  }
  keys_.push_back(key);
  positions_.push_back(position);
  index_.add(hash, [&](uint32_t row) { return hash_mix(keys_[row], 0); });
}

uint32_t Pool::find(uint64_t key) const {
  return index_.find(hash_mix(key, 0), [&](uint32_t row) { return keys_[row] == key; });
}

Pools::Pools(Bytes chunk, bool compressed, const Types& types, ProfileBuilder& builder)
    : chunk_(chunk),
      compressed_(compressed),
      types_(types),
      builder_(builder),
      kind_of_type_(types.size(), kKinds) {
  for (size_t kind = 0; kind < kKinds; ++kind) {
    uint32_t type = types.find(kTypeNames[kind]);
    constants_[kind].type = type;
    if (type != Types::kNone) {
      kind_of_type_[type] = static_cast<uint8_t>(kind);
      constants_[kind].layout = types.layout(type, kPoolRules[kind]);
    }
  }
}

bool Pools::add_checkpoint(ValueReader& reader) {
  reader.integer(8);  // start
  reader.integer(8);  // duration
  reader.integer(8);  // distance to the previous checkpoint
  reader.fixed(1);    // why it was written
  uint64_t pools = reader.integer(4);
  for (uint64_t i = 0; i < pools && reader.ok(); ++i) {
    uint32_t type = types_.find(reader.integer(8));
    uint64_t count = reader.integer(4);
    if (!reader.ok() || (type == Types::kNone && count > 0)) {
      return false;
    }
    for (uint64_t entry = 0; entry < count && reader.ok(); ++entry) {
      uint64_t key = reader.integer(8);
      if (uint8_t kind = kind_of_type_[type]; kind != kKinds) {
        constants_[kind].pool.add(key, reader.position());
      }
      types_.skip(type, reader);
    }
  }
  return reader.ok();
}

void Pools::prepare() {
  traces_.resize(constants_[kStack].pool.size());
  methods_.resize(constants_[kMethod].pool.size());
  frame_types_.resize(constants_[kFrameType].pool.size());
  threads_.resize(constants_[kThread].pool.size());
  classes_.resize(constants_[kClass].pool.size());
  if (uint32_t type = types_.find("jdk.types.StackFrame"); type != Types::kNone) {
    frame_layout_ = types_.layout(type, kFrameRules);
  }
}

ValueReader Pools::open(Kind kind, uint64_t key, uint32_t& row) {
  row = constants_[kind].pool.find(key);
  ValueReader reader(chunk_, compressed_);
  if (row == Pool::kNone) {
    missing_ += key == 0 ? 0 : 1;  // 0 means null
    reader.fail();
  } else {
    reader.skip(constants_[kind].pool.position(row));
  }
  return reader;
}

std::string Pools::slot_text(const std::array<std::string, 2>& texts,
                             const std::array<uint64_t, 2>& keys,
                             size_t slot) {
  return keys[slot] != 0 ? text(keys[slot]) : texts[slot];
}

// A text that is a key again is not followed: it could refer to itself.
std::string Pools::text(uint64_t key) {
  uint32_t row = 0;
  ValueReader reader = open(kString, key, row);
  return reader.ok() ? reader.text().text : std::string();
}

std::string Pools::symbol(uint64_t key) {
  uint32_t row = 0;
  ValueReader reader = open(kSymbol, key, row);
  std::array<std::string, 2> texts;
  std::array<uint64_t, 2> keys = {};
  if (reader.ok()) {
    const Constants& symbols = constants_[kSymbol];
    types_.decode(symbols.type, symbols.layout, reader, {.texts = texts, .text_keys = keys});
  }
  return slot_text(texts, keys, 0);
}

std::string Pools::raw_class_name(uint64_t key) {
  uint32_t row = 0;
  ValueReader reader = open(kClass, key, row);
  std::array<uint64_t, 1> numbers = {};
  if (reader.ok()) {
    types_.decode(constants_[kClass].type, constants_[kClass].layout, reader, {.numbers = numbers});
  }
  return symbol(numbers[0]);
}

StringId Pools::class_name(uint64_t key) {
  uint32_t row = constants_[kClass].pool.find(key);
  if (row == Pool::kNone) {
    missing_ += key == 0 ? 0 : 1;
    return {};
  }
  if (classes_[row].empty()) {
    classes_[row] = builder_.string(java_name(raw_class_name(key)));
  }
  return classes_[row];
}

StringId Pools::state(uint64_t key) {
  uint32_t row = 0;
  ValueReader reader = open(kState, key, row);
  std::array<std::string, 2> texts;
  std::array<uint64_t, 2> keys = {};
  if (reader.ok()) {
    types_.decode(constants_[kState].type,
                  constants_[kState].layout,
                  reader,
                  {.texts = texts, .text_keys = keys});
  }
  return builder_.string(slot_text(texts, keys, 0));
}

ThreadId Pools::thread(uint64_t key, ProcessId process) {
  uint32_t row = 0;
  ValueReader reader = open(kThread, key, row);
  if (!reader.ok() || threads_[row].valid()) {
    return reader.ok() ? threads_[row] : ThreadId();
  }
  std::array<std::string, 2> texts;
  std::array<uint64_t, 2> keys = {};
  std::array<uint64_t, 2> ids = {};
  types_.decode(constants_[kThread].type,
                constants_[kThread].layout,
                reader,
                {.numbers = ids, .texts = texts, .text_keys = keys});
  std::string name = slot_text(texts, keys, 1);
  name = name.empty() ? slot_text(texts, keys, 0) : name;
  uint64_t tid = ids[0] != 0 ? ids[0] : ids[1];  // virtual threads have no thread of the system
  threads_[row] = builder_.thread({.tid = tid <= INT32_MAX ? static_cast<int64_t>(tid) : -1,
                                   .process = process,
                                   .name = builder_.string(name)});
  return threads_[row];
}

const Pools::Method& Pools::method(uint64_t key) {
  uint32_t row = 0;
  ValueReader reader = open(kMethod, key, row);
  if (!reader.ok()) {
    return no_method_;
  }
  Method& method = methods_[row];
  if (method.is_known) {
    return method;
  }
  std::array<uint64_t, 3> numbers = {};
  types_.decode(constants_[kMethod].type, constants_[kMethod].layout, reader, {.numbers = numbers});
  std::string type = raw_class_name(numbers[0]);
  std::string name = symbol(numbers[1]);
  std::string descriptor = symbol(numbers[2]);
  method.is_known = true;
  method.is_native = descriptor == kNativeDescriptor;
  if (method.is_native) {
    if (!type.empty()) {
      method.module = builder_.module({.path = builder_.string(type)});
    }
    method.function = builder_.function({.name = builder_.string(name), .module = method.module});
  } else {
    std::string full = type.empty() ? name : java_name(type) + "." + name;
    method.function = builder_.function(
        {.name = builder_.string(full),
         .linkage_name = builder_.string(type.empty() ? "" : type + "." + name + descriptor)});
  }
  return method;
}

Pools::FrameType Pools::frame_type(uint64_t key) {
  uint32_t row = 0;
  ValueReader reader = open(kFrameType, key, row);
  if (!reader.ok() || frame_types_[row].is_known) {
    return reader.ok() ? frame_types_[row] : FrameType();
  }
  std::array<std::string, 2> texts;
  std::array<uint64_t, 2> keys = {};
  types_.decode(constants_[kFrameType].type,
                constants_[kFrameType].layout,
                reader,
                {.texts = texts, .text_keys = keys});
  std::string text = slot_text(texts, keys, 0);
  FrameType& type = frame_types_[row];
  type.is_known = true;
  type.mode = text == "Kernel" ? Mode::kKernel : Mode::kUser;
  if (text == "JIT compiled" || text == "C1 compiled") {
    type.flags = kJit;
  } else if (text == "Inlined") {
    type.flags = kInlined;
  }
  return type;
}

FrameId Pools::frame(std::span<const uint64_t> numbers) {
  const Method& named = method(numbers[0]);
  FrameType type = frame_type(numbers[2]);
  bool has_line = !named.is_native && numbers[1] < INT32_MAX;
  return builder_.frame({.function = named.function,
                         .module = named.module,
                         .line = has_line ? static_cast<uint32_t>(numbers[1]) : 0,
                         .mode = type.mode,
                         .flags = type.flags,
                         .language = named.is_native ? Language::kUnknown : Language::kJava});
}

void Pools::read_frames(const Field& field, ValueReader& reader) {
  uint64_t count = reader.integer(4);
  std::array<uint64_t, 3> numbers = {};
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    size_t before = reader.position();
    numbers = {};
    types_.decode(field.type, frame_layout_, reader, {.numbers = numbers});
    if (!reader.ok() || reader.position() == before) {
      return;
    }
    frames_.push_back(frame(numbers));
  }
}

StackTrace Pools::read_stack_trace(ValueReader& reader) {
  StackTrace trace;
  frames_.clear();
  uint32_t frame_type = types_.find("jdk.types.StackFrame");
  for (const Field& field : types_[constants_[kStack].type].fields) {
    if (field.name == "frames" && field.is_array && !field.is_key && field.type == frame_type &&
        frame_type != Types::kNone) {
      read_frames(field, reader);
    } else if (field.name == "truncated" && field.type != Types::kNone && !field.is_array &&
               !field.is_key && types_[field.type].kind == TypeKind::kByte) {
      trace.is_truncated = reader.fixed(1) != 0;
    } else {
      types_.skip(field, reader);
    }
  }
  for (size_t i = frames_.size(); i-- > 0;) {
    trace.stack = builder_.stack(trace.stack, frames_[i]);
  }
  return trace;
}

StackTrace Pools::stack_trace(uint64_t key) {
  uint32_t row = 0;
  ValueReader reader = open(kStack, key, row);
  if (!reader.ok()) {
    return {};
  }
  if (!traces_[row].is_known) {
    traces_[row] = {.trace = read_stack_trace(reader), .is_known = true};
  }
  return traces_[row].trace;
}

}  // namespace wick::jfr
