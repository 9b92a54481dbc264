// SPDX-License-Identifier: Apache-2.0
// Opens the counters of counters.h and computes ratios of them.
//
//     names     "{cycles,instructions}:u" -> requests; braces make one group
//     opening   one perf event per request; the first event of a group leads it
//     ratios    a table of pairs of counters; a ratio uses two counters of the same group
//
// Opening solves two problems. If the group has no free slot in the processor, the counter gets its
// own group. If the kernel forbids counting in kernel mode, wick counts user mode only, for the
// events for which that makes sense, and marks the reading.
//
// Invariant: a counter that could not be opened gives a reading with a reason, never a zero.
#include "experiment/counters.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/check.h"
#include "base/escape.h"
#include "record/event_names.h"
#include "record/machine.h"
#include "record/processes.h"

namespace wick {
namespace {

using record::EventRequest;

// ---- Ratios -------------------------------------------------------------------------------------

struct Ratio {
  std::string_view name;
  std::string_view unit;
  std::string_view over;
  std::string_view under;
  double times = 1;
};

constexpr std::string_view kOfInstructions = "per 1000 instructions";

constexpr std::array kRatios = {
    Ratio{"ipc", "per cycle", "instructions", "cycles"},
    Ratio{"frontend-stalls", "% of cycles", "stalled-cycles-frontend", "cycles", 100},
    Ratio{"backend-stalls", "% of cycles", "stalled-cycles-backend", "cycles", 100},
    Ratio{"branch-miss-share", "% of branches", "branch-misses", "branches", 100},
    Ratio{"branch-mpki", kOfInstructions, "branch-misses", "instructions", 1000},
    Ratio{"cache-miss-share", "% of references", "cache-misses", "cache-references", 100},
    Ratio{"cache-mpki", kOfInstructions, "cache-misses", "instructions", 1000},
    Ratio{"l1d-miss-share", "% of loads", "L1-dcache-load-misses", "L1-dcache-loads", 100},
    Ratio{"l1d-mpki", kOfInstructions, "L1-dcache-load-misses", "instructions", 1000},
    Ratio{"l1i-mpki", kOfInstructions, "L1-icache-load-misses", "instructions", 1000},
    Ratio{"llc-miss-share", "% of loads", "LLC-load-misses", "LLC-loads", 100},
    Ratio{"llc-mpki", kOfInstructions, "LLC-load-misses", "instructions", 1000},
    Ratio{"dtlb-miss-share", "% of loads", "dTLB-load-misses", "dTLB-loads", 100},
    Ratio{"dtlb-mpki", kOfInstructions, "dTLB-load-misses", "instructions", 1000},
    Ratio{"itlb-mpki", kOfInstructions, "iTLB-load-misses", "instructions", 1000},
    Ratio{"node-mpki", kOfInstructions, "node-load-misses", "instructions", 1000},
};

// "cycles" and "u" of "cpu-cycles:u".
struct SplitName {
  std::string_view base;
  std::string_view modifier;
};
SplitName split_name(std::string_view name) {
  size_t colon = name.find(':');
  SplitName split{name.substr(0, colon),
                  colon == std::string_view::npos ? "" : name.substr(colon + 1)};
  if (split.base == "cpu-cycles") {
    split.base = "cycles";
  } else if (split.base == "branch-instructions") {
    split.base = "branches";
  }
  return split;
}

// Whether both counted at the same time.
bool are_comparable(const CounterReading& a, const CounterReading& b) {
  bool together = a.group == b.group || (a.share() == 1 && b.share() == 1);
  return together && split_name(a.name).modifier == split_name(b.name).modifier &&
         a.user_only == b.user_only;
}

// The two counters of a ratio, preferably of one group.
std::optional<double> value_of(const Ratio& ratio, std::span<const CounterReading> readings) {
  std::optional<double> found;
  for (const CounterReading& over : readings) {
    if (split_name(over.name).base != ratio.over || !over.has_value()) {
      continue;
    }
    for (const CounterReading& under : readings) {
      if (split_name(under.name).base != ratio.under || !under.has_value() ||
          under.estimate() <= 0 || !are_comparable(over, under)) {
        continue;
      }
      bool same_group = over.group == under.group;
      if (!found || same_group) {
        found = ratio.times * over.estimate() / under.estimate();
      }
      if (same_group) {
        return found;
      }
    }
  }
  return found;
}

// ---- Opening ------------------------------------------------------------------------------------

// Numbers of groups with one member: counters that found no slot in their group.
constexpr uint32_t kAlone = 1U << 31;

constexpr const char* kNotOnProcessor = "this processor or virtual machine does not count it";

std::string why_missing(const EventRequest& event, int error, int pid) {
  bool whole_machine = pid < 0;
  switch (error) {
    case EACCES:
    case EPERM:
      if (std::optional<uint32_t> owner = pid > 0 ? record::other_owner_of(pid) : std::nullopt) {
        return fmt::format(
            "process {} belongs to another user (uid {}), and without privilege you can count only "
            "your own; `sudo wick stat -p {}`",
            pid,
            *owner,
            pid);
      }
      return fmt::format(
          "not allowed while kernel.perf_event_paranoid is {}; sudo sysctl "
          "kernel.perf_event_paranoid={}",
          record::read_line("/proc/sys/kernel/perf_event_paranoid").value_or("unknown"),
          whole_machine        ? 0
          : is_hardware(event) ? 2
                               : 1);
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
    case EINVAL:
      return is_hardware(event) ? kNotOnProcessor : "this kernel does not count it";
    case EMFILE:
      return "too many files are open; ulimit -n 65536";
    case ESRCH:
      return "the thread has ended";
    default:
      return std::strerror(error);
  }
}

// The kernel may forbid counting in kernel mode but allow it in user mode. Clocks count the same
// either way. Switches and migrations happen in the kernel, so without it there is no number.
bool counts_without_kernel(const EventRequest& event) {
  return is_hardware(event) || event.is_clock();
}

struct Opened {
  std::optional<record::PerfEvent> event;
  int error = 0;
  bool user_only = false;
};

Opened open_one(const EventRequest& request,
                const record::CountingOptions& options,
                const record::PerfEvent::Target& target) {
  perf_event_attr attr = record::make_counting_attr(request, options);
  std::expected<record::PerfEvent, int> event = record::PerfEvent::open(attr, target);
  bool forbidden = !event && (event.error() == EACCES || event.error() == EPERM);
  if (!forbidden || request.exclude_kernel || !counts_without_kernel(request)) {
    return event ? Opened{std::move(*event)} : Opened{{}, event.error()};
  }
  EventRequest user = request;
  user.exclude_kernel = true;
  attr = record::make_counting_attr(user, options);
  event = record::PerfEvent::open(attr, target);
  return event ? Opened{std::move(*event), 0, is_hardware(request)} : Opened{{}, event.error()};
}

// ---- Names --------------------------------------------------------------------------------------

std::vector<CounterRequest> named(
    std::initializer_list<std::initializer_list<const char*>> groups) {
  std::vector<CounterRequest> requests;
  uint32_t group = 0;
  for (const auto& names : groups) {
    for (const char* name : names) {
      Result<EventRequest> event = record::parse_event(name);
      CHECK(event.has_value());
      requests.push_back({std::move(*event), group});
    }
    ++group;
  }
  return requests;
}

// The items of a list; a comma inside {} or // does not separate.
std::vector<std::string_view> split_items(std::string_view text) {
  std::vector<std::string_view> items;
  size_t begin = 0;
  int depth = 0;
  bool in_slashes = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : ',';
    in_slashes = c == '/' ? !in_slashes : in_slashes;
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (i == text.size() || (c == ',' && depth <= 0 && !in_slashes)) {
      if (i > begin) {
        items.push_back(text.substr(begin, i - begin));
      }
      begin = i + 1;
    }
  }
  return items;
}

}  // namespace

