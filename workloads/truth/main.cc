// SPDX-License-Identifier: Apache-2.0
// truth: spends a known amount of CPU on each of many paths through code that profilers get wrong,
// and prints the table that a correct profile of the run shows. phase.h explains how; phases/
// contains the paths.
#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include <sys/prctl.h>
#include <sys/resource.h>

#include "common/clocks.h"
#include "common/options.h"
#include "truth/ledger.h"
#include "truth/phases/phases.h"
#include "truth/report.h"

namespace {

using truth::Ledger;
using truth::Phase;
using truth::PhaseRun;
using workloads::Options;

struct Flags {
  double seconds = 10;
  std::string phases = "all";
  std::string child;
  std::string slow;
  double slow_percent = 5;
  bool list = false;
};

void parse(Options& options, Flags& flags, int argc, char** argv) {
  options.real(
      "seconds", flags.seconds, 0.05, 3600, "CPU time to spend, in equal parts on the phases");
  options.text("phases", flags.phases, "A,B,C", "only these phases");
  options.text(
      "slow", flags.slow, "FUNCTION", "give paths that end in it more CPU than their part");
  options.real("slow-percent", flags.slow_percent, 0, 1000, "how much more");
  options.flag("list", flags.list, "print the phases and their rows, weight first, and end");
  options.text(
      "child", flags.child, "FD:NS", "what the exec phase passes to its child; not for people");
  options.parse(argc, argv);
}

std::string phase_names() {
  std::string names;
  for (int each = 1; each < truth::kPhaseCount; ++each) {
    names += (each > 1 ? ", " : "") + std::string(truth::kPhases[each]->name);
  }
  return names;
}

const Phase& find_phase(const Options& options, std::string_view name) {
  for (int each = 1; each < truth::kPhaseCount; ++each) {
    const Phase& phase = *truth::kPhases[each];
    if (phase.name != name) {
      continue;
    }
    if (phase.refused != nullptr) {
      options.fail_usage("The phase '" + std::string(name) + "' is not in this build: " +
                         phase.refused + "; leave it out of --phases.");
    }
    return phase;
  }
  options.fail_usage("There is no phase '" + std::string(name) + "'; there are " + phase_names() +
                     ".");
}

// Every phase that the flag names, or all that this build has.
std::vector<const Phase*> chosen_phases(const Options& options, std::string_view names) {
  std::vector<const Phase*> chosen;
  if (names == "all") {
    for (int each = 1; each < truth::kPhaseCount; ++each) {
      if (truth::kPhases[each]->refused == nullptr) {
        chosen.push_back(truth::kPhases[each]);
      }
    }
    return chosen;
  }
  for (size_t start = 0; start <= names.size();) {
    size_t comma = std::min(names.find(',', start), names.size());
    const Phase* phase = &find_phase(options, names.substr(start, comma - start));
    for (const Phase* earlier : chosen) {
      if (earlier == phase) {
        options.fail_usage("The phase '" + std::string(phase->name) +
                           "' is named twice in --phases.");
      }
    }
    chosen.push_back(phase);
    start = comma + 1;
  }
  return chosen;
}

// This process, and its children that have ended.
int64_t cpu_with_children_ns() {
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  auto ns = [](const timeval& time) {
    return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_usec * 1'000;
  };
  return workloads::process_cpu_ns() + ns(children.ru_utime) + ns(children.ru_stime);
}

PhaseRun run_of(Ledger& ledger, const Phase& phase, int64_t budget_ns) {
  int first_row = truth::first_row_of(phase);
  if (first_row + phase.row_count() > truth::kMaxRows) {
    truth::stop("The ledger has too few rows", "raise kMaxRows in ledger.h");
  }
  return {ledger, phase, first_row, budget_ns};
}

// "FD:NS", as the exec phase writes it: the descriptor of the ledger, and the CPU time to spend.
PhaseRun run_of_child(const Options& options, std::string_view text) {
  const char* end = text.data() + text.size();
  int descriptor = -1;
  int64_t cpu_ns = 0;
  Ledger* ledger = nullptr;
  auto first = std::from_chars(text.data(), end, descriptor);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == ':') {
    auto second = std::from_chars(first.ptr + 1, end, cpu_ns);
    bool good = second.ec == std::errc() && second.ptr == end && cpu_ns > 0;
    ledger = good ? truth::attach_ledger(descriptor) : nullptr;
  }
  if (ledger == nullptr) {
    options.fail_usage("--child is what the exec phase passes to its child; do not set it.");
  }
  return run_of(*ledger, truth::kExecutedChild, cpu_ns);
}

Ledger& new_ledger(const Options& options) {
  Ledger* ledger = truth::create_ledger();
  if (ledger == nullptr) {
    options.fail_world(
        "There is no shared memory for the results; this needs Linux 3.17 with memory free.");
  }
  return *ledger;
}

std::string own_thread_name() {
  char name[16] = {};
  prctl(PR_GET_NAME, name);
  return name;
}

}  // namespace

// Every phase is called from here, so that main is the root of their paths.
int main(int argc, char** argv) {
  Options options("truth",
                  "Spends CPU time on paths that profilers get wrong, and prints what a correct\n"
                  "profile of this run shows.");
  Flags flags;
  parse(options, flags, argc, argv);
  if (flags.list) {
    truth::print_list();
    return 0;
  }
  if (!flags.child.empty()) {
    PhaseRun child = run_of_child(options, flags.child);
    truth::executed_child(child);
    return 0;
  }

  truth::plant_slow_down(flags.slow, flags.slow_percent);
  std::vector<const Phase*> phases = chosen_phases(options, flags.phases);
  phases.insert(phases.begin(), &truth::kCalibrate);
  Ledger& ledger = new_ledger(options);
  truth::RunFacts facts;
  facts.seconds = flags.seconds;
  facts.thread_name = own_thread_name();
  int64_t start = workloads::wall_ns();
  double budget_ns = flags.seconds * 1e9 / static_cast<double>(phases.size() - 1);
  for (const Phase* phase : phases) {
    int64_t before = cpu_with_children_ns();
    PhaseRun run = run_of(ledger, *phase, static_cast<int64_t>(budget_ns));
    phase->run(run);
    facts.phases.push_back({phase, cpu_with_children_ns() - before});
  }
  facts.wall_ns = workloads::wall_ns() - start;
  facts.process_cpu_ns = cpu_with_children_ns();
  print_report(ledger, facts);
  return 0;
}
