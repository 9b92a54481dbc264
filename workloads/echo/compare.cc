// SPDX-License-Identifier: Apache-2.0
#include "compare.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"
#include "stop.h"

namespace echo {

namespace {

constexpr size_t kMaxSentence = 512;

// A child's report about its run, in one write to a pipe.
struct Report {
  bool failed = true;
  char sentence[kMaxSentence] = "";
  Summary summary;
};
static_assert(sizeof(Report) <= 4096, "a pipe takes this much at once or not at all");

[[noreturn]] void run_as_child(const Settings& settings, Form form, int pipe) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  Report report;
  Measurement measured;
  Problem problem = run(settings, form, measured);
  if (problem) {
    std::strncat(report.sentence, problem->c_str(), kMaxSentence - 1);
  } else {
    report.failed = false;
    report.summary = summary_of(measured);
  }
  bool written = write(pipe, &report, sizeof report) == static_cast<ssize_t>(sizeof report);
  _exit(written ? 0 : 1);
}

// Passes a signal on to the child, which then reports its results so far.
bool read_report(int pipe, pid_t child, Report& report) {
  while (true) {
    ssize_t got = read(pipe, &report, sizeof report);
    if (got == static_cast<ssize_t>(sizeof report)) {
      return true;
    }
    if (got >= 0 || errno != EINTR) {
      return false;
    }
    kill(child, SIGTERM);
  }
}

void wait_for(pid_t child) {
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Problem run_in_child(const Settings& settings, Form form, Summary& summary) {
  int ends[2];
  if (pipe(ends) != 0) {
    return std::string("There is no pipe for a child process (") + std::strerror(errno) +
           "); end other programs first.";
  }
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_as_child(settings, form, ends[1]);
  }
  close(ends[1]);
  Report report;
  bool reported = child > 0 && read_report(ends[0], child, report);
  close(ends[0]);
  if (child < 0) {
    return std::string("A child process could not be started (") + std::strerror(errno) +
           "); end other programs first.";
  }
  wait_for(child);
  if (!reported) {
    return std::string("The process that ran the ") + name_of(form) +
           " form was ended before it was done.";
  }
  if (report.failed) {
    return std::string(report.sentence);
  }
  summary = report.summary;
  return {};
}

}  // namespace

Problem compare(const Settings& settings, int rounds, std::vector<Round>& done) {
  for (int at = 0; at < rounds; ++at) {
    Round round;
    // Every other round starts with the other form, so that a drift favours neither.
    std::pair<Form, Summary*> order[] = {{Form::kCoroutines, &round.coroutines},
                                         {Form::kThreads, &round.threads}};
    if (at % 2 == 1) {
      std::swap(order[0], order[1]);
    }
    for (auto [form, summary] : order) {
      if (Problem problem = run_in_child(settings, form, *summary)) {
        return problem;
      }
      if (should_stop()) {
        return {};
      }
    }
    done.push_back(round);
  }
  return {};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace echo
