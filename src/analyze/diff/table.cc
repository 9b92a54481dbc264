// SPDX-License-Identifier: Apache-2.0
// Builds the tables of a comparison, column by column. Columns about a change are made for every
// side but the first; from the third side on their names end in the number of the side (for_side).
// Scripts depend on these names; diff.h lists them.
//
// Columns that a reader of the terminal does not need are marked for_programs and appear in JSON
// and CSV only. Raw weights are left out when shares are compared, because runs of different length
// make them meaningless.
#include "analyze/diff/table.h"

#include <algorithm>
#include <cmath>

#include "report/columns.h"

namespace wick {
namespace {

// "change" for the second side, "change_2" for the third.
std::string for_side(std::string_view name, size_t side) {
  return side == 1 ? std::string(name) : fmt::format("{}_{}", name, side);
}

std::string titled(std::string_view title, size_t side, size_t sides) {
  return sides == 2 ? std::string(title) : fmt::format("{} {}", title, side);
}

class TableMaker {
 public:
  TableMaker(const Compared& compared, const std::vector<uint32_t>& rows)
      : compared_(compared), rows_(rows), sides_(compared.aligned.sides.size()) {}

  Table make() {
    for (size_t side = 1; side < sides_; ++side) {
      add_change(side);
    }
    bool shares_only = compared_.options.as == DiffAs::kShare;
    for (bool as_share : {false, true}) {
      bool chosen = as_share == shares_only;
      if (!compared_.aligned.has_self || compared_.options.measure == Measured::kTotal) {
        add_values(Measured::kTotal, as_share, chosen);
        if (compared_.aligned.has_self) {
          add_values(Measured::kSelf, as_share, false);
        }
      } else {
        add_values(Measured::kSelf, as_share, chosen);
        add_values(Measured::kTotal, as_share, chosen);
      }
    }
    for (size_t side = 1; side < sides_; ++side) {
      add_sureness(side);
    }
    add_names();
    return std::move(table_);
  }

 private:
  Judged judged(size_t side, size_t row) const { return compared_.judgement.sides[side - 1][row]; }

  double before(size_t row) const {
    return compared_.measuring.typical(0, compared_.options.measure, row);
  }

  // Whether a row is there on `side` only, with numbers that show it: not if one run of many has it.
  // A function whose own cost is gone, but not that of its callees, is still there.
  bool only_here(size_t side, size_t other, size_t row) const {
    const Measuring& measuring = compared_.measuring;
    return measuring.mean(other, Measured::kTotal, row) == 0 &&
           measuring.typical(side, Measured::kTotal, row) > 0;
  }

  void add_change(size_t side) {
    bool as_share = compared_.options.as == DiffAs::kShare;
    ReportColumn change =
        difference(weight_column(for_side("change", side),
                                 titled(as_share ? "points" : "change", side, sides_),
                                 ColumnRole::kChange));
    change.kind = as_share ? ColumnKind::kShare : ColumnKind::kWeight;
    ReportColumn relative =
        difference(share_column(for_side("relative", side), titled("change %", side, sides_)));
    relative.importance = Importance::kUseful;
    bool sure = compared_.measuring.knows_samples() || compared_.measuring.has_several_runs();
    for (uint32_t row : rows_) {
      const Difference& difference = judged(side, row).difference;
      change.numbers.push_back(difference.change);
      if (sure) {
        change.low.push_back(difference.low);
        change.high.push_back(difference.high);
      }
      double base = before(row);
      relative.numbers.push_back(base > 0 ? difference.change / base : kNoNumber);
    }
    table_.columns.push_back(std::move(change));
    table_.columns.push_back(std::move(relative));
  }

