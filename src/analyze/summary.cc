// SPDX-License-Identifier: Apache-2.0
#include "analyze/summary.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "analyze/builds.h"
#include "profile/interpreted_samples.h"

namespace wick {
namespace {

// After filtering only one event is left, so any sample's event will do.
const Event* only_event(const Profile& profile) {
  if (profile.samples.empty()) {
    return nullptr;
  }
  return &profile.events[profile.samples.event[0]];
}

}  // namespace

Measure::Measure(const Profile& profile, const StackCosts& costs)
    : scale_(only_event(profile) == nullptr ? 1 : only_event(profile)->scale),
      total_(static_cast<double>(costs.total().weight)),
      samples_(costs.effective_samples()) {}

Interval Measure::weight_interval(int64_t raw) const {
  Interval count = count_interval(share(raw) * samples_);
  double unit = total_ / scale_ / samples_;  // of one sample
  return {count.low * unit, count.high * unit};
}

std::vector<LossLine> loss_lines(const Profile& profile) {
  std::vector<LossLine> lines;
  for (const Loss& loss : profile.losses) {
    if (loss.severity == LossClass::kAlarm) {
      continue;
    }
    lines.push_back({.reason = std::string(profile.strings[loss.reason]),
                     .what = std::string(profile.strings[loss.what]),
                     .detail = std::string(profile.strings[loss.detail]),
                     .count = loss.count,
                     .data_loss = loss.severity == LossClass::kDataLoss});
  }
  return lines;
}

std::vector<std::string> alarms(const Profile& profile) {
  std::vector<std::string> sentences;
  for (const Loss& loss : profile.losses) {
    if (loss.severity == LossClass::kAlarm) {
      std::string_view detail = profile.strings[loss.detail];
      sentences.push_back(fmt::format("{}{}.",
                                      profile.strings[loss.reason],
                                      detail.empty() ? "" : fmt::format(" ({})", detail)));
    }
  }
  return sentences;
}

Report start_report(const Profile& profile,
                    const StackCosts& costs,
                    std::string title,
                    Evidence evidence) {
  Report report{.title = std::move(title)};
  Measure measure(profile, costs);
  if (const Event* event = only_event(profile)) {
    report.unit = std::string(profile.strings[event->unit]);
  }
  report.samples = costs.total().count;
  report.total = measure.weight(costs.total().weight);
  report.loss = loss_lines(profile);
  report.cautions = alarms(profile);
  report.is_alarmed = !report.cautions.empty();
  std::ranges::move(Builds(profile, costs, Builds::For::kReport).cautions(),
                    std::back_inserter(report.cautions));
  if (std::string unread = unread_text(profile); !unread.empty()) {
    report.cautions.push_back(std::move(unread));
  }
  bool expects_intervals = evidence == Evidence::kSamples && costs.total().weight > 0;
  if (expects_intervals && !measure.has_intervals()) {
    report.notes.emplace_back(
        "The input does not say how many samples its numbers come from, so there are no "
        "intervals.");
  }
  return report;
}

ReportColumn weight_column(const Measure& measure,
                           const std::string& name,
                           ColumnRole role,
                           const std::vector<Cost>& costs) {
  ReportColumn column = weight_column(name, name, role);
  column.numbers.reserve(costs.size());
  for (const Cost& cost : costs) {
    column.numbers.push_back(measure.weight(cost.weight));
  }
  return column;
}

ReportColumn share_column(const Measure& measure,
                          const std::string& name,
                          ColumnRole role,
                          const std::vector<Cost>& costs) {
  ReportColumn column = share_column(name + "_share", name + " %", role);
  for (const Cost& cost : costs) {
    column.numbers.push_back(measure.share(cost.weight));
    if (measure.has_intervals()) {
      Interval interval = measure.interval(cost.weight);
      column.low.push_back(interval.low);
      column.high.push_back(interval.high);
    }
  }
  return column;
}

ReportColumn samples_column(const std::vector<Cost>& costs) {
  ReportColumn column = count_column("samples", "samples", ColumnRole::kSamples);
  column.importance = Importance::kExtra;
  for (const Cost& cost : costs) {
    column.numbers.push_back(static_cast<double>(cost.count));
  }
  return column;
}

}  // namespace wick
