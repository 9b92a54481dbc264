// SPDX-License-Identifier: Apache-2.0
// Tests the parts of a recorder that need no kernel: rings, rounds, event names, maps, marks and
// the process tree, with records that the tests write.
//
// A ring is ordinary memory in these tests, and the test plays the kernel's side. Tests that need
// the kernel's permission say so and are skipped without it. tests/record tests complete
// recordings.
#include <array>
#include <cstring>
#include <memory>

#include <gtest/gtest.h>

#include "record/bpf.h"
#include "record/deep_stacks.h"
#include "record/drain.h"
#include "record/event_names.h"
#include "record/machine.h"
#include "record/output_tap.h"
#include "record/process_tree.h"
#include "record/processes.h"
#include "record/ring.h"
#include "stream/testing.h"
#include "stream/transcript.h"

namespace wick::record {
namespace {

// A ring in ordinary memory, and the kernel's side of it.
class MadeUpRing {
 public:
  explicit MadeUpRing(size_t bytes) : data_(bytes) { control_->data_tail = 0; }

  Ring ring() { return Ring::over(*control_, data_); }
  void write(const std::string& record) {
    for (char c : record) {
      data_[control_->data_head++ % data_.size()] = static_cast<std::byte>(c);
    }
  }
  uint64_t tail() const { return control_->data_tail; }
  void start_at(uint64_t position) { control_->data_head = control_->data_tail = position; }

