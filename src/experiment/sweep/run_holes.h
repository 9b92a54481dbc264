// What fills the holes of a run: the values of its point, and what only a run knows (its directory,
// the number of an instance, ports).
//
// Ports: each instance of a server has one of its own (of every role, where there is no server).
// {port} is one's own; a client's is that of the server, and when the server has several instances
// they are dealt out in turn. {server.port} is the same by name, {server.ports} are all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiment/counters.h"
#include "experiment/plan/plan.h"
#include "experiment/plan/points.h"

namespace wick {

struct RunSetting {
  std::string directory;        // absolute, there, and empty: {dir}
  std::string build_directory;  // {build_dir}
  uint32_t repeat = 1;
  std::vector<CounterRequest> counters = {};
};

// Words for holes from `of_run` and from the point. Both must outlive it.
HoleWords words_from(const Plan& plan, const Point& point, const Fillings& of_run);

class RunHoles {
 public:
  // Instances are counted, no port is taken yet: each is 0.
  static Result<RunHoles> of(const Plan& plan, const Point& point, const RunSetting& setting);

  // Gives out ports that nobody listens to, if the plan uses any.
  Result<> take_ports();

  uint64_t instances(size_t role) const { return counts_[role]; }
  // Words for the holes of one instance of a role, until asked for another.
  HoleWords words(size_t role, uint64_t instance) {
    fill(role, instance);
    return words_from(plan_, point_, fillings_);
  }

 private:
  RunHoles(const Plan& plan, const Point& point, const RunSetting& setting);
  const std::string& port_of(size_t role, uint64_t instance) const {
    return ports_[role][instance % ports_[role].size()];
  }

  void fill(size_t role, uint64_t instance);

  const Plan& plan_;
  const Point& point_;
  Fillings fillings_;
  std::vector<uint64_t> counts_;                 // by role
  std::vector<std::vector<std::string>> ports_;  // by role and instance; none where it has none
};

}  // namespace wick
