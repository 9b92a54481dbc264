// SPDX-License-Identifier: Apache-2.0
// A Selection has one flag for each sample. Each filter clears flags; the filters on time, threads,
// CPUs and labels also restrict a TimelineCut. apply_filter() works in this order:
//
//     1. event        first, because the reported share refers to one event's weight
//     2. threads, CPUs, labels, mode, time
//     3. focus, ignore, from: conditions on the original stacks, or their functions of a program
//     4. remove the samples, cut the timeline, drop the rows of unused events
//     5. rewrite the stacks for from, for stacks, and for hide and show
//
// Step 5 must be last: hide would otherwise remove a frame that focus looks for. A filter that
// leaves no sample is an error, and the error names the earlier filters.
#include "profile/filter.h"

#include <algorithm>
#include <cmath>

#include "base/clock_text.h"
#include "base/escape.h"
#include "profile/branch_samples.h"
#include "profile/frame_match.h"
#include "profile/map_stacks.h"
#include "profile/polled_tasks.h"
#include "profile/steady.h"
#include "profile/thread_match.h"
#include "profile/time_range.h"
#include "profile/timeline_cut.h"

namespace wick {
namespace {

using Flags = std::vector<bool>;

// The frames that conditions on stacks see. Patterns for functions of a program often match the
// native functions that run them, which --stacks runtime does not show.
Flags matching_condition(const Profile& profile, const Pattern& pattern, const Filter& filter) {
  Flags matches = matching_frames(profile, pattern);
  if (filter.frames == ShownFrames::kRuntime && has_interpreted_frames(profile)) {
    for (size_t row = 0; row < matches.size(); ++row) {
      matches[row] =
          matches[row] && is_interpreted(profile.frames[FrameId::from_index(row)].origin);
    }
  }
  return matches;
}

// The conditions on a sample, and the names of the applied filters for the error message.
class Selection {
 public:
  Selection(const Profile& profile, const Filter& filter)
      : profile_(profile), filter_(filter), keep_(profile.samples.size(), true) {}

  // Retains the rows for which `condition(row)` holds. False if no row is left.
  template <typename Condition>
  bool narrow_silently(Condition condition) {
    bool any = false;
    for (size_t row = 0; row < keep_.size(); ++row) {
      keep_[row] = keep_[row] && condition(row);
      any = any || keep_[row];
    }
    narrowed_ = true;
    return any;
  }

  // The same for a filter of the user: an error if no sample is left.
  template <typename Condition>
  Result<> narrow(std::string_view name, std::string_view value, Condition condition) {
    if (!narrow_silently(condition)) {
      return fail("No sample is left after --{}{}{}{}.",
                  name,
                  value.empty() ? "" : " ",
                  short_terminal_text(value),
                  names_.empty() ? "" : ", together with " + names_);
    }
    names_ += fmt::format("{}--{}", names_.empty() ? "" : " and ", name);
    return {};
  }

  Result<> narrow_by_stack(std::string_view name,
                           const std::optional<Pattern>& pattern,
                           bool wanted) {
    if (!pattern) {
      return {};
    }
    Flags stacks = stacks_with(profile_, matching_condition(profile_, *pattern, filter_));
    return narrow(name, pattern->text(), [&](size_t row) {
      return stacks[profile_.samples.stack[row].index()] == wanted;
    });
  }