bool is_hardware(const EventRequest& event) {
  return event.type != PERF_TYPE_SOFTWARE && event.type != PERF_TYPE_TRACEPOINT;
}

double CounterReading::share() const {
  if (enabled_ns == 0 || running_ns >= enabled_ns) {
    return 1;
  }
  return static_cast<double>(running_ns) / static_cast<double>(enabled_ns);
}

double CounterReading::estimate() const {
  return static_cast<double>(value) / share();
}

void add_readings(std::vector<CounterReading>& sum, std::span<const CounterReading> more) {
  if (sum.empty()) {
    sum.assign(more.begin(), more.end());
    return;
  }
  CHECK(sum.size() == more.size());
  for (size_t i = 0; i < more.size(); ++i) {
    if (!more[i].missing.empty()) {
      continue;
    }
    sum[i].missing.clear();
    sum[i].value += more[i].value;
    sum[i].enabled_ns += more[i].enabled_ns;
    sum[i].running_ns += more[i].running_ns;
    sum[i].user_only = sum[i].user_only || more[i].user_only;
  }
}

std::vector<Metric> derived_metrics(std::span<const CounterReading> readings) {
  std::vector<Metric> metrics;
  for (const Ratio& ratio : kRatios) {
    if (std::optional<double> value = value_of(ratio, readings)) {
      metrics.push_back({std::string(ratio.name), std::string(ratio.unit), *value});
    }
  }
  return metrics;
}

bool is_ratio_name(std::string_view name) {
  return std::ranges::find(kRatios, name, &Ratio::name) != kRatios.end();
}

