// SPDX-License-Identifier: Apache-2.0
// How the four programs run: phases with their threads, the self-check and the result.
//
//     Setup setup;                                  // with this program's defaults
//     Options options("network_server", "...");
//     setup.add_flags(options);
//     options.parse(argc, argv);
//     setup.resolve(options);
//     Run run(options, setup, 1);
//     run.phase("serve", [&](Worker& worker) { ... });
//     return run.finish();
//
// A program ends after --seconds, shared evenly by its phases, or after --operations gets (it
// finishes the current work), or after --passes rounds of the documented work.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "buffer_pool/pool/pool.h"
#include "buffer_pool/programs/setup.h"
#include "buffer_pool/programs/worker.h"
#include "common/clocks.h"
#include "common/json.h"
#include "common/options.h"

namespace buffer_pool {

class Run {
 public:
  using Body = std::function<void(Worker&)>;  // one pass of the documented work

  // Makes the pool with its first buffers.
  Run(const workloads::Options& options, const Setup& setup, int phases);

  // Runs the body in --threads threads (in this thread, if it is one), repeatedly until the phase's
  // share is done.
  void phase(const std::string& name, const Body& body);
  // Prints the result and returns the status of the program.
  int finish();

 private:
  struct Phase {
    std::string name;
    int64_t gets = 0;
    int64_t wall_ns = 0;
    int64_t cpu_ns = 0;
  };
  struct Checks {
    int64_t not_zeroed = 0;
    int64_t handed_out_twice = 0;
    int64_t scanned = 0;
  };

  std::vector<Worker> make_workers();
  void run_workers(std::vector<Worker>& workers, const Body& body) const;
  void fail_unless_pinned() const;
  Phase all_phases() const;
  void add_cost(workloads::Json& json, const Phase& phase) const;
  bool add_checks(workloads::Json& json, const Counters& counters) const;

  const workloads::Options& options_;
  const Setup& setup_;
  int phases_;
  std::unique_ptr<Pool> pool_;
  std::vector<Phase> done_;
  Checks checks_;
};

}  // namespace buffer_pool
