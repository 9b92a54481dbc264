// SPDX-License-Identifier: Apache-2.0
// Readings (readings.h) become windows of time, rows of a table by part of the program, and means
// around moments. Times count from the first sample, as --time does.
#include "analyze/ipc/ipc.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "analyze/ipc/windows.h"
#include "analyze/label_groups.h"
#include "analyze/summary.h"
#include "base/distributions.h"
#include "base/escape.h"
#include "base/pattern.h"
#include "profile/names.h"
#include "profile/time_range.h"
#include "report/columns.h"

namespace wick {
namespace {

constexpr int64_t kUsualWindows = 100;
constexpr int64_t kMostWindows = 1'000'000;
constexpr size_t kAroundSteps = 10;  // windows on each side of a moment

constexpr std::array kIpcFlags = {
    Flag{"ratio", '\0', FlagKind::kText, "A/B", "instructions/cycles", "the events to compare"},
    Flag{"size", '\0', FlagKind::kText, "TIME", "", "length of a window, such as 10ms"},
    Flag{"step", '\0', FlagKind::kText, "TIME", "", "from window to window; shorter: they overlap"},
    Flag{"by",
         'b',
         FlagKind::kChoice,
         "function|module|thread|process|cpu|label:KEY",
         "function",
         "the parts of the program"},
    Flag{"around",
         '\0',
         FlagKind::kText,
         "REGEX|MARK",
         "",
         "the mean around marks of this name, or around entering functions that match"},
};

double number(uint64_t count) {
  return static_cast<double>(count);
}

struct IpcOptions {
  std::string by;
  std::string around;
  int64_t size_ns = 0;  // 0: a hundredth of the time
  int64_t step_ns = 0;  // 0: the size
};

Result<int64_t> length_flag(const FlagValues& flags, std::string_view name) {
  if (!flags.given(name)) {
    return 0;
  }
  std::optional<int64_t> length = parse_time_length(flags.text(name));
  if (!length) {
    return fail_usage("--{} {} is not a length of time such as 10ms, 0.5s or 200us.",
                      name,
                      terminal_text(flags.text(name)));
  }
  return *length;
}

class IpcReport {
 public:
  IpcReport(const Profile& profile, Readings readings, IpcOptions options)
      : profile_(profile),
        readings_(std::move(readings)),
        options_(std::move(options)),
        range_(sampled_time(profile)),
        name_(readings_.ratio.is_ipc()
                  ? "IPC"
                  : fmt::format("{}/{}", readings_.ratio.upper, readings_.ratio.lower)) {
    for (const Reading& reading : readings_.rows) {
      whole_.add(reading);
    }
  }

  Result<Report> run();

 private:
  int64_t since_start(int64_t time_ns) const { return time_since(range_.first, time_ns); }
  Interval interval(const RatioSum& sum) const { return sum.interval(readings_.in_groups); }
  Result<std::vector<Window>> windows() const;
  Table window_table(const std::vector<Window>& windows) const;
  Tracks tracks(const std::vector<Window>& windows) const;
  std::string part_of(size_t row, const LabelGroups& labels) const;
  Table part_table() const;
  Result<std::vector<int64_t>> moments() const;
  Result<Table> around_table(const std::vector<int64_t>& moments) const;
  int64_t size() const {
    return options_.size_ns != 0
               ? options_.size_ns
               : std::max<int64_t>((range_.last - range_.first) / kUsualWindows, 1);
  }

