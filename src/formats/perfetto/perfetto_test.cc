// SPDX-License-Identifier: Apache-2.0
// Tests the packets of a trace. tests/consumers decodes traces with protoc, too.
#include "formats/perfetto/perfetto.h"

#include <algorithm>
#include <bit>
#include <map>

#include <gtest/gtest.h>

#include "base/protobuf.h"
#include "profile/builder.h"

namespace wick::perfetto {
namespace {

std::string write_bytes(const Profile& profile) {
  std::string bytes;
  Output out = Output::to_text(bytes);
  EXPECT_TRUE(write(profile, {}, out));
  EXPECT_TRUE(out.finish());
  return bytes;
}

// The numbers and texts of a message by the path of their fields: "66.4" is field 4 in field 66.
using Fields = std::multimap<std::string, std::string>;
void collect(Bytes message, const std::string& path, Fields& fields, int depth = 0) {
  ProtoReader reader(message);
  while (reader.next()) {
    std::string name = fmt::format("{}{}{}", path, path.empty() ? "" : ".", reader.field());
    if (reader.kind() == ProtoKind::kBytes) {
      fields.emplace(name, as_text(reader.bytes()));
      if (depth < 4) {
        collect(reader.bytes(), name, fields, depth + 1);
      }
    } else {
      fields.emplace(name, fmt::format("{}", reader.number()));
    }
  }
}

std::vector<Fields> packets_with(const std::string& bytes, const std::string& field) {
  std::vector<Fields> packets;
  ProtoReader trace(as_bytes(bytes));
  while (trace.next()) {
    Fields fields;
    collect(trace.bytes(), "", fields);
    if (fields.contains(field)) {
      packets.push_back(std::move(fields));
    }
  }
  EXPECT_TRUE(trace.ok());
  return packets;
}

std::string one(const Fields& fields, const std::string& path) {
  auto found = fields.find(path);
  return found == fields.end() ? "" : found->second;
}

class PerfettoTest : public ::testing::Test {
 protected:
  PerfettoTest() {
    event_ = builder_.event({.name = builder_.string("cpu-clock"),
                             .unit = builder_.string("nanoseconds"),
                             .frequency = 997});
    ProcessId process = builder_.process({.pid = 7, .name = builder_.string("server")});
    thread_ = builder_.thread({.tid = 8, .process = process, .name = builder_.string("worker")});
    module_ =
        builder_.module({.path = builder_.string("/bin/x"), .build_id = builder_.string("ab")});
  }
  StackId stack(std::initializer_list<std::string_view> names) {
    StackId stack = kEmptyStack;
    for (std::string_view name : names) {
      FunctionId function =
          builder_.function({.name = builder_.string(name), .file = builder_.string("x.cc")});
      stack = builder_.stack(
          stack,
          builder_.frame({.function = function, .module = module_, .address = 16, .line = 3}));
    }
    return stack;
  }

