// SPDX-License-Identifier: Apache-2.0
#include "formats/properties.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace wick {
namespace {

template <typename Rows, typename Has>
uint64_t count_rows(const Rows& rows, Has has) {
  return static_cast<uint64_t>(std::ranges::count_if(rows, has));
}

// A column with one value in all rows needs one look.
template <typename T, typename Has>
uint64_t count_cells(const Column<T>& column, Has has) {
  if (column.is_constant()) {
    return column.size() > 0 && has(column[0]) ? column.size() : 0;
  }
  uint64_t count = 0;
  for (size_t row = 0; row < column.size(); ++row) {
    count += has(column[row]) ? 1U : 0U;
  }
  return count;
}

uint64_t samples_with_labels(const Profile& profile, bool are_numbers) {
  std::vector<bool> sets(profile.label_sets.size());
  for (size_t row = 1; row < sets.size(); ++row) {
    LabelSetId set = LabelSetId::from_index(row);
    sets[row] = sets[profile.label_sets.parent(set).index()] ||
                profile.labels[profile.label_sets.label(set)].is_number == are_numbers;
  }
  return count_cells(profile.samples.labels, [&](LabelSetId set) { return sets[set.index()]; });
}

uint64_t extra_events(const Profile& profile) {
  return profile.events.size() > 1 ? profile.events.size() : 0;
}

uint64_t units(const Profile& profile) {
  return count_rows(profile.events, [&](const Event& event) {
    std::string_view unit = profile.strings[event.unit];
    return unit != "nanoseconds" && unit != "samples" && !unit.empty();
  });
}

uint64_t fractions(const Profile& profile) {
  uint64_t count = 0;
  const SampleColumns& samples = profile.samples;
  for (size_t row = 0; row < samples.size(); ++row) {
    count += samples.weight[row] % profile.events[samples.event[row]].scale != 0 ? 1U : 0U;
  }
  return count;
}

uint64_t periods(const Profile& profile) {
  return count_rows(profile.events,
                    [](const Event& event) { return event.period != 0 || event.frequency != 0; });
}

uint64_t times(const Profile& profile) {
  return count_cells(profile.samples.time_ns, [](int64_t time) { return time != kNoTime; });
}

uint64_t threads(const Profile& profile) {
  return count_cells(profile.samples.thread, [](ThreadId thread) { return thread.valid(); });
}

uint64_t processes(const Profile& profile) {
  return count_rows(profile.threads, [](const Thread& thread) { return thread.process.valid(); });
}

uint64_t cpus(const Profile& profile) {
  return count_cells(profile.samples.cpu, [](uint16_t cpu) { return cpu != kNoCpu; });
}

uint64_t hosts(const Profile& profile) {
  return profile.sources.size();
}

uint64_t text_labels(const Profile& profile) {
  return samples_with_labels(profile, false);
}

uint64_t number_labels(const Profile& profile) {
  return samples_with_labels(profile, true);
}

uint64_t modules(const Profile& profile) {
  return count_rows(profile.frames, [](const Frame& frame) { return frame.module.valid(); });
}

uint64_t build_ids(const Profile& profile) {
  return count_rows(profile.modules, [](const Module& module) { return !module.build_id.empty(); });
}

uint64_t mappings(const Profile& profile) {
  return profile.mappings.size();
}

uint64_t addresses(const Profile& profile) {
  return count_rows(profile.frames, [](const Frame& frame) { return frame.address != 0; });
}

uint64_t lines(const Profile& profile) {
  return count_rows(profile.frames, [&](const Frame& frame) {
    return frame.line != 0 || !frame.file.empty() ||
           (frame.function.valid() && !profile.functions[frame.function].file.empty());
  });
}

uint64_t columns(const Profile& profile) {
  return count_rows(profile.frames, [](const Frame& frame) { return frame.column != 0; });
}

uint64_t linkage_names(const Profile& profile) {
  return count_rows(profile.functions,
                    [](const Function& function) { return !function.linkage_name.empty(); });
}

uint64_t inlining(const Profile& profile) {
  return count_rows(profile.frames,
                    [](const Frame& frame) { return (frame.flags & kInlined) != 0; });
}

uint64_t modes(const Profile& profile) {
  return count_rows(profile.frames,
                    [](const Frame& frame) { return frame.mode != Mode::kUnknown; });
}

uint64_t origins(const Profile& profile) {
  return count_rows(profile.frames,
                    [](const Frame& frame) { return frame.origin != FrameOrigin::kUnknown; });
}

uint64_t builds(const Profile& profile) {
  return count_rows(profile.functions, [](const Function& function) {
    return function.build_kind != BuildKind::kUnknown || !function.build.empty();
  });
}

uint64_t branches(const Profile& profile) {
  return count_cells(profile.samples.branches, [](BranchSetId set) { return set.valid(); });
}

uint64_t spans(const Profile& profile) {
  return profile.spans.size();
}

uint64_t marks(const Profile& profile) {
  return profile.marks.size();
}

uint64_t counters(const Profile& profile) {
  return profile.counters.size();
}

uint64_t stated_totals(const Profile& profile) {
  return profile.total_corrections.size();
}

uint64_t losses(const Profile& profile) {
  return profile.losses.size();
}

constexpr std::array<PropertyRow, kPropertyCount> kProperties = {{
    {Property::kEvents, "several events", extra_events},
    {Property::kUnits, "units", units},
    {Property::kFractions, "fractions of weights", fractions},
    {Property::kCounts, "sample counts", samples_with_other_weights},
    {Property::kPeriods, "periods", periods},
    {Property::kTimes, "times", times},
    {Property::kThreads, "threads", threads},
    {Property::kProcesses, "processes", processes},
    {Property::kCpus, "CPUs", cpus},
    {Property::kHosts, "hosts", hosts},
    {Property::kLabels, "labels", text_labels},
    {Property::kNumberLabels, "number labels", number_labels},
    {Property::kModules, "modules", modules},
    {Property::kBuildIds, "build ids", build_ids},
    {Property::kMappings, "mappings", mappings},
    {Property::kAddresses, "addresses", addresses},
    {Property::kLines, "lines", lines},
    {Property::kColumns, "columns", columns},
    {Property::kLinkageNames, "linkage names", linkage_names},
    {Property::kInlining, "inlining", inlining},
    {Property::kModes, "modes", modes},
    {Property::kOrigins, "origins", origins},
    {Property::kBuilds, "builds", builds},
    {Property::kBranches, "branches", branches},
    {Property::kSpans, "spans", spans},
    {Property::kMarks, "marks", marks},
    {Property::kCounters, "counters", counters},
    {Property::kStatedTotals, "stated totals", stated_totals},
    {Property::kLosses, "losses", losses},
}};

}  // namespace

std::span<const PropertyRow> all_properties() {
  return kProperties;
}

uint64_t samples_with_other_weights(const Profile& profile) {
  uint64_t count = 0;
  const SampleColumns& samples = profile.samples;
  for (size_t row = 0; row < samples.size(); ++row) {
    uint64_t number = samples.count[row];
    count += number > 0 && static_cast<int64_t>(number) != samples.weight[row] ? 1U : 0U;
  }
  return count;
}

std::string property_names(PropertySet set) {
  if (set == PropertySet::all()) {
    return "everything";
  }
  std::string names;
  for (const PropertyRow& row : kProperties) {
    if (set.contains(row.property)) {
      names += (names.empty() ? "" : ", ") + std::string(row.name);
    }
  }
  return names;
}

std::vector<std::string> dropped_things(const Profile& profile, PropertySet retained) {
  std::vector<std::string> dropped;
  for (const PropertyRow& row : kProperties) {
    uint64_t count = retained.contains(row.property) ? 0 : row.count(profile);
    if (count > 0) {
      dropped.push_back(fmt::format("{} ({})", row.name, count));
    }
  }
  return dropped;
}

}  // namespace wick