  Result<> narrow_by_thread(std::string_view name,
                            std::string_view value,
                            const ThreadMatch& match) {
    const SampleColumns& samples = profile_.samples;
    TRY(narrow(name, value, [&](size_t row) {
      return match.matches(samples.thread[row], samples.time_ns[row]);
    }));
    cut_.threads.resize(match.threads().size(), true);
    for (size_t row = 0; row < match.threads().size(); ++row) {
      cut_.threads[row] = cut_.threads[row] && match.threads()[row];
    }
    if (!match.sources().empty()) {
      cut_.sources = match.sources();
    }
    return {};
  }
  Result<> narrow_by_label(const LabelCondition& condition) {
    LabelMatch match = TRY(match_labels(profile_, condition));
    TRY(narrow("label", condition.text, [&](size_t row) {
      return match.matching[profile_.samples.labels[row].index()];
    }));
    cut_.labels.resize(match.outside.size(), false);
    for (size_t row = 0; row < match.outside.size(); ++row) {
      cut_.labels[row] = cut_.labels[row] || match.outside[row];
    }
    return {};
  }
  Result<> narrow_by_cpu(std::string_view value, const std::vector<uint16_t>& cpus) {
    cut_.cpus = cpus;
    return narrow("cpu", value, [&](size_t row) {
      return std::ranges::find(cpus, profile_.samples.cpu[row]) != cpus.end();
    });
  }
  Result<> narrow_by_time(std::string_view name, std::string_view value, const TimeRange& range) {
    cut_.time = {std::max(cut_.time.first, range.first), std::min(cut_.time.last, range.last)};
    const Column<int64_t>& times = profile_.samples.time_ns;
    return narrow(name, value, [&](size_t row) {
      return times[row] >= range.first && times[row] <= range.last;
    });
  }

  const Flags& keep() const { return keep_; }
  bool narrowed() const { return narrowed_; }
  // The conditions on the timeline.
  const TimelineCut& cut() const { return cut_; }

