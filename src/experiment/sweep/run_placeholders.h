// SPDX-License-Identifier: Apache-2.0
// Fills the placeholders of a run: with the values of its point, and with values that only a run
// has (its directory, the number of an instance, ports).
//
// Ports: each instance of a server has its own (if there is no server, each instance of every
// role). {port} is the role's own port. For a client it is that of the server; if the server has
// several instances, clients use them in turn. {server.port} is the same port by name,
// {server.ports} are all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiment/counters.h"
#include "experiment/plan/plan.h"
#include "experiment/plan/points.h"

namespace wick {

struct RunSetting {
  std::string directory;        // absolute, exists, and is empty: {dir}
  std::string build_directory;  // {build_dir}
  uint32_t repeat = 1;
  std::vector<CounterRequest> counters = {};
};

// Words for placeholders from `of_run` and from the point. Both must outlive the result.
PlaceholderWords words_from(const Plan& plan, const Point& point, const Fillings& of_run);

class RunPlaceholders {
 public:
  // Counts the instances. All ports are still 0.
  static Result<RunPlaceholders> of(const Plan& plan,
                                    const Point& point,
                                    const RunSetting& setting);

  // Assigns free ports, if the plan uses any.
  Result<> take_ports();

  uint64_t instances(size_t role) const { return counts_[role]; }
  // Words for the placeholders of one instance of a role, valid until the next call.
  PlaceholderWords words(size_t role, uint64_t instance) {
    fill(role, instance);
    return words_from(plan_, point_, fillings_);
  }

 private:
  RunPlaceholders(const Plan& plan, const Point& point, const RunSetting& setting);
  const std::string& port_of(size_t role, uint64_t instance) const {
    return ports_[role][instance % ports_[role].size()];
  }

  void fill(size_t role, uint64_t instance);

  const Plan& plan_;
  const Point& point_;
  Fillings fillings_;
  std::vector<uint64_t> counts_;                 // by role
  std::vector<std::vector<std::string>> ports_;  // by role and instance; empty if it has none
};

}  // namespace wick
