// SPDX-License-Identifier: Apache-2.0
// Makes small recordings for tests: the types, constants and events that a test asks for, in one
// chunk with compressed integers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace wick::jfr::testing {

inline std::string varint(uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8 && value >= 0x80; ++i) {
    bytes += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  return bytes + static_cast<char>(value);
}
inline std::string text(std::string_view value) {
  return '\3' + varint(value.size()) + std::string(value);
}

struct TestField {
  std::string_view name;
  uint64_t type;
  bool is_key = false;
  bool is_array = false;
};

class Recording {
 public:
  void type(uint64_t id, std::string_view name, const std::vector<TestField>& fields = {}) {
    std::string element = start("class", {{"id", std::to_string(id)}, {"name", std::string(name)}});
    element += varint(fields.size());
    for (const TestField& field : fields) {
      std::vector<std::pair<std::string, std::string>> attributes = {
          {"name", std::string(field.name)}, {"class", std::to_string(field.type)}};
      if (field.is_key) {
        attributes.emplace_back("constantPool", "true");
      }
      if (field.is_array) {
        attributes.emplace_back("dimension", "1");
      }
      element += start("field", attributes) + varint(0);
    }
    classes_ += element;
    ++class_count_;
  }
  // `values`: key and fields of each constant.
  void pool(uint64_t type, const std::vector<std::pair<uint64_t, std::string>>& values) {
    pools_ += varint(type) + varint(values.size());
    for (const auto& [key, value] : values) {
      pools_ += varint(key) + value;
    }
    ++pool_count_;
  }
  void event(uint64_t type, const std::string& fields) { events_ += sized(type, fields); }

  std::string bytes() {
    std::string root =
        start("root", {}) + varint(1) + start("metadata", {}) + varint(class_count_) + classes_;
    std::string metadata = varint(0) + varint(0) + varint(1) + varint(strings_.size());
    for (const std::string& string : strings_) {
      metadata += text(string);
    }
    std::string checkpoint =
        varint(0) + varint(0) + varint(0) + '\1' + varint(pool_count_) + pools_;
    std::string body = events_ + sized(1, checkpoint);
    size_t metadata_at = 68 + body.size();
    body += sized(0, metadata + root);
    return header(68 + body.size(), metadata_at) + body;
  }