 private:
  const Profile& profile_;
  const Filter& filter_;
  Flags keep_;
  TimelineCut cut_;
  std::string names_;
  bool narrowed_ = false;
};

// "cpu-clock:ppp" becomes "cpu-clock": perf adds modifiers that the user did not write.
std::string_view without_modifiers(std::string_view event) {
  size_t colon = event.rfind(':');
  bool modifiers = colon != std::string_view::npos &&
                   event.find_first_not_of("ukhHGpPSDIWeb", colon + 1) == std::string_view::npos;
  return modifiers ? event.substr(0, colon) : event;
}

Result<> select_event(const Profile& profile,
                      const Filter& filter,
                      Selection& selection,
                      std::vector<std::string>& notes) {
  bool pair = filter.keep_events == KeepEvents::kFirstOrPair && is_before_after(profile);
  bool all = filter.keep_events == KeepEvents::kAll;
  if (filter.event.empty() && (profile.events.size() < 2 || pair || all)) {
    return {};
  }
  std::vector<bool> sampled(profile.events.size());
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    sampled[profile.samples.event[row].index()] = true;
  }
  std::string names;
  EventId chosen;
  std::vector<EventId> nearly;  // equal except for their modifiers
  for (size_t row = 0; row < profile.events.size(); ++row) {
    std::string_view name = profile.strings[profile.events[EventId::from_index(row)].name];
    names += fmt::format("{}{}", row == 0 ? "" : ", ", terminal_text(name));
    bool wanted = filter.event.empty() ? sampled[row] : name == filter.event;
    if (wanted && !chosen.valid()) {
      chosen = EventId::from_index(row);
    }
    if (without_modifiers(name) == filter.event) {
      nearly.push_back(EventId::from_index(row));
    }
  }
  if (!chosen.valid() && nearly.size() == 1) {
    chosen = nearly.front();
  }
  if (!chosen.valid()) {
    return fail_usage(
        "There is no event \"{}\"; this profile has: {}.", terminal_text(filter.event), names);
  }
  const Column<EventId>& events = profile.samples.event;
  auto is_chosen = [&](size_t row) { return events[row] == chosen; };
  if (!filter.event.empty()) {
    return selection.narrow("event", filter.event, is_chosen);
  }
  std::string_view shown = profile.strings[profile.events[chosen].name];
  notes.push_back(fmt::format(
      "Several events: {}. Shown: {}; choose with --event.", names, terminal_text(shown)));
  selection.narrow_silently(is_chosen);
  return {};
}

// If only one event is left, its row becomes the only row, so no analysis can read the unit of
// another event.
void drop_unused_events(Profile& profile) {
  EventId only = profile.samples.event[0];
  Event event = profile.events[only];
  profile.events = {};
  profile.events.push_back(event);
  profile.samples.event.transform([](EventId) { return EventId(0); });
  std::vector<TotalCorrection>& corrections = profile.total_corrections;
  std::erase_if(corrections, [&](const TotalCorrection& row) { return row.event != only; });
  for (TotalCorrection& row : corrections) {
    row.event = EventId(0);
  }
}

// They are about all samples of an event, and about the functions that the input has.
void drop_total_corrections(Profile& profile, std::vector<std::string>& notes) {
  if (!profile.total_corrections.empty()) {
    profile.total_corrections.clear();
    notes.emplace_back(
        "Filters select estimated stacks: totals of functions in recursion are estimates, not "
        "those "
        "of the file.");
  }
}

using MatchThreads = Result<ThreadMatch> (*)(const Profile& profile, std::string_view text);

Result<> select_threads(const Profile& profile,
                        std::string_view name,
                        const std::string& text,
                        MatchThreads match,
                        Selection& selection) {
  if (text.empty()) {
    return {};
  }
  return selection.narrow_by_thread(name, text, TRY(match(profile, text)));
}

Result<> select_mode(const Profile& profile, const std::string& mode, Selection& selection) {
  if (mode.empty()) {
    return {};
  }
  return selection.narrow("mode", mode, [&](size_t row) {
    FrameId leaf = profile.stacks.frame(profile.samples.stack[row]);
    bool kernel = leaf.valid() && is_kernel(profile.frames[leaf].mode);
    return kernel == (mode == "kernel");
  });
}

Result<int64_t> time_of_mark(const Profile& profile, const std::string& wanted) {
  if (profile.marks.empty()) {
    return fail("--time @{}: this profile has no marks; `wick record --marker REGEX` makes them.",
                terminal_text(wanted));
  }
  std::optional<double> value = parse_clock(wanted);
  auto found = std::ranges::find_if(profile.marks, [&](const Mark& mark) {
    return value && mark.has_value
               ? mark.value >= *value
               : profile.strings[mark.name].find(wanted) != std::string_view::npos;
  });
  if (found == profile.marks.end()) {
    return fail("--time @{}: there is no such mark; `wick info` lists them.",
                terminal_text(wanted));
  }
  return found->time_ns;
}

// In nanoseconds; perhaps before the first sample or after the last one.
double unclamped_time(const TimePoint& point, const TimeRange& range) {
  if (point.is_absolute) {
    return point.value * 1e9;
  }
  auto first = static_cast<double>(range.first);
  double length = static_cast<double>(range.last) - first;
  return first + (point.is_share ? point.value * length : point.value * 1e9);
}

Result<int64_t> resolve(const Profile& profile,
                        const std::optional<TimePoint>& point,
                        const TimeRange& range,
                        int64_t open) {
  if (!point) {
    return open;
  }
  if (!point->mark.empty()) {
    return time_of_mark(profile, point->mark);
  }
  double time = std::clamp(unclamped_time(*point, range),
                           static_cast<double>(range.first),
                           static_cast<double>(range.last));
  return std::llround(time);
}

// Such a range has no sample.
bool is_outside(const Filter& filter, const TimeRange& range) {
  auto is_time = [](const std::optional<TimePoint>& point) { return point && point->mark.empty(); };
  return (is_time(filter.begin) &&
          unclamped_time(*filter.begin, range) > static_cast<double>(range.last)) ||
         (is_time(filter.end) &&
          unclamped_time(*filter.end, range) < static_cast<double>(range.first));
}

Result<> select_time(const Profile& profile,
                     const Filter& filter,
                     Selection& selection,
                     std::vector<std::string>& notes) {
  if (filter.begin || filter.end) {
    if (!profile.has_time()) {
      return fail("--time cannot be used: this input does not say when a sample was taken.");
    }
    TimeRange range = sampled_time(profile);
    if (is_outside(filter, range)) {
      return fail(
          "--time {} is outside the recording: its samples cover {:.6f} s, from {:.6f} to {:.6f} s "
          "of its clock.",
          short_terminal_text(filter.time_text),
          static_cast<double>(range.last - range.first) / 1e9,
          static_cast<double>(range.first) / 1e9,
          static_cast<double>(range.last) / 1e9);
    }
    int64_t begin = TRY(resolve(profile, filter.begin, range, range.first));
    int64_t end = TRY(resolve(profile, filter.end, range, range.last));
    if (end < begin) {
      return fail("--time {} is reversed: in this profile its end is before its start.",
                  short_terminal_text(filter.time_text));
    }
    TRY(selection.narrow_by_time("time", filter.time_text, {begin, end}));
  }
  if (filter.steady) {
    SteadyRange steady = TRY(find_steady(profile, selection.keep()));
    TimeRange range = sampled_time(profile);
    auto seconds = [](int64_t ns) { return static_cast<double>(ns) / 1e9; };
    notes.push_back(
        fmt::format("--steady cut {:.3f} s at the start and {:.3f} s at the end, of {:.3f} s.",
                    seconds(steady.begin_ns - range.first),
                    seconds(std::max<int64_t>(0, range.last - steady.end_ns)),
                    seconds(range.last - range.first)));
    if (steady.at_limit) {
      notes.emplace_back(
          "--steady cuts at most a quarter at each end and reached that limit: the phase may be "
          "longer.");
    }
    TRY(selection.narrow_by_time("steady", "", {steady.begin_ns, steady.end_ns}));
  }
  return {};
}

int64_t total_weight(const Profile& profile, const Flags* keep) {
  int64_t total = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    total += keep == nullptr || (*keep)[row] ? profile.samples.weight[row] : 0;
  }
  return total;
}

