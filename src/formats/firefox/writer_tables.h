// SPDX-License-Identifier: Apache-2.0
// The tables of one thread in a written Firefox profile: stacks, frames, functions, resources and
// native symbols that its samples and markers use, numbered from 0. Parents precede children.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "formats/json_numbers.h"
#include "profile/profile.h"

namespace wick::firefox {

// The strings of a file, each once, in the order of their first use.
class WrittenStrings {
 public:
  uint32_t add(std::string_view text) { return table_.intern(text).value; }
  const StringTable& table() const { return table_.table(); }

 private:
  StringInterner table_;
};

// Numbers rows of a table in the order of their first use. forget() starts again without a new
// array, since a profile can have many threads.
template <typename IdType>
class LocalNumbers {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  explicit LocalNumbers(size_t rows) : numbers_(rows, kNone) {}
  uint32_t of(IdType id) const { return numbers_[id.index()]; }
  bool contains(IdType id) const { return of(id) != kNone; }
  uint32_t add(IdType id) {
    uint32_t& number = numbers_[id.index()];
    if (number == kNone) {
      number = static_cast<uint32_t>(ids_.size());
      ids_.push_back(id);
    }
    return number;
  }
  const std::vector<IdType>& ids() const { return ids_; }
  void forget() {
    for (IdType id : ids_) {
      numbers_[id.index()] = kNone;
    }
    ids_.clear();
  }

 private:
  std::vector<uint32_t> numbers_;  // by row
  std::vector<IdType> ids_;        // by number
};

class ThreadTables {
 public:
  ThreadTables(const Profile& profile, WrittenStrings& strings);

  // Takes the stacks of the next thread, and everything that they use.
  void use(const std::vector<StackId>& stacks);
  // The number of a used stack; -1 for the empty stack.
  int64_t number_of(StackId stack) const {
    return stack == kEmptyStack ? -1 : static_cast<int64_t>(stacks_.of(stack));
  }
  // Writes stackTable, frameTable, funcTable, resourceTable and nativeSymbols.
  void write(JsonWriter& json);
  // The libraries of all threads so far, in the order of their numbers.
  const std::vector<ModuleId>& libs() const { return libs_.ids(); }

 private:
  static constexpr uint32_t kNoSymbol = UINT32_MAX;
  struct Func {
    FunctionId function;  // none: an address without a name
    FrameId frame;        // the first one
  };
  struct FrameDetails {
    uint32_t func = 0;
    uint32_t inline_depth = 0;
    uint32_t symbol = kNoSymbol;
  };

  void forget();
  void add_frame(StackId stack);
  uint32_t func_of(FrameId id);
  void write_frames(JsonWriter& json) const;
  void write_funcs(JsonWriter& json);
  void write_resources(JsonWriter& json);
  void write_symbols(JsonWriter& json);
  std::string func_name(const Func& func) const;

  const Profile& profile_;
  WrittenStrings& strings_;
  LocalNumbers<ModuleId> libs_;
  // Of the current thread.
  LocalNumbers<StackId> stacks_;
  LocalNumbers<FrameId> frames_;
  LocalNumbers<ModuleId> modules_;
  LocalNumbers<FunctionId> symbols_;
  std::vector<FrameDetails> details_;  // by number of the frame
  std::vector<Func> funcs_;
  std::unordered_map<uint64_t, uint32_t> func_index_;  // by function and file, or by frame
};

// Writes "name":[...] with `write(row)` for each of `size` rows.
template <typename Write>
void write_column(JsonWriter& json, std::string_view name, size_t size, Write write) {
  json.key(name);
  json.begin_array();
  for (size_t row = 0; row < size; ++row) {
    write(row);
  }
  json.end_array();
}
// Null for a negative number.
void write_index(JsonWriter& json, int64_t number);
// Nanoseconds as milliseconds, exactly.
inline void write_ms(JsonWriter& json, int64_t ns) {
  write_decimal(json, ns, 1'000'000);
}

}  // namespace wick::firefox