 private:
  std::unique_ptr<perf_event_mmap_page> control_ = std::make_unique<perf_event_mmap_page>();
  std::vector<std::byte> data_;
};

std::string with_header(uint32_t type, const std::string& body) {
  ByteWriter record;
  record.number(type);
  record.number(uint16_t{2});
  record.number(static_cast<uint16_t>(8 + body.size()));
  record.text(body);
  return record.bytes();
}

std::string sample(uint64_t time, uint64_t chain, uint64_t stack_size, uint64_t filled) {
  ByteWriter body;
  for (uint64_t word : std::initializer_list<uint64_t>{7, 0x1000, 1, time, 0, 1}) {
    body.number(word);
  }
  body.number(chain);
  for (uint64_t i = 0; i < chain; ++i) {
    body.number(i);
  }
  body.number(uint64_t{PERF_SAMPLE_REGS_ABI_64});
  for (int i = 0; i < std::popcount(SampleContents::user_registers()); ++i) {
    body.number(uint64_t{11});
  }
  body.number(stack_size);
  if (stack_size > 0) {
    for (uint64_t i = 0; i < stack_size; ++i) {
      body.number(static_cast<uint8_t>(i < filled ? i : 0xEE));
    }
    body.number(filled);
  }
  return with_header(PERF_RECORD_SAMPLE, body.bytes());
}

std::string drained(Ring& ring, size_t capacity = 4 * kMaxRecordBytes) {
  std::vector<std::byte> room(capacity);
  Ring::Copy copy{room.data(), room.size(), 0};
  EXPECT_TRUE(ring.drain(SampleShape(SampleContents{}), copy));
  return std::string(as_text(Bytes(room).first(copy.used)));
}

TEST(Ring, CopiesRecordsInOrderAndGivesTheirRoomBack) {
  MadeUpRing made(4096);
  Ring ring = made.ring();
  std::string first = with_header(PERF_RECORD_COMM, "12345678");
  std::string second = with_header(PERF_RECORD_EXIT, "1234567890123456");
  made.write(first);
  made.write(second);
  EXPECT_EQ(drained(ring), first + second);
  EXPECT_EQ(made.tail(), first.size() + second.size());
  EXPECT_EQ(ring.waiting_bytes(), 0U);
}

TEST(Ring, ARecordThatWrapsIsWhole) {
  for (uint64_t start = 4096 - 64; start <= 4096; start += 8) {
    MadeUpRing made(4096);
    made.start_at(start);
    Ring ring = made.ring();
    std::string record = with_header(PERF_RECORD_COMM, "abcdefghijklmnopqrstuvwxyz012345");
    made.write(record);
    EXPECT_EQ(drained(ring), record) << start;
  }
}

TEST(Ring, StopsWhenTheRoomIsFullAndGoesOnLater) {
  MadeUpRing made(1 << 16);
  Ring ring = made.ring();
  std::string record = with_header(PERF_RECORD_COMM, std::string(4088, 'x'));
  for (int i = 0; i < 4; ++i) {
    made.write(record);
  }
  std::vector<std::byte> room(kMaxRecordBytes + 4096);
  Ring::Copy copy{room.data(), room.size(), 0};
  SampleShape shape{SampleContents{}};
  EXPECT_FALSE(ring.drain(shape, copy));
  EXPECT_EQ(copy.used, 2 * record.size());
  EXPECT_EQ(drained(ring), record + record);
}

TEST(Ring, NonsenseIsPassedOver) {
  MadeUpRing made(4096);
  Ring ring = made.ring();
  made.write(std::string(64, '\0'));
  EXPECT_EQ(drained(ring), "");
  EXPECT_EQ(ring.waiting_bytes(), 0U);
}

TEST(SampleShape, KeepsOnlyTheFilledPartOfTheStack) {
  MadeUpRing made(1 << 17);
  Ring ring = made.ring();
  made.write(sample(5, 3, 32768, 100));
  EXPECT_EQ(
      drained(ring),
      sample(5, 3, 104, 100).replace(sample(5, 3, 104, 100).size() - 12, 4, "\xEE\xEE\xEE\xEE"));
}

TEST(StackEnds, AreThoseOfOneStackOfOneThread) {
  auto ends = std::make_unique<StackEnds>();
  EXPECT_EQ(ends->useful(7, 0x1000, 500), 500U);
  ends->learn({{7, 0x1100}});
  EXPECT_EQ(ends->useful(7, 0x1000, 500), 256U);
  EXPECT_EQ(ends->useful(7, 0x1000, 100), 100U);
  EXPECT_EQ(ends->useful(7, 0x1100, 500), 500U) << "the thread is on another stack";
  EXPECT_EQ(ends->useful(7 + 4096, 0x1000, 500), 500U) << "who has the same place";
  ends->learn({{7, 0}});
  EXPECT_EQ(ends->useful(7, 0x1000, 500), 500U);
}

TEST(StackEnds, AGuessDoesNotReplaceOneThatLiesBehindIt) {
  auto ends = std::make_unique<StackEnds>();
  EXPECT_TRUE(ends->learn({{7, 0x101100}}));
  EXPECT_FALSE(ends->learn({{7, 0x101080}, true}));
  EXPECT_EQ(ends->useful(7, 0x101000, 500), 256U);
  EXPECT_TRUE(ends->learn({{7, 0x101080}})) << "sure";
  EXPECT_EQ(ends->useful(7, 0x101000, 500), 128U);
  EXPECT_TRUE(ends->learn({{7, 0x102000}, true})) << "behind what was known";
  EXPECT_TRUE(ends->learn({{7, 0x1080}, true})) << "another stack";
  EXPECT_EQ(ends->useful(7, 0x1000, 500), 128U);
  EXPECT_TRUE(ends->learn({{7 + 4096, 0x1040}, true})) << "another thread";
}

TEST(SampleShape, WhatLiesAboveTheOutermostFrameIsLeftBehind) {
  // The thread is 0 (the upper half of the third word), its registers are 11, so is its sp.
  auto ends = std::make_unique<StackEnds>();
  SampleShape shape{SampleContents{}};
  shape.end_stacks_at(*ends);
  std::string whole = sample(5, 3, 1024, 512);
  std::vector<std::byte> out(whole.size());
  EXPECT_EQ(shape.copy(as_bytes(whole), out.data()), sample(5, 3, 512, 512).size());
  ends->learn({{0, 11 + 64}});
  size_t size = shape.copy(as_bytes(whole), out.data());
  EXPECT_EQ(as_text(Bytes(out).first(size)), sample(5, 3, 64, 64));
}

TEST(SampleShape, AnEmptyStackAndNoStackAreTheSame) {
  MadeUpRing made(1 << 17);
  Ring ring = made.ring();
  made.write(sample(5, 0, 1024, 0));
  EXPECT_EQ(drained(ring), sample(5, 0, 0, 0));
  made.write(sample(6, 2, 0, 0));
  EXPECT_EQ(drained(ring), sample(6, 2, 0, 0));
}

TEST(SampleShape, FieldsThatDoNotFitAreLeftAsTheyAre) {
  std::string good = sample(5, 2, 64, 64);
  for (size_t at = 8; at < good.size(); at += 8) {
    std::string bad = good;
    std::memset(bad.data() + at, 0xFF, 8);
    std::vector<std::byte> out(bad.size());
    size_t size = SampleShape(SampleContents{}).copy(as_bytes(bad), out.data());
    EXPECT_LE(size, bad.size()) << at;
  }
}

TEST(Horizon, IsTheStartOfTheRoundBefore) {
  Horizon horizon;
  EXPECT_EQ(horizon.begin_round(100), 0U);
  EXPECT_EQ(horizon.begin_round(200), 100U);
  EXPECT_EQ(horizon.begin_round(350), 200U);
}

TEST(Pace, RoundsAreShortAtFirstAndAfterARequest) {
  constexpr uint64_t kMs = 1'000'000;
  constexpr int kShort = 4;
  Pace pace;
  pace.begin(1000 * kMs);
  EXPECT_LE(pace.round_ms(1020 * kMs, false), kShort);
  for (int i = 0; i < 100; ++i) {
    EXPECT_GT(pace.round_ms(1200 * kMs, false), kShort);
    EXPECT_GT(pace.round_ms(1200 * kMs, true), kShort);
  }
  EXPECT_FALSE(pace.is_prompt(1200 * kMs));
  pace.speed_up(1300 * kMs);
  EXPECT_TRUE(pace.is_prompt(2200 * kMs));
  EXPECT_LE(pace.round_ms(2200 * kMs, true), kShort);
  EXPECT_FALSE(pace.is_prompt(2301 * kMs));
}

// The longest of many rounds: lengths are random.
int longest_round(Pace& pace, uint64_t now) {
  int longest = 0;
  constexpr int kEnough = 10'000;  // to draw each of 160 lengths
  for (int i = 0; i < kEnough; ++i) {
    longest = std::max(longest, pace.round_ms(now, false));
  }
  return longest;
}

TEST(Pace, SteadyRoundsFillHalfARing) {
  constexpr uint64_t kMs = 1'000'000;
  Pace pace;
  pace.begin(1000 * kMs);
  pace.adapt_to(0, 40 * kMs);
  EXPECT_EQ(longest_round(pace, 1200 * kMs), 60) << "shortly after the start";
  EXPECT_EQ(longest_round(pace, 1400 * kMs), 240);
  pace.adapt_to(0.2, 40 * kMs);
  EXPECT_EQ(longest_round(pace, 1400 * kMs), 100);
  pace.adapt_to(0.9, 40 * kMs);
  EXPECT_EQ(longest_round(pace, 1400 * kMs), 60);
  pace.adapt_to(0, 40 * kMs);
  pace.watch_closely(1400 * kMs);
  EXPECT_EQ(longest_round(pace, 1500 * kMs), 60) << "threads have started";
  EXPECT_EQ(longest_round(pace, 1800 * kMs), 240);
}

TEST(Pace, ManyNewProcessesDoNotShortenAllRounds) {
  constexpr uint64_t kMs = 1'000'000;
  Pace pace;
  pace.begin(1000 * kMs);
  int prompt_ms = 0;
  for (uint64_t now = 2000; now < 4000; ++now) {
    if (now % 5 == 0) {
      pace.deliver_soon(now * kMs);
    }
    prompt_ms += pace.is_prompt(now * kMs) ? 1 : 0;
  }
  EXPECT_GT(prompt_ms, 2 * 50) << "the first ones of each second";
  EXPECT_LT(prompt_ms, 2 * 130);
  EXPECT_TRUE(pace.may_deliver_soon(5100 * kMs));
}

TEST(Drain, TakesEverythingInRoundsAndEnds) {
  MadeUpRing a(1 << 16);
  MadeUpRing b(1 << 16);
  std::vector<Ring> rings;
  rings.push_back(a.ring());
  rings.push_back(b.ring());
  Drain drain(rings, SampleShape(SampleContents{}), {});
  std::string record = with_header(PERF_RECORD_COMM, "12345678");
  a.write(record);
  b.write(record + record);
  ASSERT_TRUE(drain.start());
  drain.finish();
  size_t bytes = 0;
  uint64_t horizon = 0;
  while (std::optional<Round> round = drain.take()) {
    EXPECT_GE(round->horizon, horizon);
    horizon = round->horizon;
    for (const Piece& piece : round->pieces) {
      bytes += piece.bytes;
    }
  }
  EXPECT_EQ(bytes, 3 * record.size());
  EXPECT_GT(horizon, 0U);
}

TEST(EventNames, AreThoseOfPerf) {
  Result<EventRequest> faults = parse_event("page-faults:u");
  ASSERT_TRUE(faults);
  EXPECT_EQ(faults->config, PERF_COUNT_SW_PAGE_FAULTS);
  EXPECT_TRUE(faults->exclude_kernel);
  EXPECT_FALSE(faults->exclude_user);
  Result<EventRequest> raw = parse_event("r1a8");
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->type, PERF_TYPE_RAW);
  EXPECT_EQ(raw->config, 0x1a8U);
  Result<EventRequest> cache = parse_event("L1-dcache-load-misses");
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->config,
            uint64_t{PERF_COUNT_HW_CACHE_L1D} | uint64_t{PERF_COUNT_HW_CACHE_RESULT_MISS} << 16);
  Result<EventRequest> precise = parse_event("cycles:ppp");
  ASSERT_TRUE(precise);
  EXPECT_EQ(precise->precise, 3);
  EXPECT_EQ(precise->name, "cycles:ppp");
}