void keep_samples(Profile& profile, const Flags& keep) {
  SampleColumns retained;
  for (size_t row = 0; row < keep.size(); ++row) {
    if (keep[row]) {
      retained.push_back(profile.samples[row]);
    }
  }
  profile.samples = std::move(retained);
}

// Stacks begin at their first matching frame.
void begin_stacks_at(Profile& profile, const Filter& filter) {
  Flags starts = matching_condition(profile, *filter.from, filter);
  Flags inside(profile.stacks.size());  // whether each stack contains such a frame
  map_stacks(profile, [&](StackInterner& stacks, StackId parent, StackId old) {
    FrameId frame = profile.stacks.frame(old);
    bool is_inside = inside[profile.stacks.parent(old).index()] || starts[frame.index()];
    inside[old.index()] = is_inside;
    return is_inside ? stacks.intern(parent, frame) : parent;
  });
}

void hide_frames(Profile& profile, const Filter& filter) {
  auto flags = [&](const std::optional<Pattern>& pattern, bool otherwise) {
    return pattern ? matching_frames(profile, *pattern) : Flags(profile.frames.size(), otherwise);
  };
  Flags hidden = flags(filter.hide, false);
  Flags shown = flags(filter.show, true);
  map_stacks(profile, [&](StackInterner& stacks, StackId parent, StackId old) {
    FrameId frame = profile.stacks.frame(old);
    bool stays = shown[frame.index()] && !hidden[frame.index()];
    return stays ? stacks.intern(parent, frame) : parent;
  });
}

