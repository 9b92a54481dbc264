// SPDX-License-Identifier: Apache-2.0
#include "experiment/stat/counted_span.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace wick {
namespace {

double metric(const StatRun& run, std::string_view name) {
  auto found = std::ranges::find(run.metrics, name, &RunMetric::name);
  EXPECT_NE(found, run.metrics.end()) << name;
  return found == run.metrics.end() ? -1 : found->value;
}

RunRequest shell(const std::string& line) {
  RunRequest request;
  request.command = {"/bin/sh", "-c", line};
  return request;
}

// A shell loop that takes some CPU time.
constexpr const char* kBusy = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";

TEST(CountedSpan, ThreadsAndTheRestAddUpToAll) {
  record::HeldSignals signals;
  SpanRequest request{.of = SpanRequest::Of::kProgram,
                      .counters = software_counters(),
                      .command = shell(fmt::format("({0}) & ({0}); wait", kBusy)),
                      .per_thread = true};
  Result<CountedSpan> span = count_span(request, signals);
  ASSERT_TRUE(span) << span.error().message;
  ASSERT_GE(span->threads.size(), 3U) << "the shell, its children, and the rest";
  EXPECT_EQ(span->threads.back().tid, 0);
  for (size_t counter = 0; counter < request.counters.size(); ++counter) {
    uint64_t sum = 0;
    for (const ThreadReading& thread : span->threads) {
      sum += thread.counters[counter].value;
    }
    EXPECT_EQ(sum, span->run.counters[counter].value) << request.counters[counter].event.name;
  }
}

TEST(CountedSpan, EndsWithTheProcess) {
  record::HeldSignals signals;
  Result<MeasuredProcess> target =
      MeasuredProcess::start(shell(fmt::format("sleep 0.5; {}", kBusy)), signals.old_mask());
  ASSERT_TRUE(target);
  SpanRequest request{
      .pids = {target->pid()}, .counters = software_counters(), .duration_seconds = 30};
  Result<CountedSpan> span = count_span(request, signals);
  while (!target->poll()) {
    ::usleep(1000);
  }
  ASSERT_TRUE(span) << span.error().message;
  EXPECT_LT(metric(span->run, "wall"), 20);
  EXPECT_GT(metric(span->run, "task-clock"), 0);
}

// A regression test: the time once began only after the start of the command, so a short one took
// no time at all.
TEST(CountedSpan, TimeOfACommandBeginsWithIt) {
  record::HeldSignals signals;
  SpanRequest request{
      .pids = {::getpid()}, .counters = software_counters(), .command = shell(kBusy)};
  Result<CountedSpan> span = count_span(request, signals);
  ASSERT_TRUE(span) << span.error().message;
  ASSERT_TRUE(span->command);
  EXPECT_GE(metric(span->run, "wall"), span->command->wall_seconds);
}

TEST(CountedSpan, EndsAfterTheDuration) {
  record::HeldSignals signals;
  Result<MeasuredProcess> target =
      MeasuredProcess::start(shell("exec sleep 30"), signals.old_mask());
  ASSERT_TRUE(target);
  SpanRequest request{
      .pids = {target->pid()}, .counters = software_counters(), .duration_seconds = 0.2};
  Result<CountedSpan> span = count_span(request, signals);
  target->signal(SIGKILL);
  while (!target->poll()) {
    ::usleep(1000);
  }
  ASSERT_TRUE(span) << span.error().message;
  EXPECT_GE(metric(span->run, "wall"), 0.2);
  EXPECT_LT(metric(span->run, "wall"), 10);
  EXPECT_LT(metric(span->run, "user"), 0.2);
  EXPECT_GT(metric(span->run, "peak-memory"), 100'000);
}

TEST(CountedSpan, RestIsWhatNoThreadHas) {
  std::vector<CounterReading> total = {
      {.name = "a", .value = 10, .enabled_ns = 100, .running_ns = 50}};
  std::vector<ThreadReading> threads = {
      {.tid = 1, .counters = {{.name = "a", .value = 6, .enabled_ns = 60, .running_ns = 30}}},
      {.tid = 2, .counters = {{.name = "a", .value = 3, .enabled_ns = 30, .running_ns = 15}}}};
  std::vector<CounterReading> rest = rest_of_threads(total, threads);
  EXPECT_EQ(rest[0].value, 1U);
  EXPECT_EQ(rest[0].enabled_ns, 10U);
  threads[0].counters[0].value = 100;
  EXPECT_EQ(rest_of_threads(total, threads)[0].value, 0U) << "never below nothing";
}

TEST(CountedSpan, ThreadsAreShownBusiestFirstAndTheRestLast) {
  auto reading = [](uint64_t value) {
    return std::vector<CounterReading>{
        {.name = "task-clock", .value = value, .enabled_ns = 1, .running_ns = 1}};
  };
  std::vector<ThreadReading> threads = {
      {1, 1, "calm", reading(5)},
      {1, 2, "busy", reading(500'000'000)},
      {1, 3, "gone", {{.name = "task-clock", .missing = "ended"}}},
      {0, 0, "", reading(900'000'000)}};
  Table table = std::get<Table>(thread_section(threads, 1).body);
  const TextValues& names = table.find("name")->text;
  EXPECT_EQ(names[0], "busy");
  EXPECT_EQ(names[1], "calm");
  EXPECT_EQ(names[2], "gone");
  EXPECT_EQ(names[3], "(before wick opened their counters)");
  EXPECT_EQ(table.find("cpus")->numbers[0], 0.5);
  EXPECT_TRUE(std::isnan(table.find("cpus")->numbers[2]));
}

}  // namespace
}  // namespace wick
