// SPDX-License-Identifier: Apache-2.0
#include "analyze/profile_contents.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profile/interpreted_samples.h"
#include "profile/stack_costs.h"
#include "profile/time_range.h"
#include "report/columns.h"

namespace wick {
namespace {

using Facts = std::vector<ContentFact>;

void add_count(std::string name, size_t count, Facts& facts) {
  facts.push_back({.name = std::move(name), .number = static_cast<double>(count)});
}

void add_events(const Profile& profile, Facts& facts) {
  std::vector<Cost> totals(profile.events.size());
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    totals[profile.samples.event[row].index()] +=
        {profile.samples.weight[row], profile.samples.count[row]};
  }
  for (size_t row = 0; row < totals.size(); ++row) {
    const Event& event = profile.events[EventId::from_index(row)];
    std::string_view unit = profile.strings[event.unit];
    facts.push_back({.name = fmt::format("event {}", profile.strings[event.name]),
                     .number = static_cast<double>(totals[row].weight) / event.scale,
                     .unit = std::string(unit),
                     .samples = unit == "samples" ? 0 : totals[row].count});
  }
}

void add_time(const Profile& profile, Facts& facts) {
  if (!profile.has_time()) {
    facts.push_back({.name = "time", .text = "not in the file"});
    return;
  }
  TimeRange range = sampled_time(profile);
  double seconds = (static_cast<double>(range.last) - static_cast<double>(range.first)) / 1e9;
  facts.push_back({.name = "time range", .text = fmt::format("{:.6f} s", seconds)});
}

size_t deepest(const StackTree& stacks) {
  std::vector<uint32_t> depths(stacks.size());
  for (size_t row = 1; row < depths.size(); ++row) {
    depths[row] = depths[stacks.parent(StackId::from_index(row)).index()] + 1;
  }
  return *std::ranges::max_element(depths);
}

std::set<uint16_t> cpus(const Profile& profile) {
  std::set<uint16_t> found;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    if (profile.samples.cpu[row] != kNoCpu) {
      found.insert(profile.samples.cpu[row]);
    }
  }
  return found;
}

// "cgroup, request": the keys of the labels, each once.
std::string label_keys(const Profile& profile) {
  std::set<std::string_view> keys;
  for (const Label& label : profile.labels) {
    keys.insert(profile.strings[label.key]);
  }
  return fmt::format("{}", fmt::join(keys, ", "));
}

// Tables that few profiles have anything in.
void add_rare_tables(const Profile& profile, Facts& facts) {
  if (!profile.labels.empty()) {
    facts.push_back({.name = "labels", .text = label_keys(profile)});
  }
  auto add = [&](std::string_view name, size_t rows) {
    if (rows > 0) {
      add_count(std::string(name), rows, facts);
    }
  };
  add("sources", profile.sources.size());
  add("mappings", profile.mappings.size());
  add("thread names over time", profile.thread_names.size());
  add("branch stacks", profile.branch_sets.size());
  add("branches in branch stacks", profile.branches.size());
  add("spans", profile.spans.size());
  add("counter series", profile.series.size());
  add("moments of loss", profile.loss_moments.size());
}

}  // namespace

std::vector<ContentFact> profile_contents(const Profile& profile) {
  Facts facts;
  add_events(profile, facts);
  add_time(profile, facts);
  add_count("sample rows", profile.samples.size(), facts);
  add_count("processes", profile.processes.size(), facts);
  add_count("threads", profile.threads.size(), facts);
  add_count("CPUs", cpus(profile).size(), facts);
  add_count("modules", profile.modules.size(), facts);
  add_count("functions", profile.functions.size(), facts);
  add_count("frames", profile.frames.size(), facts);
  add_count("distinct stacks", StackCosts(profile).stacks().size(), facts);
  add_count("deepest stack", deepest(profile.stacks), facts);
  if (std::string text = interpreted_text(profile); !text.empty()) {
    facts.push_back({.name = "interpreted programs", .text = std::move(text)});
  }
  add_rare_tables(profile, facts);
  for (const Fact& fact : profile.facts) {
    if (profile.strings[fact.key] != "format") {
      facts.push_back({.name = std::string(profile.strings[fact.key]),
                       .text = std::string(profile.strings[fact.value])});
    }
  }
  return facts;
}

Table marks_of(const Profile& profile) {
  ReportColumn seconds = text_column("seconds", "seconds");
  ReportColumn time = for_programs(in_unit("nanoseconds", weight_column("time", "time")));
  ReportColumn name = text_column("mark", "mark", ColumnRole::kName);
  ReportColumn value = text_column("value", "value");
  int64_t start = sampled_time(profile).first;
  for (const Mark& mark : profile.marks) {
    auto after_start = static_cast<double>(mark.time_ns - start);
    seconds.text.push_back(fmt::format("{:.6f}", after_start / 1e9));
    time.numbers.push_back(after_start);
    name.text.push_back(profile.strings[mark.name]);
    value.text.push_back(mark.has_value ? fmt::format("{}", mark.value) : "");
  }
  return {.columns = {std::move(seconds), std::move(time), std::move(name), std::move(value)}};
}

}  // namespace wick
