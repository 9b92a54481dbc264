// SPDX-License-Identifier: Apache-2.0
#include "views/dot/dot.h"

#include <gtest/gtest.h>

#include "report/columns.h"

namespace wick {
namespace {

std::string dot_of(const Report& report) {
  std::string text;
  Output out = Output::to_text(text);
  Result<> done = write_dot(report, {}, out);
  return done ? text : "error: " + done.error().message;
}

TEST(Dot, NodesAndEdges) {
  ReportColumn name = name_column("block");
  ReportColumn count = count_column("count", "executions");
  for (std::string_view text : {"a\"b\\l", "c\x1b"}) {
    name.text.push_back(text);
    count.numbers.push_back(2);
  }
  ReportColumn times = count_column("count", "times");
  times.numbers = {4, 1};
  Graph graph{.nodes = {.columns = {name, count}},
              .edges = {{0, 1}, {1, 1}},
              .edge_values = {.columns = {times}}};
  Report report{.title = "x", .unit = "samples"};
  report.sections.push_back({"graph", "Blocks", graph});
  EXPECT_EQ(dot_of(report),
            "digraph \"Blocks\" {\n"
            "  node [shape=box, fontname=\"monospace\"];\n"
            "  n0 [label=\"a\\\"b\\\\l  executions 2\"];\n"
            "  n1 [label=\"c\\\\x1b  executions 2\"];\n"
            "  n0 -> n1 [label=\"4\", penwidth=4.5];\n"
            "  n1 -> n1 [label=\"1\", penwidth=1.5];\n"
            "}\n");
}

TEST(Dot, WithoutAGraphItIsRefused) {
  EXPECT_TRUE(dot_of(Report{.title = "x", .unit = "samples"}).starts_with("error: This report"));
}

}  // namespace
}  // namespace wick
