// SPDX-License-Identifier: Apache-2.0
// One process of a role in a run: wick starts it as the plan describes its role, and reads its
// output after it has ended. Each instance has its own process group, and its child processes never
// outlive it or wick.
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

// The directory of a role.
Result<std::string> directory_of(const Plan& plan, const Role& role, const PlaceholderWords& words);

// The part of its output that a metric of the plan needs, and its counts. If it printed more than
// wick reads, `cut` says so.
InstanceResult result_of(const Plan& plan, const Instance& instance, std::string& cut);

}  // namespace wick
