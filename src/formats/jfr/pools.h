// SPDX-License-Identifier: Apache-2.0
// The constant pools of a chunk, and the stacks, threads and names in them.
//
// The first pass notes where each constant is. A constant is decoded when an event needs it, once.
// Keys come from the file: a key that no pool has gives an unknown name or an empty stack, and is
// counted.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/id_index.h"
#include "formats/jfr/metadata.h"
#include "profile/builder.h"

namespace wick::jfr {

// The positions of one type's constants in the chunk.
class Pool {
 public:
  static constexpr uint32_t kNone = IdIndex::kNone;

  // A key that occurs again refers to the same constant: the first one counts.
  void add(uint64_t key, size_t position);
  uint32_t find(uint64_t key) const;
  size_t position(uint32_t row) const { return positions_[row]; }
  size_t size() const { return keys_.size(); }

 private:
  std::vector<uint64_t> keys_;
  std::vector<size_t> positions_;
  IdIndex index_;
};

struct StackTrace {
  StackId stack = kEmptyStack;
  bool is_truncated = false;
};

class Pools {
 public:
  Pools(Bytes chunk, bool compressed, const Types& types, ProfileBuilder& builder);

  // Notes the constants of a checkpoint event, from after its type to its end. False: damaged.
  bool add_checkpoint(ValueReader& reader);
  // After the last checkpoint.
  void prepare();

  StackTrace stack_trace(uint64_t key);
  // None for key 0. `process` is the process of new threads.
  ThreadId thread(uint64_t key, ProcessId process);
  StringId state(uint64_t key);
  StringId class_name(uint64_t key);
  std::string text(uint64_t key);  // of a constant of type java.lang.String

  uint64_t missing() const { return missing_; }

 private:
  enum Kind : uint8_t { kStack, kMethod, kClass, kSymbol, kThread, kState, kFrameType, kString };
  static constexpr size_t kKinds = 8;

  struct Constants {
    uint32_t type = Types::kNone;
    Layout layout;
    Pool pool;
  };
  struct Method {
    FunctionId function;
    ModuleId module;
    bool is_native = false;  // async-profiler's frames of C and C++ functions
    bool is_known = false;
  };
  struct FrameType {
    Mode mode = Mode::kUnknown;
    uint8_t flags = 0;
    bool is_known = false;
  };
  struct Known {
    StackTrace trace;
    bool is_known = false;
  };

  // A reader at the constant with this key; its row in `row`. Not ok if it is missing.
  ValueReader open(Kind kind, uint64_t key, uint32_t& row);
  std::string symbol(uint64_t key);
  std::string raw_class_name(uint64_t key);
  const Method& method(uint64_t key);
  FrameType frame_type(uint64_t key);
  StackTrace read_stack_trace(ValueReader& reader);
  void read_frames(const Field& field, ValueReader& reader);
  FrameId frame(std::span<const uint64_t> numbers);
  std::string slot_text(const std::array<std::string, 2>& texts,
                        const std::array<uint64_t, 2>& keys,
                        size_t slot);

  Bytes chunk_;
  bool compressed_;
  const Types& types_;
  ProfileBuilder& builder_;
  std::array<Constants, kKinds> constants_;
  std::vector<uint8_t> kind_of_type_;  // kKinds: nothing needs the type
  Layout frame_layout_;
  std::vector<Known> traces_;    // by row of the pool
  std::vector<Method> methods_;  // by row
  std::vector<FrameType> frame_types_;
  std::vector<ThreadId> threads_;
  std::vector<StringId> classes_;
  std::vector<FrameId> frames_;  // of the stack trace being read, leaf first
  Method no_method_;
  uint64_t missing_ = 0;
};

// "java/lang/String" and "[Ljava/lang/String;" as in Java: java.lang.String, java.lang.String[].
std::string java_name(std::string_view internal);

}  // namespace wick::jfr
