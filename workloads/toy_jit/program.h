// SPDX-License-Identifier: Apache-2.0
// The interpreted program: functions of a small stack machine, with a planned split of the cost.
//
//     <module>                    5 %
//       Parser.parse             10 %
//         Parser.tokenize        25 %
//       compute                  10 %
//         fold_right             30 %   recursive, `depth` levels, the same cost in each
//       render                    5 %
//         render.<locals>.row    15 %   called three times
//
// The cost is a loop that counts down, in the code of each function: a share of one percent is
// `work` turns in each round. All of it runs in one native function, the evaluator; only the stubs
// distinguish the functions. Each function returns a known number, so a round has a known value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace toy_jit {

enum class Op : uint8_t {
  kConstant,        // push operand
  kLoad,            // push local[operand]
  kStore,           // local[operand] = pop
  kAdd,             // push pop + pop
  kSubtract,        // b = pop, a = pop, push a - b
  kJumpIfPositive,  // if pop > 0 go to operand
  kCall,            // push functions[operand](pop)
  kReturn,          // return pop
};

struct Instruction {
  Op op;
  int64_t operand = 0;
};

// One argument, in local 0; local 1 is the counter of the cost loop.
struct Function {
  std::string qualname;
  double planned_share;  // of its own code, 0 to 1, over all its calls in a round
  std::vector<Instruction> code;

  // Its name in the map.
  std::string perf_name() const { return "py::" + qualname + ":toy.py"; }
};

struct Program {
  std::vector<Function> functions;
  size_t entry = 0;         // <module>: one call is one round
  size_t first_extra = 0;   // functions from here on are called only once each, to fill the map
  size_t deepest_call = 0;  // frames that a round needs at once
  int64_t round_value = 0;
};

Program built_in_program(int64_t work, int64_t depth, int64_t extra_functions);

}  // namespace toy_jit
