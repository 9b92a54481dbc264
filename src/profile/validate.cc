// SPDX-License-Identifier: Apache-2.0
#include "profile/validate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace wick {
namespace {

// Reports errors as "samples row 7 names stack 9, but there are only 3", for every table. It checks
// the rules of the schema for all columns in one way. Each other rule is a function of its table.
class Validator {
 public:
  explicit Validator(const Profile& profile) : profile_(profile) {
    sizes_[static_cast<size_t>(ProfileTable::kStrings)] = profile.strings.size();
    visit_tables([&](ProfileTable table,
                     const auto& rows) { sizes_[static_cast<size_t>(table)] = rows.size(); },
                 profile);
  }

  Result<> run() {
    TRY(empty_rows());
    TRY(column_lengths(profile_.samples));
    TRY(column_lengths(profile_.counters));
    Result<> result;
    visit_tables(
        [&](ProfileTable table, const auto& rows) {
          if (result) {
            result = check_columns(table, rows);
          }
        },
        profile_);
    TRY(std::move(result));
    TRY(tree(ProfileTable::kStacks, profile_.stacks));
    TRY(tree(ProfileTable::kLabelSets, profile_.label_sets));
    TRY(scales());
    TRY(branch_sets());
    TRY(samples());
    TRY(spans());
    return {};
  }

 private:
  static std::unexpected<Error> problem(ProfileTable table, size_t row, std::string_view what) {
    return fail("The profile is not valid: {} row {} {}.", info_of(table).name, row, what);
  }
  size_t size_of(ProfileTable table) const { return sizes_[static_cast<size_t>(table)]; }

  // Row 0 of strings and trees must be empty.
  Result<> empty_rows() const {
    if (profile_.strings.size() == 0 || !profile_.strings[StringId{0}].empty()) {
      return fail("The profile is not valid: string 0 is not the empty string.");
    }
    const StackTree& stacks = profile_.stacks;
    if (stacks.size() == 0 || stacks.frame(kEmptyStack).valid()) {
      return fail("The profile is not valid: stack 0 is not the empty stack.");
    }
    const LabelSetTree& sets = profile_.label_sets;
    if (sets.size() == 0 || sets.label(kNoLabels).valid()) {
      return fail("The profile is not valid: label set 0 is not the empty set.");
    }
    return {};
  }

  template <template <template <typename> typename> typename Fields>
  static Result<> column_lengths(const ColumnTable<Fields>& rows) {
    Result<> result;
    for_each_column<Fields<Plain>>([&](const auto& column) {
      size_t size = column.of(rows).size();
      if (size != rows.size()) {
        result = fail("The profile is not valid: column {} has {} of {} rows.",
                      column.name,
                      size,
                      rows.size());
      }
    });
    return result;
  }

  template <typename Rows>
  Result<> check_columns(ProfileTable table, const Rows& rows) const {
    using Row = RowOf<Rows>;
    Result<> result;
    for_each_column<Row>([&](const auto& column) {
      size_t size = rows_to_check(rows, column);
      for (size_t row = info_of(table).implied_rows; result && row < size; ++row) {
        auto value = value_at(rows, row, column);
        if (!fits<Row>(table, row, column, value)) {
          result = explain(table, row, column.name, value);
        }
      }
    });
    return result;
  }

  template <typename Row, typename Column, typename Value>
  bool fits(ProfileTable table, size_t row, const Column& column, Value value) const {
    if constexpr (RowReference<Value>) {
      if (value.value == Id<void>::kNone) {
        return may_be_none<Row>(column);
      }
      return value.value < size_of(table_of(value)) &&
             (table_of(value) != table || value.value < row);
    } else if constexpr (std::is_enum_v<Value>) {
      return value <= last_of(value);
    } else {
      return column.meaning != ColumnMeaning::kBits || (to_word(value) & ~column.allowed) == 0;
    }
  }
  template <typename Value>
  Result<> explain(ProfileTable table, size_t row, std::string_view column, Value value) const {
    if constexpr (RowReference<Value>) {
      std::string_view target = info_of(table_of(value)).row_name;
      size_t size = size_of(table_of(value));
      if (value.value < size) {
        return problem(
            table, row, fmt::format("refers to {} {}, which comes later", target, value.value));
      }
      return problem(
          table,
          row,
          fmt::format("refers to {} {}, but there are only {}", target, value.value, size));
    } else {
      return problem(
          table, row, fmt::format("has the {} {}, which does not exist", column, to_word(value)));
    }
  }

  template <typename Tree>
  Result<> tree(ProfileTable table, const Tree& tree) const {
    for (size_t row = 1; row < tree.size(); ++row) {
      if (!tree.label(Tree::Node::from_index(row)).valid()) {
        return problem(table, row, "adds nothing to its parent");
      }
    }
    return {};
  }

  Result<> scales() const {
    for (size_t row = 0; row < profile_.events.size(); ++row) {
      if (profile_.events.rows()[row].scale == 0) {
        return problem(ProfileTable::kEvents, row, "has the scale 0");
      }
    }
    return {};
  }

  Result<> branch_sets() const {
    uint64_t last = 0;
    for (size_t row = 0; row < profile_.branch_sets.size(); ++row) {
      const BranchSet& set = profile_.branch_sets.rows()[row];
      uint64_t end = uint64_t{set.first} + set.count;
      if (end > profile_.branches.size()) {
        return problem(ProfileTable::kBranchSets, row, "has branches that do not exist");
      }
      if (set.count > 0 && set.first < last) {
        return problem(ProfileTable::kBranchSets, row, "has branches of an earlier set");
      }
      last = std::max(last, end);
    }
    return {};
  }

  // The sums of all events together must be in range, so that no sum in a view can overflow.
  Result<> samples() const {
    constexpr auto kMost = std::numeric_limits<int64_t>::max();
    const SampleColumns& samples = profile_.samples;
    int64_t weight = 0;
    uint64_t count = 0;
    for (size_t row = 0; row < samples.size(); ++row) {
      if (samples.weight[row] < 0) {
        return problem(ProfileTable::kSamples, row, "has a negative weight");
      }
      if (samples.weight[row] > kMost - weight) {
        return problem(ProfileTable::kSamples, row, "makes the sum of weights too large to count");
      }
      if (samples.count[row] > static_cast<uint64_t>(kMost) - count) {
        return problem(
            ProfileTable::kSamples, row, "makes the number of samples too large to count");
      }
      weight += samples.weight[row];
      count += samples.count[row];
    }
    return {};
  }

  Result<> spans() const {
    for (size_t row = 0; row < profile_.spans.size(); ++row) {
      if (profile_.spans[row].end_ns < profile_.spans[row].begin_ns) {
        return problem(ProfileTable::kSpans, row, "ends before it begins");
      }
    }
    return {};
  }

  const Profile& profile_;
  std::array<size_t, kTableCount> sizes_ = {};
};

}  // namespace

Result<> validate(const Profile& profile) {
  return Validator(profile).run();
}

}  // namespace wick