// --focus and --from are not among them: if they match nothing, no sample is left.
void add_unmatched(const Profile& profile,
                   const Filter& filter,
                   std::vector<std::string>& sentences) {
  using Named = std::pair<std::string_view, const std::optional<Pattern>*>;
  for (const auto& [name, pattern] : {Named{"ignore", &filter.ignore},
                                      Named{"hide", &filter.hide},
                                      Named{"show", &filter.show}}) {
    if (*pattern && std::ranges::count(matching_frames(profile, **pattern), true) == 0) {
      sentences.push_back(
          fmt::format("--{} {} matches nothing: the input has no such function, file or module.",
                      name,
                      short_terminal_text((*pattern)->text())));
    }
  }
}

}  // namespace

Result<Filtered> apply_filter(Profile profile, const Filter& filter) {
  Filtered result;
  if (profile.samples.empty()) {  // nothing to select, and the timeline does not change
    result.profile = std::move(profile);
    return result;
  }
  if (is_made_of_branches(profile, filter.event)) {
    profile = as_branch_samples(std::move(profile), filter.event);
  }
  Selection selection(profile, filter);
  TRY(select_event(profile, filter, selection, result.notes));
  Flags of_event = selection.keep();
  TRY(select_threads(profile, "thread", filter.thread, ThreadMatch::of_threads, selection));
  TRY(select_threads(profile, "process", filter.process, ThreadMatch::of_processes, selection));
  TRY(select_threads(profile, "host", filter.host, ThreadMatch::of_hosts, selection));
  if (!filter.cpus.empty()) {
    TRY(selection.narrow_by_cpu(filter.cpu_text, filter.cpus));
  }
  for (const LabelCondition& condition : filter.labels) {
    TRY(selection.narrow_by_label(condition));
  }
  TRY(select_mode(profile, filter.mode, selection));
  TRY(select_time(profile, filter, selection, result.notes));
  TRY(selection.narrow_by_stack("focus", filter.focus, true));
  TRY(selection.narrow_by_stack("ignore", filter.ignore, false));
  TRY(selection.narrow_by_stack("from", filter.from, true));
  if (selection.narrowed()) {
    auto retained = static_cast<double>(total_weight(profile, &selection.keep()));
    auto all = static_cast<double>(total_weight(profile, &of_event));
    if (retained < all) {
      result.retained = retained / all;
    }
    keep_samples(profile, selection.keep());
    cut_timeline(profile, selection.cut());
    bool pair = filter.keep_events == KeepEvents::kFirstOrPair && is_before_after(profile);
    bool one_event = !filter.event.empty() || (filter.keep_events != KeepEvents::kAll && !pair);
    if (one_event && profile.events.size() > 1) {
      drop_unused_events(profile);
    }
  }
  if (filter.names_tasks) {
    name_polled_tasks(profile);
  }
  if (filter.frames && !has_interpreted_frames(profile)) {
    result.unmatched.emplace_back(
        "--stacks changes nothing: the input has no frames of an interpreter.");
  }
  if (filter.from) {
    begin_stacks_at(profile, filter);
  }
  show_frames(profile, filter.frames.value_or(filter.usual_frames));
  if (filter.hide || filter.show) {
    hide_frames(profile, filter);
  }
  if (result.retained < 1 || filter.from || filter.hide || filter.show || filter.folds) {
    drop_total_corrections(profile, result.notes);
  }
  add_unmatched(profile, filter, result.unmatched);
  if (filter.folds) {
    fold_executors(profile, *filter.folds);
  }
  if (!filter.text.empty()) {
    StringId key = profile.strings.append(kFilterFact);
    profile.facts.push_back({key, profile.strings.append(filter.text)});
  }
  result.profile = std::move(profile);
  return result;
}

std::string retained_share_text(double least, double most) {
  std::string low = fmt::format("{:.1f}", 100 * least);
  std::string high = fmt::format("{:.1f}", 100 * most);
  if (least >= 1) {
    return "";
  }
  return low == high ? fmt::format("The filters keep {} % of the profile.", low)
                     : fmt::format("The filters keep {} to {} % of the profiles.", low, high);
}

}  // namespace wick
