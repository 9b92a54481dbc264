// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fmt/format.h>

#include "base/command_text.h"
#include "base/escape.h"
#include "base/parse_number.h"
#include "profile/filter.h"

namespace wick {
namespace {

constexpr std::array kFilterFlags = {
    Flag{"focus", '\0', FlagKind::kText, "REGEX", "", "only samples with a matching frame"},
    Flag{"ignore", '\0', FlagKind::kText, "REGEX", "", "no samples with a matching frame"},
    Flag{"hide", '\0', FlagKind::kText, "REGEX", "", "remove matching frames from the stacks"},
    Flag{"show", '\0', FlagKind::kText, "REGEX", "", "remove all other frames from the stacks"},
    Flag{"from", '\0', FlagKind::kText, "REGEX", "", "only matching functions and their callees"},
    Flag{"thread", '\0', FlagKind::kText, "TID|REGEX", "", "only these threads"},
    Flag{"process", '\0', FlagKind::kText, "PID|REGEX", "", "only these processes"},
    Flag{"host", '\0', FlagKind::kText, "REGEX", "", "only these machines, of merged inputs"},
    Flag{"cpu", '\0', FlagKind::kText, "LIST", "", "only these CPUs: 0,2-3"},
    Flag{"time",
         '\0',
         FlagKind::kText,
         "A..B",
         "",
         "only this range: 1.5..3, 200ms.., 10%..90%, @MARK..@MARK, or as perf writes it: A,B"},
    Flag{"event", '\0', FlagKind::kText, "NAME", "", "the event to show, if there are several"},
    Flag{"mode", '\0', FlagKind::kChoice, "user|kernel", "", "only samples taken in this mode"},
    Flag{"label",
         '\0',
         FlagKind::kTexts,
         "KEY[=REGEX]",
         "",
         "only samples with this label, and a matching value (repeatable)"},
    Flag{"stacks",
         '\0',
         FlagKind::kChoice,
         "mixed|runtime|native",
         "mixed",
         "of interpreted programs: functions in native stacks, functions only, native only"},
    Flag{"steady", '\0', FlagKind::kSwitch, "", "", "leave out start-up and shutdown"},
    Flag{"fold-executors",
         '\0',
         FlagKind::kSwitch,
         "",
         "",
         "show runs of frames of async runtimes (tokio, asio, libuv ...) as one frame"},
    Flag{"executors",
         '\0',
         FlagKind::kFileText,
         "FILE",
         "",
         "the same, with more runtimes: one NAME = REGEX per line"},
};

Result<std::optional<Pattern>> pattern(const FlagValues& flags, std::string_view name) {
  if (!flags.given(name)) {
    return std::nullopt;
  }
  return TRY(Pattern::compile(flags.text(name)));
}

Result<uint16_t> cpu_number(std::string_view text, std::string_view list) {
  std::optional<uint16_t> cpu = parse_number<uint16_t>(text);
  if (!cpu || *cpu == kNoCpu) {
    return fail_usage("--cpu {} is not a list of CPUs such as 0,2-3.", terminal_text(list));
  }
  return *cpu;
}

Result<std::vector<uint16_t>> cpu_list(std::string_view list) {
  std::vector<uint16_t> cpus;
  std::string_view rest = list;
  while (!rest.empty()) {
    std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    size_t dash = item.find('-');
    uint16_t first = TRY(cpu_number(item.substr(0, dash), list));
    bool range = dash != std::string_view::npos;
    uint16_t last = range ? TRY(cpu_number(item.substr(dash + 1), list)) : first;
    if (last < first) {
      return fail_usage("--cpu {}: the range {}-{} is empty.", terminal_text(list), first, last);
    }
    for (uint32_t cpu = first; cpu <= last; ++cpu) {
      cpus.push_back(static_cast<uint16_t>(cpu));
    }
  }
  return cpus;
}

// "1.5", "1.5s", "200ms", "10us", "5ns", "10%" or "@mark"; empty for an open end.
Result<std::optional<TimePoint>> time_point(std::string_view text, std::string_view whole) {
  struct Suffix {
    std::string_view text;
    double factor;
  };
  constexpr std::array kSuffixes = {Suffix{"ms", 1e-3},
                                    Suffix{"us", 1e-6},
                                    Suffix{"ns", 1e-9},
                                    Suffix{"s", 1},
                                    Suffix{"%", 0.01}};
  if (text.empty()) {
    return std::nullopt;
  }
  if (text.size() > 1 && text.starts_with('@')) {
    return TimePoint{.mark = std::string(text.substr(1))};
  }
  TimePoint point{.value = 0, .is_share = text.ends_with('%'), .mark = {}};
  double factor = 1;
  for (const Suffix& suffix : kSuffixes) {
    if (text.ends_with(suffix.text)) {
      factor = suffix.factor;
      text.remove_suffix(suffix.text.size());
      break;
    }
  }
  std::optional<double> value = parse_number<double>(text);
  if (!value) {
    return fail_usage("--time {} is not a range such as 1.5..3, 200ms.., 10%..90% or @MARK..@MARK.",
                      terminal_text(whole));
  }
  point.value = *value * factor;
  return point;
}

// Times in different units, and marks, are compared only when the profile is known.
bool is_reversed(const std::optional<TimePoint>& begin, const std::optional<TimePoint>& end) {
  return begin && end && begin->mark.empty() && end->mark.empty() &&
         begin->is_share == end->is_share && end->value < begin->value;
}

// "A..B" from the start of the recording, or perf's "A,B": times of the recording's clock.
Result<> parse_time(std::string_view range, Filter& filter) {
  // A mark is any text, so a comma in it is possible beside "..".
  bool is_absolute = range.find("..") == std::string_view::npos &&
                     range.find(',') != std::string_view::npos && !range.starts_with('@');
  std::string_view between = is_absolute ? "," : "..";
  // perf's "10%-20%"
  bool is_share_range = !range.starts_with('@') && !is_absolute && range.ends_with('%') &&
                        range.find("..") == std::string_view::npos &&
                        range.find("%-") != std::string_view::npos;
  size_t middle = is_share_range ? range.find("%-") + 1 : range.find(between);
  between = is_share_range ? "-" : between;
  bool is_open = middle == std::string_view::npos;
  std::string_view first = range.substr(0, middle);
  std::string_view last = is_open ? "" : range.substr(middle + between.size());
  filter.begin = TRY(time_point(first, range));
  filter.end = TRY(time_point(last, range));
  if (is_reversed(filter.begin, filter.end)) {
    return fail_usage("--time {} is reversed: its end is before its start. Write {}{}{}.",
                      terminal_text(range),
                      terminal_text(last),
                      between,
                      terminal_text(first));
  }
  for (std::optional<TimePoint>* point : {&filter.begin, &filter.end}) {
    if (*point) {
      (*point)->is_absolute = is_absolute && (*point)->mark.empty() && !(*point)->is_share;
    }
  }
  return {};
}

// "--focus work --label 'a=b c'": the filters as the user could write them again.
std::string filter_text(const FlagValues& flags) {
  std::vector<std::string> words;
  for (const Flag& flag : kFilterFlags) {
    if (!flags.given(flag.name)) {
      continue;
    }
    std::string name = fmt::format("--{}", flag.name);
    if (flag.kind == FlagKind::kSwitch) {
      words.push_back(name);
    } else if (flag.kind == FlagKind::kTexts) {
      for (const std::string& value : flags.texts(flag.name)) {
        words.insert(words.end(), {name, value});
      }
    } else {
      bool is_file = flag.kind == FlagKind::kFileText;
      words.insert(words.end(), {name, is_file ? flags.path(flag.name) : flags.text(flag.name)});
    }
  }
  return shell_text(words);
}

}  // namespace

std::span<const Flag> filter_flags() {
  return kFilterFlags;
}

Result<Filter> parse_filter(const FlagValues& flags) {
  Filter filter;
  filter.focus = TRY(pattern(flags, "focus"));
  filter.ignore = TRY(pattern(flags, "ignore"));
  filter.hide = TRY(pattern(flags, "hide"));
  filter.show = TRY(pattern(flags, "show"));
  filter.from = TRY(pattern(flags, "from"));
  filter.thread = flags.text("thread");
  filter.process = flags.text("process");
  filter.host = flags.text("host");
  filter.cpu_text = flags.text("cpu");
  filter.time_text = flags.text("time");
  filter.cpus = TRY(cpu_list(filter.cpu_text));
  if (flags.given("cpu") && filter.cpus.empty()) {
    return fail_usage("--cpu needs a list of CPUs such as 0,2-3.");
  }
  filter.event = flags.text("event");
  filter.mode = flags.text("mode");
  for (const std::string& text : flags.texts("label")) {
    filter.labels.push_back(TRY(parse_label_condition(text)));
  }
  if (flags.given("stacks")) {
    std::string_view stacks = flags.text("stacks");
    filter.frames = stacks == "runtime"  ? ShownFrames::kRuntime
                    : stacks == "native" ? ShownFrames::kNative
                                         : ShownFrames::kMixed;
  }
  filter.steady = flags.is_set("steady");
  if (flags.given("time")) {
    TRY(parse_time(flags.text("time"), filter));
  }
  if (flags.is_set("fold-executors") || flags.given("executors")) {
    filter.folds = TRY(fold_rules(flags.text("executors"), flags.path("executors")));
  }
  filter.text = filter_text(flags);
  return filter;
}

}  // namespace wick
