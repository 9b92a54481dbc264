// SPDX-License-Identifier: Apache-2.0
#include "toy_jit/program.h"

#include <algorithm>

namespace toy_jit {
namespace {

using Code = std::vector<Instruction>;

// Turns of the cost loop, six instructions each.
void append_work(Code& code, int64_t turns) {
  if (turns <= 0) {
    return;
  }
  code.push_back({Op::kConstant, turns});
  code.push_back({Op::kStore, 1});
  auto loop = static_cast<int64_t>(code.size());
  code.push_back({Op::kLoad, 1});
  code.push_back({Op::kConstant, 1});
  code.push_back({Op::kSubtract});
  code.push_back({Op::kStore, 1});
  code.push_back({Op::kLoad, 1});
  code.push_back({Op::kJumpIfPositive, loop});
}

// local 0 += function(argument)
void append_call(Code& code, size_t function, int64_t argument) {
  code.push_back({Op::kConstant, argument});
  code.push_back({Op::kCall, static_cast<int64_t>(function)});
  code.push_back({Op::kLoad, 0});
  code.push_back({Op::kAdd});
  code.push_back({Op::kStore, 0});
}

void append_return(Code& code) {
  code.push_back({Op::kLoad, 0});
  code.push_back({Op::kReturn});
}

struct Call {
  size_t function;
  int64_t argument;
};

// def f(x): work; x += g(argument) for each call; return x. Half of the work comes after the calls.
Code plain_function(int64_t turns, const std::vector<Call>& calls) {
  Code code;
  append_work(code, turns - turns / 2);
  for (const Call& call : calls) {
    append_call(code, call.function, call.argument);
  }
  append_work(code, turns / 2);
  append_return(code);
  return code;
}

// def f(n): work; if n - 1 > 0: return f(n - 1) + n; return n
Code recursive_function(size_t itself, int64_t turns) {
  Code code;
  append_work(code, turns);
  code.push_back({Op::kLoad, 0});
  code.push_back({Op::kConstant, 1});
  code.push_back({Op::kSubtract});
  code.push_back({Op::kJumpIfPositive, static_cast<int64_t>(code.size()) + 3});
  append_return(code);
  code.push_back({Op::kLoad, 0});
  code.push_back({Op::kConstant, 1});
  code.push_back({Op::kSubtract});
  code.push_back({Op::kCall, static_cast<int64_t>(itself)});
  code.push_back({Op::kLoad, 0});
  code.push_back({Op::kAdd});
  code.push_back({Op::kReturn});
  return code;
}

}  // namespace

Program built_in_program(int64_t work, int64_t depth, int64_t extra_functions) {
  enum : size_t { kModule, kParse, kTokenize, kCompute, kFoldRight, kRender, kRow };
  constexpr int64_t kRows = 3;
  Program program;
  auto& functions = program.functions;
  functions.push_back(
      {"<module>", 0.05, plain_function(5 * work, {{kParse, 1}, {kCompute, 2}, {kRender, 3}})});
  functions.push_back({"Parser.parse", 0.10, plain_function(10 * work, {{kTokenize, 10}})});
  functions.push_back({"Parser.tokenize", 0.25, plain_function(25 * work, {})});
  functions.push_back({"compute", 0.10, plain_function(10 * work, {{kFoldRight, depth}})});
  functions.push_back({"fold_right",
                       0.30,
                       recursive_function(kFoldRight, std::max<int64_t>(1, 30 * work / depth))});
  functions.push_back(
      {"render", 0.05, plain_function(5 * work, {{kRow, 100}, {kRow, 200}, {kRow, 300}})});
  functions.push_back({"render.<locals>.row", 0.15, plain_function(15 * work / kRows, {})});
  program.first_extra = functions.size();
  for (int64_t extra = 0; extra < extra_functions; ++extra) {
    functions.push_back({"extra_" + std::to_string(extra), 0, plain_function(0, {})});
  }
  program.deepest_call = 2 + static_cast<size_t>(depth);
  int64_t folded = depth * (depth + 1) / 2;
  program.round_value = (1 + 10) + (2 + folded) + (3 + 100 + 200 + 300);
  return program;
}

}  // namespace toy_jit
