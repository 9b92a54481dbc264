// SPDX-License-Identifier: Apache-2.0
// toy_jit: an interpreter whose functions a profiler can name, because each is called through its
// own stub. Runs the built-in program round after round and prints the CPU time of each function.
#include <algorithm>
#include <cstdint>
#include <string>

#include <sys/resource.h>

#include "common/clocks.h"
#include "common/json.h"
#include "common/options.h"
#include "toy_jit/evaluator.h"

namespace {

using toy_jit::Accounting;
using toy_jit::Interpreter;

struct Settings {
  double seconds = 2;
  int64_t rounds = 0;
  int64_t work = 1000;
  int64_t depth = 10;
  int64_t extra_functions = 0;
  std::string stub = TOY_JIT_FRAME_POINTERS ? "frame" : "plain";
  bool keep_map = false;
};

struct Outcome {
  int64_t rounds = 0;
  int64_t value = 0;
  bool correct = false;  // the value is that of this number of rounds
  int64_t wall_ns = 0;
};

Outcome run_rounds(const toy_jit::Program& program,
                   const Settings& settings,
                   Interpreter& machine) {
  for (size_t extra = program.first_extra; extra < program.functions.size(); ++extra) {
    machine.call_function(extra, 0);
  }
  machine.accounting().reset();
  Outcome outcome;
  int64_t begin = workloads::wall_ns();
  auto end = begin + static_cast<int64_t>(settings.seconds * 1e9);
  auto more = [&] {
    return settings.rounds > 0 ? outcome.rounds < settings.rounds : workloads::wall_ns() < end;
  };
  while (more() && machine.problem().empty()) {
    outcome.value += machine.call_function(program.entry, 0);
    ++outcome.rounds;
  }
  outcome.wall_ns = workloads::wall_ns() - begin;
  outcome.correct = outcome.value == outcome.rounds * program.round_value;
  return outcome;
}

void add_functions(workloads::Json& list, const toy_jit::Program& program, Interpreter& machine) {
  auto all_ns = static_cast<double>(machine.accounting().all_ns());
  for (size_t index = 0; index < program.first_extra; ++index) {
    const toy_jit::Function& function = program.functions[index];
    const Accounting::Account& account = machine.accounting().accounts()[index];
    list.object("", [&](workloads::Json& row) {
      row.field("name", function.perf_name());
      row.field("calls", account.calls);
      row.field("self_s", static_cast<double>(account.self_ns) / 1e9);
      row.field("planned_share", function.planned_share);
      row.field("self_share", static_cast<double>(account.self_ns) / all_ns);
      row.field("total_share", static_cast<double>(account.total_ns) / all_ns);
    });
  }
}

// How many levels fit on the stack; a level takes less than 400 bytes.
int64_t deepest_recursion() {
  constexpr rlim_t kLevelBytes = 400, kOtherBytes = 256 * 1024, kEnough = rlim_t{1} << 30;
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  rlim_t bytes = std::min(limit.rlim_cur, kEnough);
  return bytes < kOtherBytes ? 0 : static_cast<int64_t>((bytes - kOtherBytes) / kLevelBytes);
}

Settings parse(workloads::Options& options, int argc, char** argv) {
  Settings settings;
  options.real("seconds", settings.seconds, 0.001, 3600, "how long to run, when --rounds is 0");
  options.number("rounds", settings.rounds, 0, 1'000'000'000, "rounds to run; 0: by --seconds");
  options.number(
      "work", settings.work, 1, 100'000'000, "turns of the loop for one percent of a round");
  options.number("depth", settings.depth, 1, 10'000, "levels of the recursive function");
  options.number("extra-functions",
                 settings.extra_functions,
                 0,
                 1'000'000,
                 "functions called once before the start, each with a stub and a line in the map");
  options.choice(
      "stub", settings.stub, {"frame", "plain"}, "keep a frame pointer in the stub, or not");
  options.flag("keep-map", settings.keep_map, "leave /tmp/perf-PID.map behind, for perf report");
  options.parse(argc, argv);
  if (settings.depth > deepest_recursion()) {
    options.fail_usage("--depth " + std::to_string(settings.depth) +
                       " needs more stack than the limit allows; raise it with ulimit -s.");
  }
  return settings;
}

void print_result(const Settings& settings,
                  const toy_jit::Program& program,
                  const toy_jit::StubArenas& arenas,
                  const toy_jit::PerfMap& map,
                  const Outcome& outcome,
                  Interpreter& machine) {
  workloads::Json result;
  result.field("program", TOY_JIT_NAME);
  result.field("frame_pointers", TOY_JIT_FRAME_POINTERS == 1);
  result.field("stub", settings.stub);
  result.field("stub_bytes", toy_jit::stub_code(settings.stub).size());
  result.field("stubs", arenas.stubs());
  result.field("arenas", arenas.arenas());
  result.field("map", settings.keep_map ? map.path() : "");
  result.field("rounds", outcome.rounds);
  result.field("wall_s", static_cast<double>(outcome.wall_ns) / 1e9);
  result.field("cpu_s", static_cast<double>(machine.accounting().all_ns()) / 1e9);
  result.field("value", outcome.value);
  result.field("correct", outcome.correct);
  result.array("functions", [&](workloads::Json& list) { add_functions(list, program, machine); });
  result.print();
}

// The problem, as a sentence; empty if there was none. The map is removed when this returns.
std::string run(const Settings& settings) {
  auto code = toy_jit::stub_code(settings.stub);
  if (code.empty()) {
    return "This processor is not supported; there are stubs for x86-64 and AArch64.";
  }
  toy_jit::Program program =
      toy_jit::built_in_program(settings.work, settings.depth, settings.extra_functions);
  toy_jit::StubArenas arenas(code);
  toy_jit::PerfMap map(settings.keep_map);
  if (!map.open()) {
    return map.problem() + "; make /tmp writable or remove what is in the way.";
  }
  Interpreter machine(program, arenas, code.size(), map);
  Outcome outcome = run_rounds(program, settings, machine);
  if (!machine.problem().empty()) {
    return machine.problem() + "; without it functions have no names.";
  }
  print_result(settings, program, arenas, map, outcome, machine);
  return outcome.correct ? "" : "The rounds added up to a wrong value; the interpreter is broken.";
}

}  // namespace

int main(int argc, char** argv) {
  workloads::Options options(TOY_JIT_NAME,
                             "A toy interpreter that calls each function through a named stub.");
  Settings settings = parse(options, argc, argv);
  std::string problem = run(settings);
  if (!problem.empty()) {
    options.fail_world(problem);
  }
  return 0;
}