TEST(EventNames, SeveralAreSeparatedByCommas) {
  Result<std::vector<EventRequest>> events = parse_events("cpu-clock,page-faults,cs");
  ASSERT_TRUE(events);
  ASSERT_EQ(events->size(), 3U);
  EXPECT_EQ((*events)[2].name, "cs");
  EXPECT_FALSE(parse_events(","));
}

TEST(EventNames, AnUnknownOneGetsASuggestion) {
  Result<EventRequest> unknown = parse_event("page-fault");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("page-faults"), std::string::npos);
  for (std::string_view hostile :
       {"", ":", "/", "//", "a/b", ":u", "r", "rzz", "x:y:z", "cpu//u"}) {
    Result<EventRequest> event = parse_event(hostile);
    EXPECT_TRUE(event || !event.error().message.empty());
  }
}

TEST(CpuList, ReadsRangesAndNothingElse) {
  EXPECT_EQ(parse_cpu_list("0-2,5"), (std::vector<int>{0, 1, 2, 5}));
  EXPECT_FALSE(parse_cpu_list("a"));
  EXPECT_FALSE(parse_cpu_list("3-1"));
  EXPECT_FALSE(parse_cpu_list("0-99999999"));
}

TEST(MapsLine, GivesExecutableMemoryAndFiles) {
  std::optional<MapEvent> map = parse_maps_line(
      "7f00001000-7f00003000 r-xp 00002000 fe:00 1234                       /usr/lib/with space.so "
      "(deleted)");
  ASSERT_TRUE(map);
  EXPECT_EQ(map->start, 0x7f00001000U);
  EXPECT_EQ(map->size, 0x2000U);
  EXPECT_EQ(map->file_offset, 0x2000U);
  EXPECT_EQ(map->path, "/usr/lib/with space.so");
  EXPECT_EQ(map->file.device, uint64_t{0xfe} << 32);
  EXPECT_EQ(map->file.inode, 1234U);
  EXPECT_TRUE(map->executable);
  std::optional<MapEvent> data =
      parse_maps_line("7f00001000-7f00003000 r--p 00002000 fe:00 1234 /usr/lib/x.so");
  ASSERT_TRUE(data);
  EXPECT_FALSE(data->executable);
  EXPECT_FALSE(parse_maps_line("7f00001000-7f00003000 rw-p 00000000 00:00 0 [heap]"));
  std::optional<MapEvent> anonymous =
      parse_maps_line("7f00001000-7f00003000 rwxp 00000000 00:00 0 ");
  ASSERT_TRUE(anonymous);
  EXPECT_EQ(anonymous->path, "");
  for (std::string_view bad : {"", "-", "x-y r-xp 0 0 0", "5-4 r-xp 0 0 0 a", "1-2"}) {
    EXPECT_FALSE(parse_maps_line(bad)) << bad;
  }
}