  ProfileBuilder builder_;
  EventId event_;
  ThreadId thread_;
  ModuleId module_;
};

TEST_F(PerfettoTest, SamplesInOrderWithInternedStacks) {
  StackId work = stack({"main", "work"});
  for (int64_t time : {30, 10, 20}) {
    builder_.add_sample({.time_ns = time,
                         .weight = 5,
                         .stack = work,
                         .thread = thread_,
                         .event = event_,
                         .cpu = 0});
  }
  std::string bytes = write_bytes(builder_.finish());
  EXPECT_TRUE(sniff(as_bytes(bytes)));
  std::vector<Fields> samples = packets_with(bytes, "66");
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(one(samples[0], "8"), "10");
  EXPECT_EQ(one(samples[2], "8"), "30");
  EXPECT_EQ(one(samples[0], "66.1"), "0");
  EXPECT_EQ(one(samples[0], "66.2"), "7");
  EXPECT_EQ(one(samples[0], "66.3"), "8");
  EXPECT_EQ(one(samples[2], "66.6"), "15");
  EXPECT_EQ(one(samples[0], "66.4"), one(samples[0], "12.7.1"));
  EXPECT_EQ(samples[0].count("12.7.2"), 2U);
  EXPECT_EQ(samples[0].count("12.6.1"), 2U);
  EXPECT_EQ(samples[0].count("12.19.1"), 1U);
  EXPECT_EQ(one(samples[0], "12.16.2"), "\xab");
  EXPECT_FALSE(samples[1].contains("12"));  // once is enough
  std::vector<Fields> events = packets_with(bytes, "59");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(one(events[0], "59.12.1.10"), "cpu-clock");
  EXPECT_EQ(one(events[0], "59.12.1.2"), "997");
  std::vector<Fields> tracks = packets_with(bytes, "60");
  ASSERT_EQ(tracks.size(), 2U);
  EXPECT_EQ(one(tracks[0], "60.3.6"), "server");
  EXPECT_EQ(one(tracks[1], "60.4.5"), "worker");
  EXPECT_EQ(one(tracks[1], "60.5"), one(tracks[0], "60.1"));
}

TEST_F(PerfettoTest, SamplesWithoutTimesSaySo) {
  builder_.add_sample({.stack = stack({"a"}), .event = event_});
  builder_.add_sample({.stack = stack({"b"}), .event = event_});
  std::string bytes = write_bytes(builder_.finish());
  EXPECT_EQ(one(packets_with(bytes, "59")[0], "59.12.1.10"), "cpu-clock (made-up times)");
  EXPECT_EQ(one(packets_with(bytes, "66")[1], "8"), "2000");
}

// Begin and end of every track nest, whatever the spans do.
TEST_F(PerfettoTest, SpansNestOnTheirTracks) {
  auto span = [&](int64_t begin, int64_t end, std::string_view name) {
    builder_.add_span(
        {.begin_ns = begin, .end_ns = end, .thread = thread_, .name = builder_.string(name)});
  };
  span(0, 10, "outer");
  span(2, 5, "inner");
  span(4, 8, "crossing");  // overlaps "inner"
  span(10, 12, "next");
  std::string bytes = write_bytes(builder_.finish());
  std::map<std::string, std::vector<std::pair<uint64_t, bool>>> tracks;  // time, whether it begins
  for (const Fields& event : packets_with(bytes, "11")) {
    tracks[one(event, "11.11")].emplace_back(std::stoull(one(event, "8")),
                                             one(event, "11.9") == "1");
  }
  EXPECT_EQ(tracks.size(), 2U);
  for (auto& [track, events] : tracks) {
    std::ranges::stable_sort(events, {}, &std::pair<uint64_t, bool>::first);
    int open = 0;
    for (const auto& [time, begins] : events) {
      open += begins ? 1 : -1;
      EXPECT_GE(open, 0) << track;
    }
    EXPECT_EQ(open, 0) << track;
  }
}

TEST_F(PerfettoTest, CountersAndMarks) {
  SeriesId series = builder_.series(
      {.name = builder_.string("memory"), .unit = builder_.string("bytes"), .thread = thread_});
  builder_.add_counter({.time_ns = 5, .series = series, .value = 0.5});
  LabelId label = builder_.label({.key = builder_.string("n"), .number = -1, .is_number = true});
  builder_.add_mark({.time_ns = 6,
                     .name = builder_.string("tick"),
                     .kind = builder_.string("output"),
                     .labels = builder_.label_set({&label, 1})});
  std::string bytes = write_bytes(builder_.finish());
  std::vector<Fields> events = packets_with(bytes, "11");
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(one(events[0], "11.9"), "4");
  EXPECT_EQ(std::bit_cast<double>(uint64_t{std::stoull(one(events[0], "11.44"))}), 0.5);
  EXPECT_EQ(one(events[1], "11.23"), "tick");
  EXPECT_EQ(one(events[1], "11.22"), "output");
  EXPECT_EQ(one(events[1], "11.4.10"), "n");
  EXPECT_EQ(one(events[1], "11.4.4"), fmt::format("{}", UINT64_MAX));
}

TEST_F(PerfettoTest, NumbersOfThreadsAreUnique) {
  for (int i = 0; i < 2; ++i) {
    ProcessId process =
        builder_.process({.pid = 7, .name = builder_.string(fmt::format("p{}", i))});
    builder_.thread({.tid = 8, .process = process});
    builder_.thread({.tid = -1, .process = process});
  }
  std::map<std::string, int> seen;
  for (const Fields& track : packets_with(write_bytes(builder_.finish()), "60.4")) {
    EXPECT_EQ(++seen[one(track, "60.4.2")], 1);
  }
  EXPECT_EQ(seen.size(), 5U);
}

}  // namespace
}  // namespace wick::perfetto
