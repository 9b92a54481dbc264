// SPDX-License-Identifier: Apache-2.0
// Makes the flat table:
//
//     1. collect_rows       one row for each function, module, thread ... (rows.h)
//     2. sort_rows          by self, total or name; equal rows by name, so the order is unique
//     3. note_missing       if every row is unknown, a note names the missing information
//     4. drop_small_rows    --min-share; a note has their number and their self
//     5. to_table           costs, shares and intervals as columns
//     6. area_table         --areas
//     7. LateSamples        functions whose samples are late have a mark, and a note explains it
//
// A row is dropped only with a note, so the selfs of the table and of the note add up to the whole.
// The end of the file converts flags to FlatOptions.
#include "analyze/flat/flat.h"

#include <algorithm>
#include <array>

#include "analyze/flat/rows.h"
#include "analyze/label_groups.h"
#include "analyze/late_groups.h"
#include "analyze/summary.h"

namespace wick {
namespace {

struct ByName {
  FlatBy by;
  std::string_view name;
  std::string_view missing;  // for the note if every row is unknown
};
constexpr std::array kByNames = {
    ByName{FlatBy::kFunction, "function", ""},
    ByName{FlatBy::kModule, "module", "modules"},
    ByName{FlatBy::kThread, "thread", "threads"},
    ByName{FlatBy::kProcess, "process", "processes"},
    ByName{FlatBy::kHost, "host", "hosts"},
    ByName{FlatBy::kCpu, "cpu", "CPUs"},
    ByName{FlatBy::kLine, "line", "source lines"},
    ByName{FlatBy::kOffset, "offset", "addresses"},
    ByName{FlatBy::kFunctionOffset, "function+offset", "addresses"},
    ByName{FlatBy::kMode, "mode", "user and kernel modes"},
    ByName{FlatBy::kLanguage, "language", "languages"},
    ByName{FlatBy::kLabel, kByLabel, ""},
};

const ByName& entry_of(FlatBy by) {
  return *std::ranges::find(kByNames, by, &ByName::by);
}

// The title of a row: "function", or the key of the label.
std::string row_title(const FlatOptions& options) {
  return options.by == FlatBy::kLabel ? options.label : std::string(entry_of(options.by).name);
}

void sort_rows(std::vector<FlatRow>& rows, FlatSort sort) {
  auto weight = [&](const FlatRow& row) {
    return sort == FlatSort::kSelf ? row.self.weight : row.total.weight;
  };
  std::ranges::sort(rows, [&](const FlatRow& a, const FlatRow& b) {
    if (sort != FlatSort::kName && weight(a) != weight(b)) {
      return weight(a) > weight(b);
    }
    if (sort != FlatSort::kName && a.total.weight != b.total.weight) {
      return a.total.weight > b.total.weight;
    }
    return a.name != b.name ? a.name < b.name : a.module < b.module;
  });
}

// Weight and interval of one operation, given `per` operations.
ReportColumn per_operation(const Measure& measure,
                           const std::string& name,
                           const std::vector<Cost>& costs,
                           double per) {
  ReportColumn column = weight_column(measure, name + "_per_op", ColumnRole::kDetail, costs);
  column.title = name + "/op";
  for (size_t i = 0; i < costs.size(); ++i) {
    column.numbers[i] /= per;
    if (measure.has_intervals()) {
      Interval interval = measure.weight_interval(costs[i].weight);
      column.low.push_back(interval.low / per);
      column.high.push_back(interval.high / per);
    }
  }
  return column;
}

void add_cost_columns(Table& table,
                      const Measure& measure,
                      ColumnRole role,
                      const std::vector<Cost>& costs,
                      double per) {
  std::string name(role_name(role));
  table.columns.push_back(weight_column(measure, name, role, costs));
  table.columns.push_back(share_column(measure, name, role, costs));
  if (per > 0) {
    table.columns.push_back(per_operation(measure, name, costs, per));
  }
}

bool marks_late(const FlatRows& rows) {
  return std::ranges::any_of(rows.rows, &FlatRow::late);
}

Table to_table(const FlatRows& rows, const Measure& measure, const FlatOptions& options) {
  std::vector<Cost> selfs;
  std::vector<Cost> totals;
  ReportColumn name = name_column(row_title(options));
  ReportColumn module = module_column();
  ReportColumn kind = text_column("kind", "kind", ColumnRole::kCategory);
  kind.importance = Importance::kUseful;
  ReportColumn late = late_column();
  for (const FlatRow& row : rows.rows) {
    selfs.push_back(row.self);
    totals.push_back(row.total);
    name.text.push_back(row.name);
    module.text.push_back(row.module);
    kind.text.push_back(row.kind);
    late.text.push_back(row.late ? kLateMark : "");
  }
  Table table;
  if (rows.has_self) {
    add_cost_columns(table, measure, ColumnRole::kSelf, selfs, options.per);
  }
  add_cost_columns(table, measure, ColumnRole::kTotal, totals, options.per);
  if (options.evidence == Evidence::kSamples) {
    table.columns.push_back(samples_column(rows.has_self ? selfs : totals));
  }
  table.columns.push_back(std::move(name));
  if (marks_late(rows)) {
    table.columns.push_back(std::move(late));
  }
  if (rows.has_modules) {
    table.columns.push_back(std::move(module));
  }
  if (rows.has_kinds && options.by == FlatBy::kFunction) {
    table.columns.push_back(std::move(kind));
  }
  return table;
}

Table area_table(const StackCosts& costs,
                 const Measure& measure,
                 const AreaStacks& stacks,
                 const std::vector<Area>& areas) {
  AreaCosts of = area_costs(costs, stacks);
  of.self.push_back(of.none);
  of.total.push_back(of.none);
  ReportColumn name = name_column("area");
  for (const Area& area : areas) {
    name.text.push_back(area.name);
  }
  name.text.push_back(kNoArea);
  Table table;
  add_cost_columns(table, measure, ColumnRole::kSelf, of.self, 0);
  add_cost_columns(table, measure, ColumnRole::kTotal, of.total, 0);
  table.columns.push_back(samples_column(of.total));
  table.columns.push_back(std::move(name));
  return table;
}

void add_areas(const Profile& profile,
               const StackCosts& costs,
               const Measure& measure,
               const AreaOptions& options,
               Report& report) {
  AreaStacks stacks = area_stacks(profile, options.areas, options.rule);
  bool is_exclusive = options.rule == AreaRule::kInnermost;
  report.sections.push_back(whole_section("areas",
                                          is_exclusive ? "Areas, each sample in one" : "Areas",
                                          area_table(costs, measure, stacks, options.areas)));
  for (size_t area = 0; area < options.areas.size(); ++area) {
    if (stacks.unmatched[area]) {
      report.warnings.push_back(unmatched_area_text(options.areas[area]));
    }
  }
}

void drop_small_rows(FlatRows& rows, const Measure& measure, double min_share, Report& report) {
  if (min_share <= 0) {
    return;
  }
  size_t before = rows.rows.size();
  Cost hidden;
  std::erase_if(rows.rows, [&](const FlatRow& row) {
    bool small = measure.share(std::max(row.self.weight, row.total.weight)) < min_share;
    hidden += small ? row.self : Cost();
    return small;
  });
  if (size_t dropped = before - rows.rows.size(); dropped > 0) {
    report.notes.push_back(fmt::format("{} below {} % {} not listed: {:.2f} % of self.",
                                       dropped == 1 ? "One row" : fmt::format("{} rows", dropped),
                                       100 * min_share,
                                       dropped == 1 ? "is" : "are",
                                       100 * measure.share(hidden.weight)));
  }
}

void note_missing(const FlatRows& rows, FlatBy by, Report& report) {
  std::string_view missing = entry_of(by).missing;
  bool all_unknown = std::ranges::all_of(rows.rows, [](const FlatRow& row) {
    return row.name == "[unknown]" || row.name == "unknown" || row.name.ends_with("[no line]") ||
           row.name.ends_with("[no address]");
  });
  if (!missing.empty() && all_unknown) {
    report.notes.push_back(fmt::format("This input has no {}.", missing));
  }
}

}  // namespace

Report flat(const Profile& profile, const FlatOptions& options) {
  StackCosts costs(profile);
  Measure measure(profile, costs);
  std::string title = fmt::format("Self and total by {}", row_title(options));
  Report report = start_report(profile, costs, std::move(title), options.evidence);
  LateSamples late(profile, costs);
  FlatRows rows = collect_rows(profile, costs, late, options);
  sort_rows(rows.rows, options.sort);
  note_missing(rows, options.by, report);
  drop_small_rows(rows, measure, options.min_share, report);
  report.sections.push_back({"entries", report.title, to_table(rows, measure, options)});
  if (marks_late(rows)) {
    report.notes.push_back(late.note());
  }
  if (options.per > 0 && report.unit != "nanoseconds") {
    report.notes.push_back(
        fmt::format("Per operation: {} divided by {} operations.", report.unit, options.per));
  }
  if (!options.areas.areas.empty()) {
    add_areas(profile, costs, measure, options.areas, report);
  }
  return report;
}

namespace {

constexpr std::array kFlatFlags = {
    Flag{"by",
         'b',
         FlagKind::kChoice,
         "function|module|thread|process|host|cpu|line|offset|function+offset|mode|language|"
         "gil|task|label:KEY",
         "function",
         "group rows by"},
    Flag{"sort", 's', FlagKind::kChoice, "self|total|name", "self", "which rows come first"},
    Flag{"min-share", '\0', FlagKind::kNumber, "PERCENT", "0", "hide rows below this share"},
    Flag{"per",
         '\0',
         FlagKind::kNumber,
         "N",
         "0",
         "number of operations in the run: adds the cost per operation"},
    kAreasFlag,
    kExclusiveAreasFlag,
};

}  // namespace

std::span<const Flag> flat_flags() {
  return kFlatFlags;
}

Result<Report> run_flat(const Profile& profile, std::string_view, const FlagValues& flags) {
  FlatOptions options;
  options.label = key_of_by(flags.text("by"));
  std::string_view by = options.label.empty() ? std::string_view(flags.text("by")) : kByLabel;
  options.by = std::ranges::find(kByNames, by, &ByName::name)->by;
  if (options.by == FlatBy::kLabel) {
    TRY(check_label(profile, options.label));
  }
  std::string_view sort = flags.text("sort");
  options.sort = sort == "name"    ? FlatSort::kName
                 : sort == "total" ? FlatSort::kTotal
                                   : FlatSort::kSelf;
  options.min_share = flags.number("min-share") / 100;
  options.per = flags.number("per");
  if (flags.given("per") && options.per < 1) {
    return fail_usage("--per takes the number of operations, 1 or more.");
  }
  options.areas = TRY(parse_area_options(flags));
  return flat(profile, options);
}

}  // namespace wick
