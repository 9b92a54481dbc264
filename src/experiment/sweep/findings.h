// What a sweep found, ready to be told: in the terminal, as JSON (json.h), on its page
// (viewer/page.h).
//
//     runs of a sweep -> points with a number for each metric -> Sweep -> find_scaling(Sweep)
//     the profile of a point -> cost_of_profile() -> its areas and functions
//
// Axes, metrics and areas are listed once; points refer to them by position. Names are foreign
// text: whoever shows them escapes them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyze/areas.h"
#include "analyze/scaling.h"
#include "experiment/plan/plan.h"
#include "profile/profile.h"

namespace wick {

struct SweepAxis {
  std::string name;
  std::string unit;
  bool log = false;
  std::vector<std::string> values;
  std::vector<double> numbers;  // the same as numbers; empty unless all are
};

struct SweepMetric {
  std::string name;
  std::string unit;
  bool more_is_better = false;
  bool hidden = false;  // a part of others, not for the table of a terminal
};

// Among all points that are well: the best, and those that the runs cannot tell from it.
enum class PointMark : uint8_t { kNone, kBest, kWorst };
std::string_view mark_name(PointMark mark);

// A metric at a point, over its timing runs.
struct SweepNumber {
  Estimate median;
  std::vector<double> values;
  PointMark mark = PointMark::kNone;  // by mark_extremes()
};

struct SweepFunction {
  std::string name;
  double self = 0;  // shares of the profile
  double total = 0;
};

// A point's profile in short: enough to plot areas and to compare two points.
struct SweepCost {
  double samples = 0;  // effective: what intervals rest on
  double weight = 0;
  std::string unit;                      // of the weight
  std::vector<Estimate> areas;           // share of each of the sweep's areas, with what they call
  std::vector<SweepFunction> functions;  // the largest by self or by total
  double least_self = 0;                 // self of any other function is at most this
};

struct SweepPoint {
  uint32_t id = 0;
  std::vector<size_t> values;                       // position in each axis' values
  std::string status = "ok";                        // ok, failed, timeout, not run
  std::string why;                                  // a sentence, when it is not ok
  std::vector<std::string> failed_checks;           // their names
  std::string cut;                                  // what was not looked at of its output, if any
  std::vector<std::optional<SweepNumber>> metrics;  // one for each metric of the sweep
  std::string profile;       // its .wick file, relative to the results' directory; or empty
  std::string profile_page;  // its page, likewise
  std::optional<SweepCost> cost;
};

// One line of points along an axis, all else equal.
struct SweepFit {
  ScalingRequest of;
  std::vector<size_t> rest;  // position in each axis' values; that of the axis itself means nothing
  ScalingFit fit;
};

// A point's throughput per N against that of the least N of its line.
struct SweepRank {
  size_t fit = 0;
  uint32_t point = 0;
  Estimate efficiency;
};

struct MachineFinding {
  std::string what;
  std::string why;
  std::string advice;
};

struct Sweep {
  std::string name;
  std::string directory;  // of the results, as commands name it
  std::vector<SweepAxis> axes;
  std::vector<SweepMetric> metrics;
  std::vector<std::string> areas;
  std::vector<std::pair<std::string, std::string>> machine_facts;
  std::vector<MachineFinding> machine_findings;
  double cpus = 0;                 // that can be used at once; 0 when unknown
  std::vector<std::string> notes;  // whole sentences
  std::vector<SweepPoint> points;
  // Made by find_scaling().
  std::vector<SweepFit> fits;
  std::vector<SweepRank> ranking;  // furthest from linear first
};

// Fits every line of points along each asked axis. Without any asked: throughputs (metrics of which
// more is better) along every axis of three numbers or more; without such metrics the inverse of
// the first metric. An axis whose name does not tell that it counts workers may be the size of the
// work: its fits say what they suppose, and are left out where one alone does best. Verdicts are
// corrected for the number of fits.
void find_scaling(Sweep& sweep, std::span<const ScalingRequest> asked);

// Makes links to profiles lead from a page at `page` instead of from the results' directory: for a
// page that lies elsewhere, such as that of two sweeps.
void link_profiles_from(const std::string& page, Sweep& sweep);

// The profile has been filtered and holds one event.
SweepCost cost_of_profile(const Profile& profile, const std::vector<Area>& areas);

}  // namespace wick
