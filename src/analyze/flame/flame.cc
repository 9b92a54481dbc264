#include "analyze/flame/flame.h"

#include <algorithm>
#include <array>
#include <optional>

#include "analyze/flame/picture.h"
#include "analyze/summary.h"

namespace wick {
namespace {

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
  if (!picture.start.empty()) {
    ReportColumn start{.name = "start", .title = "start", .kind = ColumnKind::kWeight};
    for (CallNode node : picture.rows) {
      start.numbers.push_back(measure.weight(picture.start[node.index()]));
    }
    tree.nodes.columns.push_back(std::move(start));
  }
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
  std::optional<StackCosts> before;
  if (pair) {
    before.emplace(profile, EventId(1));
  }
  Subject subject{.event = drawn, .costs = costs, .before = before ? &*before : nullptr};
  Picture picture = TRY(draw(profile, groups, subject, options));
  Report report = start_report(profile, costs, "Flame Graph");
  Tree tree = to_tree(picture, groups, measure);
  if (pair) {
    tree.nodes.columns.push_back(
        delta_column(profile, picture, groups, *before, measure, options.reverse));
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
