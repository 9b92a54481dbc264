// SPDX-License-Identifier: Apache-2.0
// This file solves two problems. First, functions of several builds and runs need common row
// numbers. RowNumbers assigns them by name, in order of first appearance; call paths get theirs
// from one call tree that all runs extend. A row of a later run may not exist in an earlier run, so
// align() resizes the cost vectors of all runs at the end. Only then can a row number index every
// run.
//
// Second, a single run has to show how its samples cluster. Blocks splits the recording into about
// as many time blocks as each block has samples (batch means). RunReader counts the samples of
// every row in every block; Clustering turns the counts into a design effect.
#include "analyze/diff/aligned.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <unordered_map>

#include "analyze/diff/pool_names.h"
#include "analyze/group_costs.h"
#include "analyze/label_groups.h"
#include "profile/names.h"
#include "profile/time_range.h"

namespace wick {
namespace {

GroupBy group_by(DiffBy by) {
  switch (by) {
    case DiffBy::kModule:
      return GroupBy::kModule;
    case DiffBy::kLine:
      return GroupBy::kLine;
    case DiffBy::kMode:
      return GroupBy::kMode;
    case DiffBy::kLanguage:
      return GroupBy::kLanguage;
    default:
      return GroupBy::kFunction;
  }
}

// Names of threads and processes without their numbers, because the numbers differ in every run.
std::string owner_name(const Profile& profile, ThreadId thread, DiffBy by) {
  StringId name;
  if (thread.valid()) {
    const Thread& row = profile.threads[thread];
    name = by == DiffBy::kThread ? row.name
           : row.process.valid() ? profile.processes[row.process].name
                                 : StringId();
  }
  std::string_view text = thread.valid() ? profile.strings[name] : "";
  return text.empty() ? "[unknown]" : std::string(text);
}

// Assigns row numbers that all runs share.
class RowNumbers {
 public:
  explicit RowNumbers(std::vector<Group>& groups) : groups_(groups) {}

  uint32_t of(const Group& group) {
    auto [entry, is_new] = known_.try_emplace(group.name, groups_.size());
    if (is_new) {
      groups_.push_back(group);
    } else if (std::string& module = groups_[entry->second].module; module.empty()) {
      module = group.module;
    }
    return entry->second;
  }

 private:
  std::vector<Group>& groups_;
  std::unordered_map<std::string, uint32_t> known_;
};

double seconds_of(const Profile& profile) {
  TimeRange range = sampled_time(profile);
  return (static_cast<double>(range.last) - static_cast<double>(range.first)) / 1e9;
}

size_t timed_samples(const Profile& profile) {
  const Column<int64_t>& times = profile.samples.time_ns;
  size_t timed = 0;
  for (size_t row = 0; row < times.size(); ++row) {
    timed += times[row] != kNoTime ? 1U : 0U;
  }
  return timed;
}

// The samples of a run with a time, in consecutive blocks of equal duration. There are about as
// many blocks as samples in each (batch means: a block must be longer than a burst, and there must
// be many blocks).
struct Blocks {
  std::vector<double> counts;
  std::vector<uint32_t> order;  // rows of the sample columns, sorted by block
  std::vector<uint32_t> block;  // by row; kNoBlock if it has no time

