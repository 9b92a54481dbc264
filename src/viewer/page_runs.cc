// SPDX-License-Identifier: Apache-2.0
#include "viewer/page_runs.h"

#include "analyze/timeline/spread.h"
#include "base/escape.h"
#include "viewer/page_text.h"

namespace wick {
namespace {

// Sums of each event in the rows of one run, and the CPUs in these rows.
struct RunSums {
  std::vector<Cost> events;
  std::vector<bool> cpus;  // by number
};
RunSums sums_of(const Profile& merged, size_t begin, size_t end) {
  RunSums sums{.events = std::vector<Cost>(merged.events.size()),
               .cpus = std::vector<bool>(size_t{kNoCpu} + 1)};
  for (size_t row = begin; row < end; ++row) {
    const SampleColumns& samples = merged.samples;
    sums.events[samples.event[row].index()] += {samples.weight[row], samples.count[row]};
    sums.cpus[samples.cpu[row]] = true;
  }
  sums.cpus[kNoCpu] = false;
  return sums;
}

void write_sums(JsonWriter& json, const RunSums& sums) {
  json.key("events");
  json.begin_array();
  for (const Cost& cost : sums.events) {
    json.begin_object();
    json.field("weight", cost.weight);
    json.field("samples", cost.count);
    json.end_object();
  }
  json.end_array();
  json.key("cpus");
  json.begin_array();
  for (size_t cpu = 0; cpu < sums.cpus.size(); ++cpu) {
    if (sums.cpus[cpu]) {
      json.value(uint64_t{cpu});
    }
  }
  json.end_array();
}

void write_facts(JsonWriter& json, const RunHead& run) {
  json.key("facts");
  json.begin_array();
  for (const auto& [key, value] : run.facts) {
    json.begin_array();
    json.value(std::string_view(terminal_text(key)));
    json.value(std::string_view(terminal_text(value)));
    json.end_array();
  }
  json.end_array();
}

void write_losses(JsonWriter& json, const RunHead& run) {
  json.key("losses");
  json.begin_array();
  for (const PageLoss& loss : run.losses) {
    json.begin_object();
    write_text(json, "reason", loss.reason);
    write_text(json, "what", loss.what);
    write_text(json, "detail", loss.detail);
    json.field("count", loss.count);
    json.field("data_loss", loss.is_data_loss);
    json.end_object();
  }
  json.end_array();
}

void write_notes(JsonWriter& json, const RunHead& run) {
  json.key("notes");
  json.begin_array();
  for (const std::string& note : run.notes) {
    json.value(std::string_view(terminal_text(note)));
  }
  json.end_array();
}

// Number of this run's rows in each table.
void write_rows(JsonWriter& json, const RunRows& rows) {
  json.key("rows");
  json.begin_object();
  for (size_t i = 0; i < kTableCount; ++i) {
    if (auto table = static_cast<ProfileTable>(i); is_of_runs(table)) {
      json.field(info_of(table).name, uint64_t{rows.of(table)});
    }
  }
  json.end_object();
}

}  // namespace

RunHead head_of(const Profile& profile, std::string title, std::vector<std::string> notes) {
  TimeRange range = shown_time(profile, spread_samples(profile));
  RunHead head{.title = std::move(title),
               .notes = std::move(notes),
               .rows = rows_of(profile, range.first),
               .end_ns = range.last,
               .has_time = profile.has_time()};
  for (const Fact& fact : profile.facts) {
    head.facts.emplace_back(profile.strings[fact.key], profile.strings[fact.value]);
  }
  for (const Loss& loss : profile.losses) {
    if (loss.severity == LossClass::kAlarm) {
      continue;  // the page has it among its cautions
    }
    head.losses.push_back({.reason = std::string(profile.strings[loss.reason]),
                           .what = std::string(profile.strings[loss.what]),
                           .detail = std::string(profile.strings[loss.detail]),
                           .count = loss.count,
                           .is_data_loss = loss.severity == LossClass::kDataLoss});
  }
  return head;
}

void write_runs(JsonWriter& json, const Profile& merged, const std::vector<RunHead>& runs) {
  size_t row = 0;
  json.key("runs");
  json.begin_array();
  for (const RunHead& run : runs) {
    size_t end = row + run.rows.of(ProfileTable::kSamples);
    json.begin_object();
    write_text(json, "title", run.title);
    json.field("has_time", run.has_time);
    json.field("repeats", uint64_t{run.repeats});
    json.field("start_ns", run.rows.start_ns);
    json.field("duration_ns", since(run.end_ns, run.rows.start_ns));
    json.field("after_first_ns", since(run.rows.start_ns, runs.front().rows.start_ns));
    write_rows(json, run.rows);
    write_facts(json, run);
    write_losses(json, run);
    write_notes(json, run);
    write_sums(json, sums_of(merged, row, end));
    json.end_object();
    row = end;
  }
  json.end_array();
}

}  // namespace wick
