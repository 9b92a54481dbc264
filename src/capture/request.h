// SPDX-License-Identifier: Apache-2.0
// The target and the output of a recording. `request_to_run` and `request_to_attach` make the usual request; all other
// choices are fields of `session` (record/session.h, record/open_events.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/session.h"

namespace wick::capture {

inline constexpr uint64_t kUsualFrequency = 997;  // a prime number: never in step with the program

enum class OlderFile : uint8_t {
  kReplaced,
  kRenamed,  // profile.wick becomes profile.1.wick, or the next number that is free
};

struct Request {
  record::SessionRequest session;
  std::string path = {};  // the .wick file, "-" for standard output; empty: only the profile
  OlderFile older = OlderFile::kReplaced;
  bool reads_interpreters = true;  // adds the functions of interpreted programs to their stacks
  std::string raw = {};            // a perf.data to write in addition; empty: none
};

// A command, with stacks, at the usual frequency and with the best event of this machine.
Request request_to_run(std::vector<std::string> command);
// Processes that run already, with all processes that they start.
Request request_to_attach(std::vector<int32_t> pids);

// Samples per second from a number or "max". The kernel has a limit; `note` says if it applied.
struct Frequency {
  uint64_t hertz = kUsualFrequency;
  std::string note = {};
};
Result<Frequency> parse_frequency(std::string_view text);
// For clocks and hardware counters. Tracepoints, faults and switches are rare: each one is a
// sample.
void set_frequency(uint64_t hertz, std::span<record::EventRequest> events);
// A sentence if the events interrupt the program so often that it hardly makes progress; or empty.
std::string rate_warning(std::span<const record::EventRequest> events);

// How to find callers: "dwarf", "dwarf,8192" (bytes of stack to copy), "cfi", "fp", "lbr", "none".
Result<> set_call_graph(std::string_view text, record::RecorderRequest& recorder);
Result<> set_stack_bytes(uint64_t bytes, record::RecorderRequest& recorder);
// Which branches to record, as perf spells it: "any", "u,any_call". After set_call_graph.
Result<> set_branches(std::string_view filters, record::RecorderRequest& recorder);

// Processes by number or name, separated by commas; each must exist.
Result<std::vector<int32_t>> find_processes(std::string_view text);
// That each of them exists.
Result<> check_processes(std::span<const int32_t> pids);
// CPUs such as "0-3,8"; each must be online. The Error continues a sentence that names the flag.
Result<std::vector<int>> parse_cpus(const std::string& text);

}  // namespace wick::capture
