// SPDX-License-Identifier: Apache-2.0
#include "buffer_pool/programs/run.h"

#include <cmath>
#include <csignal>
#include <limits>
#include <new>
#include <system_error>
#include <thread>

#include <sys/time.h>

namespace buffer_pool {

namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

void on_alarm(int /*signal*/) {
  time_is_up.store(true, std::memory_order_relaxed);
}

// 0 means never.
void set_alarm(double seconds) {
  struct sigaction action{};
  action.sa_handler = on_alarm;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  itimerval when{};
  when.it_value.tv_sec = static_cast<time_t>(seconds);
  when.it_value.tv_usec = static_cast<suseconds_t>(std::fmod(seconds, 1.0) * 1e6);
  setitimer(ITIMER_REAL, &when, nullptr);
}

// Equal shares of a total; the first ones get the remainder.
int64_t share(int64_t total, int parts, int number) {
  return total / parts + (number < total % parts ? 1 : 0);
}

}  // namespace

Run::Run(const workloads::Options& options, const Setup& setup, int phases)
    : options_(options), setup_(setup), phases_(phases) {
  std::set_new_handler(out_of_memory);
  pool_ = std::make_unique<Pool>(setup.pool);
  for (const SizeRow& row : setup.preallocated) {
    pool_->preallocate(row.count, row.size);
  }
  fail_unless_pinned();
}

void Run::phase(const std::string& name, const Body& body) {
  std::vector<Worker> workers = make_workers();
  bool timed = setup_.operations == 0 && setup_.passes == 0;
  time_is_up = false;
  int64_t wall = workloads::wall_ns();
  int64_t cpu = workloads::process_cpu_ns();
  set_alarm(timed ? setup_.seconds / phases_ : 0);
  run_workers(workers, body);
  set_alarm(0);
  Phase phase{name, 0, workloads::wall_ns() - wall, workloads::process_cpu_ns() - cpu};
  for (const Worker& worker : workers) {
    phase.gets += worker.gets();
    checks_.not_zeroed += worker.audit().dirty;
    checks_.handed_out_twice += worker.audit().twice;
    checks_.scanned += worker.audit().scanned;
  }
  done_.push_back(phase);
}

std::vector<Worker> Run::make_workers() {
  int64_t phase_gets = share(setup_.operations, phases_, static_cast<int>(done_.size()));
  std::vector<Worker> workers;
  workers.reserve(static_cast<size_t>(setup_.threads));
  for (int number = 0; number < setup_.threads; ++number) {
    Quota quota;
    quota.gets = setup_.operations == 0 ? kNoLimit : share(phase_gets, setup_.threads, number);
    quota.passes = setup_.passes == 0 ? kNoLimit : setup_.passes;
    workers.emplace_back(*pool_, number, quota, setup_.check_every);
  }
  return workers;
}

void Run::run_workers(std::vector<Worker>& workers, const Body& body) const {
  auto run_passes = [&body](Worker& worker) {
    while (worker.next_pass()) {
      body(worker);
    }
  };
  if (workers.size() == 1) {
    run_passes(workers.front());
    return;
  }
  std::vector<std::jthread> threads;
  try {
    for (Worker& worker : workers) {
      threads.emplace_back(run_passes, std::ref(worker));
    }
  } catch (const std::system_error&) {
    options_.fail_world("Only " + std::to_string(threads.size()) + " of " +
                        std::to_string(workers.size()) +
                        " threads could be started; ask for fewer with --threads.");
  }
}

void Run::fail_unless_pinned() const {
  if (counted_so_far().pin_failures > 0) {
    options_.fail_world(
        "A buffer cannot be locked in memory; raise the limit (ulimit -l) or omit --pinned.");
  }
}

int Run::finish() {
  pool_.reset();
  this_thread().release();
  fail_unless_pinned();
  Counters counters = counted_so_far();
  workloads::Json json;
  json.field("program", setup_.program);
  json.field("engine", setup_.engine);
  json.field("zero", setup_.zero);
  json.field("threads", setup_.threads);
  add_cost(json, all_phases());
  for (const CounterName& counter : kCounterNames) {
    json.field(counter.name, counters.*counter.member);
  }
  if (done_.size() > 1) {
    json.array("phases", [&](workloads::Json& list) {
      for (const Phase& phase : done_) {
        list.object("", [&](workloads::Json& row) {
          row.field("name", phase.name);
          add_cost(row, phase);
        });
      }
    });
  }
  bool passed = add_checks(json, counters);
  json.print();
  if (!passed) {
    options_.fail_world("The self-check failed; the object \"checks\" of the result says where.");
  }
  return 0;
}

Run::Phase Run::all_phases() const {
  Phase all;
  for (const Phase& phase : done_) {
    all.gets += phase.gets;
    all.wall_ns += phase.wall_ns;
    all.cpu_ns += phase.cpu_ns;
  }
  return all;
}

// An operation is one get with its use and its put. Its time is that of the thread that does it,
// including waiting; its CPU time is that of the whole process, divided by the number of
// operations.
void Run::add_cost(workloads::Json& json, const Phase& phase) const {
  double gets = static_cast<double>(phase.gets);
  double wall = static_cast<double>(phase.wall_ns);
  json.field("seconds", wall / 1e9);
  json.field("operations", phase.gets);
  json.field("ns_per_operation", wall * setup_.threads / gets);
  json.field("cpu_ns_per_operation", static_cast<double>(phase.cpu_ns) / gets);
}

bool Run::add_checks(workloads::Json& json, const Counters& counters) const {
  int64_t outstanding = counters.gets - counters.puts;
  int64_t unaccounted = counters.allocated - counters.freed;
  int64_t cached = counters.thread_cache_hits + counters.thread_cache_misses;
  bool zeroed_demanded = setup_.pool.zeroing.promised() || setup_.demand_zeroed;
  bool conserved = outstanding == 0 && unaccounted == 0 && cached == counters.gets &&
                   counters.gets == all_phases().gets;
  bool passed =
      conserved && checks_.handed_out_twice == 0 && !(zeroed_demanded && checks_.not_zeroed > 0);
  json.object("checks", [&](workloads::Json& inner) {
    inner.field("passed", passed);
    inner.field("handed_out_twice", checks_.handed_out_twice);
    inner.field("zeroed_demanded", zeroed_demanded);
    inner.field("not_zeroed", checks_.not_zeroed);
    inner.field("buffers_scanned", checks_.scanned);
    inner.field("outstanding", outstanding);
    inner.field("allocated_minus_freed", unaccounted);
    inner.field("counts_conserved", conserved);
  });
  return passed;
}

}  // namespace buffer_pool
