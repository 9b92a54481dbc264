// SPDX-License-Identifier: Apache-2.0
#include "memory_mock/instances.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>
#include <span>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory_mock/failure.h"

namespace memory_mock {
namespace {

struct Outcome {
  bool succeeded = false;
  char failure[512] = "";
  Measures measures;
};

std::span<Outcome> shared_outcomes(size_t count) {
  size_t bytes = count * sizeof(Outcome);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw Failure("No memory could be shared with the instances: " + why() + ".");
  }
  auto* outcomes = static_cast<Outcome*>(memory);
  for (size_t at = 0; at < count; ++at) {
    new (&outcomes[at]) Outcome();
  }
  return {outcomes, count};
}

// Ends without running the parent's buffers and handlers.
[[noreturn]] void be_instance(const ClientSettings& settings, Crc32 crc32, Outcome& outcome) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    run_client(settings, crc32, outcome.measures);
    outcome.succeeded = true;
  } catch (const Failure& failure) {
    std::snprintf(outcome.failure, sizeof outcome.failure, "%s", failure.what());
  }
  _exit(outcome.succeeded ? 0 : 1);
}

std::string failure_of(const Outcome& outcome, int status) {
  if (outcome.failure[0] != '\0') {
    return outcome.failure;
  }
  return "An instance was ended by signal " +
         std::to_string(WIFSIGNALED(status) ? WTERMSIG(status) : 0) + ".";
}

void end_all(const std::vector<pid_t>& children) {
  for (pid_t child : children) {
    if (child > 0) {
      kill(child, SIGKILL);
    }
  }
}

// Waits for all; the first failure ends the rest. Returns it, or an empty text.
std::string wait_for_all(std::vector<pid_t>& children, std::span<const Outcome> outcomes) {
  std::string failure;
  int status = 0;
  for (pid_t ended = wait(&status); ended > 0; ended = wait(&status)) {
    auto child = std::find(children.begin(), children.end(), ended);
    if (child == children.end()) {
      continue;
    }
    *child = -1;
    const Outcome& outcome = outcomes[static_cast<size_t>(child - children.begin())];
    if (!outcome.succeeded && failure.empty()) {
      failure = failure_of(outcome, status);
      end_all(children);
    }
  }
  return failure;
}

}  // namespace

Measures run_instances(const ClientSettings& settings, Crc32 crc32) {
  Measures total;
  if (settings.instances == 1) {
    run_client(settings, crc32, total);
    return total;
  }
  std::span<Outcome> outcomes = shared_outcomes(static_cast<size_t>(settings.instances));
  std::vector<pid_t> children;
  for (Outcome& outcome : outcomes) {
    pid_t child = fork();
    if (child == 0) {
      be_instance(settings, crc32, outcome);
    }
    if (child < 0) {
      std::string reason = why();
      end_all(children);
      wait_for_all(children, outcomes);
      throw Failure("Only " + std::to_string(children.size()) +
                    " instances could be started: " + reason + ".");
    }
    children.push_back(child);
  }
  std::string failure = wait_for_all(children, outcomes);
  if (!failure.empty()) {
    throw Failure(failure);
  }
  for (const Outcome& outcome : outcomes) {
    total.add(outcome.measures);
  }
  return total;
}

}  // namespace memory_mock