  // One measure, before and after.
  void add_values(Measured measure, bool as_share, bool for_people) {
    std::string name = measure == Measured::kSelf ? "self" : "total";
    const Measuring& measuring = as_share ? compared_.shares : compared_.measuring;
    if (!as_share && compared_.measuring.as() == DiffAs::kShare) {
      return;  // raw weights of runs of different length cannot be compared
    }
    for (size_t side = 0; side < sides_; ++side) {
      std::string when = side == 0 ? "before" : for_side("after", side);
      bool is_main = measure == compared_.options.measure || !compared_.aligned.has_self;
      ReportColumn column{
          .name = fmt::format("{}_{}{}", name, when, as_share ? "_share" : ""),
          .title = fmt::format("{}{}{}",
                               is_main ? "" : name + " ",  // the report's title has it
                               side == 0 ? "before" : titled("after", side, sides_),
                               as_share ? " %" : ""),
          .kind = as_share ? ColumnKind::kShare : ColumnKind::kWeight,
          .role = side == 0 ? ColumnRole::kBefore : ColumnRole::kAfter,
          .importance = is_main && sides_ == 2 ? Importance::kKey : Importance::kExtra,
          .for_programs = !for_people};
      for (uint32_t row : rows_) {
        column.numbers.push_back(measuring.typical(side, measure, row));
      }
      table_.columns.push_back(std::move(column));
    }
  }

  void add_sureness(size_t side) {
    ReportColumn probability = for_programs(number_column(for_side("probability", side), "p"));
    ReportColumn detectable = for_programs(
        share_column(for_side("detectable", side), titled("detectable %", side, sides_)));
    ReportColumn state = text_column(for_side("state", side), titled("", side, sides_));
    ReportColumn verdict =
        verdict_column(for_side("verdict", side), titled("verdict", side, sides_));
    PlanFor plan{.comparisons = static_cast<double>(compared_.judgement.comparisons)};
    bool has_state = false;
    for (uint32_t row : rows_) {
      Judged one = judged(side, row);
      double base = before(row);
      probability.numbers.push_back(one.corrected);
      detectable.numbers.push_back(
          one.tested && base > 0 ? detectable_change(one.difference, plan) / base : kNoNumber);
      verdict.judge(verdict_text(one.verdict, compared_.on_rows()),
                    verdict_tone(one.verdict, compared_.on_rows()));
      bool is_new = only_here(side, 0, row);
      bool is_gone = only_here(0, side, row);
      has_state = has_state || is_new || is_gone;
      state.text.push_back(is_new ? "new" : is_gone ? "gone" : "");
    }
    state.for_programs = !has_state;
    // Names need the room. The changes have the colours of the verdicts.
    state.importance = sides_ > 2 ? Importance::kUseful : Importance::kKey;
    verdict.importance = sides_ > 3 ? Importance::kUseful : Importance::kKey;
    table_.columns.push_back(std::move(probability));
    table_.columns.push_back(std::move(detectable));
    table_.columns.push_back(std::move(verdict));
    table_.columns.push_back(std::move(state));
  }

  void add_names() {
    ReportColumn name = name_column("name");
    ReportColumn module = module_column();
    for (uint32_t row : rows_) {
      name.text.push_back(compared_.aligned.name(row));
      module.text.push_back(compared_.aligned.group(row).module);
    }
    table_.columns.push_back(std::move(name));
    if (compared_.aligned.has_modules) {
      table_.columns.push_back(std::move(module));
    }
  }

