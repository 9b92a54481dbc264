// SPDX-License-Identifier: Apache-2.0
// The results of a sweep, ready to be shown: in the terminal, as JSON (json.h), on its page
// (viewer/page.h).
//
//     runs of a sweep -> points with a number for each metric -> Sweep -> find_scaling(Sweep)
//     the profile of a point -> cost_of_profile() -> its areas and functions
//
// Axes, metrics and areas are listed once; points refer to them by position. Names are foreign
// text: escape them before they are shown.
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
  std::vector<double> numbers;  // the same as numbers; empty unless all values are numbers
};

struct SweepMetric {
  std::string name;
  std::string unit;
  bool more_is_better = false;
  bool hidden = false;  // used by other metrics, not shown in the terminal's table
};

// The best of all points that passed, and those that cannot be distinguished from it; the worst
// likewise.
enum class PointMark : uint8_t { kNone, kBest, kWorst };
std::string_view mark_name(PointMark mark);

// A metric at a point, over its timing runs.
struct SweepNumber {
  Estimate median;
  std::vector<double> values;
  PointMark mark = PointMark::kNone;  // set by mark_extremes()
};

struct SweepFunction {
  std::string name;
  double self = 0;  // shares of the profile
  double total = 0;
};

// A summary of a point's profile: enough to plot areas and to compare two points.
struct SweepCost {
  double samples = 0;  // effective number; intervals are based on it
  double weight = 0;
  std::string unit;                      // of the weight
  std::vector<Estimate> areas;           // share of each of the sweep's areas, with callees
  std::vector<bool> unmatched_areas;     // areas whose pattern matches no frame
  std::vector<SweepFunction> functions;  // the largest by self or by total
  double least_self = 0;                 // the self of any other function is at most this
  std::vector<std::string> cautions;     // about the build of the program
};

struct SweepPoint {
  uint32_t id = 0;
  std::vector<size_t> values;                       // position in each axis' values
  std::string status = "ok";                        // ok, failed, timeout, not run
  std::string why;                                  // a sentence if the status is not ok
  std::vector<std::string> failed_checks;           // their names
  std::string cut;                                  // which part of its output was not read, if any
  std::vector<std::optional<SweepNumber>> metrics;  // one for each metric of the sweep
  std::string profile;       // its .wick file, relative to the results' directory; or empty
  std::string profile_page;  // its page, likewise
  std::optional<SweepCost> cost;
};

// One line of points along an axis, all else equal.
struct SweepFit {
  ScalingRequest of;
  std::vector<size_t> rest;  // position in each axis' values; meaningless for the axis itself
  ScalingFit fit;
};

// A point's throughput per N relative to that of the smallest N of its line.
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
  double cpus = 0;                    // that can be used at once; 0 if unknown
  std::vector<std::string> cautions;  // whole sentences to read before the numbers
  std::vector<std::string> notes;     // whole sentences
  std::vector<std::string> warnings;  // about the command line
  std::vector<SweepPoint> points;
  // Set by find_scaling().
  std::vector<SweepFit> fits;
  std::vector<SweepRank> ranking;  // furthest from linear first
};

// Fits every line of points along each requested axis. Without requests: fits throughputs (metrics
// of which more is better) along every axis with three numbers or more; if there is no such metric,
// the inverse of the first metric. If the name of an axis does not say that it counts workers, it
// may be the size of the work: such fits state their assumption, and are left out if the smallest
// value does best. Verdicts are corrected for the number of fits.
void find_scaling(Sweep& sweep, std::span<const ScalingRequest> asked);

// Makes links to profiles relative to a page at `page` instead of the results' directory: for a
// page in another directory, such as that of two sweeps.
void link_profiles_from(const std::string& page, Sweep& sweep);

// The profile must be filtered and have one event.
SweepCost cost_of_profile(const Profile& profile, const std::vector<Area>& areas);

}  // namespace wick
