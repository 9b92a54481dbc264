// SPDX-License-Identifier: Apache-2.0
// KnownFlows: where the machine code of functions leads, as far as a thread has asked before.
//
// Samples hit few functions, but at many addresses. One walk from the start of a function answers
// the question for all addresses, and in all processes: it is of the file, by linked addresses.
//
// The memory is bounded: when it is full, all answers are dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "pipeline/loaded_modules.h"
#include "unwind/architecture.h"
#include "unwind/code_flow.h"

namespace wick {

class KnownFlows {
 public:
  // The start of a function, or of code that a call leads to.
  struct Start {
    LoadedId loaded;
    uint64_t linked = 0;

    friend bool operator==(const Start&, const Start&) = default;
  };
  // Where the code is, and how much of it may be followed.
  struct Code {
    UnwindArch arch = UnwindArch::kX86_64;
    LoadedModules& modules;
    uint64_t& budget;  // see CodeFlow
  };

  // CodeFlow::reach(). What is unknown because the budget is used up is asked again.
  CodeFlow::Reach reach(const Code& code, Start begin, uint64_t linked);
  // Whether the function has a jump into [begin, end), which is outside of it.
  bool jumps_into(const Code& code, Start function, uint64_t size, uint64_t begin, uint64_t end);

 private:
  struct Flow {
    std::optional<CodeFlow::Reached> reached;
    std::optional<std::vector<uint64_t>> jumps;  // out of the function
  };
  struct HashStart {
    size_t operator()(const Start& start) const {
      return hash_mix(start.loaded.value, start.linked);
    }
  };
  static constexpr size_t kMaxSize = 1 << 18;

  // Makes room for `size` more instructions and jumps.
  void reserve(size_t size);

  std::unordered_map<Start, Flow, HashStart> flows_;
  size_t size_ = 0;  // instructions and jumps in them
};

}  // namespace wick
