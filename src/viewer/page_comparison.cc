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

void keep_judgement(Report& report) {
  std::erase_if(report.sections, [](const Section& section) {
    return section.name != "changes" && section.name != "whole";
  });
  for (Section& section : report.sections) {
    section.name = section.name == "changes" ? "rows" : section.name;  // the page's name for it
    std::erase_if(std::get<Table>(section.body).columns, [](const ReportColumn& column) {
      return std::ranges::find(kSentColumns, column.name) == kSentColumns.end();
    });
  }
}

// The run's samples of one event; empty if the run lacks the event.
std::optional<Side> side_of(const PageRun& run, const std::string& event) {
  Filter filter;
  filter.event = event;
  Result<Filtered> filtered = apply_filter(run.profile, filter);
  if (!filtered) {
    return std::nullopt;
  }
  Side side{.name = run.title, .runs = {}};
  side.runs.push_back(std::move(filtered->profile));
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
  for (DiffAs as : {DiffAs::kShare, DiffAs::kRun}) {
    options.as = as;
    Result<Report> report = diff_aligned(sides, *aligned, options);
    if (report) {
      keep_judgement(*report);
      std::string name = fmt::format("diff {} {}",
                                     measure == Measured::kSelf ? "self" : "total",
                                     as == DiffAs::kShare ? "share" : "run");
      reports.push_back({std::move(name), event, std::move(*report)});
    }
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
