// SPDX-License-Identifier: Apache-2.0
#include "profile/merge.h"

#include <algorithm>
#include <array>
#include <limits>

#include "profile/builder.h"
#include "profile/clock_offsets.h"
#include "profile/validate.h"

namespace wick {
namespace {

constexpr auto kMaxTotal = static_cast<int64_t>(kMaxTotalWeight);

// Copies one profile into the builder and translates every id (schema.h lists them).
class Copier {
 public:
  // `groups` is the largest group number so far, `offset_ns` is added to all times.
  Copier(
      const Profile& from, ProfileBuilder& into, uint32_t scale, uint32_t groups, int64_t offset_ns)
      : from_(from),
        into_(into),
        scale_(scale),
        groups_before_(groups),
        groups_(groups),
        offset_ns_(offset_ns),
        processes_before_(into.process_count()),
        threads_before_(into.thread_count()) {
    new_ids(ProfileTable::kStrings).assign(from.strings.size(), kNotCopied);
  }

  void run() {
    visit_tables([&](ProfileTable table, const auto& rows) { copy(table, rows); }, from_);
  }
  uint32_t groups() const { return groups_; }

 private:
  static constexpr uint32_t kNotCopied = UINT32_MAX;

  template <typename Rows>
  void copy(ProfileTable table, const Rows& rows) {
    std::vector<uint32_t>& ids = new_ids(table);
    size_t implied = info_of(table).implied_rows;
    ids.assign(implied, 0);  // row 0 of a tree is implied
    for (size_t index = implied; index < rows.size(); ++index) {
      auto row = translated(row_at(rows, index));
      if constexpr (std::is_void_v<decltype(add(row))>) {
        add(row);
      } else {
        ids.push_back(add(row).value);
      }
    }
  }

  void copy(ProfileTable, const PodVector<Branch>&) {}  // copied with their sets

  void copy(ProfileTable, const std::vector<TotalCorrection>& corrections) {
    for (const TotalCorrection& row : corrections) {
      TotalCorrection correction = translated(row);
      int64_t factor = scale_ / from_.events[row.event].scale;
      correction.weight = std::clamp(row.weight, -kMaxTotal / factor, kMaxTotal / factor) * factor;
      into_.add_total_correction(correction);
    }
  }

  void copy(ProfileTable, const SampleColumns& samples) {
    for (size_t index = 0; index < samples.size(); ++index) {
      Sample sample = translated(samples[index]);
      sample.weight *= scale_ / from_.events[samples.event[index]].scale;
      bool is_alone = sample.group == 0 || sample.group > UINT32_MAX - groups_before_;
      sample.group = is_alone ? 0 : sample.group + groups_before_;
      groups_ = std::max(groups_, sample.group);
      into_.add_sample(sample);
    }
  }

  std::vector<uint32_t>& new_ids(ProfileTable table) {
    return new_ids_[static_cast<size_t>(table)];
  }

  template <typename Row>
  Row translated(Row row) {
    for_each_column<Row>([&](const auto& column) {
      translate(column.of(row));
      if constexpr (std::is_same_v<decltype(column.of(row)), int64_t&>) {
        if (column.meaning == ColumnMeaning::kTime) {
          shift(column.of(row), offset_ns_);
        }
      }
    });
    return row;
  }
  void translate(StringId& id) {
    uint32_t& copy = new_ids(ProfileTable::kStrings)[id.value];
    if (copy == kNotCopied) {
      copy = into_.string(from_.strings[id]).value;
    }
    id.value = copy;
  }
  template <typename Tag>
  void translate(Id<Tag>& id) {
    if (id.valid()) {
      id.value = new_ids(table_of(id))[id.index()];
    }
  }
  template <typename Number>
  void translate(Number&) {}
  static void shift(int64_t& time_ns, int64_t by_ns) {
    int64_t known_ns = time_ns;
    if (known_ns != kNoTime && __builtin_add_overflow(known_ns, by_ns, &time_ns)) {
      time_ns = by_ns > 0 ? std::numeric_limits<int64_t>::max() : kNoTime + 1;
    }
  }