std::optional<std::string> why_no_hardware(std::span<const CounterRequest> requests,
                                           std::span<const CounterReading> readings) {
  CHECK(requests.size() == readings.size());
  std::string why;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (!is_hardware(requests[i].event)) {
      continue;
    }
    if (readings[i].missing.empty()) {
      return {};
    }
    why = why.empty() ? readings[i].missing : why;
  }
  if (why.empty()) {
    return {};
  }
  return fmt::format("Hardware counters are not available: {}; `wick doctor` says what would help.",
                     why == kNotOnProcessor ? "this processor or virtual machine has none" : why);
}

std::vector<CounterRequest> software_counters() {
  return named({{"task-clock"},
                {"context-switches"},
                {"cpu-migrations"},
                {"minor-faults"},
                {"major-faults"}});
}

std::vector<CounterRequest> usual_counters() {
  // Each hardware group contains both counters of its ratios. Processors have at least four slots
  // in addition to those for cycles and instructions.
  return named({{"task-clock"},
                {"context-switches"},
                {"cpu-migrations"},
                {"minor-faults"},
                {"major-faults"},
                {"cycles", "instructions", "branches", "branch-misses"},
                {"instructions", "cache-references", "cache-misses"},
                {"instructions", "L1-dcache-loads", "L1-dcache-load-misses"},
                {"instructions", "LLC-loads", "LLC-load-misses"},
                {"instructions", "dTLB-loads", "dTLB-load-misses"},
                {"instructions", "L1-icache-load-misses", "iTLB-load-misses"},
                {"instructions", "node-loads", "node-load-misses"},
                {"cycles", "stalled-cycles-frontend", "stalled-cycles-backend"},
                {"cycles", "ref-cycles", "bus-cycles"}});
}

Result<std::vector<CounterRequest>> parse_counters(std::string_view text) {
  std::vector<CounterRequest> requests;
  uint32_t group = 0;
  for (std::string_view item : split_items(text)) {
    std::string_view names = item;
    std::string_view modifier;
    if (item.starts_with('{')) {
      size_t end = item.rfind('}');
      if (end == std::string_view::npos || (end + 1 < item.size() && item[end + 1] != ':')) {
        return fail_usage(
            "-e {}: write a group as {{cycles,instructions}}, optionally followed by :u.",
            terminal_text(item));
      }
      names = item.substr(1, end - 1);
      modifier = item.substr(end + 1);
    }
    for (std::string_view name : split_items(names)) {
      std::string full(name);
      full += modifier;
      requests.push_back({TRY(record::parse_event(full)), group});
    }
    ++group;
  }
  if (requests.empty()) {
    return fail_usage("-e needs the name of an event, such as cycles or page-faults.");
  }
  return requests;
}

Counters Counters::open(std::span<const CounterRequest> requests, const Target& target) {
  Counters counters;
  std::optional<uint32_t> group;
  int leader = -1;
  for (const CounterRequest& request : requests) {
    if (group != request.group) {
      group = request.group;
      leader = -1;
    }
    record::CountingOptions options{
        .inherit = target.inherit, .on_exec = target.from == From::kExec, .leads = leader < 0};
    record::PerfEvent::Target where{.pid = target.pid, .cpu = target.cpu, .leader = leader};
    uint32_t entry_group = request.group;
    Opened opened = open_one(request.event, options, where);
    if (!opened.event && opened.error == EINVAL && leader >= 0) {
      // The group has no free slot: this event gets its own group and counts at other times.
      entry_group = kAlone + static_cast<uint32_t>(counters.entries_.size());
      options.leads = true;
      where.leader = -1;
      opened = open_one(request.event, options, where);
    }
    Entry entry{.reading = {.name = request.event.name,
                            .group = entry_group,
                            .user_only = opened.user_only},
                .leads = options.leads};
    if (opened.event) {
      leader = leader < 0 ? opened.event->descriptor() : leader;
    } else {
      entry.reading.missing = why_missing(request.event, opened.error, target.pid);
    }
    entry.event = std::move(opened.event);
    counters.entries_.push_back(std::move(entry));
  }
  return counters;
}

void Counters::enable() const {
  for (const Entry& entry : entries_) {
    if (entry.event && entry.leads) {
      entry.event->enable();
    }
  }
}

void Counters::disable() const {
  for (const Entry& entry : entries_) {
    if (entry.event && entry.leads) {
      entry.event->disable();
    }
  }
}

std::vector<CounterReading> Counters::read() const {
  std::vector<CounterReading> readings;
  for (const Entry& entry : entries_) {
    CounterReading reading = entry.reading;
    if (entry.event) {
      record::PerfEvent::Counts counts = entry.event->read();
      reading.value = counts.value;
      reading.enabled_ns = counts.enabled_ns;
      reading.running_ns = counts.running_ns;
    }
    readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace wick