// To ask for build ids makes every perf that records at the same time abort.
TEST(PerfEvent, NeverAsksTheKernelForBuildIds) {
  perf_event_attr attr = make_attr({.name = "cpu-clock"}, {}, {.tracks = true});
  EXPECT_EQ(attr.mmap2, 1U);
  EXPECT_EQ(attr.build_id, 0U);
}

TEST(PerfEvent, AsksForTheLastBranchesAsPerfDoes) {
  SampleContents contents{.branches = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER};
  perf_event_attr attr = make_attr({.name = "cycles"}, contents, {});
  EXPECT_NE(attr.sample_type & PERF_SAMPLE_BRANCH_STACK, 0U);
  EXPECT_EQ(attr.branch_sample_type, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
  EXPECT_NE(attr.sample_type & PERF_SAMPLE_STACK_USER, 0U) << "stacks are recorded beside them";
  EXPECT_EQ(make_attr({.name = "cycles"}, {}, {}).branch_sample_type, 0U);
}

OutputWatch watch(std::string_view marker, std::string_view stop_on) {
  OutputWatch made;
  if (!marker.empty()) {
    made.marker = std::make_shared<const Pattern>(std::move(*Pattern::compile(marker)));
  }
  if (!stop_on.empty()) {
    made.stop_on = std::make_shared<const Pattern>(std::move(*Pattern::compile(stop_on)));
  }
  return made;
}

TEST(Drain, RoundsThatWaitHaveBlocksOfTheirSize) {
  Piece piece{std::make_unique<kernel_records::Block>(4096), 5};
  std::memcpy(piece.block->data(), "bytes", 5);
  EXPECT_NE(pack(piece), nullptr);
  EXPECT_EQ(piece.block->capacity(), 5U);
  EXPECT_EQ(std::memcmp(piece.block->data(), "bytes", 5), 0);
  Piece full{std::make_unique<kernel_records::Block>(4096), 2048};
  EXPECT_EQ(pack(full), nullptr);
  EXPECT_EQ(full.block->capacity(), 4096U);
}

TEST(OutputTap, MarksAreWhatMatchesWithTheNumberOfTheFirstGroup) {
  OutputWatch both = watch("batch ([0-9.]+)", "^bye$");
  Sighting seen;
  ASSERT_TRUE(look_at_line("12:00 batch 17.5 done", both, seen));
  EXPECT_EQ(seen.text, "batch 17.5");
  EXPECT_TRUE(seen.has_value);
  EXPECT_EQ(seen.value, 17.5);
  EXPECT_FALSE(seen.stops);
  Sighting last;
  ASSERT_TRUE(look_at_line("bye", both, last));
  EXPECT_TRUE(last.stops);
  EXPECT_EQ(last.text, "");
  EXPECT_FALSE(look_at_line("goodbye", both, last));
}

TEST(OutputTap, TimesOfProgramsAreValues) {
  for (std::string expression :
       {R"(\[([0-9:.,]+)\])", R"((\[.*\]))", R"(^.([0-9]+))", R"(.*([0-9]+)\.)"}) {
    Sighting seen;
    ASSERT_TRUE(look_at_line("[00:00:21.000,000] <inf> main: tick", watch(expression, ""), seen));
    EXPECT_TRUE(seen.has_value) << expression;
    EXPECT_DOUBLE_EQ(seen.value, 21) << expression;
  }
}

TEST(OutputTap, NoNumberIsNoValue) {
  Sighting seen;
  ASSERT_TRUE(look_at_line("phase two", watch("phase (.*)", ""), seen));
  EXPECT_FALSE(seen.has_value);
  EXPECT_EQ(seen.unread, "two");
  Sighting without_group;
  ASSERT_TRUE(look_at_line("phase 2", watch("phase", ""), without_group));
  EXPECT_FALSE(without_group.has_value);
  EXPECT_EQ(without_group.unread, "");
}

// Counts its events.
struct Counter : IgnoringSink {
  int samples = 0;
  int maps = 0;
  void on_sample(const SampleEvent&) override { ++samples; }
  void on_map(const MapEvent&) override { ++maps; }
  int32_t parent = -1;
  int64_t begin_ns = 0;
  std::string command;
  void on_process(const ProcessEvent& event) override {
    parent = event.parent_pid;
    begin_ns = event.begin_ns;
    command = event.command;
  }
};

SampleEvent sample_of(int32_t pid) {
  return {.at = {.time_ns = 1, .pid = pid, .tid = pid}};
}

TEST(ProcessTree, FollowsChildrenAndLeavesOutStrangers) {
  Counter counter;
  ProcessTree tree(counter);
  tree.add(10);
  tree.on_sample(sample_of(10));
  tree.on_sample(sample_of(99));
  tree.on_fork({.at = {.pid = 20, .tid = 20}, .parent_pid = 10, .parent_tid = 10});
  tree.on_fork({.at = {.pid = 30, .tid = 30}, .parent_pid = 20, .parent_tid = 20});
  tree.on_fork({.at = {.pid = 98, .tid = 98}, .parent_pid = 99, .parent_tid = 99});
  tree.on_sample(sample_of(30));
  tree.on_sample(sample_of(98));
  EXPECT_EQ(counter.samples, 2);
  tree.on_map({.at = {.pid = -1}});
  tree.on_map({.at = {.pid = 99}});
  EXPECT_EQ(counter.maps, 1) << "the kernel's maps are everybody's";
}

TEST(ProcessTree, PassesOnEveryKindOfEvent) {
  EventContext at = {.time_ns = 5, .pid = 10, .tid = 10, .cpu = 1};
  Transcript direct;
  testing::send_every_kind(at, direct);
  Transcript after_tree;
  ProcessTree tree(after_tree);
  tree.add(10);
  testing::send_every_kind(at, tree);
  EXPECT_EQ(after_tree.text(), direct.text());
}

TEST(ProcessTree, ANumberThatAStrangerGetsIsNoMember) {
  Counter counter;
  ProcessTree tree(counter);
  tree.add(10);
  tree.on_fork({.at = {.pid = 10, .tid = 10}, .parent_pid = 1, .parent_tid = 1});
  tree.on_sample(sample_of(10));
  EXPECT_EQ(counter.samples, 0);
}

TEST(ProcessTree, TheChildCountsFromItsProgramOn) {
  Counter counter;
  ProcessTree tree(counter);
  tree.add_at_exec(10);
  tree.on_sample(sample_of(10));
  tree.on_comm({.at = {.pid = 10, .tid = 10}, .name = "true", .exec = true});
  tree.on_sample(sample_of(10));
  EXPECT_EQ(counter.samples, 1);
}

// tests/record checks their effect: complete stacks.
TEST(StackPrograms, PassTheKernelsCheck) {
  std::optional<SampleProgram> program = SampleProgram::make();
  StackProgramMaps maps = {
      .ring = bpf::make_map(
          {.type = BPF_MAP_TYPE_RINGBUF, .key_bytes = 0, .value_bytes = 0, .entries = 1 << 20}),
      .threads =
          bpf::make_map({.type = BPF_MAP_TYPE_LRU_HASH, .value_bytes = sizeof(KnownThread)})};
  if (!maps.ring.valid() || !program) {
    GTEST_SKIP() << "BPF is not allowed here (root, or CAP_BPF and CAP_PERFMON; see wick doctor)";
  }
  ProgramChain& chain = program->chain();
  for (uint32_t copied : {kShortCopyBytes, kMaxStackBytes}) {
    EXPECT_TRUE(load_rest_program(maps, chain, copied).valid()) << copied;
  }
  EXPECT_TRUE(chain.add(SampleStep::kInterrupted, load_interrupted_program(maps, chain)));
  EXPECT_TRUE(chain.add(SampleStep::kGoroutine, load_goroutine_program(maps, chain)));
  std::unique_ptr<ReaderWakeup> wakeup = ReaderWakeup::make();
  ASSERT_TRUE(wakeup);
  EXPECT_FALSE(wakeup->take());
  Descriptor processes = make_process_map();
  EXPECT_TRUE(
      chain.add(SampleStep::kNewProcess, load_new_process_program(processes, *wakeup, chain)));
  FrameListMaps lists = make_frame_list_maps();
  EXPECT_TRUE(chain.add(SampleStep::kFrameList, load_frame_list_program(maps.ring, lists, chain)));
  EXPECT_TRUE(bpf::put(lists.threads, 7, KnownList{.head = 8}));
  EXPECT_FALSE(chain.add(SampleStep::kRest, Descriptor())) << "refused";
  EXPECT_TRUE(bpf::put(maps.threads, 7, KnownThread{.stack_end = 1, .interrupted = 2}));
}

TEST(FrameLists, AreUsedIfTheProgramCanFollowThem) {
  using FrameList = StackFindings::FrameList;
  FrameList list = {.tid = 7, .head = 0x1000, .next = 8, .node_bytes = 72, .code_bytes = 48};
  ASSERT_TRUE(known_list(list));
  EXPECT_EQ(known_list(list)->is_indirect, 0U);
  list.through = 16;
  EXPECT_EQ(known_list(list)->is_indirect, 1U);
  EXPECT_EQ(known_list(list)->through, 16U);
  list.outer = 0x2000;
  EXPECT_EQ(known_list(list)->outer, 0x2000U);
  list.next = 64;
  EXPECT_TRUE(known_list(list)) << "the last word of the node";
  auto is_refused_with = [&](auto change) {
    FrameList changed = list;
    change(changed);
    return !known_list(changed);
  };
  EXPECT_TRUE(is_refused_with([](FrameList& one) { one.head = 0; }));
  EXPECT_TRUE(is_refused_with([](FrameList& one) { one.next = 72; }));
  EXPECT_TRUE(is_refused_with([](FrameList& one) { one.next = UINT32_MAX; }));
  EXPECT_TRUE(is_refused_with([](FrameList& one) { one.code = 4; }));
  EXPECT_TRUE(is_refused_with([](FrameList& one) { one.node_bytes = 113; }));
  EXPECT_TRUE(is_refused_with([](FrameList& one) { one.code_bytes = 49; }));
}

TEST(Processes, ReportsItself) {
  Counter counter;
  EXPECT_TRUE(report_process(::getpid(), 1, counter));
  EXPECT_GT(counter.maps, 0);
  EXPECT_EQ(counter.parent, ::getppid());
  EXPECT_NE(counter.command.find("record_tests"), std::string::npos) << counter.command;
  EXPECT_GT(static_cast<int64_t>(monotonic_ns()), counter.begin_ns) << "it began before now";
  EXPECT_LT(static_cast<int64_t>(monotonic_ns()) - counter.begin_ns, 600'000'000'000);
  EXPECT_TRUE(is_alive(::getpid()));
  EXPECT_TRUE(cpu_time_of(::getpid()));
  EXPECT_FALSE(report_process(0x7FFFFFFF, 1, counter));
}

}  // namespace
}  // namespace wick::record
