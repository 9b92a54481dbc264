#include "cli/overhead.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <poll.h>

#include "base/escape.h"
#include "experiment/paired_runs.h"
#include "record/machine.h"

namespace wick {
namespace {

constexpr uint64_t kMostPairs = 1000;

// What one run of the program took, as it and the kernel see it; wick's own start and end are not
// in it.
struct RunCost {
  double seconds = 0;
  double cpu_seconds = 0;
  int status = 0;
};

double cpu_seconds(const record::Child::End& end) {
  return static_cast<double>(end.user_ns + end.system_ns) / 1e9;
}

Result<RunCost> run_bare(const record::LaunchRequest& launch) {
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  record::Child child = TRY(record::Child::launch(launch, mask));
  uint64_t start = record::monotonic_ns();
  if (int error = child.release(); error != 0) {
    return fail("Cannot run {}: {}.", terminal_text(launch.command[0]), std::strerror(error));
  }
  std::optional<record::Child::End> end;
  while (!end) {
    pollfd wait{child.descriptor(), POLLIN, 0};
    ::poll(&wait, 1, child.descriptor() >= 0 ? -1 : 1);
    end = child.poll();
  }
  return RunCost{.seconds = static_cast<double>(record::monotonic_ns() - start) / 1e9,
                 .cpu_seconds = cpu_seconds(*end),
                 .status = end->status};
}

Result<RunCost> run_recorded(const RecordingPlan& plan) {
  Recorded recorded = TRY(record_to_file(plan));
  RunCost cost{.status = recorded.status};
  if (recorded.end.child) {
    cost.seconds = recorded.end.child_seconds;
    cost.cpu_seconds = cpu_seconds(*recorded.end.child);
  }
  return cost;
}

void print_line(const char* what, const std::vector<Pair>& pairs) {
  Comparison compared = compare_pairs(pairs);
  auto percent = [](double ratio) { return 100 * (ratio - 1); };
  std::string spread = pairs.size() < 2
                           ? "one pair has no spread"
                           : fmt::format("95 %: {:+.1f} to {:+.1f} %{}",
                                         percent(compared.low),
                                         percent(compared.high),
                                         compared.is_within_noise() ? "; within noise" : "");
  fmt::print("{:<10}{:>10.3f} s {:>10.3f} s {:>+9.1f} %  ({})\n",
             what,
             compared.before,
             compared.after,
             percent(compared.ratio),
             spread);
}

}  // namespace

Result<int> measure_overhead(RecordingPlan plan, uint64_t pairs) {
  if (plan.session.launch.command.empty() || plan.session.watch.any()) {
    return fail_usage(
        "--overhead runs a command repeatedly: `wick record --overhead -- COMMAND`, without "
        "--marker and --stop-on.");
  }
  if (pairs == 0 || pairs > kMostPairs) {
    return fail_usage("--overhead takes a number of pairs of runs from 1 to {}.", kMostPairs);
  }
  Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!nowhere.valid()) {
    return fail("--overhead discards the program's output, but cannot open /dev/null: {}.",
                std::strerror(errno));
  }
  plan.session.launch.outputs[0] = nowhere.get();
  plan.quiet = true;
  std::vector<Pair> wall;
  std::vector<Pair> cpu;
  int status = TRY(run_bare(plan.session.launch)).status;  // to warm up
  for (uint64_t i = 0; i < pairs; ++i) {
    // Who goes first changes, or what drifts would look like a difference.
    bool bare_first = i % 2 == 0;
    RunCost first = TRY(bare_first ? run_bare(plan.session.launch) : run_recorded(plan));
    RunCost second = TRY(bare_first ? run_recorded(plan) : run_bare(plan.session.launch));
    plan.keeps_older = false;  // the runs before the last are not kept
    const RunCost& bare = bare_first ? first : second;
    const RunCost& recorded = bare_first ? second : first;
    wall.push_back({bare.seconds, recorded.seconds});
    cpu.push_back({bare.cpu_seconds, recorded.cpu_seconds});
    for (const RunCost& run : {first, second}) {
      status = status == 0 ? run.status : status;
    }
  }
  fmt::print("{} pairs of alternating runs after one warm-up run; output discarded\n\n", pairs);
  fmt::print("{:<10}{:>12} {:>12} {:>11}\n", "", "bare", "recorded", "slow-down");
  print_line("time", wall);
  print_line("CPU time", cpu);
  if (status != 0) {
    std::fprintf(stderr, "wick: a run ended with status %d.\n", status);
  }
  return status;
}

}  // namespace wick