  SourceId add(Source row) {
    shift(row.wall_clock_ns, -offset_ns_);
    return into_.source(row);
  }
  ModuleId add(const Module& row) { return into_.module(row); }
  FunctionId add(const Function& row) { return into_.function(row); }
  FrameId add(const Frame& row) { return into_.frame(row); }
  StackId add(const StackRow& row) { return into_.stack(row.parent, row.frame); }
  ProcessId add(const Process& row) { return into_.process(row, processes_before_); }
  ThreadId add(const Thread& row) { return into_.thread(row, threads_before_); }
  void add(const ThreadName& row) { into_.add_thread_name(row); }
  void add(const ModuleMapping& row) { into_.add_mapping(row); }
  EventId add(Event row) {
    row.scale = scale_;
    return into_.event(row);
  }
  LabelId add(const Label& row) { return into_.label(row); }
  LabelSetId add(const LabelSetRow& row) { return into_.label_set(row.parent, row.label); }
  BlockId add(const CodeBlock& row) { return into_.code_block(row); }
  EdgeId add(const BranchEdge& row) { return into_.edge(row); }
  BranchSetId add(const BranchSet& row) {
    branches_.clear();
    for (size_t i = 0; i < row.count; ++i) {
      branches_.push_back(translated(from_.branches[row.first + i]));
    }
    return into_.branch_set(branches_);
  }
  SpanId add(const Span& row) { return into_.add_span(row); }
  void add(const Mark& row) { into_.add_mark(row); }
  SeriesId add(const CounterSeries& row) { return into_.series(row); }
  void add(const CounterPoint& row) { into_.add_counter(row); }
  LossId add(const Loss& row) {
    return into_.add_loss({.reason = into_.text(row.reason),
                           .what = into_.text(row.what),
                           .detail = into_.text(row.detail),
                           .count = row.count,
                           .severity = row.severity});
  }
  void add(const LossMoment& row) { into_.add_loss_moment(row); }
  void add(const Fact& row) { into_.add_fact(into_.text(row.key), into_.text(row.value)); }

  const Profile& from_;
  ProfileBuilder& into_;
  uint32_t scale_;
  uint32_t groups_before_;
  uint32_t groups_;
  int64_t offset_ns_;
  size_t processes_before_;  // rows of earlier profiles
  size_t threads_before_;
  std::vector<Branch> branches_;
  std::array<std::vector<uint32_t>, kTableCount> new_ids_;  // by table and row of `from_`
};

// Scales are 1 or a power of ten, so the finest scale is a multiple of all others.
uint32_t finest_scale(const std::vector<Profile>& profiles) {
  uint32_t scale = 1;
  for (const Profile& profile : profiles) {
    for (const Event& event : profile.events) {
      scale = std::max(scale, event.scale);
    }
  }
  return scale;
}

Result<> check_total(const std::vector<Profile>& profiles, uint32_t scale) {
  int64_t room = kMaxTotal;
  for (const Profile& profile : profiles) {
    for (const Event& event : profile.events) {
      if (scale % event.scale != 0) {
        return fail("The inputs count in units that cannot be combined; read them one by one.");
      }
    }
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      int64_t factor = scale / profile.events[profile.samples.event[row]].scale;
      int64_t weight = profile.samples.weight[row];
      if (weight > room / factor) {
        return fail(
            "The sum of all weights of the inputs does not fit 62 bits; read them one by one.");
      }
      room -= weight * factor;
    }
  }
  return {};
}

// Adds a source to an input without one, so that its processes are not merged with those of an
// input whose source is known.
void mark_unknown_sources(std::vector<Profile>& profiles) {
  bool any_known = std::ranges::any_of(
      profiles, [](const Profile& profile) { return !profile.sources.empty(); });
  for (Profile& profile : profiles) {
    if (!any_known || !profile.sources.empty() || profile.processes.empty()) {
      continue;
    }
    SourceId unknown = profile.sources.push_back({});
    for (size_t row = 0; row < profile.processes.size(); ++row) {
      profile.processes[ProcessId::from_index(row)].source = unknown;
    }
  }
}

}  // namespace

Result<Profile> merge(std::vector<Profile> profiles, MergeClocks clocks) {
  if (profiles.size() == 1) {
    return std::move(profiles[0]);
  }
  uint32_t scale = finest_scale(profiles);
  TRY(check_total(profiles, scale));
  ClockOffsets offsets{.ns = std::vector<int64_t>(profiles.size())};
  if (clocks == MergeClocks::kAlign) {
    offsets = clock_offsets(profiles);
    mark_unknown_sources(profiles);
  }
  ProfileBuilder builder;
  uint32_t groups = 0;
  for (size_t i = 0; i < profiles.size(); ++i) {
    Copier copier(profiles[i], builder, scale, groups, offsets.ns[i]);
    copier.run();
    groups = copier.groups();
    profiles[i] = {};
  }
  if (!offsets.are_certain) {
    builder.add_loss({.reason = "the inputs have different clocks, and not all of them have a "
                                "wall-clock time: times of different inputs cannot be compared",
                      .what = "",
                      .count = 0,
                      .severity = LossClass::kNotice});
  }
  return builder.finish();
}

}  // namespace wick