  Blocks(const Profile& profile, double weight_of_sample) {
    const SampleColumns& samples = profile.samples;
    size_t timed = timed_samples(profile);
    auto blocks = static_cast<uint32_t>(std::sqrt(static_cast<double>(timed)));
    TimeRange range = sampled_time(profile);
    auto start = static_cast<double>(range.first);
    double scale = blocks / (static_cast<double>(range.last) - start + 1);
    counts.resize(blocks);
    block.resize(samples.size(), kNoBlock);
    std::vector<uint32_t> begin(blocks + 1);
    for (size_t row = 0; row < samples.size(); ++row) {
      if (samples.time_ns[row] == kNoTime) {
        continue;
      }
      double at = (static_cast<double>(samples.time_ns[row]) - start) * scale;
      uint32_t number = std::min(blocks - 1, static_cast<uint32_t>(std::max(0.0, at)));
      block[row] = number;
      counts[number] += static_cast<double>(samples.weight[row]) / weight_of_sample;
      ++begin[number + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    order.resize(timed);
    for (uint32_t row = 0; row < block.size(); ++row) {
      if (block[row] != kNoBlock) {
        order[begin[block[row]]++] = row;
      }
    }
  }

  static constexpr uint32_t kNoBlock = UINT32_MAX;
};

double weight_of_sample(const AlignedRun& run) {
  return static_cast<double>(run.whole.weight) / run.samples;
}

// From the names of threads or processes that have samples.
PoolNames pool_names(std::span<const Side> sides, DiffBy by) {
  std::vector<std::set<std::string>> names_of_sides;
  for (const Side& side : sides) {
    std::set<std::string>& names = names_of_sides.emplace_back();
    for (const Profile& profile : side.runs) {
      std::set<ThreadId> sampled;
      for (size_t row = 0; row < profile.samples.size(); ++row) {
        sampled.insert(profile.samples.thread[row]);
      }
      for (ThreadId thread : sampled) {
        names.insert(owner_name(profile, thread, by));
      }
    }
  }
  return PoolNames(names_of_sides);
}

// Adds one run to the common rows.
class RunReader {
 public:
  RunReader(const Profile& profile,
            const AlignOptions& options,
            const PoolNames& pools,
            RowNumbers& numbers,
            CallTreeBuilder& paths)
      : profile_(profile), options_(options), pools_(pools), costs_(profile) {
    run_.whole = costs_.total();
    run_.samples = costs_.effective_samples();
    run_.seconds = seconds_of(profile);
    run_.scale = profile.samples.empty() ? 1 : profile.events[profile.samples.event[0]].scale;
    if (options.by == DiffBy::kLabel) {
      add_labels(numbers);
    } else if (options.by == DiffBy::kArea) {
      add_areas(numbers);
    } else if (is_by_sample(options.by)) {
      add_owners(numbers);
    } else {
      add_frames(numbers, paths);
    }
  }

  AlignedRun take() { return std::move(run_); }
  const std::vector<bool>& unmatched_areas() const { return unmatched_areas_; }

 private:
  void add_owners(RowNumbers& numbers) {
    const SampleColumns& samples = profile_.samples;
    std::vector<uint32_t> row_of_thread;
    for (size_t i = 0; i < profile_.threads.size(); ++i) {
      std::string name = owner_name(profile_, ThreadId::from_index(i), options_.by);
      row_of_thread.push_back(numbers.of({.name = pools_.of(name)}));
    }
    add_samples([&](size_t sample) {
      ThreadId thread = samples.thread[sample];
      return thread.valid() ? row_of_thread[thread.index()] : numbers.of({.name = "[unknown]"});
    });
  }

  // If a run does not have the label, all its samples are in one row.
  void add_labels(RowNumbers& numbers) {
    LabelGroups groups(profile_, options_.label);
    std::vector<uint32_t> row_of_group;
    for (size_t group = 0; group < groups.size(); ++group) {
      row_of_group.push_back(numbers.of({.name = groups.name(group)}));
    }
    add_samples(
        [&](size_t sample) { return row_of_group[groups.of(profile_.samples.labels[sample])]; });
  }

  // The areas in their order, then the samples of none.
  void add_areas(RowNumbers& numbers) {
    const std::vector<Area>& areas = options_.areas->areas;
    AreaStacks stacks = area_stacks(profile_, areas, options_.areas->rule);
    AreaCosts costs = area_costs(costs_, stacks);
    unmatched_areas_ = stacks.unmatched;
    std::vector<uint32_t> rows;
    for (const Area& area : areas) {
      rows.push_back(numbers.of({.name = area.name}));
    }
    uint32_t none = numbers.of({.name = std::string(kNoArea)});
    for (size_t area = 0; area < areas.size(); ++area) {
      add(run_.self, rows[area], costs.self[area]);
      add(run_.total, rows[area], costs.total[area]);
    }
    add(run_.self, none, costs.none);
    add(run_.total, none, costs.none);
    bool by_self = options_.measure == Measured::kSelf;
    const std::vector<std::vector<bool>>& counted = by_self ? stacks.leaves : stacks.with;
    add_clustering([&](size_t sample, auto each) {
      StackId stack = profile_.samples.stack[sample];
      for (size_t area = 0; area < areas.size(); ++area) {
        if (counted[area][stack.index()]) {
          each(rows[area]);
        }
      }
      if (stacks.none[stack.index()]) {
        each(none);
      }
    });
  }

  template <typename RowOf>
  void add_samples(RowOf row_of) {
    const SampleColumns& samples = profile_.samples;
    for (size_t sample = 0; sample < samples.size(); ++sample) {
      add(run_.self, row_of(sample), {samples.weight[sample], samples.count[sample]});
    }
    run_.total = run_.self;
    add_clustering([&](size_t sample, auto each) { each(row_of(sample)); });
  }

  void add_frames(RowNumbers& numbers, CallTreeBuilder& paths) {
    FrameGroups groups(profile_, group_by(options_.by), options_.rename);
    std::vector<uint32_t> row_of_group;
    for (size_t i = 0; i < groups.size(); ++i) {
      row_of_group.push_back(numbers.of(groups[GroupId::from_index(i)]));
    }
    auto row_of = [&](StackId stack) {
      return row_of_group[groups.of(profile_.stacks.frame(stack)).index()];
    };
    if (options_.by == DiffBy::kPath) {
      add_paths(paths, row_of);
      return;
    }
    GroupCosts sums = group_costs(profile_, costs_, groups);
    for (size_t i = 0; i < groups.size(); ++i) {
      add(run_.self, row_of_group[i], sums.self[i]);
      add(run_.total, row_of_group[i], sums.total[i]);
    }
    std::vector<uint32_t> seen;
    uint32_t stamp = 0;
    add_clustering([&](size_t sample, auto each) {
      StackId stack = profile_.samples.stack[sample];
      if (options_.measure == Measured::kSelf || stack == kEmptyStack) {
        each(row_of(stack));
        return;
      }
      ++stamp;
      for (; stack != kEmptyStack; stack = profile_.stacks.parent(stack)) {
        uint32_t row = row_of(stack);
        seen.resize(std::max<size_t>(seen.size(), row + 1));
        if (seen[row] != stamp) {
          seen[row] = stamp;
          each(row);
        }
      }
    });
  }

  template <typename RowOf>
  void add_paths(CallTreeBuilder& paths, RowOf row_of) {
    const StackTree& stacks = profile_.stacks;
    std::vector<CallNode> node_of(stacks.size(), CallPaths::kRoot);
    for (size_t i = 1; i < stacks.size(); ++i) {
      StackId stack = StackId::from_index(i);
      node_of[i] = paths.child(node_of[stacks.parent(stack).index()], GroupId(row_of(stack)));
    }
    for (StackId stack : costs_.stacks()) {
      add(run_.self, node_of[stack.index()].value, costs_.self(stack));
    }
    add_clustering([&](size_t sample, auto each) {
      StackId stack = profile_.samples.stack[sample];
      each(node_of[stack.index()].value);
      if (options_.measure == Measured::kTotal) {
        while (stack != kEmptyStack) {
          stack = stacks.parent(stack);
          each(node_of[stack.index()].value);
        }
      }
    });
  }

  // for_rows(sample, each) must call each(row) for every row that the sample counts for.
  template <typename ForRows>
  void add_clustering(ForRows for_rows) {
    if (!options_.clustering || run_.samples <= 0 || timed_samples(profile_) < kLeastForBlocks) {
      return;
    }
    double one = weight_of_sample(run_);
    Blocks blocks(profile_, one);
    for (uint32_t sample : blocks.order) {
      double count = static_cast<double>(profile_.samples.weight[sample]) / one;
      run_.whole_clustering.add(blocks.block[sample], count, blocks.counts);
      for_rows(sample, [&](uint32_t row) {
        run_.clustering.resize(std::max<size_t>(run_.clustering.size(), row + 1));
        run_.clustering[row].add(blocks.block[sample], count, blocks.counts);
      });
    }
    run_.whole_clustering.finish(blocks.counts);
    for (Clustering& clustering : run_.clustering) {
      clustering.finish(blocks.counts);
    }
    run_.blocks = std::move(blocks.counts);
  }

  static void add(std::vector<Cost>& costs, uint32_t row, const Cost& cost) {
    costs.resize(std::max<size_t>(costs.size(), row + 1));
    costs[row] += cost;
  }

  const Profile& profile_;
  const AlignOptions& options_;
  const PoolNames& pools_;
  StackCosts costs_;
  AlignedRun run_;
  std::vector<bool> unmatched_areas_;
};

// What is unmatched in all runs.
void take_unmatched(const std::vector<bool>& of_run, std::vector<bool>& of_all) {
  of_all.resize(of_run.size(), true);
  for (size_t area = 0; area < of_run.size(); ++area) {
    of_all[area] = of_all[area] && of_run[area];
  }
}

}  // namespace

Clustering clustering_of(const Profile& profile,
                         const AlignedRun& run,
                         const std::vector<bool>& stacks) {
  Clustering clustering;
  if (run.blocks.empty()) {
    return clustering;
  }
  double one = weight_of_sample(run);
  Blocks blocks(profile, one);
  for (uint32_t sample : blocks.order) {
    if (stacks[profile.samples.stack[sample].index()]) {
      double count = static_cast<double>(profile.samples.weight[sample]) / one;
      clustering.add(blocks.block[sample], count, blocks.counts);
    }
  }
  clustering.finish(blocks.counts);
  return clustering;
}

std::string AlignedRuns::name(size_t row) const {
  if (!by_path) {
    return groups[row].name;
  }
  std::vector<GroupId> path;
  for (CallNode node = CallNode::from_index(row); node != CallPaths::kRoot;
       node = paths.parent(node)) {
    path.push_back(paths.label(node));
  }
  std::string text;
  for (size_t i = path.size(); i-- > 0;) {
    text += (text.empty() ? "" : ";") + groups[path[i].index()].name;
  }
  return text.empty() ? "[empty stack]" : text;
}

const Group& AlignedRuns::group(size_t row) const {
  static const Group kNone;
  if (!by_path) {
    return groups[row];
  }
  GroupId label = paths.label(CallNode::from_index(row));
  return label.valid() ? groups[label.index()] : kNone;
}

AlignedRuns align(std::span<const Side> sides, const AlignOptions& options) {
  AlignedRuns aligned;
  aligned.by_path = options.by == DiffBy::kPath;
  aligned.has_self = !is_by_sample(options.by);
  RowNumbers numbers(aligned.groups);
  CallTreeBuilder paths;
  bool by_owner = options.by == DiffBy::kThread || options.by == DiffBy::kProcess;
  PoolNames pools = by_owner ? pool_names(sides, options.by) : PoolNames();
  aligned.has_pools = pools.has_pools();
  for (const Side& side : sides) {
    AlignedSide& added = aligned.sides.emplace_back(AlignedSide{.name = side.name});
    for (const Profile& profile : side.runs) {
      size_t run = added.runs.size();
      RunReader reader(profile, options, pools, numbers, paths);
      take_unmatched(reader.unmatched_areas(), aligned.unmatched_areas);
      added.runs.push_back(reader.take());
      added.runs.back().retained = run < side.retained.size() ? side.retained[run] : 1;
    }
  }
  aligned.paths = paths.finish().paths;
  aligned.has_modules =
      options.by != DiffBy::kModule &&
      std::ranges::any_of(aligned.groups, [](const Group& group) { return !group.module.empty(); });
  for (AlignedSide& side : aligned.sides) {
    for (AlignedRun& run : side.runs) {
      run.self.resize(aligned.rows());
      run.total.resize(aligned.rows());
      if (aligned.by_path) {
        run.total = run.self;
        add_into_parents(aligned.paths, run.total);
        run.total[0] = run.self[0];  // the empty stack is a row only for its own samples
      }
    }
  }
  return aligned;
}

}  // namespace wick
