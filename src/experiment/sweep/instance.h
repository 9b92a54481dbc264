// SPDX-License-Identifier: Apache-2.0
// One process of a role in a run: started with what the plan says of its role, and what it printed
// once it has ended. Each is in a group of its own, and nobody whom it starts outlives it or wick.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiment/measured_run.h"
#include "experiment/plan/plan.h"
#include "experiment/sweep/run_metrics.h"
#include "experiment/sweep/run_placeholders.h"

namespace wick {

struct Instance {
  size_t role = 0;
  uint64_t number = 0;
  std::string name;    // "client", or "client 3" of several
  std::string output;  // the files that it prints into
  std::string errors;
  std::optional<MeasuredProcess> process = {};
  std::optional<MeasuredRun> end = {};
  bool stopped_by_us = false;

  bool runs() const { return process && !end; }
  // `; it said: "no memory".`: its last line, as the end of a sentence about it.
  std::string last_words() const;
};

// "ended with status 3".
std::string end_text(const MeasuredRun& end);

// The Error is a sentence about the role.
Result<Instance> start_instance(const Plan& plan,
                                size_t role,
                                uint64_t number,
                                RunPlaceholders& placeholders,
                                const RunSetting& setting,
                                const sigset_t& mask);

// Where a role runs.
Result<std::string> directory_of(const Plan& plan, const Role& role, const PlaceholderWords& words);

// What it printed, as far as a metric of the plan looks at it, and what was counted. When more was
// printed than is looked at, `cut` says so.
InstanceResult result_of(const Plan& plan, const Instance& instance, std::string& cut);

}  // namespace wick
