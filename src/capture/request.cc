// SPDX-License-Identifier: Apache-2.0
#include "capture/request.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/escape.h"
#include "base/parse_number.h"
#include "record/event_names.h"
#include "record/machine.h"
#include "record/processes.h"

namespace wick::capture {
namespace {

Request usual_request() {
  Request request;
  request.session.launch.scheduling = record::current_scheduling();
  request.session.recorder.events = {record::default_event()};
  set_frequency(kUsualFrequency, request.session.recorder.events);
  return request;
}

uint64_t highest_frequency() {
  return static_cast<uint64_t>(
      record::read_number("/proc/sys/kernel/perf_event_max_sample_rate").value_or(100'000));
}

}  // namespace

Request request_to_run(std::vector<std::string> command) {
  Request request = usual_request();
  request.session.launch.command = std::move(command);
  return request;
}

Request request_to_attach(std::vector<int32_t> pids) {
  Request request = usual_request();
  request.session.recorder.pids = std::move(pids);
  return request;
}

Result<Frequency> parse_frequency(std::string_view text) {
  uint64_t highest = highest_frequency();
  if (text == "max") {
    return Frequency{.hertz = highest};
  }
  std::optional<uint64_t> hertz = parse_number<uint64_t>(text);
  if (!hertz || *hertz == 0) {
    return fail_usage("A frequency is a number of samples per second, or max, not \"{}\".",
                      terminal_text(text));
  }
  if (*hertz <= highest) {
    return Frequency{.hertz = *hertz};
  }
  return Frequency{.hertz = highest,
                   .note = fmt::format(
                       "The kernel allows {0} samples per second, so wick uses {0} instead of {1}; "
                       "as root, `sysctl kernel.perf_event_max_sample_rate={1}` allows more.",
                       highest,
                       *hertz)};
}

void set_frequency(uint64_t hertz, std::span<record::EventRequest> events) {
  for (record::EventRequest& event : events) {
    bool is_rare = event.type == PERF_TYPE_TRACEPOINT ||
                   (event.type == PERF_TYPE_SOFTWARE && !event.is_clock());
    if (is_rare) {
      event.period = 1;
    } else {
      event.frequency = hertz;
    }
  }
}

std::string rate_warning(std::span<const record::EventRequest> events) {
  constexpr uint64_t kShortestPeriod = 20'000;  // of a hardware counter: about 10 us
  constexpr uint64_t kHighestFrequency = 20'000;
  for (const record::EventRequest& event : events) {
    uint64_t hertz =
        event.is_clock() && event.period != 0 ? 1'000'000'000 / event.period : event.frequency;
    if (hertz > kHighestFrequency) {
      return fmt::format(
          "{} samples per second on each CPU interrupt the program all the time: it may run many "
          "times slower. The usual rate is -F {}.",
          hertz,
          kUsualFrequency);
    }
    // Others, such as cache misses, are rare enough for short periods.
    bool counts_all_the_time =
        event.type == PERF_TYPE_HARDWARE &&
        (event.config == PERF_COUNT_HW_CPU_CYCLES || event.config == PERF_COUNT_HW_INSTRUCTIONS ||
         event.config == PERF_COUNT_HW_REF_CPU_CYCLES);
    if (counts_all_the_time && event.period != 0 && event.period < kShortestPeriod) {
      return fmt::format(
          "One sample for every {} {} interrupts the program all the time: it may run many times "
          "slower. A usual period is -c 1000003.",
          event.period,
          terminal_text(event.name));
    }
  }
  return "";
}

Result<> set_call_graph(std::string_view text, record::RecorderRequest& recorder) {
  std::string_view method = text.substr(0, text.find(','));
  record::SampleContents& contents = recorder.contents;
  contents.raw = std::ranges::any_of(recorder.events, [](const record::EventRequest& event) {
    return event.type == PERF_TYPE_TRACEPOINT;
  });
  if (method == "fp") {
    contents.stacks = record::StackSource::kFramePointer;
  } else if (method == "lbr") {
    contents.stacks = record::StackSource::kBranches;
  } else if (method == "none" || method == "no") {
    contents.stacks = record::StackSource::kNone;
  } else if (method != "dwarf" && method != "cfi") {
    return fail_usage("A call graph is dwarf, cfi, fp, lbr or none, not \"{}\".",
                      terminal_text(method));
  } else if (method.size() < text.size()) {
    std::optional<uint64_t> bytes = parse_number<uint64_t>(text.substr(method.size() + 1));
    return bytes ? set_stack_bytes(*bytes, recorder)
                 : fail_usage("dwarf,N needs a number of bytes, such as dwarf,8192.");
  }
  return {};
}

Result<> set_branches(std::string_view filters, record::RecorderRequest& recorder) {
  struct Filter {
    std::string_view name;
    uint64_t bit;
  };
  constexpr std::array kFilters = {
      Filter{"u", PERF_SAMPLE_BRANCH_USER},
      Filter{"k", PERF_SAMPLE_BRANCH_KERNEL},
      Filter{"hv", PERF_SAMPLE_BRANCH_HV},
      Filter{"any", PERF_SAMPLE_BRANCH_ANY},
      Filter{"any_call", PERF_SAMPLE_BRANCH_ANY_CALL},
      Filter{"any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN},
      Filter{"ind_call", PERF_SAMPLE_BRANCH_IND_CALL},
      Filter{"ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP},
      Filter{"call", PERF_SAMPLE_BRANCH_CALL},
      Filter{"cond", PERF_SAMPLE_BRANCH_COND},
      Filter{"abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX},
      Filter{"in_tx", PERF_SAMPLE_BRANCH_IN_TX},
      Filter{"no_tx", PERF_SAMPLE_BRANCH_NO_TX},
      Filter{"no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS},
      Filter{"no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES},
      Filter{"save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE},
      Filter{"hw_index", PERF_SAMPLE_BRANCH_HW_INDEX},
  };
  constexpr uint64_t kNotKinds = PERF_SAMPLE_BRANCH_PLM_ALL | PERF_SAMPLE_BRANCH_NO_FLAGS |
                                 PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_TYPE_SAVE |
                                 PERF_SAMPLE_BRANCH_HW_INDEX;
  if (recorder.contents.stacks == record::StackSource::kBranches) {
    return fail_usage(
        "--call-graph lbr uses the processor's record of branches for calls, so -b "
        "cannot have it, too: use one of them.");
  }
  uint64_t bits = 0;
  for (std::string_view rest = filters; !rest.empty();) {
    std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    auto found = std::ranges::find(kFilters, word, &Filter::name);
    if (found == kFilters.end()) {
      return fail_usage(
          "-b takes kinds of branches separated by commas: any, any_call, any_ret, ind_call, "
          "ind_jmp, call, cond, u, k, hv, no_cycles, no_flags, save_type and others of perf's -j; "
          "not \"{}\".",
          terminal_text(word));
    }
    bits |= found->bit;
  }
  // As in perf, u and k alone mean all branches there.
  recorder.contents.branches = (bits & ~kNotKinds) == 0 ? bits | PERF_SAMPLE_BRANCH_ANY : bits;
  return {};
}

Result<> set_stack_bytes(uint64_t bytes, record::RecorderRequest& recorder) {
  constexpr uint64_t kLeastBytes = 256;
  if (bytes < kLeastBytes) {
    return fail_usage(
        "A copy of {} bytes of stack is too small; use at least {}.", bytes, kLeastBytes);
  }
  recorder.stack_bytes_given = true;
  recorder.contents.stack_bytes =
      static_cast<uint32_t>(std::min<uint64_t>(bytes, record::kMaxStackBytes)) / 8 * 8;
  return {};
}

Result<std::vector<int32_t>> find_processes(std::string_view text) {
  std::vector<int32_t> pids;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (std::optional<int32_t> pid = parse_number<int32_t>(word); pid && *pid > 0) {
      pids.push_back(*pid);
      continue;
    }
    std::vector<int32_t> named = record::processes_named(word);
    if (named.empty()) {
      return fail("No process is named \"{}\"; `ps -e` lists names and numbers.",
                  terminal_text(word));
    }
    pids.insert(pids.end(), named.begin(), named.end());
  }
  TRY(check_processes(pids));
  return pids;
}

Result<> check_processes(std::span<const int32_t> pids) {
  for (int32_t pid : pids) {
    if (!record::is_alive(pid)) {
      return fail("There is no process {}; `ps -e` lists all processes.", pid);
    }
  }
  return {};
}

Result<std::vector<int>> parse_cpus(const std::string& text) {
  std::optional<std::vector<int>> cpus = record::parse_cpu_list(text);
  if (!cpus || cpus->empty()) {
    return fail("takes CPUs such as 0-3,8, not \"{}\".", terminal_text(text));
  }
  std::vector<int> online = record::online_cpus();
  for (int cpu : *cpus) {
    if (!std::ranges::binary_search(online, cpu)) {
      return fail("{}: this machine has no CPU {}; the last one is {}.", text, cpu, online.back());
    }
  }
  return *cpus;
}

}  // namespace wick::capture
