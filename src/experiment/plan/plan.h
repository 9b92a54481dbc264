// SPDX-License-Identifier: Apache-2.0
// A plan: the instructions for `wick sweep` (docs/sweep.md lists its keys).
//
//     axes x axes x ... minus skip  ->  points, each a choice of one value per axis
//     a point, filled into the roles ->  a run: servers, then clients, then an orderly stop
//     output and cost of a run       ->  metrics, and checks of them
//
// Every mistake in a plan is reported when the plan is read, with its file and line. After that
// every placeholder of every point can be filled, and every expression refers to existing names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pattern.h"
#include "base/result.h"
#include "experiment/plan/expression.h"
#include "experiment/plan/template_text.h"

namespace wick {

// A text with placeholders, and its line.
struct PlanText {
  std::string text;
  int line = 0;
};

// A command: one text that will be split, or a list of words.
struct PlanCommand {
  std::vector<std::string> words;
  bool is_line = false;  // words[0] is the line
  int line = 0;
};

// Words for placeholders, by name: "engine" and "engine.flags".
using Fillings = std::map<std::string, std::vector<std::string>, std::less<>>;

struct AxisValue {
  std::string name;              // for people, and in results
  std::optional<double> number;  // when it is one
  Fillings fillings;
};

struct Axis {
  std::string name;
  std::string unit;
  bool log = false;
  std::vector<AxisValue> values;
  int line = 0;

  bool is_numeric() const;
};

// Selects the points that have one of the listed values on each axis named here.
struct PointFilter {
  struct Part {
    size_t axis = 0;
    std::vector<size_t> values;
  };
  std::vector<Part> parts;
};

// When a server is ready: all conditions that are set must hold.
struct Readiness {
  PlanText port;     // it accepts connections there
  PlanText host;     // default: 127.0.0.1
  PlanText output;   // a pattern in its output
  PlanCommand test;  // a command that succeeds
  double timeout_seconds = 30;

  bool any() const { return !port.text.empty() || !output.text.empty() || !test.words.empty(); }
};

struct Role {
  std::string name;
  bool is_server = false;
  PlanCommand command;
  PlanText instances;  // empty for one
  PlanText cpus;       // empty for all
  PlanText directory;
  std::vector<std::pair<std::string, PlanText>> environment;
  Readiness ready;
  int stop_signal = 15;
  PlanCommand stop;  // instead of the signal
  double stop_timeout_seconds = 5;
  int line = 0;
};

enum class MetricSource : uint8_t { kJson, kRegex, kCounter, kValue };
enum class Combine : uint8_t { kSum, kMean, kLeast, kMost };  // over instances

struct PlanMetric {
  std::string name;
  std::string unit;
  bool more_is_better = false;
  bool optional = false;
  bool hidden = false;  // used by other metrics, not shown in the table
  MetricSource source = MetricSource::kCounter;
  std::string what;                      // path, or counter
  std::optional<Pattern> pattern;        // kRegex
  std::optional<Expression> expression;  // kValue
  bool from_stderr = false;
  std::optional<size_t> role;  // none: all clients
  std::optional<Combine> combine;
  int line = 0;
};

struct PlanCheck {
  std::string name;
  Expression expression;
  PointFilter when;  // all points when empty
  int line = 0;
};

enum class ProfileChoice : uint8_t { kNone, kAll, kWorst, kChosen };

struct Profiling {
  ProfileChoice choice = ProfileChoice::kNone;
  std::vector<PointFilter> chosen;
  uint64_t frequency = 997;
  size_t metric = 0;          // the metric that decides which point is worst
  bool while_timing = false;  // record the timing runs themselves
};

// How to compute throughput from a metric.
enum class ThroughputAs : uint8_t {
  kValue,    // the metric is a throughput
  kInverse,  // it is a time or a cost, and the work is the same for every N
  kPerN,     // it is a time or a cost, and the work grows with N
};
std::string_view throughput_name(ThroughputAs as);  // as plans write it

// A fit to make: how throughput grows along an axis (analyze/scaling.h).
struct ScalingRequest {
  size_t metric = 0;
  size_t axis = 0;
  ThroughputAs as = ThroughputAs::kValue;
  bool is_guess = false;  // the name of the axis does not say that it is a number of workers
};

struct Plan {
  std::string path;  // for messages
  std::string name;
  bool is_named = false;  // the plan has its own name, not that of its file
  std::string directory;  // where commands run; empty: the current directory
  std::vector<Axis> axes;
  Fillings parameters;
  std::map<std::string, double, std::less<>> numbers;  // the parameters that are numbers
  std::vector<std::pair<std::string, PlanText>> environment;
  PlanText build;  // a line of sh
  std::vector<Role> roles;
  std::vector<PlanMetric> metrics;
  std::vector<PlanCheck> checks;
  std::vector<PointFilter> skip;
  Profiling profiling;
  std::vector<std::pair<std::string, std::string>> areas;  // name and pattern
  std::vector<ScalingRequest> scaling;                     // empty: the usual fits
  bool fits_nothing = false;                               // `scaling = []`
  uint64_t repeats = 5;
  uint64_t warmup = 1;
  uint64_t seed = 1;
  bool shuffled = true;
  double timeout_seconds = 60;   // of a run
  double estimated_seconds = 0;  // of a run; 0 if not given
  uint64_t give_up_after = 3;    // consecutive failures of a point
  std::string plan_directory;    // absolute

  const PlanMetric* find_metric(std::string_view name) const;
};

// The words of a command after its placeholders are filled.
Result<std::vector<std::string>> fill_command(const PlanCommand& command,
                                              const PlaceholderWords& words);

// Every text of a role that may have placeholders, with its line.
std::vector<PlanText> texts_of(const Role& role);
// Each instance of a server gets a port. If there is no server, every role does.
bool has_ports(const Plan& plan, size_t role);
// The role whose port a role means by {port}: itself if it has one, else the server that uses it.
size_t port_owner(const Plan& plan, size_t role);

// The values of a role's `instances` and `cpus`, after filling. No CPUs means all.
inline constexpr uint64_t kMaxInstances = 10'000;
Result<uint64_t> instance_count(const std::string& text);
Result<std::vector<int>> cpu_choice(const std::string& text);

// `text` is the content of the file `path`. An error begins with "path:line: ".
Result<Plan> read_plan(const std::string& path, std::string_view text);

}  // namespace wick
