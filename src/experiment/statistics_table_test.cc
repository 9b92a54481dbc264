// SPDX-License-Identifier: Apache-2.0
// The page computes some statistics itself, because its reader chooses what to compare. This test
// writes a table of the values that the C++ side computes; web/test/statistics.test.ts compares the
// page with it. If a method changes, the table changes, and the page must follow.
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "base/distributions.h"
#include "base/json_writer.h"
#include "base/statistics.h"
#include "experiment/run_change.h"
#include "tests/support/golden.h"

namespace wick {
namespace {

// Ten digits: the last ones differ between machines.
void write_number(JsonWriter& json, double number) {
  json.raw(std::isfinite(number) ? fmt::format("{:.10g}", number) : "null");
}

void write_numbers(JsonWriter& json, std::span<const double> numbers) {
  json.begin_array();
  for (double number : numbers) {
    write_number(json, number);
  }
  json.end_array();
}

void write_row(JsonWriter& json, std::initializer_list<double> numbers) {
  json.newline();
  write_numbers(json, {numbers.begin(), numbers.size()});
}

void write_tails(JsonWriter& json) {
  json.key("normal");
  json.begin_array();
  for (double errors : {0.0, 0.3, 1.0, 1.96, 2.8, 2.9, 4.5, 6.0, 12.0}) {
    write_row(json, {errors, normal_two_sided(errors)});
  }
  json.end_array();
  json.key("student");
  json.begin_array();
  for (double degrees : {1.0, 2.5, 4.0, 7.3, 30.0, 1000.0}) {
    for (double t : {0.0, 0.4, 2.1, 9.0}) {
      write_row(json, {t, degrees, student_two_sided(t, degrees)});
    }
  }
  json.end_array();
  json.key("deviates");
  json.begin_array();
  for (double degrees : {1.0, 3.7, 8.0, 30.0}) {
    for (double probability : {0.2, 0.05, 0.001}) {
      write_row(json, {probability, degrees, student_deviate(probability, degrees)});
    }
  }
  json.end_array();
}

void write_shares(JsonWriter& json) {
  json.key("shares");
  json.begin_array();
  for (double samples : {0.0, 1.0, 17.5, 1e6}) {
    for (double share : {0.0, 0.001, 0.37, 1.0}) {
      Interval interval = share_interval(share, samples);
      write_row(json, {share, samples, interval.low, interval.high});
    }
  }
  json.end_array();
}

void write_correction(JsonWriter& json) {
  constexpr std::array kProbabilities = {0.04, 0.01, 0.03, 0.9, 1e-9, 0.01};
  json.key("holm");
  json.begin_array();
  write_numbers(json, kProbabilities);
  write_numbers(json, holm(kProbabilities));
  json.end_array();
}

struct Case {
  std::vector<double> before;
  std::vector<double> after;
  bool counts = false;
};

void write_runs(JsonWriter& json) {
  const std::vector<Case> cases = {{{1, 1.01, 0.99}, {1.2, 1.21, 1.19}},
                                   {{1, 1.1, 0.9}, {1.05, 0.95, 1.02}},
                                   {{1}, {2}},
                                   {{1}, {2, 2.1, 1.9}},
                                   {{5, 5.5, 4.9, 5.2}, {6}},
                                   {{3, 3}, {3, 3}},
                                   {{3, 3}, {4, 4}},
                                   {{1.001, 1.002, 1.001}, {0, 0, 0}},
                                   {{1, 1, 1}, {0, 0, 0}, true},
                                   {{0, 0}, {0, 0}, true},
                                   {{100, 104, 98}, {130, 90, 101}, true},
                                   {{-2, -1.5, 3}, {4, 5, 4.5}},
                                   {{7e-9, 8e-9, 7.5e-9, 9e-9}, {6e-9, 1e-8, 2e-8}}};
  json.key("runs");
  json.begin_array();
  for (const auto& [before, after, counts] : cases) {
    RunChange change = change_of_runs(before, after, counts);
    bool is_known = before.size() + after.size() > 2;
    json.newline();
    json.begin_object();
    json.key("before");
    write_numbers(json, before);
    json.key("after");
    write_numbers(json, after);
    json.field("counts", counts);
    json.key("change");
    write_numbers(json, std::array{change.value, change.low, change.high});
    json.key("probability");
    write_number(json, is_known ? change.probability : kNoNumber);
    json.end_object();
  }
  json.end_array();
}

TEST(StatisticsTable, IsWhatThePageIsHeldAgainst) {
  std::string text;
  Output out = Output::to_text(text);
  JsonWriter json(out);
  json.begin_object();
  write_tails(json);
  write_shares(json);
  write_correction(json);
  write_runs(json);
  json.end_object();
  ASSERT_TRUE(out.finish());
  testing::expect_golden("web/test/statistics.json", text + "\n");
}

}  // namespace
}  // namespace wick
