// SPDX-License-Identifier: Apache-2.0
#include "toy_jit/evaluator.h"

#include "common/no_inline.h"

namespace toy_jit {

WORKLOAD_FUNCTION int64_t evaluate(Interpreter* interpreter, Frame* frame, int /*throwing*/) {
  int64_t* top = frame->values.data();  // one past the last value
  const Instruction* code = frame->function->code.data();
  for (const Instruction* next = code;;) {
    const Instruction& now = *next++;
    switch (now.op) {
      case Op::kConstant:
        *top++ = now.operand;
        break;
      case Op::kLoad:
        *top++ = frame->locals[static_cast<size_t>(now.operand)];
        break;
      case Op::kStore:
        frame->locals[static_cast<size_t>(now.operand)] = *--top;
        break;
      case Op::kAdd:
        --top;
        top[-1] += *top;
        break;
      case Op::kSubtract:
        --top;
        top[-1] -= *top;
        break;
      case Op::kJumpIfPositive:
        if (*--top > 0) {
          next = code + now.operand;
        }
        break;
      case Op::kCall:
        top[-1] = interpreter->call_function(static_cast<size_t>(now.operand), top[-1]);
        break;
      case Op::kReturn:
        return top[-1];
    }
  }
}

Interpreter::Interpreter(const Program& program,
                         StubArenas& arenas,
                         size_t stub_bytes,
                         PerfMap& map)
    : program_(program),
      arenas_(arenas),
      stub_bytes_(stub_bytes),
      map_(map),
      accounting_(program.functions.size()),
      stubs_(program.functions.size(), nullptr),
      frames_(program.deepest_call) {}

WORKLOAD_FUNCTION int64_t Interpreter::call_function(size_t function, int64_t argument) {
  if (stubs_[function] == nullptr) {
    stubs_[function] = make_stub(function);
  }
  if (!problem_.empty()) {
    return 0;
  }
  Frame& frame = frames_[frames_used_++];
  frame.function = &program_.functions[function];
  frame.locals = {argument, 0};
  accounting_.enter(function);
  int64_t value = stubs_[function](this, &frame, 0, evaluate);
  accounting_.leave();
  --frames_used_;
  return value;
}

Stub Interpreter::make_stub(size_t function) {
  Stub stub = arenas_.next();
  if (stub == nullptr) {
    problem_ = arenas_.problem();
    return nullptr;
  }
  std::string name = program_.functions[function].perf_name();
  if (!map_.add(reinterpret_cast<const void*>(stub), stub_bytes_, name)) {
    problem_ = map_.problem();
  }
  return stub;
}

}  // namespace toy_jit
