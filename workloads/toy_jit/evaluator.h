// SPDX-License-Identifier: Apache-2.0
// The interpreter. Each call of an interpreted function enters the evaluator again, through the
// stub of that function, so that the native stack of `f calls g` is
//
//     call_function ; stub of f ; evaluate ; call_function ; stub of g ; evaluate
//
// A function gets its stub and its line in the map when it is called for the first time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "toy_jit/accounting.h"
#include "toy_jit/arena.h"
#include "toy_jit/perf_map.h"
#include "toy_jit/program.h"

namespace toy_jit {

// The data of one call. Frames are in one array, each on its own cache lines, so that equal code
// costs the same at every depth.
struct alignas(64) Frame {
  static constexpr size_t kValues = 8;  // the built-in functions need at most three

  const Function* function;
  std::array<int64_t, 2> locals;
  std::array<int64_t, kValues> values;
};

class Interpreter {
 public:
  Interpreter(const Program& program, StubArenas& arenas, size_t stub_bytes, PerfMap& map);

  // Runs one function. After a problem the value is meaningless and no function runs any more.
  int64_t call_function(size_t function, int64_t argument);
  const std::string& problem() const { return problem_; }
  Accounting& accounting() { return accounting_; }

 private:
  Stub make_stub(size_t function);

  const Program& program_;
  StubArenas& arenas_;
  size_t stub_bytes_;
  PerfMap& map_;
  Accounting accounting_;
  std::vector<Stub> stubs_;  // nullptr: not called yet
  std::vector<Frame> frames_;
  size_t frames_used_ = 0;
  std::string problem_;
};

}  // namespace toy_jit
