// SPDX-License-Identifier: Apache-2.0
#include "views/terminal/tree_lines.h"

#include <fmt/format.h>

namespace wick {
namespace {

constexpr uint32_t kMaxGuides = 20;  // a deeper line says its depth as a number

struct Children {
  std::vector<uint32_t> count;  // of each row
  std::vector<uint32_t> last;   // its last child, or itself
};

Children children_of(const Tree& tree) {
  Children children;
  children.count.resize(tree.parent.size());
  children.last.resize(tree.parent.size());
  for (uint32_t row = 0; row < tree.parent.size(); ++row) {
    children.last[row] = row;
    if (tree.parent[row] != row) {
      ++children.count[tree.parent[row]];
      children.last[tree.parent[row]] = row;
    }
  }
  return children;
}

// The guides of a line: bit n says whether siblings of its ancestor at level n follow. Only the
// levels that are drawn have a bit, so deep trees cost no memory.
struct Guides {
  uint32_t depth = 0;
  uint32_t siblings_follow = 0;

  Guides below(bool sibling_follows) const {
    Guides next{.depth = depth + 1, .siblings_follow = siblings_follow};
    if (sibling_follows && depth < kMaxGuides) {
      next.siblings_follow |= 1U << depth;
    }
    return next;
  }

  std::string text() const {
    if (depth > kMaxGuides) {
      return fmt::format("[{}] ", depth);
    }
    std::string text;
    for (uint32_t level = 0; level < depth; ++level) {
      bool follows = (siblings_follow >> level & 1U) != 0;
      bool is_own = level + 1 == depth;
      text += is_own ? (follows ? "├ " : "└ ") : (follows ? "│ " : "  ");
    }
    return text;
  }
};

constexpr size_t kLeftOut = SIZE_MAX;

// Whether the line of a row continues with one of its children, which leaves out the others.
bool has_line_of_child(const std::vector<TreeLine>& lines, size_t line, size_t row) {
  return lines[line].row() != row;
}

}  // namespace

std::vector<TreeLine> tree_lines(const Tree& tree, size_t limit, const IsLink& is_link) {
  Children children = children_of(tree);
  std::vector<TreeLine> lines;
  std::vector<Guides> guides;  // of each line
  std::vector<size_t> line_of(tree.parent.size());
  size_t rows = tree.parent.size();
  for (size_t row = 0; row < rows; ++row) {
    size_t parent = tree.parent[row];
    if (parent != row &&
        (line_of[parent] == kLeftOut || has_line_of_child(lines, line_of[parent], parent))) {
      line_of[row] = kLeftOut;
      continue;
    }
    bool is_first_child = parent != row && row == parent + 1;
    if (is_first_child && is_link(lines[line_of[parent]], row, children.count[parent] == 1)) {
      lines[line_of[parent]].chain.push_back(row);
      line_of[row] = line_of[parent];
      continue;
    }
    if (limit > 0 && lines.size() == limit) {
      break;
    }
    bool is_root = parent == row;
    Guides own = is_root ? Guides{} : guides[line_of[parent]].below(children.last[parent] != row);
    line_of[row] = lines.size();
    lines.push_back({.chain = {row}, .guide = own.text(), .depth = own.depth});
    guides.push_back(own);
  }
  return lines;
}

size_t rows_left_out(const Tree& tree, const std::vector<TreeLine>& lines) {
  size_t shown = 0;
  for (const TreeLine& line : lines) {
    shown += line.chain.size();
  }
  return tree.parent.size() - shown;
}

}  // namespace wick
