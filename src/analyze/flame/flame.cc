// SPDX-License-Identifier: Apache-2.0
#include "analyze/flame/flame.h"

#include <algorithm>
#include <array>
#include <optional>

#include "analyze/flame/picture.h"
#include "analyze/frames_by.h"
#include "analyze/late_groups.h"
#include "analyze/origin.h"
#include "analyze/summary.h"

namespace wick {
namespace {

constexpr std::array kFlameFlags = {
    Flag{"order",
         '\0',
         FlagKind::kChoice,
         "name|weight|input|lines",
         "name",
         "siblings by name, heaviest first, as sampled (flame chart), or as flamegraph.pl"},
    kFramesByFlag,
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

// A text column over groups: each text once, with that of the root at the end.
template <typename TextOf>
ReportColumn group_texts(std::string_view name,
                         ColumnRole role,
                         std::string_view root,
                         const Picture& picture,
                         const FrameGroups& groups,
                         TextOf text_of) {
  ReportColumn column = text_column(std::string(name), std::string(name), role);
  for (size_t group = 0; group < groups.size(); ++group) {
    column.text.add_value(text_of(groups[GroupId::from_index(group)]));
  }
  uint32_t root_value = column.text.add_value(std::string(root));
  column.text.reserve(picture.rows.size());
  for (CallNode node : picture.rows) {
    GroupId label = picture.tree.paths.label(node);
    column.text.push_value(label.valid() ? label.value : root_value);
  }
  return column;
}

template <typename WeightOf>
ReportColumn node_weights(std::string_view name,
                          ColumnRole role,
                          const Picture& picture,
                          const Measure& measure,
                          WeightOf weight_of) {
  ReportColumn column = weight_column(std::string(name), std::string(name), role);
  column.numbers.reserve(picture.rows.size());
  for (CallNode node : picture.rows) {
    column.numbers.push_back(measure.weight(weight_of(node.index())));
  }
  return column;
}

std::vector<uint32_t> parent_rows(const Picture& picture) {
  std::vector<uint32_t> row_of(picture.rows.size());
  std::vector<uint32_t> parents;
  parents.reserve(picture.rows.size());
  for (size_t row = 0; row < picture.rows.size(); ++row) {
    CallNode node = picture.rows[row];
    row_of[node.index()] = static_cast<uint32_t>(row);
    parents.push_back(row_of[picture.tree.paths.parent(node).index()]);
  }
  return parents;
}

// A frame is marked if stacks end in it: reversed, these are the frames next to the root. Empty if
// none is marked.
ReportColumn late_marks(const Picture& picture, const std::vector<bool>& late, bool reverse) {
  const CallTree& calls = picture.tree;
  ReportColumn column = late_column();
  uint32_t plain = column.text.add_value("");
  uint32_t marked = column.text.add_value(std::string(kLateMark));
  bool any = false;
  for (CallNode node : picture.rows) {
    GroupId label = calls.paths.label(node);
    bool ends_stacks = reverse ? calls.paths.parent(node) == CallPaths::kRoot
                               : calls.self[node.index()].weight > 0;
    bool is_late = label.valid() && late[label.index()] && ends_stacks;
    column.text.push_value(is_late ? marked : plain);
    any = any || is_late;
  }
  return any ? column : ReportColumn();
}

Tree to_tree(const Picture& picture,
             const FrameGroups& groups,
             const Measure& measure,
             const std::vector<bool>& late,
             bool reverse) {
  const CallTree& calls = picture.tree;
  Tree tree{.parent = parent_rows(picture)};
  std::vector<ReportColumn>& columns = tree.nodes.columns;
  columns.push_back(
      group_texts("name", ColumnRole::kName, "all", picture, groups, [](const Group& group) {
        return group.name;
      }));
  columns.push_back(node_weights("total", ColumnRole::kTotal, picture, measure, [&](size_t node) {
    return calls.total[node].weight;
  }));
  columns.push_back(node_weights("self", ColumnRole::kSelf, picture, measure, [&](size_t node) {
    return calls.self[node].weight;
  }));
  if (groups.has_modules()) {
    columns.push_back(
        group_texts("module", ColumnRole::kModule, "", picture, groups, [](const Group& group) {
          return group.module;
        }));
  }
  if (groups.has_kinds()) {
    columns.push_back(
        group_texts("kind", ColumnRole::kCategory, "", picture, groups, [](const Group& group) {
          return group.kind;
        }));
  }
  if (ReportColumn marks = late_marks(picture, late, reverse); marks.size() > 0) {
    columns.push_back(std::move(marks));
  }
  if (!picture.start.empty()) {
    columns.push_back(node_weights("start", ColumnRole::kStart, picture, measure, [&](size_t node) {
      return picture.start[node];
    }));
  }
  return tree;
}

// The growth of each call path's own cost from the event "before" to the drawn event. A vanished
// path is not in the picture and needs no colour.
ReportColumn delta_column(const Picture& picture,
                          const StackCosts& before,
                          const Measure& measure) {
  std::vector<Cost> deltas(picture.tree.self);
  for (StackId stack : before.stacks()) {
    if (CallNode node = picture.tree.node_of(stack); node.valid()) {
      deltas[node.index()].weight -= before.self(stack).weight;
    }
  }
  return node_weights("delta", ColumnRole::kChange, picture, measure, [&](size_t node) {
    return deltas[node].weight;
  });
}

}  // namespace

Result<Report> flame(const Profile& profile, const FlameOptions& options) {
  bool pair = is_before_after(profile);
  bool empty = profile.samples.empty();
  EventId drawn = pair || empty ? EventId(0) : profile.samples.event[0];
  StackCosts costs(profile, drawn);
  Measure measure(profile, costs);
  FrameGroups groups(profile, options.by);
  std::optional<StackCosts> before;
  if (pair) {
    before.emplace(profile, EventId(1));
  }
  Subject subject{.event = drawn, .costs = costs, .before = before ? &*before : nullptr};
  Picture picture = TRY(draw(profile, groups, subject, options));
  Report report = start_report(profile, costs, "Flame Graph", options.evidence);
  report.subject = recorded_command(profile);
  report.origin = origin_text(profile);
  LateSamples late(profile, costs);
  Tree tree = to_tree(
      picture, groups, measure, late_groups(profile, groups, options.by, late), options.reverse);
  if (tree.nodes.find(ColumnRole::kMark, ColumnKind::kText) != nullptr) {
    report.notes.push_back(late.note());
  }
  if (pair) {
    tree.nodes.columns.push_back(delta_column(picture, *before, measure));
  }
  if (picture.cut) {
    report.notes.push_back(
        fmt::format("Callers beyond {} levels are not drawn.", kMaxReversedDepth));
  }
  report.sections.push_back({"frames", report.title, std::move(tree)});
  return report;
}

std::span<const Flag> flame_flags() {
  return kFlameFlags;
}

Result<Report> run_flame(const Profile& profile, std::string_view, const FlagValues& flags) {
  constexpr std::array<std::string_view, 4> kOrders = {"name", "weight", "input", "lines"};
  bool as_perl = flags.is_set("flamegraph-pl") && !flags.given("order");
  auto order = std::ranges::find(kOrders, as_perl ? "lines" : flags.text("order"));
  FramesBy by = parse_frames_by(flags.text("by"));
  return with_frames_by(profile, by, [&](const Profile& framed) {
    return flame(framed,
                 {.order = static_cast<FlameOrder>(order - kOrders.begin()),
                  .reverse = flags.is_set("reverse"),
                  .by = by.group});
  });
}

}  // namespace wick