 private:
  static std::string sized(uint64_t type, const std::string& fields) {
    // The size counts itself; it is written with two bytes.
    std::string rest = varint(type) + fields;
    size_t size = rest.size() + 3;
    std::string start = {static_cast<char>(size | 0x80),
                         static_cast<char>(size >> 7 | 0x80),
                         static_cast<char>(size >> 14)};
    return start + rest;
  }
  static std::string header(uint64_t size, uint64_t metadata) {
    std::string bytes("FLR\0\0\2\0\1", 8);
    for (uint64_t number : {size,
                            uint64_t{68},
                            metadata,
                            uint64_t{1'000'000},
                            uint64_t{500},
                            uint64_t{100},
                            uint64_t{1'000'000'000}}) {
      for (int shift = 56; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(number >> shift);
      }
    }
    return bytes + std::string("\0\0\0\1", 4);
  }
  uint64_t string(std::string_view value) {
    for (size_t i = 0; i < strings_.size(); ++i) {
      if (strings_[i] == value) {
        return i;
      }
    }
    strings_.emplace_back(value);
    return strings_.size() - 1;
  }
  std::string start(std::string_view name,
                    const std::vector<std::pair<std::string, std::string>>& attributes) {
    std::string bytes = varint(string(name)) + varint(attributes.size());
    for (const auto& [key, value] : attributes) {
      uint64_t key_number = string(key);
      bytes += varint(key_number) + varint(string(value));
    }
    return bytes;
  }

  std::vector<std::string> strings_;
  std::string classes_;
  uint64_t class_count_ = 0;
  std::string pools_;
  uint64_t pool_count_ = 0;
  std::string events_;
};

enum TestType : uint64_t {
  kLongType = 10,
  kIntType,
  kBooleanType,
  kStringType,
  kSymbolType,
  kClassType,
  kMethodType,
  kFrameTypeType,
  kFrameType,
  kStackType,
  kThreadType,
  kStateType,
  kSampleType = 100,
  kWallType,
  kLockType,
  kSettingType,
};

// The types of the JDK, as far as wick uses them.
inline void add_types(Recording& recording) {
  recording.type(kLongType, "long");
  recording.type(kIntType, "int");
  recording.type(kBooleanType, "boolean");
  recording.type(kStringType, "java.lang.String");
  recording.type(kSymbolType, "jdk.types.Symbol", {{"string", kStringType}});
  recording.type(kClassType,
                 "java.lang.Class",
                 {{"classLoader", kClassType, true}, {"name", kSymbolType, true}});
  recording.type(
      kMethodType,
      "jdk.types.Method",
      {{"type", kClassType, true}, {"name", kSymbolType, true}, {"descriptor", kSymbolType, true}});
  recording.type(kFrameTypeType, "jdk.types.FrameType", {{"description", kStringType}});
  recording.type(kFrameType,
                 "jdk.types.StackFrame",
                 {{"method", kMethodType, true},
                  {"lineNumber", kIntType},
                  {"bytecodeIndex", kIntType},
                  {"type", kFrameTypeType, true}});
  recording.type(kStackType,
                 "jdk.types.StackTrace",
                 {{"truncated", kBooleanType}, {"frames", kFrameType, false, true}});
  recording.type(kThreadType,
                 "java.lang.Thread",
                 {{"osName", kStringType},
                  {"osThreadId", kLongType},
                  {"javaName", kStringType},
                  {"javaThreadId", kLongType}});
  recording.type(kStateType, "jdk.types.ThreadState", {{"name", kStringType}});
  std::vector<TestField> sample = {{"startTime", kLongType},
                                   {"sampledThread", kThreadType, true},
                                   {"stackTrace", kStackType, true},
                                   {"state", kStateType, true}};
  recording.type(kSampleType, "jdk.ExecutionSample", sample);
  sample.push_back({"samples", kIntType});
  recording.type(kWallType, "profiler.WallClockSample", sample);
  recording.type(kLockType,
                 "jdk.JavaMonitorEnter",
                 {{"startTime", kLongType},
                  {"duration", kLongType},
                  {"eventThread", kThreadType, true},
                  {"stackTrace", kStackType, true},
                  {"monitorClass", kClassType, true}});
  recording.type(
      kSettingType,
      "jdk.ActiveSetting",
      {{"startTime", kLongType}, {"id", kLongType}, {"name", kStringType}, {"value", kStringType}});
}

// main at line 3 calls work at line 7, inlined; thread "worker" 42 is running.
inline void add_constants(Recording& recording) {
  recording.pool(kSymbolType,
                 {{1, text("com/example/App")},
                  {2, text("main")},
                  {3, text("work")},
                  {4, text("()V")},
                  {5, text("[B")}});
  // The class loader of class 1 is class 2, and the other way round.
  recording.pool(kClassType, {{1, varint(2) + varint(1)}, {2, varint(1) + varint(5)}});
  recording.pool(kMethodType,
                 {{1, varint(1) + varint(2) + varint(4)}, {2, varint(1) + varint(3) + varint(4)}});
  recording.pool(kFrameTypeType, {{1, text("JIT compiled")}, {2, text("Inlined")}});
  std::string leaf = varint(2) + varint(7) + varint(0) + varint(2);
  std::string root = varint(1) + varint(3) + varint(0) + varint(1);
  recording.pool(kStackType, {{1, '\0' + varint(2) + leaf + root}, {2, '\1' + varint(1) + root}});
  recording.pool(kThreadType, {{1, text("os") + varint(42) + text("worker") + varint(7)}});
  recording.pool(kStateType, {{1, text("STATE_RUNNABLE")}});
}

}  // namespace wick::jfr::testing