  const Profile& profile_;
  Readings readings_;
  IpcOptions options_;
  TimeRange range_;
  std::string name_;
  RatioSum whole_;
};

Result<std::vector<Window>> IpcReport::windows() const {
  int64_t step = options_.step_ns != 0 ? options_.step_ns : size();
  if ((range_.last - range_.first) / step >= kMostWindows) {
    return fail_usage("There would be more than {} windows; choose a larger --size or --step.",
                      kMostWindows);
  }
  return make_windows(readings_.rows, range_.first, range_.last, size(), step);
}

Table IpcReport::window_table(const std::vector<Window>& windows) const {
  Table table{
      .columns = {in_unit("nanoseconds", weight_column("begin_ns", "begin", ColumnRole::kTime)),
                  in_unit("nanoseconds", weight_column("end_ns", "end", ColumnRole::kUntil)),
                  count_column("begin_cycles", readings_.ratio.lower + " before"),
                  count_column("end_cycles", readings_.ratio.lower + " after"),
                  number_column("conservative", "at least", ColumnRole::kValue),
                  number_column("linear", name_, ColumnRole::kValue),
                  number_column("optimistic", "at most", ColumnRole::kValue),
                  count_column("samples", "samples", ColumnRole::kSamples)}};
  for (size_t column : {2U, 3U, 4U, 6U}) {
    table.columns[column].importance = Importance::kExtra;
  }
  for (const Window& window : windows) {
    double ratio = window.lower > 0 ? window.upper / window.lower : kNoNumber;
    Interval around = interval(window.readings);
    double values[] = {static_cast<double>(since_start(window.begin_ns)),
                       static_cast<double>(since_start(window.end_ns)),
                       std::round(window.lower_before),
                       std::round(window.lower_before + window.lower),
                       ratio,
                       ratio,
                       ratio,
                       number(window.readings.readings())};
    for (size_t column = 0; column < std::size(values); ++column) {
      table.columns[column].numbers.push_back(values[column]);
    }
    table.columns[5].low.push_back(around.low);
    table.columns[5].high.push_back(around.high);
  }
  return table;
}

Tracks IpcReport::tracks(const std::vector<Window>& windows) const {
  Tracks tracks{.begin_ns = 0, .end_ns = since_start(range_.last), .tracks = {}};
  Series ratio{.time_ns = {}, .lines = {number_column("ratio", name_, ColumnRole::kValue)}};
  Series rate{.time_ns = {},
              .lines = {in_unit(readings_.ratio.lower + "/s",
                                number_column("rate", "rate", ColumnRole::kValue))}};
  for (const Window& window : windows) {
    int64_t begin = since_start(window.begin_ns);
    double seconds = static_cast<double>(window.end_ns - window.begin_ns) / 1e9;
    Interval around = interval(window.readings);
    ratio.time_ns.push_back(begin);
    ratio.lines[0].numbers.push_back(window.lower > 0 ? window.upper / window.lower : kNoNumber);
    ratio.lines[0].low.push_back(around.low);
    ratio.lines[0].high.push_back(around.high);
    rate.time_ns.push_back(begin);
    rate.lines[0].numbers.push_back(window.lower / seconds);
  }
  tracks.tracks.push_back({.title = name_, .body = std::move(ratio)});
  tracks.tracks.push_back({.title = readings_.ratio.lower, .body = std::move(rate)});
  std::map<std::string, std::vector<const Mark*>> kinds;
  for (const Mark& mark : profile_.marks) {
    if (mark.time_ns >= range_.first && mark.time_ns <= range_.last) {
      kinds[std::string(profile_.strings[mark.kind])].push_back(&mark);
    }
  }
  for (auto& [kind, marks] : kinds) {
    std::ranges::stable_sort(marks, {}, &Mark::time_ns);
    MarkLine line;
    for (const Mark* mark : marks) {
      line.add(since_start(mark->time_ns),
               profile_.strings[mark->name],
               mark->has_value ? mark->value : kNoNumber);
    }
    tracks.tracks.push_back({.title = kind.empty() ? "marks" : kind, .body = std::move(line)});
  }
  return tracks;
}

std::string IpcReport::part_of(size_t row, const LabelGroups& labels) const {
  const SampleColumns& samples = profile_.samples;
  FrameId frame =
      samples.stack[row] == kEmptyStack ? FrameId() : profile_.stacks.frame(samples.stack[row]);
  ThreadId thread = samples.thread[row];
  if (options_.by == "function") {
    return frame.valid() ? frame_name(profile_, frame) : "[empty stack]";
  }
  if (options_.by == "module") {
    return frame.valid() ? std::string(module_name(profile_, profile_.frames[frame])) : "";
  }
  if (options_.by == "cpu") {
    return samples.cpu[row] == kNoCpu ? "[unknown]" : fmt::format("{}", samples.cpu[row]);
  }
  if (options_.by == "thread") {
    return thread.valid() ? thread_name(profile_, thread) : "[unknown]";
  }
  if (options_.by == "process") {
    bool is_known = thread.valid() && profile_.threads[thread].process.valid();
    return is_known ? process_name(profile_, profile_.threads[thread].process) : "[unknown]";
  }
  return labels.name(labels.of(samples.labels[row]));
}

Table IpcReport::part_table() const {
  LabelGroups labels(profile_, key_of_by(options_.by));
  std::map<std::string, RatioSum> parts;
  for (const Reading& reading : readings_.rows) {
    parts[part_of(reading.row, labels)].add(reading);
  }
  std::vector<std::pair<std::string, RatioSum>> rows(parts.begin(), parts.end());
  std::ranges::stable_sort(
      rows, [](const auto& a, const auto& b) { return a.second.lower() > b.second.lower(); });
  ReportColumn ratio = number_column("ratio", name_, ColumnRole::kValue);
  ReportColumn share = share_column("lower_share", readings_.ratio.lower + " %");
  ReportColumn lower = count_column("lower", readings_.ratio.lower);
  ReportColumn upper = count_column("upper", readings_.ratio.upper);
  ReportColumn samples = count_column("samples", "samples", ColumnRole::kSamples);
  samples.importance = Importance::kExtra;
  ReportColumn name =
      name_column(std::string(fixed_part(options_.by) == kByLabel ? open_part(options_.by, kByLabel)
                                                                  : std::string_view(options_.by)));
  for (const auto& [part, sum] : rows) {
    Interval around = interval(sum);
    ratio.numbers.push_back(sum.ratio());
    ratio.low.push_back(around.low);
    ratio.high.push_back(around.high);
    share.numbers.push_back(whole_.lower() > 0 ? sum.lower() / whole_.lower() : kNoNumber);
    lower.numbers.push_back(sum.lower());
    upper.numbers.push_back(sum.upper());
    samples.numbers.push_back(number(sum.readings()));
    name.text.push_back(part);
  }
  Table table;
  for (ReportColumn* column : {&ratio, &share, &lower, &upper, &samples, &name}) {
    table.columns.push_back(std::move(*column));
  }
  return table;
}

// Times of marks with this name or kind; else when threads entered matching functions: the first of
// the thread's readings that has one of them on its stack.
Result<std::vector<int64_t>> IpcReport::moments() const {
  Pattern pattern = TRY(Pattern::compile(options_.around));
  std::vector<int64_t> moments;
  for (const Mark& mark : profile_.marks) {
    if (profile_.strings[mark.name] == options_.around ||
        profile_.strings[mark.kind] == options_.around) {
      moments.push_back(mark.time_ns);
    }
  }
  if (!moments.empty()) {
    return moments;
  }
  std::vector<bool> frames(profile_.frames.size());
  for (size_t row = 0; row < frames.size(); ++row) {
    frames[row] = pattern.matches(frame_name(profile_, FrameId::from_index(row)));
  }
  std::vector<bool> stacks(profile_.stacks.size());
  for (size_t row = 1; row < stacks.size(); ++row) {  // parents first
    StackId stack = StackId::from_index(row);
    stacks[row] = stacks[profile_.stacks.parent(stack).index()] ||
                  frames[profile_.stacks.frame(stack).index()];
  }
  std::map<ThreadId, bool> inside;
  for (const Reading& reading : readings_.rows) {
    bool is_inside = stacks[profile_.samples.stack[reading.row].index()];
    bool& was_inside = inside[profile_.samples.thread[reading.row]];
    if (is_inside && !was_inside && reading.end_ns != kNoTime) {
      moments.push_back(reading.end_ns);
    }
    was_inside = is_inside;
  }
  if (moments.empty()) {
    return fail("--around {}: no mark has this name, and no sampled function matches it.",
                terminal_text(options_.around));
  }
  return moments;
}

Result<Table> IpcReport::around_table(const std::vector<int64_t>& moments) const {
  constexpr size_t kWindows = 2 * kAroundSteps;
  auto size = this->size();
  std::vector<int64_t> edges;
  for (int64_t moment : moments) {
    for (size_t i = 0; i <= kWindows; ++i) {
      edges.push_back(moment + (static_cast<int64_t>(i) - int64_t{kAroundSteps}) * size);
    }
  }
  std::vector<int64_t> sorted = edges;
  std::ranges::sort(sorted);
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
  Accumulated sums(readings_.rows, sorted);
  auto index = [&](int64_t edge) {
    return static_cast<size_t>(std::ranges::lower_bound(sorted, edge) - sorted.begin());
  };
  Table table{.columns = {in_unit("nanoseconds", weight_column("begin_ns", "from")),
                          in_unit("nanoseconds", weight_column("end_ns", "to")),
                          number_column("mean", name_, ColumnRole::kValue),
                          count_column("moments", "moments")}};
  for (size_t i = 0; i < kWindows; ++i) {
    std::vector<double> ratios;
    for (size_t moment = 0; moment < moments.size(); ++moment) {
      size_t first = index(edges[moment * (kWindows + 1) + i]);
      size_t last = index(edges[moment * (kWindows + 1) + i + 1]);
      double lower = sums.lower(last) - sums.lower(first);
      if (lower > 0) {
        ratios.push_back((sums.upper(last) - sums.upper(first)) / lower);
      }
    }
    auto count = static_cast<double>(ratios.size());
    double middle = ratios.empty() ? kNoNumber : mean(ratios);
    double squares = 0;
    for (double ratio : ratios) {
      squares += (ratio - middle) * (ratio - middle);
    }
    double half = ratios.size() < 2 ? kNoNumber
                                    : student_deviate(kLevel, count - 1) *
                                          std::sqrt(squares / (count - 1) / count);
    table.columns[0].numbers.push_back((static_cast<double>(i) - kAroundSteps) *
                                       static_cast<double>(size));
    table.columns[1].numbers.push_back((static_cast<double>(i) + 1 - kAroundSteps) *
                                       static_cast<double>(size));
    table.columns[2].numbers.push_back(middle);
    table.columns[2].low.push_back(middle - half);
    table.columns[2].high.push_back(middle + half);
    table.columns[3].numbers.push_back(count);
  }
  return table;
}

Result<Report> IpcReport::run() {
  StackCosts costs = costs_of_first_event(profile_);
  Report report = start_report(
      profile_,
      costs,
      readings_.ratio.is_ipc() ? "Instructions per cycle" : fmt::format("Ratio {}", name_));
  report.unit = readings_.ratio.lower;
  report.total = whole_.lower();
  Interval around = interval(whole_);
  report.figures = {{.name = "ratio", .value = whole_.ratio(), .for_programs = true},
                    {.name = "ratio_low", .value = around.low, .for_programs = true},
                    {.name = "ratio_high", .value = around.high, .for_programs = true}};
  report.headline = fmt::format("{} {:.3g} over the whole time", name_, whole_.ratio());
  if (!std::isnan(around.low)) {
    report.headline += fmt::format(" (95 % interval {:.3g} to {:.3g})", around.low, around.high);
  }
  report.headline += ".";
  bool has_time = profile_.has_time() && range_.last > range_.first;
  std::vector<Window> windows;
  if (has_time) {
    windows = TRY(this->windows());
  } else {
    report.notes.emplace_back("The samples have no times, so there is no curve over time.");
  }
  report.sections.push_back({"ipc", name_ + " over time", window_table(windows)});
  report.sections.push_back({"parts", name_ + " by " + options_.by, part_table()});
  if (!options_.around.empty()) {
    if (!has_time) {
      return fail("--around needs samples with times.");
    }
    std::vector<int64_t> moments = TRY(this->moments());
    report.sections.push_back({"around",
                               fmt::format("Around {}", terminal_text(options_.around)),
                               TRY(around_table(moments))});
  }
  if (has_time) {
    report.sections.push_back({"tracks", name_ + " on one axis", tracks(windows)});
  }
  if (!readings_.in_groups) {
    report.notes.emplace_back(
        "The two events were not read together: each has samples of its own, so the ratio of short "
        "windows and rare functions is uncertain, and an interval wide. A group "
        "('{cycles,instructions}:S') reads both at once.");
  }
  return report;
}

}  // namespace

std::span<const Flag> ipc_flags() {
  return kIpcFlags;
}

Result<Report> run_ipc(const Profile& profile, std::string_view, const FlagValues& flags) {
  IpcOptions options{.by = flags.text("by"),
                     .around = flags.text("around"),
                     .size_ns = TRY(length_flag(flags, "size")),
                     .step_ns = TRY(length_flag(flags, "step"))};
  std::string_view key = key_of_by(options.by);
  if (!key.empty()) {
    TRY(check_label(profile, key));
  }
  Readings readings =
      TRY(read_events(profile, flags.given("ratio") ? flags.text("ratio") : std::string()));
  return IpcReport(profile, std::move(readings), std::move(options)).run();
}

}  // namespace wick
