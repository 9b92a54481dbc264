#include "analyze/flame/flame.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "analyze/call_tree.h"
#include "analyze/summary.h"
#include "profile/names.h"
#include "profile/sorted_stacks.h"

namespace wick {
namespace {

// Deeper frames of a reversed stack are dropped: nobody sees them, and a chain of sampled stacks
// would otherwise grow with its square.
constexpr size_t kMaxReversedDepth = 1000;
constexpr uint64_t kMaxFlowFrames = UINT64_C(1) << 28;

constexpr std::array kFlags = {
    Flag{"order",
         '\0',
         FlagKind::kChoice,
         "name|weight|input|lines",
         "name",
         "siblings by name, heaviest first, as sampled (flame chart), or as flamegraph.pl"},
    Flag{"flamegraph-pl",
         '\0',
         FlagKind::kSwitch,
         "",
         "",
         "the exact picture of flamegraph.pl (implies --order lines)"},
    Flag{"reverse",
         '\0',
         FlagKind::kSwitch,
         "",
         "",
         "merge stacks from the leaf: who calls the hot code"},
};

// A call tree with the order of its drawing.
struct Picture {
  CallTree tree;
  std::vector<CallNode> rows;  // parents before children, siblings left to right
  bool cut = false;
};

// Level by level; `before` orders two siblings.
template <typename Before>
std::vector<CallNode> order_rows(const CallTree& tree, Before before) {
  TreeChildren<CallPaths> children(tree.paths);
  std::vector<CallNode> rows;
  rows.reserve(tree.paths.size());
  rows.push_back(CallPaths::kRoot);
  for (size_t row = 0; row < rows.size(); ++row) {
    size_t begin = rows.size();
    for (CallNode child = children.first(rows[row]); child.valid(); child = children.next(child)) {
      rows.push_back(child);
    }
    std::sort(rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.end(), before);
  }
  return rows;
}

Picture merged_picture(const Profile& profile,
                       const FrameGroups& groups,
                       const StackCosts& costs,
                       const FlameOptions& options) {
  Picture picture;
  if (options.reverse) {
    BottomUp inverted = bottom_up(profile, groups, costs, kMaxReversedDepth);
    picture.tree = std::move(inverted.tree);
    picture.cut = inverted.cut;
  } else {
    picture.tree = top_down(profile, groups, costs);
  }
  const CallTree& tree = picture.tree;
  auto name = [&](CallNode node) -> const Group& { return groups[tree.paths.label(node)]; };
  picture.rows = order_rows(tree, [&](CallNode a, CallNode b) {
    int64_t left = tree.total[a.index()].weight;
    int64_t right = tree.total[b.index()].weight;
    if (options.order == FlameOrder::kWeight && left != right) {
      return left > right;
    }
    int order = name(a).name.compare(name(b).name);
    return order != 0 ? order < 0 : a < b;
  });
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
  void add(const std::vector<GroupId>& path, const Cost& cost) {
    size_t common = 0;
    while (common < open_.size() && common < path.size() &&
           tree_.paths.label(open_[common]) == path[common]) {
      ++common;
    }
    open_.resize(common);
    for (size_t i = common; i < path.size(); ++i) {
      CallNode parent = open_.empty() ? CallPaths::kRoot : open_.back();
      open_.push_back(tree_.paths.append(parent, path[i]));
    }
    tree_.self.resize(tree_.paths.size());
    tree_.self[open_.empty() ? 0 : open_.back().index()] += cost;
  }

  Picture finish() {
    tree_.self.resize(tree_.paths.size());
    tree_.total = tree_.self;
    add_into_parents(tree_.paths, tree_.total);
    Picture picture{.tree = std::move(tree_)};
    picture.rows.resize(picture.tree.paths.size());
    for (size_t row = 0; row < picture.rows.size(); ++row) {
      picture.rows[row] = CallNode::from_index(row);
    }
    return picture;
  }

 private:
  CallTree tree_;
  std::vector<CallNode> open_;  // path of the sample before
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

// The text of a frame in a folded line, by which flamegraph.pl sorts.
std::string line_label(const Profile& profile, FrameId frame) {
  std::string_view kind = frame_kind(profile.frames[frame]);
  bool marked = !kind.empty() && kind != "user";
  return frame_name(profile, frame) + (marked ? fmt::format("_[{}]", kind[0]) : "");
}

std::vector<Step> steps_by_line(const Profile& profile, const StackCosts& costs, bool reverse) {
  if (reverse) {
    // flamegraph.pl sorts the reversed lines, whose order only the whole text gives.
    std::vector<std::pair<std::string, Step>> lines;
    for (StackId stack : costs.stacks()) {
      std::string line;
      for (StackId at = stack; at != kEmptyStack; at = profile.stacks.parent(at)) {
        line += (line.empty() ? "" : ";") + line_label(profile, profile.stacks.frame(at));
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
  SortedStacks sorted(profile, [&](FrameId frame) { return line_label(profile, frame); });
  std::vector<Step> steps;
  sorted.visit([&](StackId stack) { return costs.is_sampled(stack); },
               [](StackId) {},
               [&](StackId stack) { steps.push_back({stack, costs.self(stack)}); },
               [](StackId) {});
  return steps;
}

Result<Picture> flow_picture(const Profile& profile,
                             const FrameGroups& groups,
                             const StackCosts& costs,
                             EventId event,
                             const FlameOptions& options) {
  bool as_sampled = options.order == FlameOrder::kInput;
  std::vector<Step> steps = as_sampled ? steps_as_sampled(profile, event)
                                       : steps_by_line(profile, costs, options.reverse);
  Flow flow;
  uint64_t frames = 0;
  for (const Step& step : steps) {
    std::vector<GroupId> path = path_of(profile, groups, step.stack, options.reverse);
    frames += path.size();
    if (frames > kMaxFlowFrames) {
      return fail("The stacks are too many and too deep to draw in this order; use --order name.");
    }
    flow.add(path, step.cost);
  }
  return flow.finish();
}

Tree to_tree(const Picture& picture, const FrameGroups& groups, const Measure& measure) {
  ReportColumn name{.name = "name", .title = "function"};
  ReportColumn module{.name = "module", .title = "module"};
  ReportColumn kind{.name = "kind", .title = "kind"};
  for (size_t group = 0; group < groups.size(); ++group) {
    const Group& row = groups[GroupId::from_index(group)];
    name.text.add_value(row.name);
    module.text.add_value(row.module);
    kind.text.add_value(row.kind);
  }
  auto root = static_cast<uint32_t>(groups.size());
  name.text.add_value("all");
  module.text.add_value("");
  kind.text.add_value("");
  Tree tree;
  std::vector<uint32_t> row_of(picture.rows.size());
  std::vector<Cost> selfs;
  std::vector<Cost> totals;
  for (size_t row = 0; row < picture.rows.size(); ++row) {
    CallNode node = picture.rows[row];
    row_of[node.index()] = static_cast<uint32_t>(row);
    tree.parent.push_back(row_of[picture.tree.paths.parent(node).index()]);
    GroupId label = picture.tree.paths.label(node);
    uint32_t value = label.valid() ? label.value : root;
    name.text.push_value(value);
    module.text.push_value(value);
    kind.text.push_value(value);
    selfs.push_back(picture.tree.self[node.index()]);
    totals.push_back(picture.tree.total[node.index()]);
  }
  tree.nodes.columns.push_back(std::move(name));
  tree.nodes.columns.push_back(weight_column(measure, "total", totals));
  tree.nodes.columns.push_back(weight_column(measure, "self", selfs));
  if (groups.has_modules()) {
    tree.nodes.columns.push_back(std::move(module));
  }
  tree.nodes.columns.push_back(std::move(kind));
  return tree;
}

// What each call path itself grew by, from the event before to the one drawn.
ReportColumn delta_column(const Profile& profile,
                          const Picture& picture,
                          const FrameGroups& groups,
                          const StackCosts& before,
                          const Measure& measure,
                          bool reverse) {
  std::vector<Cost> deltas(picture.tree.self);
  TreeChildren<CallPaths> children(picture.tree.paths);
  for (StackId stack : before.stacks()) {
    CallNode node = CallPaths::kRoot;
    for (GroupId group : path_of(profile, groups, stack, reverse)) {
      node = children.first(node);
      while (node.valid() && picture.tree.paths.label(node) != group) {
        node = children.next(node);
      }
      if (!node.valid()) {
        break;  // the path vanished; there is nothing to colour
      }
    }
    if (node.valid()) {
      deltas[node.index()].weight -= before.self(stack).weight;
    }
  }
  ReportColumn column{.name = "delta", .title = "delta", .kind = ColumnKind::kWeight};
  for (CallNode node : picture.rows) {
    column.numbers.push_back(measure.weight(deltas[node.index()].weight));
  }
  return column;
}

}  // namespace

Result<Report> flame(const Profile& profile, const FlameOptions& options) {
  bool pair = is_before_after(profile);
  bool empty = profile.samples.size() == 0;
  EventId drawn = pair || empty ? EventId(0) : profile.samples.event[0];
  StackCosts costs(profile, drawn);
  Measure measure(profile, costs);
  FrameGroups groups(profile, GroupBy::kFunction);
  bool merged = options.order == FlameOrder::kName || options.order == FlameOrder::kWeight;
  Picture picture = merged ? merged_picture(profile, groups, costs, options)
                           : TRY(flow_picture(profile, groups, costs, drawn, options));
  Report report = start_report(profile, costs, "Flame Graph");
  Tree tree = to_tree(picture, groups, measure);
  if (pair) {
    StackCosts before(profile, EventId(1));
    tree.nodes.columns.push_back(
        delta_column(profile, picture, groups, before, measure, options.reverse));
  }
  if (picture.cut) {
    report.notes.push_back(
        fmt::format("Callers beyond {} levels are not drawn.", kMaxReversedDepth));
  }
  report.sections.push_back({"rows", report.title, std::move(tree)});
  return report;
}

std::span<const Flag> flame_flags() {
  return kFlags;
}

Result<Report> run_flame(const Profile& profile, std::string_view, const FlagValues& flags) {
  constexpr std::array<std::string_view, 4> kOrders = {"name", "weight", "input", "lines"};
  bool as_perl = flags.is_set("flamegraph-pl") && !flags.given("order");
  auto order = std::ranges::find(kOrders, as_perl ? "lines" : flags.text("order"));
  return flame(profile,
               {.order = static_cast<FlameOrder>(order - kOrders.begin()),
                .reverse = flags.is_set("reverse")});
}

}  // namespace wick
