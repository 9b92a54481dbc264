// SPDX-License-Identifier: Apache-2.0
// echo_pairs: what is the cost of waiting? Pairs of tasks hand a token to each other, as threads
// that block or as coroutines that do not.
#include <map>
#include <string>
#include <vector>

#include "affinity.h"
#include "common/options.h"
#include "compare.h"
#include "coroutines.h"
#include "measurement.h"
#include "result.h"
#include "run.h"
#include "settings.h"
#include "stop.h"

namespace {

using echo::Form;
using echo::Operation;
using echo::Settings;
using workloads::Options;

struct CommandLine {
  Options options{
      "echo_pairs",
      "Pairs of tasks hand a token to each other: threads that block, or coroutines on one "
      "thread that never do.\nEnds after its time, or at SIGINT or SIGTERM."};
  Settings settings;
  std::string operation = "socket";
  std::string mode = "coroutines";
  int pairs = 1;
  int tasks = 0;
  int rounds = 5;

  CommandLine(int argc, char** argv) {
    add_rows();
    options.parse(argc, argv);
    settings.operation = std::map<std::string, Operation>{
        {"yield", Operation::kYield},
        {"sleep", Operation::kSleep},
        {"futex", Operation::kFutex},
        {"socket",
         Operation::kSocket}}.at(operation);
    settings.tasks = tasks == 0 ? 2 * pairs : tasks;
    check();
  }

 private:
  void add_rows() {
    options.choice("operation",
                   operation,
                   {"yield", "sleep", "futex", "socket"},
                   "what a task does in each iteration");
    options.choice("mode",
                   mode,
                   {"threads", "coroutines", "both"},
                   "how tasks wait; both runs them in turn and prints the ratio");
    options.number("pairs", pairs, 1, 10'000, "pairs of tasks");
    options.number("tasks", tasks, 0, 20'000, "yield, sleep: tasks; 0 is two for each pair");
    options.number("sleep-ns", settings.sleep_ns, 0, 999'999'999, "sleep: nanoseconds");
    options.number("access-bytes",
                   settings.access_bytes,
                   0,
                   1 << 30,
                   "memory a task touches in each iteration");
    options.number(
        "access-stride", settings.access_stride, 1, 1 << 30, "bytes from one touch to the next");
    options.text(
        "cpus", settings.cpus, "one|any|LIST", "where to run: one CPU, as started, or e.g. 0,2-3");
    options.flag("spread", settings.spread, "threads: one CPU of the list each, in turn");
    options.real("duration", settings.duration_s, 0, 86'400, "seconds; 0 is until a signal");
    options.number("iterations",
                   settings.iterations,
                   0,
                   int64_t{1} << 40,
                   "of each task, instead of the duration");
    options.number("rounds", rounds, 1, 1'000, "both: runs of each form");
  }

  // Checks combinations that single rows cannot: flags that contradict each other.
  void check() const {
    bool list = settings.cpus != "one" && settings.cpus != "any";
    if (list && !echo::parse_cpu_list(settings.cpus)) {
      options.fail_usage("--cpus takes one, any or a list such as 0,2-3, not '" + settings.cpus +
                         "'.");
    }
    if (settings.spread && mode == "coroutines") {
      options.fail_usage(
          "--spread needs threads, but coroutines all run on one; use --mode threads or both.");
    }
    if (settings.spread && !list) {
      options.fail_usage("--spread needs the CPUs to spread over; add e.g. --cpus 0,1.");
    }
    if (tasks != 0 && settings.works_in_pairs()) {
      options.fail_usage("--tasks is for yield and sleep; " + operation + " takes --pairs.");
    }
    if (settings.operation == Operation::kSleep && mode != "threads") {
      options.fail_usage(echo::kSleepHasNoCoroutines);
    }
    if (mode == "both" && settings.duration_s == 0 && settings.iterations == 0) {
      options.fail_usage("--mode both needs an end of each run; give --duration or --iterations.");
    }
  }
};

constexpr const char* kWaited =
    "The coroutine form waited in the kernel, which it never should; the result does not count.";

void run_one(const CommandLine& line) {
  Form form = line.mode == "threads" ? Form::kThreads : Form::kCoroutines;
  echo::Measurement measured;
  if (echo::Problem problem = echo::run(line.settings, form, measured)) {
    line.options.fail_world(*problem);
  }
  echo::print_run(line.settings, form, measured);
  if (form == Form::kCoroutines && !echo::never_waited(echo::summary_of(measured))) {
    line.options.fail_world(kWaited);
  }
}

void run_both(const CommandLine& line) {
  std::vector<echo::Round> rounds;
  if (echo::Problem problem = echo::compare(line.settings, line.rounds, rounds)) {
    line.options.fail_world(*problem);
  }
  if (rounds.empty()) {
    line.options.fail_world("A signal came before one round was complete; there is no ratio.");
  }
  echo::print_comparison(line.settings, rounds);
  for (const echo::Round& round : rounds) {
    if (!echo::never_waited(round.coroutines)) {
      line.options.fail_world(kWaited);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line(argc, argv);
  echo::listen_for_stop();
  if (line.mode == "both") {
    run_both(line);
  } else {
    run_one(line);
  }
  return 0;
}
