// SPDX-License-Identifier: Apache-2.0
// The common rows of several profiles, and the cost of each row in each run.
//
// A row is a function, module, line, mode, thread, process or label value, identified by its name
// (name_rules.h), a call path, or an area (analyze/areas.h). Every run has a cost for every row, zero if it has no samples
// there.
#pragma once

#include <string>
#include <vector>

#include "analyze/analyses.h"
#include "analyze/areas.h"
#include "analyze/call_tree.h"
#include "base/statistics.h"
#include "profile/profile.h"

namespace wick {

// Fewer samples with times are not enough to see clustering.
inline constexpr size_t kLeastForBlocks = 100;

enum class DiffBy {
  kFunction,
  kModule,
  kLine,
  kMode,
  kLanguage,
  kThread,
  kProcess,
  kLabel,
  kPath,
  kArea
};
// Whether rows are groups of samples. Such rows have one cost instead of self and total.
constexpr bool is_by_sample(DiffBy by) {
  return by == DiffBy::kThread || by == DiffBy::kProcess || by == DiffBy::kLabel;
}
enum class Measured { kSelf, kTotal };

struct AlignedRun {
  std::vector<Cost> self;   // by row
  std::vector<Cost> total;  // by row
  Cost whole;
  double samples = 0;   // effective; 0 when unknown
  double seconds = 0;   // from the first sample to the last; 0 when unknown
  double scale = 1;     // weight of one unit
  double retained = 1;  // share of the run's cost that the filters retained
  // How the samples of each row cluster in time, and how many samples each time block has. Empty if
  // not requested, or if the run has too few samples with times.
  std::vector<Clustering> clustering;
  Clustering whole_clustering;
  std::vector<double> blocks;

  const std::vector<Cost>& costs(Measured measure) const {
    return measure == Measured::kSelf ? self : total;
  }
};

struct AlignedSide {
  std::string name;
  std::vector<AlignedRun> runs;
};

struct AlignedRuns {
  std::vector<Group> groups;  // rows, except by path
  CallPaths paths;            // by path: the rows, labelled with groups
  std::vector<AlignedSide> sides;
  bool has_self = true;  // see is_by_sample()
  bool by_path = false;
  bool has_modules = false;
  std::vector<bool> unmatched_areas = {};  // by area: its pattern matches nothing in any run
  bool has_pools = false;                  // a row is several threads or processes (pool_names.h)

  size_t rows() const { return by_path ? paths.size() : groups.size(); }
  // "main;work;hash" for a path.
  std::string name(size_t row) const;
  // The innermost function of a path.
  const Group& group(size_t row) const;
};

struct AlignOptions {
  DiffBy by = DiffBy::kFunction;
  std::string label = {};              // the key, for kLabel
  const AreaOptions* areas = nullptr;  // for kArea
  RenameGroup rename;
  Measured measure = Measured::kSelf;  // the measure whose clustering is needed
  bool clustering = false;
};
AlignedRuns align(std::span<const Side> sides, const AlignOptions& options);

// How the samples of the given stacks cluster, in the same blocks that align() used for `profile`.
Clustering clustering_of(const Profile& profile,
                         const AlignedRun& run,
                         const std::vector<bool>& stacks);

}  // namespace wick