  const Compared& compared_;
  const std::vector<uint32_t>& rows_;
  size_t sides_;
  Table table_;
};

double largest_share(const Compared& compared, Measured measure, size_t row) {
  double largest = 0;
  for (size_t side = 0; side < compared.aligned.sides.size(); ++side) {
    largest = std::max(largest, compared.shares.mean(side, measure, row));
  }
  return largest;
}

}  // namespace

std::vector<uint32_t> listed_rows(const Compared& compared) {
  struct Key {
    uint32_t row;
    bool evidence;
    double change;
  };
  std::vector<Key> keys;
  for (uint32_t row = 0; row < compared.aligned.rows(); ++row) {
    double share = std::max(largest_share(compared, Measured::kSelf, row),
                            largest_share(compared, Measured::kTotal, row));
    bool is_there = largest_share(compared, compared.options.measure, row) > 0;
    if (!is_there || share < compared.options.min_share) {
      continue;
    }
    Key key{.row = row, .evidence = false, .change = 0};
    for (const std::vector<Judged>& side : compared.judgement.sides) {
      key.evidence = key.evidence || side[row].verdict != Verdict::kNoEvidence;
      key.change = std::max(key.change, std::abs(side[row].difference.change));
    }
    keys.push_back(key);
  }
  DiffSort sort = compared.options.sort;
  std::vector<std::string> names;
  if (sort == DiffSort::kName) {
    for (size_t row = 0; row < compared.aligned.rows(); ++row) {
      names.push_back(compared.aligned.name(row));
    }
  }
  std::ranges::stable_sort(keys, [&](const Key& a, const Key& b) {
    if (sort == DiffSort::kName) {
      return names[a.row] < names[b.row];
    }
    if (sort == DiffSort::kEvidence && a.evidence != b.evidence) {
      return a.evidence;
    }
    return a.change > b.change;
  });
  std::vector<uint32_t> rows;
  for (const Key& key : keys) {
    rows.push_back(key.row);
  }
  return rows;
}

Table diff_table(const Compared& compared, const std::vector<uint32_t>& rows) {
  return TableMaker(compared, rows).make();
}

Table whole_table(const Compared& compared) {
  ReportColumn change = difference(weight_column("change", "change", ColumnRole::kChange));
  ReportColumn relative = difference(share_column("relative", "change %"));
  ReportColumn before = weight_column("before", "before", ColumnRole::kBefore);
  ReportColumn after = weight_column("after", "after", ColumnRole::kAfter);
  ReportColumn verdict = verdict_column();
  ReportColumn name = name_column("side");
  Measuring::Quantity whole = whole_quantity(compared.aligned);
  double first = compared.measuring.typical(0, whole.costs[0]);
  for (size_t side = 1; side <= compared.judgement.whole.size(); ++side) {
    const Judged& judged = compared.judgement.whole[side - 1];
    change.numbers.push_back(judged.difference.change);
    change.low.push_back(judged.difference.low);
    change.high.push_back(judged.difference.high);
    relative.numbers.push_back(judged.difference.change / first);
    before.numbers.push_back(first);
    after.numbers.push_back(compared.measuring.typical(side, whole.costs[side]));
    verdict.judge(verdict_text(judged.verdict, compared.on_whole()),
                  verdict_tone(judged.verdict, compared.on_whole()));
    name.text.push_back(compared.aligned.sides[side].name);
  }
  return {.columns = {std::move(change),
                      std::move(relative),
                      std::move(before),
                      std::move(after),
                      std::move(verdict),
                      std::move(name)}};
}

Table sides_table(std::span<const Side> sides, const AlignedRuns& aligned) {
  ReportColumn runs = count_column("runs", "runs");
  ReportColumn samples = count_column("samples", "samples", ColumnRole::kSamples);
  ReportColumn total = weight_column("total", "total", ColumnRole::kTotal);
  ReportColumn duration = in_unit("seconds", weight_column("duration", "duration"));
  ReportColumn name = name_column("side");
  for (size_t i = 0; i < sides.size(); ++i) {
    double weight = 0;
    double time = 0;
    uint64_t count = 0;
    for (const AlignedRun& run : aligned.sides[i].runs) {
      weight += static_cast<double>(run.whole.weight) / run.scale;
      time += run.seconds;
      count += run.whole.count;
    }
    runs.numbers.push_back(static_cast<double>(sides[i].runs.size()));
    samples.numbers.push_back(static_cast<double>(count));
    total.numbers.push_back(weight);
    duration.numbers.push_back(time);
    name.text.push_back(sides[i].name);
  }
  duration.for_programs = std::ranges::all_of(duration.numbers, [](double s) { return s == 0; });
  return {.columns = {std::move(runs),
                      std::move(samples),
                      std::move(total),
                      std::move(duration),
                      std::move(name)}};
}

}  // namespace wick
