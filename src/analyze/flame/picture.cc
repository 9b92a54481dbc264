// SPDX-License-Identifier: Apache-2.0
#include "analyze/flame/picture.h"

#include <algorithm>
#include <numeric>

#include "analyze/depth_first.h"
#include "profile/names.h"
#include "profile/sorted_stacks.h"
#include "profile/spelled_frames.h"

namespace wick {
namespace {

constexpr uint64_t kMaxFlowFrames = UINT64_C(1) << 26;

Picture merged_picture(const Profile& profile,
                       const FrameGroups& groups,
                       const Subject& subject,
                       const FlameOptions& options) {
  Picture picture;
  if (options.reverse) {
    std::span<const StackId> vanished;
    if (subject.before != nullptr) {
      vanished = subject.before->stacks();
    }
    BottomUp inverted = bottom_up(profile, groups, subject.costs, kMaxReversedDepth, vanished);
    picture.tree = std::move(inverted.tree);
    picture.cut = inverted.cut;
  } else {
    picture.tree = top_down(profile, groups, subject.costs);
  }
  const CallTree& tree = picture.tree;
  std::vector<uint32_t> ranks = groups.name_ranks();
  auto before = [&](CallNode a, CallNode b) {
    int64_t left = tree.total[a.index()].weight;
    int64_t right = tree.total[b.index()].weight;
    if (options.order == FlameOrder::kWeight && left != right) {
      return left > right;
    }
    return ranks[tree.paths.label(a).index()] < ranks[tree.paths.label(b).index()];
  };
  picture.rows = depth_first(tree.paths, before, [](CallNode) { return true; });
  return picture;
}

// The groups of a stack, root first (or leaf first when reversed).
std::vector<GroupId> path_of(const Profile& profile,
                             const FrameGroups& groups,
                             StackId stack,
                             bool reverse) {
  std::vector<GroupId> path;
  for (; stack != kEmptyStack; stack = profile.stacks.parent(stack)) {
    path.push_back(groups.of(profile.stacks.frame(stack)));
  }
  if (!reverse) {
    std::ranges::reverse(path);
  }
  return path;
}

// A tree in which only neighbours are merged.
class Flow {
 public:
  explicit Flow(size_t stacks) { tree_.node_of_stack.resize(stacks); }

  void add(StackId stack, const std::vector<GroupId>& path, const Cost& cost) {
    size_t common = 0;
    while (common < open_.size() && common < path.size() &&
           tree_.paths.label(open_[common]) == path[common]) {
      ++common;
    }
    open_.resize(common);
    for (size_t i = common; i < path.size(); ++i) {
      CallNode parent = open_.empty() ? CallPaths::kRoot : open_.back();
      open_.push_back(tree_.paths.append(parent, path[i]));
      start_.push_back(weight_);
    }
    tree_.self.resize(tree_.paths.size());
    CallNode node = open_.empty() ? CallPaths::kRoot : open_.back();
    tree_.self[node.index()] += cost;
    tree_.node_of_stack[stack.index()] = node;
    weight_ += cost.weight;
  }

  Picture finish() {
    tree_.self.resize(tree_.paths.size());
    tree_.total = tree_.self;
    add_into_parents(tree_.paths, tree_.total);
    Picture picture{.tree = std::move(tree_), .start = std::move(start_)};
    picture.rows.resize(picture.tree.paths.size());
    for (size_t row = 0; row < picture.rows.size(); ++row) {
      picture.rows[row] = CallNode::from_index(row);
    }
    return picture;
  }

 private:
  CallTree tree_;
  std::vector<CallNode> open_;        // path of the previous sample
  std::vector<int64_t> start_ = {0};  // by node; the root's is 0
  int64_t weight_ = 0;                // of all samples so far
};

struct Step {
  StackId stack;
  Cost cost;
};

std::vector<Step> steps_as_sampled(const Profile& profile, EventId event) {
  const SampleColumns& samples = profile.samples;
  std::vector<size_t> rows(samples.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::ranges::stable_sort(rows, {}, [&](size_t row) { return samples.time_ns[row]; });
  std::vector<Step> steps;
  for (size_t row : rows) {
    if (samples.event[row] == event) {
      steps.push_back({samples.stack[row], {samples.weight[row], samples.count[row]}});
    }
  }
  return steps;
}

std::vector<Step> steps_by_line(const Profile& profile, const Subject& subject, bool reverse) {
  const StackCosts& costs = subject.costs;
  auto has_line = [&](StackId stack) {
    return costs.is_sampled(stack) ||
           (subject.before != nullptr && subject.before->is_sampled(stack));
  };
  if (reverse) {
    // flamegraph.pl sorts the reversed lines. Only the complete text gives that order.
    std::vector<std::pair<std::string, Step>> lines;
    for (size_t row = 0; row < profile.stacks.size(); ++row) {
      StackId stack = StackId::from_index(row);
      if (!has_line(stack)) {
        continue;
      }
      std::string line;
      for (StackId at = stack; at != kEmptyStack; at = profile.stacks.parent(at)) {
        line += (line.empty() ? "" : ";") + folded_label(profile, profile.stacks.frame(at));
      }
      lines.push_back({line + " ", {stack, costs.self(stack)}});
    }
    std::ranges::stable_sort(
        lines, {}, [](const auto& line) -> const std::string& { return line.first; });
    std::vector<Step> steps;
    for (const auto& line : lines) {
      steps.push_back(line.second);
    }
    return steps;
  }
  SortedStacks sorted(profile);
  std::vector<Step> steps;
  sorted.visit(
      has_line,
      [](StackId) {},
      [&](StackId stack) { steps.push_back({stack, costs.self(stack)}); },
      [](StackId) {});
  return steps;
}

Result<Picture> flow_picture(const Profile& profile,
                             const FrameGroups& groups,
                             const Subject& subject,
                             const FlameOptions& options) {
  bool as_sampled = options.order == FlameOrder::kInput;
  // An upper bound of what is drawn: one stack after another.
  if (spelled_frames(profile) > kMaxFlowFrames) {
    return fail("The stacks are too many and too deep to draw in this order; use --order name.");
  }
  std::vector<Step> steps = as_sampled ? steps_as_sampled(profile, subject.event)
                                       : steps_by_line(profile, subject, options.reverse);
  Flow flow(profile.stacks.size());
  for (const Step& step : steps) {
    flow.add(step.stack, path_of(profile, groups, step.stack, options.reverse), step.cost);
  }
  return flow.finish();
}

}  // namespace

Result<Picture> draw(const Profile& profile,
                     const FrameGroups& groups,
                     const Subject& subject,
                     const FlameOptions& options) {
  bool merged = options.order == FlameOrder::kName || options.order == FlameOrder::kWeight;
  if (merged) {
    return merged_picture(profile, groups, subject, options);
  }
  return flow_picture(profile, groups, subject, options);
}

}  // namespace wick
