// SPDX-License-Identifier: Apache-2.0
// For tests: makes a report with a call tree from folded lines ("a;b;c 12", or "a;b;c 12 34" for
// before and after). Equal neighbouring frames become one node, as in flamegraph.pl. Lines are
// sorted, unless the options say otherwise. A suffix _[k], _[i], _[j], _[w] or _[p] becomes the kind
// of a frame.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace wick::testing {

struct FoldedOptions {
  bool keep_order = false;
  bool reverse = false;
  bool with_module = false;  // a name "lib!function" contains its module
};

class FoldedTree {
 public:
  explicit FoldedTree(const FoldedOptions& options) : options_(options) { add_node("all", 0); }

  void add_line(std::string_view line) {
    double second = take_number(line);
    double first = take_number(line);
    bool pair = first >= 0;
    differential_ |= pair;
    std::vector<std::string> frames;
    for (std::string_view rest = line; !rest.empty();) {
      std::string_view frame = rest.substr(0, rest.find(';'));
      frames.emplace_back(frame);
      rest.remove_prefix(std::min(rest.size(), frame.size() + 1));
    }
    if (options_.reverse) {
      std::ranges::reverse(frames);
    }
    size_t same = 0;
    while (same < frames.size() && same + 1 < open_.size() && open_names_[same] == frames[same]) {
      ++same;
    }
    open_.resize(same + 1);
    open_names_.resize(same);
    for (size_t i = same; i < frames.size(); ++i) {
      open_.push_back(add_node(frames[i], open_.back()));
      open_names_.push_back(frames[i]);
    }
    for (uint32_t node : open_) {
      totals_[node] += second;
    }
    selves_[open_.back()] += second;
    deltas_[open_.back()] += pair ? second - first : 0;
  }

  Report report() && {
    Tree tree{.parent = std::move(parents_)};
    auto& columns = tree.nodes.columns;
    columns.push_back(
        {.name = "name", .title = "name", .role = ColumnRole::kName, .text = std::move(names_)});
    columns.push_back(weights(ColumnRole::kTotal, totals_));
    columns.push_back(weights(ColumnRole::kSelf, selves_));
    columns.push_back({.name = "kind", .role = ColumnRole::kCategory, .text = std::move(kinds_)});
    if (options_.with_module) {
      columns.push_back(
          {.name = "module", .role = ColumnRole::kModule, .text = std::move(modules_)});
    }
    if (differential_) {
      columns.push_back(weights(ColumnRole::kChange, deltas_));
    }
    Report report{.title = "Flame graph", .unit = "samples", .total = totals_[0]};
    report.sections.push_back({"tree", "Call tree", std::move(tree)});
    return report;
  }

 private:
  static ReportColumn weights(ColumnRole role, std::vector<double> numbers) {
    return {.kind = ColumnKind::kWeight, .role = role, .numbers = std::move(numbers)};
  }

  // The number after the last space, or -1 if there is no number.
  static double take_number(std::string_view& line) {
    size_t space = line.rfind(' ');
    if (space == std::string_view::npos ||
        line.find_first_not_of("0123456789.", space + 1) != std::string_view::npos) {
      return -1;
    }
    double number = std::stod(std::string(line.substr(space + 1)));
    line = line.substr(0, space);
    return number;
  }

  uint32_t add_node(std::string name, uint32_t parent) {
    std::string kind = name.ends_with("_[k]")   ? "kernel"
                       : name.ends_with("_[i]") ? "inlined"
                       : name.ends_with("_[j]") ? "jit"
                       : name.ends_with("_[w]") ? "waker"
                       : name.ends_with("_[p]") ? "python"
                                                : "";
    name.resize(name.size() - (kind.empty() ? 0 : 4));
    size_t mark = name.find('!');
    bool module = options_.with_module && mark != std::string::npos;
    modules_.push_back(module ? name.substr(0, mark) : "");
    names_.push_back(module ? name.substr(mark + 1) : name);
    kinds_.push_back(kind);
    totals_.push_back(0);
    selves_.push_back(0);
    deltas_.push_back(0);
    parents_.push_back(parent);
    return static_cast<uint32_t>(parents_.size() - 1);
  }

  FoldedOptions options_;
  bool differential_ = false;
  std::vector<uint32_t> open_ = {0};  // nodes of the last line, root first
  std::vector<std::string> open_names_;
  std::vector<uint32_t> parents_;
  TextValues names_;
  TextValues kinds_;
  TextValues modules_;
  std::vector<double> totals_;
  std::vector<double> selves_;
  std::vector<double> deltas_;
};

inline Report folded_report(std::string_view text, const FoldedOptions& options = {}) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    lines.emplace_back(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  if (options.reverse) {
    // Reverse the stacks before lines are sorted.
    for (std::string& line : lines) {
      size_t space = line.rfind(' ');
      std::string reversed;
      for (size_t end = space; end != std::string::npos;) {
        size_t semicolon = line.rfind(';', end - 1);
        size_t begin = semicolon == std::string::npos || semicolon >= end ? 0 : semicolon + 1;
        reversed += (reversed.empty() ? "" : ";") + line.substr(begin, end - begin);
        end = begin == 0 ? std::string::npos : semicolon;
      }
      line = reversed + line.substr(space);
    }
  }
  if (!options.keep_order) {
    std::ranges::sort(lines);
  }
  FoldedTree tree({.with_module = options.with_module});
  for (const std::string& line : lines) {
    if (!line.empty()) {
      tree.add_line(line);
    }
  }
  return std::move(tree).report();
}

}  // namespace wick::testing
