// SPDX-License-Identifier: Apache-2.0
#include "views/svg/svg.h"

#include <optional>

#include "views/svg/flame_tree.h"
#include "views/svg/graph_form.h"
#include "views/svg/options.h"
#include "views/svg/own_form.h"
#include "views/svg/perl_form.h"
#include "views/svg/rooted.h"
#include "views/svg/tracks_form.h"
#include "views/track_columns.h"

namespace wick {
namespace {

// Null if a tree comes before them, or if there are none.
const Tracks* first_tracks(const Report& report, Tracks& made) {
  for (const Section& section : report.sections) {
    if (const Tracks* tracks = drawn_tracks(section, made)) {
      return tracks;
    }
    if (std::holds_alternative<Tree>(section.body)) {
      return nullptr;
    }
  }
  return nullptr;
}

// Null if there is a tree, or no graph.
const Graph* only_graph(const Report& report) {
  const Graph* graph = nullptr;
  for (const Section& section : report.sections) {
    if (std::holds_alternative<Tree>(section.body)) {
      return nullptr;
    }
    const auto* found = std::get_if<Graph>(&section.body);
    graph = graph == nullptr ? found : graph;
  }
  return graph;
}

}  // namespace

Result<> write_svg(const Report& report, const FlagValues& flags, Output& out) {
  SvgOptions options = TRY(svg_options(flags));
  Tracks made;
  if (const Tracks* tracks = first_tracks(report, made)) {
    write_tracks_form(report, *tracks, options, out);
    return {};
  }
  if (const Graph* graph = only_graph(report)) {
    write_graph_form(report, *graph, options, out);
    return {};
  }
  const Tree& drawn = *TRY(first_tree(report));
  if (std::optional<CallersAndCallees> sides = callers_and_callees(drawn)) {
    FlameTree callers = TRY(flame_tree(sides->callers));
    FlameTree callees = TRY(flame_tree(sides->callees));
    write_sandwich_form(report, callers, callees, options, out);
    return {};
  }
  std::optional<Tree> rooted;
  if (needs_root(drawn)) {
    rooted = with_root(drawn, report.total);
  }
  FlameTree tree = TRY(flame_tree(rooted ? *rooted : drawn));
  if (options.flamegraph_pl) {
    write_perl_form(report, tree, options, out);
  } else {
    write_own_form(report, tree, options, out);
  }
  return {};
}

}  // namespace wick
