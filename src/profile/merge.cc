#include "profile/merge.h"

#include <algorithm>
#include <array>

#include "profile/builder.h"
#include "profile/validate.h"

namespace wick {
namespace {

constexpr auto kMaxTotal = static_cast<int64_t>(kMostTotalWeight);

// Copies one profile into the builder, translating every id on the way (schema.h lists them).
class Copier {
 public:
  // `groups` is the largest number of a group so far, `delay_ns` what makes this profile's times
  // those of the merged one.
  Copier(
      const Profile& from, ProfileBuilder& into, uint32_t scale, uint32_t groups, int64_t delay_ns)
      : from_(from),
        into_(into),
        scale_(scale),
        groups_before_(groups),
        groups_(groups),
        delay_ns_(delay_ns) {
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
    ids.assign(implied, 0);  // row 0 of a tree stays what it is
    for (size_t index = implied; index < rows.size(); ++index) {
      auto row = translated(row_at(rows, index));
      if constexpr (std::is_void_v<decltype(add(row))>) {
        add(row);
      } else {
        ids.push_back(add(row).value);
      }
    }
  }

  void copy(ProfileTable, const PodVector<Branch>&) {}  // with their sets

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
          delay(column.of(row), delay_ns_);
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
  static void delay(int64_t& time_ns, int64_t by_ns) {
    if (time_ns != kNoTime && __builtin_add_overflow(time_ns, by_ns, &time_ns)) {
      time_ns = kNoTime;
    }
  }

  SourceId add(Source row) {
    delay(row.wall_clock_ns, -delay_ns_);
    return into_.source(row);
  }
  ModuleId add(const Module& row) { return into_.module(row); }
  FunctionId add(const Function& row) { return into_.function(row); }
  FrameId add(const Frame& row) { return into_.frame(row); }
  StackId add(const StackRow& row) { return into_.stack(row.parent, row.frame); }
  ProcessId add(const Process& row) { return into_.process(row); }
  ThreadId add(const Thread& row) { return into_.thread(row); }
  void add(const ThreadName& row) { into_.add_thread_name(row); }
  void add(const ModuleMapping& row) { into_.add_mapping(row); }
  EventId add(Event row) {
    row.scale = scale_;
    return into_.event(row);
  }
  LabelId add(const Label& row) { return into_.label(row); }
  LabelSetId add(const LabelSetRow& row) { return into_.label_set(row.parent, row.label); }
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
  int64_t delay_ns_;
  std::vector<Branch> branches_;
  std::array<std::vector<uint32_t>, kTableCount> new_ids_;  // by table and row of `from_`
};

// Scales are 1 or a power of ten; the finest one divides by all others.
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
        return fail("The inputs count in steps that do not fit each other; read them one by one.");
      }
    }
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      int64_t factor = scale / profile.events[profile.samples.event[row]].scale;
      int64_t weight = profile.samples.weight[row];
      if (weight > room / factor) {
        return fail("The inputs together weigh more than fits 62 bits; read them one by one.");
      }
      room -= weight * factor;
    }
  }
  return {};
}

// The first source of which anything is known: its clock is that of the profile.
const Source* clock_of(const Profile& profile) {
  for (const Source& source : profile.sources) {
    if (source != Source()) {
      return &source;
    }
  }
  return nullptr;
}

// Puts profiles on the clock of the first one that says whose clock it has. Machines agree on the
// wall clock about as well as NTP keeps it. The clock of a boot is more exact, so that times of one
// boot stay as they are.
class Alignment {
 public:
  explicit Alignment(const std::vector<Profile>& profiles) {
    for (const Profile& profile : profiles) {
      delays_ns_.push_back(0);
      const Source* clock = clock_of(profile);
      if (clock != nullptr && clock_ == nullptr) {
        first_ = &profile;
        clock_ = clock;
      }
      if (clock != nullptr && !is_same(profile, *clock)) {
        align(profile, *clock);
      }
    }
  }
  int64_t delay_ns(size_t profile) const { return delays_ns_[profile]; }
  bool has_sources() const { return clock_ != nullptr; }
  bool is_uncertain() const { return is_uncertain_; }

 private:
  bool is_same(const Profile& profile, const Source& clock) const {
    auto text = [&](StringId id) { return profile.strings[id]; };
    return clock.clock == clock_->clock && text(clock.host) == first_->strings[clock_->host] &&
           text(clock.boot_id) == first_->strings[clock_->boot_id];
  }

  void align(const Profile& profile, const Source& clock) {
    int64_t delay_ns = kNoTime;
    bool is_known = clock.wall_clock_ns != kNoTime && clock_->wall_clock_ns != kNoTime;
    if (is_known &&
        !__builtin_sub_overflow(clock.wall_clock_ns, clock_->wall_clock_ns, &delay_ns) &&
        delay_ns != kNoTime) {
      delays_ns_.back() = delay_ns;
    } else {
      is_uncertain_ = is_uncertain_ || (first_->has_time() && profile.has_time());
    }
  }

  const Profile* first_ = nullptr;
  const Source* clock_ = nullptr;   // of `first_`
  std::vector<int64_t> delays_ns_;  // by profile
  bool is_uncertain_ = false;
};

// So that its processes are not taken for those of another input.
void add_unknown_source(Profile& profile) {
  SourceId unknown = profile.sources.push_back({});
  for (size_t row = 0; row < profile.processes.size(); ++row) {
    profile.processes[ProcessId::from_index(row)].source = unknown;
  }
}

}  // namespace

Result<Profile> merge(std::vector<Profile> profiles) {
  if (profiles.size() == 1) {
    return std::move(profiles[0]);
  }
  uint32_t scale = finest_scale(profiles);
  TRY(check_total(profiles, scale));
  Alignment alignment(profiles);
  ProfileBuilder builder;
  uint32_t groups = 0;
  for (size_t i = 0; i < profiles.size(); ++i) {
    if (alignment.has_sources() && profiles[i].sources.empty()) {
      add_unknown_source(profiles[i]);
    }
    Copier copier(profiles[i], builder, scale, groups, alignment.delay_ns(i));
    copier.run();
    groups = copier.groups();
    profiles[i] = {};
  }
  if (alignment.is_uncertain()) {
    builder.add_loss({.reason = "the inputs have different clocks, and one does not say its "
                                "wall-clock time: times of one cannot be compared with the other's",
                      .what = "",
                      .severity = LossClass::kNotice});
  }
  return builder.finish();
}

}  // namespace wick
