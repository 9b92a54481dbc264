// SPDX-License-Identifier: Apache-2.0
#include "views/svg/rooted.h"

#include <array>
#include <utility>
#include <vector>

#include "report/columns.h"

namespace wick {
namespace {

constexpr std::array kTexts = {
    ColumnRole::kName, ColumnRole::kModule, ColumnRole::kCategory, ColumnRole::kMark};
constexpr std::array kWeights = {ColumnRole::kTotal, ColumnRole::kSelf};

// A tree that takes rows of a forest.
class Graft {
 public:
  explicit Graft(const Tree& forest) : forest_(forest), row_of_(forest.parent.size()) {
    for (ColumnRole role : kTexts) {
      if (const ReportColumn* column = forest.nodes.find(role, ColumnKind::kText)) {
        add_column(column, text_column(column->name, column->title, role));
      }
    }
    for (ColumnRole role : kWeights) {
      add_column(forest.nodes.find(role, ColumnKind::kWeight), weight_column("", "", role));
    }
  }

  void add_root(std::string_view name, double total) {
    for (ReportColumn& column : tree_.nodes.columns) {
      if (column.kind == ColumnKind::kText) {
        column.text.push_back(column.role == ColumnRole::kName ? name : "");
      } else {
        column.numbers.push_back(column.role == ColumnRole::kTotal ? total : 0);
      }
    }
    tree_.parent.push_back(0);
  }

  // Roots of the forest become children of the root, or the root if there is none yet.
  void add(size_t row) {
    auto number = static_cast<uint32_t>(tree_.parent.size());
    bool is_root = forest_.parent[row] == row;
    tree_.parent.push_back(is_root ? 0 : row_of_[forest_.parent[row]]);
    row_of_[row] = number;
    for (size_t i = 0; i < origins_.size(); ++i) {
      ReportColumn& column = tree_.nodes.columns[i];
      if (column.kind == ColumnKind::kText) {
        column.text.push_back(origins_[i]->text[row]);
      } else {
        column.numbers.push_back(origins_[i] == nullptr ? 0 : origins_[i]->numbers[row]);
      }
    }
  }

  Tree finish() { return std::move(tree_); }

 private:
  void add_column(const ReportColumn* origin, ReportColumn column) {
    origins_.push_back(origin);
    tree_.nodes.columns.push_back(std::move(column));
  }

  const Tree& forest_;
  Tree tree_;
  std::vector<const ReportColumn*> origins_;  // by column of the tree; null: all zero
  std::vector<uint32_t> row_of_;              // by row of the forest
};

}  // namespace

bool needs_root(const Tree& tree) {
  bool has_other_root = false;
  for (size_t row = 1; row < tree.parent.size(); ++row) {
    has_other_root = has_other_root || tree.parent[row] == row;
  }
  return has_other_root || tree.nodes.find(ColumnRole::kSelf, ColumnKind::kWeight) == nullptr;
}

Tree with_root(const Tree& forest, double total) {
  Graft graft(forest);
  graft.add_root("all", total);
  for (size_t row = 0; row < forest.parent.size(); ++row) {
    graft.add(row);
  }
  return graft.finish();
}

std::optional<CallersAndCallees> callers_and_callees(const Tree& forest) {
  const ReportColumn* relation = forest.nodes.find(ColumnRole::kRelation, ColumnKind::kText);
  if (relation == nullptr) {
    return std::nullopt;
  }
  Graft callers(forest);
  Graft callees(forest);
  for (size_t row = 0; row < relation->size(); ++row) {
    if (relation->text[row] == kFunctionRelation) {
      callers.add(row);
      callees.add(row);
    }
  }
  for (size_t row = 0; row < relation->size(); ++row) {
    if (relation->text[row] == kCallerRelation) {
      callers.add(row);
    } else if (relation->text[row] == kCalleeRelation) {
      callees.add(row);
    }
  }
  return CallersAndCallees{callers.finish(), callees.finish()};
}

}  // namespace wick
