// SPDX-License-Identifier: Apache-2.0
#include "capture/facts.h"

#include <array>
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>
#include <sys/utsname.h>

#include "base/command_text.h"
#include "profile/stack_end_words.h"
#include "record/machine.h"
#include "record/mitigations.h"

namespace wick::capture {
namespace {

constexpr int64_t kSignificantNs = 20'000'000;

void report_clock(EventSink& sink) {
  timespec wall = {};
  ::clock_gettime(CLOCK_REALTIME, &wall);
  std::tm parts = {};
  ::gmtime_r(&wall.tv_sec, &parts);
  std::array<char, 32> text = {};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  sink.on_fact("started", text.data());
  int64_t monotonic = static_cast<int64_t>(record::monotonic_ns());
  int64_t realtime = int64_t{wall.tv_sec} * 1'000'000'000 + wall.tv_nsec;
  sink.on_fact("clock",
               fmt::format("monotonic; the wall clock is {} ns ahead", realtime - monotonic));
}

}  // namespace

void report_start(const record::LaunchRequest& launch, EventSink& sink) {
  utsname host = {};
  if (::uname(&host) == 0) {
    sink.on_fact("host", host.nodename);
    sink.on_fact("kernel", host.release);
    sink.on_fact("architecture", host.machine);
  }
  if (std::string mitigations = record::mitigations_text(); !mitigations.empty()) {
    sink.on_fact("mitigations", mitigations);
  }
  sink.on_fact("recorded by", "wick " WICK_VERSION);
  if (!launch.command.empty()) {
    sink.on_fact("command", command_text(launch.command));
  }
  report_clock(sink);
}

std::string cpu_time_text(const record::CpuTime& charged, std::optional<int64_t> sampled_ns) {
  int64_t total = charged.user_ns + charged.system_ns;
  std::string text = fmt::format("{:.3f} s ({:.3f} s user, {:.3f} s kernel)",
                                 static_cast<double>(total) / 1e9,
                                 static_cast<double>(charged.user_ns) / 1e9,
                                 static_cast<double>(charged.system_ns) / 1e9);
  int64_t difference = sampled_ns ? std::abs(*sampled_ns - total) : 0;
  if (difference > kSignificantNs && difference > total / 50) {
    text += total == 0
                ? fmt::format("; the samples have {:.3f} s", static_cast<double>(*sampled_ns) / 1e9)
                : fmt::format("; the samples have {:.3f} s, {:.1f} % of it",
                              static_cast<double>(*sampled_ns) / 1e9,
                              100 * static_cast<double>(*sampled_ns) / static_cast<double>(total));
  }
  return text;
}

void report_end(const record::SessionEnd& end, EventSink& sink) {
  sink.on_fact("events", end.per_thread ? "one for each thread on each CPU" : "one for each CPU");
  if (end.copies_whole_stacks) {
    sink.on_fact(kStackCopiesFact, kCopiedWithBpf);
  }
  if (end.cpu_time) {
    sink.on_fact("CPU time of the target", cpu_time_text(*end.cpu_time, end.sampled_ns));
  }
  if (!end.sees_kernel) {
    sink.on_lost(
        {.count = 0,
         .what = "samples of the kernel",
         .reason =
             "without privileges wick sees only the program itself, not the kernel's work for it",
         .notice = true});
  }
}

}  // namespace wick::capture
