// SPDX-License-Identifier: Apache-2.0
#include "record/event_names.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/parse_number.h"
#include "base/spelling.h"
#include "kernel_records/event_names.h"
#include "record/machine.h"

namespace wick::record {
namespace {

// "r1a8": a hexadecimal number that goes to the processor unchanged.
std::optional<EventRequest> from_raw(std::string_view name) {
  std::optional<uint64_t> config = name.starts_with('r') ? parse_hex(name.substr(1)) : std::nullopt;
  if (!config) {
    return {};
  }
  return EventRequest{.type = PERF_TYPE_RAW, .config = *config};
}

// ---- Terms of a PMU: "cpu/event=0x3c,umask=1/" --------------------------------------------------

// Puts a value into the bits that the PMU's format file lists: "config:0-7,32-35".
bool set_bits(const std::string& format, uint64_t value, EventRequest& request) {
  size_t colon = format.find(':');
  if (colon == std::string::npos) {
    return false;
  }
  std::string_view where = std::string_view(format).substr(0, colon);
  uint64_t* field = where == "config"    ? &request.config
                    : where == "config1" ? &request.config1
                    : where == "config2" ? &request.config2
                                         : nullptr;
  std::optional<std::vector<int>> bits = parse_cpu_list(format.substr(colon + 1));
  if (field == nullptr || !bits) {
    return false;
  }
  for (size_t i = 0; i < bits->size() && i < 64; ++i) {
    *field |= (value >> i & 1) << static_cast<unsigned>((*bits)[i] & 63);
  }
  return true;
}

bool set_terms(const std::string& directory, std::string_view terms, EventRequest& request) {
  while (!terms.empty()) {
    std::string_view term = terms.substr(0, terms.find(','));
    terms.remove_prefix(std::min(terms.size(), term.size() + 1));
    size_t equals = term.find('=');
    std::string key(term.substr(0, equals));
    std::string_view text = equals == std::string_view::npos ? "1" : term.substr(equals + 1);
    std::optional<uint64_t> value =
        text.starts_with("0x") ? parse_hex(text.substr(2)) : parse_number<uint64_t>(text);
    if (!value || key.empty() || key.find('/') != std::string::npos) {
      return false;
    }
    if (key == "config") {
      request.config = *value;
    } else if (std::optional<std::string> format =
                   read_line(fmt::format("{}/format/{}", directory, key))) {
      if (!set_bits(*format, *value, request)) {
        return false;
      }
    } else if (std::optional<std::string> named =
                   read_line(fmt::format("{}/events/{}", directory, key));
               !named || equals != std::string_view::npos ||
               !set_terms(directory, *named, request)) {
      return false;
    }
  }
  return true;
}

Result<EventRequest> from_pmu(std::string_view name) {
  size_t slash = name.find('/');
  std::string pmu(name.substr(0, slash));
  std::string_view terms = name.substr(slash + 1);
  terms = terms.substr(0, terms.rfind('/'));
  std::string directory = "/sys/bus/event_source/devices/" + pmu;
  std::optional<int64_t> type = read_number(directory + "/type");
  if (!type) {
    return fail("There is no PMU \"{}\" on this machine; /sys/bus/event_source/devices lists them.",
                terminal_text(pmu));
  }
  EventRequest request{.type = static_cast<uint32_t>(*type), .config = 0};
  if (!set_terms(directory, terms, request)) {
    return fail_usage("The PMU {} does not know \"{}\"; {}/format and {}/events list its terms.",
                      pmu,
                      terminal_text(terms),
                      directory,
                      directory);
  }
  return request;
}

// ---- Tracepoints --------------------------------------------------------------------------------

Result<EventRequest> from_tracepoint(std::string_view name) {
  size_t colon = name.find(':');
  std::string path(name.substr(0, colon));
  path += '/';
  path += name.substr(colon + 1);
  for (std::string_view root : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    std::string file = fmt::format("{}/events/{}/id", root, path);
    if (std::optional<int64_t> id = read_number(file)) {
      return EventRequest{.type = PERF_TYPE_TRACEPOINT, .config = static_cast<uint64_t>(*id)};
    }
  }
  bool hidden = ::access("/sys/kernel/tracing/events", R_OK | X_OK) != 0;
  if (hidden) {
    return fail(
        "Cannot look up the tracepoint {}: tracefs is not readable for you, or not mounted (as "
        "root: `mount -t tracefs tracefs /sys/kernel/tracing`).",
        terminal_text(name));
  }
  return fail("There is no tracepoint {}; /sys/kernel/tracing/available_events lists them.",
              terminal_text(name));
}

bool is_modifier(std::string_view text) {
  return !text.empty() && text.find_first_not_of("ukhpPGHSDW") == std::string_view::npos;
}

Result<> apply_modifier(std::string_view letters, EventRequest& request) {
  if (size_t other = letters.find_first_not_of("ukpP"); other != std::string_view::npos) {
    return fail_usage(
        "wick does not support the modifier {} of {}: u and k choose user and kernel, p asks for "
        "precise addresses.",
        letters[other],
        letters);
  }
  bool user = letters.find('u') != std::string_view::npos;
  bool kernel = letters.find('k') != std::string_view::npos;
  if (user || kernel) {
    request.exclude_user = !user;
    request.exclude_kernel = !kernel;
  }
  request.precise =
      static_cast<uint8_t>(std::min<std::ptrdiff_t>(std::ranges::count(letters, 'p'), 3));
  return {};
}

std::unexpected<Error> unknown_event(std::string_view name) {
  std::vector<std::string> names;
  for (const kernel_records::NamedEvent& event : kernel_records::named_events()) {
    names.emplace_back(event.name);
  }
  std::string near = nearest_spelling(name, names);
  return fail_usage("There is no event \"{}\"; {}",
                    terminal_text(name),
                    near.empty()
                        ? "cpu-clock, page-faults, cycles, r1a8 and sched:sched_switch are "
                          "examples of names."
                        : fmt::format("did you mean {}?", near));
}

Result<EventRequest> parse_bare(std::string_view name) {
  if (auto event = kernel_records::find_event(name)) {
    return EventRequest{.type = event->type, .config = event->config};
  }
  if (std::optional<EventRequest> event = from_raw(name)) {
    return *event;
  }
  if (name.find('/') != std::string_view::npos) {
    return from_pmu(name);
  }
  if (name.find(':') != std::string_view::npos) {
    return from_tracepoint(name);
  }
  return unknown_event(name);
}

}  // namespace

Result<EventRequest> parse_event(std::string_view text) {
  std::string_view bare = text;
  std::string_view modifier;
  size_t colon = text.rfind(':');
  size_t slash = text.rfind('/');
  if (colon != std::string_view::npos && is_modifier(text.substr(colon + 1))) {
    bare = text.substr(0, colon);
    modifier = text.substr(colon + 1);
  } else if (slash != std::string_view::npos && is_modifier(text.substr(slash + 1))) {
    bare = text.substr(0, slash + 1);
    modifier = text.substr(slash + 1);
  }
  EventRequest request = TRY(parse_bare(bare));
  TRY(apply_modifier(modifier, request));
  request.name = text;
  return request;
}

Result<std::vector<EventRequest>> parse_events(std::string_view text) {
  std::vector<EventRequest> events;
  size_t begin = 0;
  bool in_slashes = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '/') {
      in_slashes = !in_slashes;
    }
    if (i == text.size() || (text[i] == ',' && !in_slashes)) {
      std::string_view name = text.substr(begin, i - begin);
      begin = i + 1;
      if (!name.empty()) {
        events.push_back(TRY(parse_event(name)));
      }
    }
  }
  if (events.empty()) {
    return fail_usage("-e needs the name of an event, such as cpu-clock.");
  }
  return events;
}

EventRequest default_event() {
  EventRequest cycles{.name = "cycles",
                      .type = PERF_TYPE_HARDWARE,
                      .config = PERF_COUNT_HW_CPU_CYCLES,
                      .exclude_kernel = true,
                      .frequency = 1};
  perf_event_attr attr = make_attr(cycles, {.stacks = StackSource::kNone}, {});
  if (PerfEvent::open(attr, {.pid = 0})) {
    cycles.exclude_kernel = false;
    return cycles;
  }
  return {.name = "cpu-clock"};
}

}  // namespace wick::record
