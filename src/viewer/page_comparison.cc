// SPDX-License-Identifier: Apache-2.0
#include "viewer/page_comparison.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "analyze/diff/diff.h"
#include "base/worker_pool.h"
#include "profile/filter.h"

namespace wick {
namespace {

constexpr std::array kMeasures = {Measured::kSelf, Measured::kTotal};

// The page computes sums itself; it cannot compute these columns.
constexpr std::array<std::string_view, 5> kSentColumns = {
    "change", "probability", "detectable", "verdict", "name"};

std::string_view measure_name(Measured measure) {
  return measure == Measured::kSelf ? "self" : "total";
}

// Gives the values of the report's own measure the names "before" and "after".
void name_values(Table& table, Measured measure, DiffAs as) {
  for (std::string_view when : {"before", "after"}) {
    std::string name =
        fmt::format("{}_{}{}", measure_name(measure), when, as == DiffAs::kShare ? "_share" : "");
    for (ReportColumn& column : table.columns) {
      column.name = column.name == name ? std::string(when) : column.name;
    }
  }
}

// Of several runs a side, the page has the sum only: wick sends typical values, too.
void keep_judgement(Report& report, Measured measure, DiffAs as, bool has_several) {
  std::erase_if(report.sections, [](const Section& section) {
    return section.name != "changes" && section.name != "whole";
  });
  for (Section& section : report.sections) {
    Table& table = std::get<Table>(section.body);
    if (section.name == "changes") {
      section.name = "rows";  // the page's name for it
      name_values(table, measure, as);
    }
    std::erase_if(table.columns, [&](const ReportColumn& column) {
      bool is_value = column.name == "before" || column.name == "after";
      return !(is_value && has_several) &&
             std::ranges::find(kSentColumns, column.name) == kSentColumns.end();
    });
  }
}

// The cost of a run before and after, for the page's headline.
Section cost_section(const Report& of_runs) {
  auto whole = std::ranges::find(of_runs.sections, "whole", &Section::name);
  Table table = std::get<Table>(whole->body);
  std::erase_if(table.columns, [](const ReportColumn& column) {
    return column.name != "before" && column.name != "after";
  });
  return {"cost", "", std::move(table)};
}

Result<> add_samples(const Profile& profile, const std::string& event, Side& side) {
  Filter filter;
  filter.event = event;
  side.runs.push_back(TRY(apply_filter(profile, filter)).profile);
  return {};
}

// The samples of one event; empty if a run lacks the event.
std::optional<Side> side_of(const PageRun& run, const std::string& event) {
  Side side{.name = run.title, .runs = {}};
  std::span<const Profile> runs(&run.profile, 1);
  for (const Profile& profile : run.repeats.empty() ? runs : run.repeats) {
    if (!add_samples(profile, event, side)) {
      return std::nullopt;
    }
  }
  return side;
}

// Compares as shares, and as the cost of a run.
std::vector<PageReport> judge_both(std::span<const Side> sides,
                                   Measured measure,
                                   const std::string& event) {
  std::vector<PageReport> reports;
  DiffOptions options{.measure = measure};
  Result<AlignedRuns> aligned = align_sides(sides, options);
  if (!aligned) {
    return reports;
  }
  bool has_several =
      std::ranges::any_of(sides, [](const Side& side) { return side.runs.size() > 1; });
  std::optional<Section> cost;
  for (DiffAs as : {DiffAs::kRun, DiffAs::kShare}) {
    options.as = as;
    Result<Report> report = diff_aligned(sides, *aligned, options);
    if (!report) {
      continue;
    }
    if (has_several && as == DiffAs::kRun) {
      cost = cost_section(*report);
    }
    keep_judgement(*report, measure, as, has_several);
    if (cost) {
      report->sections.push_back(*cost);
    }
    std::string name =
        fmt::format("diff {} {}", measure_name(measure), as == DiffAs::kShare ? "share" : "run");
    reports.push_back({std::move(name), event, std::move(*report)});
  }
  return reports;
}

void compare_event(const std::vector<PageRun>& runs,
                   const std::string& event,
                   std::vector<PageReport>& reports) {
  std::vector<Side> sides;
  for (const PageRun& run : runs) {
    std::optional<Side> side = side_of(run, event);
    if (!side) {
      return;
    }
    sides.push_back(std::move(*side));
  }
  std::array<std::vector<PageReport>, kMeasures.size()> answers;
  WorkerPool pool;
  pool.run(kMeasures.size(), 1, [&](size_t i, size_t) {
    answers[i] = judge_both(sides, kMeasures[i], event);
  });
  for (std::vector<PageReport>& of_measure : answers) {
    std::ranges::move(of_measure, std::back_inserter(reports));
  }
}

}  // namespace

std::vector<PageReport> compared_runs(const std::vector<PageRun>& runs) {
  std::vector<PageReport> reports;
  if (runs.size() != 2) {
    return reports;
  }
  const Profile& before = runs[0].profile;
  for (size_t row = 0; row < before.events.size(); ++row) {
    const Event& event = before.events[EventId::from_index(row)];
    compare_event(runs, std::string(before.strings[event.name]), reports);
  }
  return reports;
}

}  // namespace wick
