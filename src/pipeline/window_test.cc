// SPDX-License-Identifier: Apache-2.0
// Windows that are cut from a recording: together they equal the whole.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pipeline/pipeline.h"
#include "profile/dump.h"
#include "profile/validate.h"

namespace wick {
namespace {

// Numbers that add up over windows.
struct Sums {
  std::map<std::string, int64_t> samples;  // by line of the dump
  std::map<std::string, uint64_t> losses;  // by reason
  std::map<std::string, int> others;       // marks and moments of loss, by line
  int64_t weight = 0;

  void add(const Profile& profile) {
    std::string text = dump(profile);
    for (size_t begin = 0; begin < text.size();) {
      size_t end = text.find('\n', begin);
      std::string line = text.substr(begin, end - begin);
      if (line.starts_with("sample ")) {
        ++samples[line];
      } else if (line.starts_with("mark ") || line.starts_with("loss moment")) {
        ++others[line];
      }
      begin = end + 1;
    }
    for (const Loss& loss : profile.losses) {
      if (loss.severity == LossClass::kDataLoss) {
        losses[std::string(profile.strings[loss.reason])] += loss.count;
      }
    }
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      weight += profile.samples.weight[row];
    }
  }
  friend bool operator==(const Sums&, const Sums&) = default;
};

constexpr int kSteps = 300;

EventContext at(int64_t time_ns, int32_t tid = 7, int32_t pid = 7) {
  return {.time_ns = time_ns, .pid = pid, .tid = tid, .cpu = 1};
}

void begin(Pipeline& pipeline) {
  pipeline.on_host({.architecture = Architecture::kX86_64, .name = "example"});
  pipeline.on_clock({.kind = ClockKind::kMonotonic, .boot_id = "17-ab"});
  pipeline.on_event_kind({0, "cpu-clock", "nanoseconds"});
  pipeline.on_event_kind({1, "page-faults", "page-faults"});
  pipeline.on_fact("command", "example --fast");
  pipeline.on_cgroup({.at = at(0), .id = 3, .path = "/web"});
  pipeline.on_comm({.at = at(1), .name = "server"});
  pipeline.on_map({.at = at(1), .start = 0x10000, .size = 0x1000, .path = "/no/such/program"});
  pipeline.on_fork({.at = at(2, 8), .parent_pid = 7, .parent_tid = 7});
  pipeline.on_comm({.at = at(2, 8), .name = "worker"});
}

void feed(Pipeline& pipeline, int step) {
  if (step == 100) {
    pipeline.on_map({.at = at(step), .start = 0x20000, .size = 0x1000, .path = "/no/such/library"});
  }
  uint64_t base = step % 3 == 2 && step > 100 ? 0x20000 : 0x10000;
  std::vector<uint64_t> chain = {base + static_cast<uint64_t>(step % 11), base + 0x20, 0x10030};
  pipeline.on_sample({.at = at(step + 3, step % 2 == 0 ? 7 : 8),
                      .event = step % 5 == 0 ? 1U : 0U,
                      .address = chain[0],
                      .weight = static_cast<uint64_t>(step),
                      .mode = Mode::kUser,
                      .user_chain = chain,
                      .cgroup = step % 4 == 0 ? 3U : 0U});
  pipeline.on_checkpoint();  // the chain ends here
  if (step % 20 == 0) {
    pipeline.on_lost({.at = at(step + 3, 8), .count = 2, .reason = "ring full"});
  }
  if (step % 25 == 0) {
    pipeline.on_mark({.at = at(step + 3), .name = fmt::format("step {}", step)});
  }
}

Sums sums_of(const std::vector<int>& cuts) {
  Pipeline pipeline{NameOptions{}};
  begin(pipeline);
  Sums sums;
  for (int step = 0; step < kSteps; ++step) {
    if (std::ranges::find(cuts, step) != cuts.end()) {
      RecordedWindow window = pipeline.cut();
      EXPECT_TRUE(validate(window.profile)) << step;
      EXPECT_EQ(window.loaded.size(), window.profile.modules.size());
      sums.add(pipeline.named(std::move(window)));
    }
    feed(pipeline, step);
  }
  Profile last = pipeline.finish();
  EXPECT_TRUE(validate(last));
  sums.add(last);
  return sums;
}

TEST(Windows, AddUpToTheWhole) {
  Sums whole = sums_of({});
  EXPECT_EQ(whole.weight, kSteps * (kSteps - 1) / 2);
  EXPECT_EQ(whole.losses["ring full"], 30U);
  auto lines = [&](std::string_view kind) {
    return std::ranges::count_if(whole.others,
                                 [&](const auto& line) { return line.first.starts_with(kind); });
  };
  EXPECT_EQ(lines("mark "), 12);
  EXPECT_GT(lines("loss moment"), 0);
  std::vector<int> each(kSteps);
  std::ranges::generate(each, [step = 0]() mutable { return step++; });
  for (const std::vector<int>& cuts :
       {std::vector<int>{1}, std::vector<int>{50, 100, 101, 299}, each}) {
    Sums sums = sums_of(cuts);
    EXPECT_EQ(sums.samples, whole.samples);
    EXPECT_EQ(sums.losses, whole.losses);
    EXPECT_EQ(sums.others, whole.others);
    EXPECT_EQ(sums.weight, whole.weight);
  }
}

TEST(Windows, HaveTheFactsAndOnlyTheRowsTheyNeed) {
  Pipeline pipeline{NameOptions{}};
  begin(pipeline);
  for (int step = 0; step < 100; ++step) {
    feed(pipeline, step);
  }
  pipeline.cut();
  pipeline.on_sample({.at = at(500, 8), .address = 0x10010, .weight = 1, .mode = Mode::kUser});
  Profile second = pipeline.cut().profile;
  ASSERT_TRUE(validate(second));
  EXPECT_EQ(second.samples.size(), 1U);
  EXPECT_EQ(second.frames.size(), 1U);
  ASSERT_EQ(second.threads.size(), 1U) << "the other thread did nothing";
  EXPECT_EQ(second.strings[second.threads[ThreadId(0)].name], "worker");
  EXPECT_EQ(second.threads[ThreadId(0)].begin_ns, 2);
  ASSERT_EQ(second.facts.size(), 1U);
  ASSERT_EQ(second.sources.size(), 1U);
  EXPECT_EQ(second.strings[second.sources[SourceId(0)].host], "example");
  EXPECT_TRUE(second.losses.empty());
  Profile last = pipeline.finish();
  EXPECT_TRUE(validate(last));
  EXPECT_EQ(last.samples.size(), 0U);
  EXPECT_EQ(last.events.size(), 1U) << "samples would be of this event";
}

}  // namespace
}  // namespace wick
