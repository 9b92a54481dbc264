// SPDX-License-Identifier: Apache-2.0
// Tests the reader of perf.data on recordings that the tests build byte by byte (testing.h), and
// compares the events as text. The same recording must give the same events as a file, a pipe and a
// directory, in both byte orders and in pieces of any size.
#include "formats/perf_data/perf_data.h"

#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/perf_data/scene_testing.h"
#include "formats/perf_data/testing.h"
#include "stream/sinks.h"
#include "stream/transcript.h"
#include "tests/support/files.h"
#include "tests/support/golden.h"

namespace wick::perf_data {
namespace {

using testing::flag;
using testing::Out;
using testing::Packer;
using testing::RecordingBuilder;
using testing::Scene;
using testing::transcript;

std::string stream_transcript(std::string_view recording, size_t piece) {
  Transcript sink;
  Result<> read = read_stream(as_bytes(recording), piece, sink);
  return read ? sink.text() : "error: " + read.error().message;
}

// Leaves out the facts, which depend on how it was recorded, and traces, which arrive in pieces.
std::string events_only(std::string_view text) {
  std::string events;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n') + 1);
    text.remove_prefix(line.size());
    if (!line.starts_with("fact ") && line.find(" aux ") == std::string_view::npos) {
      events += line;
    }
  }
  return events;
}

// Stores the fields that Transcript does not print.
struct LastSample : IgnoringSink {
  SampleEvent sample;
  std::vector<BranchEntry> branches;
  std::vector<uint64_t> registers;
  std::string raw;
  std::string stack;
  std::string aux;
  int count = 0;
  void on_sample(const SampleEvent& event) override {
    ++count;
    sample = event;
    branches.assign(event.branches.begin(), event.branches.end());
    registers.assign(event.interrupt_registers.values.begin(),
                     event.interrupt_registers.values.end());
    raw = as_text(event.raw);
    stack = as_text(event.user_stack);
    aux = as_text(event.aux);
  }
};

constexpr uint64_t kUserMode = 2;

// An event with these fields, and a recording of it.
RecordingBuilder recording_of(uint64_t sample_type, ByteOrder order = ByteOrder::kLittle) {
  EventAttr attr;
  attr.period_or_frequency = 1000;
  attr.sample_type = sample_type;
  RecordingBuilder builder(order);
  builder.add_event({.attr = attr, .ids = {}});
  return builder;
}

TEST(PerfData, Golden) {
  wick::testing::expect_golden("src/formats/perf_data/testdata/scene.golden",
                               transcript(Scene().recording().file()));
}

TEST(PerfData, APipeGivesTheSameAsAFile) {
  Scene scene;
  std::string file = events_only(transcript(scene.recording().file()));
  EXPECT_EQ(events_only(transcript(scene.recording().pipe())), file);
}

TEST(PerfData, PiecesOfAnySizeGiveTheSame) {
  std::string pipe = Scene().recording().pipe();
  std::string whole = stream_transcript(pipe, pipe.size());
  EXPECT_EQ(events_only(whole), events_only(transcript(pipe)));
  for (size_t piece : {1U, 7U, 8U, 64U, 1000U}) {
    EXPECT_EQ(events_only(stream_transcript(pipe, piece)), events_only(whole)) << piece;
  }
}

TEST(PerfData, ByteOrderDoesNotMatter) {
  std::string little = events_only(transcript(Scene(ByteOrder::kLittle).recording().file()));
  EXPECT_EQ(events_only(transcript(Scene(ByteOrder::kBig).recording().file())), little);
  EXPECT_EQ(events_only(transcript(Scene(ByteOrder::kBig).recording().pipe())), little);
}

TEST(PerfData, AlignmentDoesNotMatter) {
  std::string file = Scene().recording().file();
  std::string shifted = " " + file;
  EXPECT_EQ(transcript(std::string_view(shifted).substr(1)), transcript(file));
}

TEST(PerfData, Version1LooksTheSameInBothByteOrders) {
  for (ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    std::string file = Scene(order).recording().file();
    std::string now = events_only(transcript(file));
    file.replace(0, kMagicVersion1.size(), kMagicVersion1);
    EXPECT_EQ(events_only(transcript(file)), now);
  }
}

TEST(PerfData, MappedAndCompressedFilesGiveTheSame) {
  Scene scene;
  wick::testing::ScratchDir scratch;
  std::string path = scratch.file("perf.data");
  wick::testing::write_file(path, scene.recording().file());
  std::string packed(ZSTD_compressBound(scene.recording().file().size()), '\0');
  std::string plain = scene.recording().file();
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 1));
  wick::testing::write_file(path + ".zst", packed);
  wick::testing::write_file(path + ".pipe", scene.recording().pipe());
  for (const std::string& name : {path, path + ".zst", path + ".pipe"}) {
    Transcript sink;
    Result<Input> input = Input::open(name, nullptr);
    ASSERT_TRUE(input);
    ASSERT_TRUE(read(*input, FlagValues(), sink));
    EXPECT_EQ(events_only(sink.text()), events_only(transcript(plain))) << name;
  }
}

TEST(PerfData, EveryAttributeSizeIsRead) {
  for (uint32_t bytes : {64U, 72U, 80U, 96U, 104U, 112U, 120U, 128U, 136U, 400U}) {
    EventAttr attr;
    attr.config = 1;
    attr.sample_type = kSampleIp | kSampleTid;
    RecordingBuilder builder;
    builder.add_event({.attr = attr, .ids = {}, .attr_bytes = bytes});
    builder.add_record(kSample, kUserMode, builder.out().u64(0x1234).u32(1).u32(2));
    for (const std::string& recording : {builder.file(), builder.pipe()}) {
      EXPECT_NE(transcript(recording).find("1/2 sample event=0 weight=1 user 0x1234"),
                std::string::npos)
          << bytes;
    }
  }
}

// Every field that exists, in the kernel's order.
TEST(PerfData, EveryFieldOfASampleIsRead) {
  for (ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    EventAttr attr;
    attr.sample_type = kKnownSampleBits & ~uint64_t{kSampleWeight};
    attr.read_format = kReadTimeEnabled | kReadTimeRunning | kReadId | kReadLost;
    attr.branch_sample_type = kBranchHwIndex | kBranchCounters;
    attr.user_registers = 0b101;
    attr.interrupt_registers = 0b11;
    attr.user_stack_bytes = 64;
    RecordingBuilder builder(order);
    builder.add_event({.attr = attr, .ids = {5}});
    Out sample = builder.out();
    sample.u64(5).u64(0x1000).u32(10).u32(11).u64(777).u64(0x2000).u64(5).u64(6).u32(3).u32(0);
    sample.u64(42);                                // period
    sample.u64(1000).u64(1).u64(2).u64(5).u64(0);  // read
    sample.u64(2).u64(kChainUser).u64(0x1000);     // call chain
    sample.u32(4).raw("raw!");
    sample.u64(1).u64(9).u64(0xA).u64(0xB);
    uint64_t mispredicted_after_7_cycles = 1 | 7 << 4;
    sample.u64(order == ByteOrder::kLittle ? mispredicted_after_7_cycles
                                           : uint64_t{1} << 63 | uint64_t{7} << 44);
    sample.u64(99);                          // a branch counter
    sample.u64(2).u64(31).u64(32);           // user registers
    sample.u64(8).raw("stackxyz").u64(5);    // user stack
    sample.u64(60).u64(61).u64(62);          // weight, source, transaction
    sample.u64(2).u64(41).u64(42);           // interrupt registers
    sample.u64(63).u64(64).u64(65).u64(66);  // physical, cgroup, data page, code page
    sample.u64(8).raw("PTPTPTPT");
    builder.add_record(kSample, kUserMode, sample);

    LastSample sink;
    ASSERT_TRUE(read_bytes(as_bytes(builder.file()), sink));
    ASSERT_EQ(sink.count, 1);
    const SampleEvent& event = sink.sample;
    EXPECT_EQ(event.at.time_ns, 777);
    EXPECT_EQ(event.at.pid, 10);
    EXPECT_EQ(event.at.tid, 11);
    EXPECT_EQ(event.at.cpu, 3);
    EXPECT_EQ(event.address, 0x1000U);
    EXPECT_EQ(event.weight, 1000U);  // the counter's growth, not the period
    EXPECT_EQ(event.mode, Mode::kUser);
    EXPECT_EQ(sink.raw, "raw!");
    ASSERT_EQ(sink.branches.size(), 1U);
    EXPECT_EQ(sink.branches[0].from, 0xAU);
    EXPECT_EQ(sink.branches[0].to, 0xBU);
    EXPECT_EQ(sink.branches[0].flags, mispredicted_after_7_cycles);
    EXPECT_TRUE(sink.branches[0].is_mispredicted());
    EXPECT_FALSE(sink.branches[0].is_predicted());
    EXPECT_EQ(sink.branches[0].cycles(), 7U);
    EXPECT_FALSE(event.branches_are_calls);
    EXPECT_EQ(event.user_registers.width, RegisterValues::Width::k64);
    EXPECT_EQ(event.user_registers.mask, 0b101U);
    EXPECT_EQ(sink.stack, "stack");
    EXPECT_EQ(event.stack_bytes_asked, 64U);
    EXPECT_EQ(event.memory.address, 0x2000U);
    EXPECT_EQ(event.memory.cost, 60U);
    EXPECT_EQ(event.memory.source, 61U);
    EXPECT_EQ(event.transaction, 62U);
    EXPECT_EQ(sink.registers, (std::vector<uint64_t>{41, 42}));
    EXPECT_EQ(event.memory.physical_address, 63U);
    EXPECT_EQ(event.cgroup, 64U);
    EXPECT_EQ(event.memory.page_bytes, 65U);
    EXPECT_EQ(event.code_page_bytes, 66U);
    EXPECT_EQ(sink.aux, "PTPTPTPT");
  }
}

TEST(PerfData, FieldsOfOneSampleDoNotLeakIntoTheNext) {
  RecordingBuilder builder =
      recording_of(kSampleIp | kSampleCallchain | kSampleRegsUser | kSampleStackUser);
  builder.add_record(
      kSample,
      kUserMode,
      builder.out().u64(1).u64(2).u64(kChainUser).u64(1).u64(2).u64(8).raw("stackxyz").u64(8));
  builder.add_record(kSample, kUserMode, builder.out().u64(2).u64(0).u64(0).u64(0));
  std::string text = transcript(builder.file());
  EXPECT_NE(text.find("user 0x1 kernel=[] user=[0x1] regs=0 stack=8"), std::string::npos) << text;
  EXPECT_NE(text.find("user 0x2 kernel=[] user=[] regs=0 stack=0"), std::string::npos) << text;
}

TEST(PerfData, WeightsWithoutPeriods) {
  struct Case {
    uint32_t type;
    bool frequency;
    std::string_view expected;
    std::string_view unit;
  };
  for (const Case& c : {Case{kHardware, false, "weight=1000", "(cycles"},
                        Case{kSoftware, true, "weight=1000000", "(nanoseconds)"},
                        Case{kHardware, true, "weight=1 ", "(samples)"}}) {
    EventAttr attr;
    attr.type = c.type;
    attr.period_or_frequency = 1000;
    attr.sample_type = kSampleIp;
    attr.flags = c.frequency ? flag(AttrFlag::kFrequency) : 0;
    RecordingBuilder builder;
    builder.add_event({.attr = attr, .ids = {}});
    builder.add_record(kSample, kUserMode, builder.out().u64(1));
    std::string text = transcript(builder.file());
    EXPECT_NE(text.find(c.expected), std::string::npos) << text;
    EXPECT_NE(text.find(c.unit), std::string::npos) << text;
  }
}

// perf record -e '{a,b}:S': one sample of the leader has the values of the whole group.
TEST(PerfData, GroupsGiveASampleForEachMemberWithItsGrowth) {
  EventAttr attr;
  attr.sample_type = kSampleIdentifier | kSampleTime | kSampleRead;
  attr.read_format = kReadGroup | kReadId | kReadTimeEnabled | kReadLost;
  RecordingBuilder builder;
  builder.add_event({.attr = attr, .ids = {1}});
  attr.config = 1;
  builder.add_event({.attr = attr, .ids = {2}});
  for (uint64_t step : {1U, 2U, 3U}) {
    Out sample = builder.out().u64(1).u64(step).u64(2).u64(50);
    sample.u64(100 * step).u64(1).u64(0);
    sample.u64(step == 2 ? 7 : 7 * step).u64(2).u64(4);  // counts nothing the second time
    builder.add_record(kSample, kUserMode, sample);
  }
  std::string text = transcript(builder.file());
  struct Samples : IgnoringSink {
    std::string text;
    void on_sample(const SampleEvent& event) override {
      text +=
          fmt::format("{} e{} {} g{}\n", event.at.time_ns, event.event, event.weight, event.group);
    }
  } sink;
  ASSERT_TRUE(read_bytes(as_bytes(builder.file()), sink));
  EXPECT_EQ(sink.text, "1 e0 100 g1\n1 e1 7 g1\n2 e0 100 g2\n3 e0 100 g3\n3 e1 14 g3\n");
  // The loss counted by the counters is reported once, at the end.
  EXPECT_NE(text.find("lost 4 (the kernel's buffer was full while recording)"), std::string::npos)
      << text;
}

TEST(PerfData, KindsSayHowTheyWereSampled) {
  EventAttr attr;
  attr.sample_type = kSampleIdentifier | kSampleIp | kSamplePeriod;
  attr.period_or_frequency = 997;
  attr.flags = flag(AttrFlag::kFrequency) | flag(AttrFlag::kExcludeGuest) |
               uint64_t{2} << static_cast<unsigned>(AttrFlag::kPrecise);
  RecordingBuilder builder;
  builder.add_event({.attr = attr, .ids = {1}});
  attr.type = kSoftware;
  attr.flags = flag(AttrFlag::kExcludeGuest);
  builder.add_event({.attr = attr, .ids = {2}});
  attr.period_or_frequency = 0;
  builder.add_event({.attr = attr, .ids = {3}});
  std::string text = transcript(builder.file());
  EXPECT_NE(text.find("(cycles:ppH) at 997 Hz precise 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("kind 1 cpu-clock (nanoseconds) once in 997\n"), std::string::npos) << text;
  EXPECT_NE(text.find("kind 2 cpu-clock (nanoseconds)\n"), std::string::npos) << text;
}

TEST(PerfData, TheClockIsSaidByTheFeatureOrByTheEvents) {
  EventAttr attr;
  attr.sample_type = kSampleIp;
  for (auto [flags, expected] : {std::pair(uint64_t{0}, "\nclock kernel\n"),
                                 std::pair(flag(AttrFlag::kUseClockId), "\nclock boottime\n")}) {
    attr.flags = flags;
    attr.clock_id = 7;
    RecordingBuilder builder;
    builder.add_event({.attr = attr, .ids = {}});
    builder.add_record(kSample, kUserMode, builder.out().u64(1));
    EXPECT_NE(transcript(builder.file()).find(expected), std::string::npos) << expected;
    builder.add_feature(kFeatureClockData, builder.out().u32(1).u32(1).u64(500).u64(30).bytes());
    for (const std::string& recording : {builder.file(), builder.pipe()}) {
      EXPECT_NE(transcript(recording).find("\nclock monotonic 30 is 500\n"), std::string::npos)
          << transcript(recording);
    }
  }
}

TEST(PerfData, CgroupsAndTheOtherThreadOfASwitch) {
  EventAttr attr;
  attr.sample_type = kSampleTid | kSampleTime | kSampleCpu | kSampleCgroup;
  attr.flags = flag(AttrFlag::kSampleIdAll);
  RecordingBuilder builder;
  builder.add_event({.attr = attr, .ids = {}});
  auto trailer = [](Out& body, uint64_t time) -> Out& {
    return body.u32(7).u32(8).u64(time).u32(3).u32(0);
  };
  Out cgroup = builder.out().u64(64).path("/user.slice");
  builder.add_record(kCgroup, 0, trailer(cgroup, 5));
  builder.add_record(kSample, kUserMode, builder.out().u32(7).u32(8).u64(6).u32(3).u32(0).u64(64));
  Out wide = builder.out().u32(20).u32(21);
  builder.add_record(kSwitchCpuWide, kMiscSwitchOut, trailer(wide, 7));
  Out narrow = builder.out();
  builder.add_record(kSwitch, 0, trailer(narrow, 8));
  Out aux = builder.out().u64(0).u64(16).u64(1);
  builder.add_record(kAux, 0, trailer(aux, 9));
  Out lost = builder.out().u64(3);
  builder.add_record(kLostSamples, 0, trailer(lost, 10));
  EXPECT_NE(transcript(builder.file()).find(R"(
5 cpu3 7/8 cgroup 64 /user.slice
6 cpu3 7/8 sample event=0 weight=1 user 0x0 kernel=[] user=[] regs=0 stack=0 cgroup=64
7 cpu3 7/8 switch out to 20/21
8 cpu3 7/8 switch in
9 cpu3 7/8 lost 1 (the buffer of the hardware trace was full)
10 cpu3 7/8 lost 3 (the processor's own buffer of samples was full)
)"),
            std::string::npos)
      << transcript(builder.file());
}

// perf kvm record: QEMU is process 50; perf had no kernel for process 51.
TEST(PerfData, ModesSayWhichMachineARecordIsOf) {
  constexpr uint16_t kKernelMode = 1;
  constexpr uint16_t kGuestKernelMode = 4;
  constexpr uint16_t kGuestUserMode = 5;
  RecordingBuilder builder = recording_of(kSampleIp | kSampleTid);
  auto map = [&](uint16_t mode, uint32_t pid, std::string_view path) {
    Out body = builder.out().u32(pid).u32(pid).u64(0x1000).u64(0x200).u64(0).path(path);
    builder.add_record(kMmap, mode, body);
  };
  auto sample = [&](uint16_t mode, uint32_t pid) {
    builder.add_record(kSample, mode, builder.out().u64(0x1010).u32(pid).u32(pid + 10));
  };
  map(kKernelMode, UINT32_MAX, "[kernel.kallsyms]_text");
  map(kGuestKernelMode, 50, "[guest.kernel.kallsyms.50]");
  sample(kGuestKernelMode, 50);
  sample(kGuestUserMode, 50);
  sample(kGuestKernelMode, 51);
  sample(kKernelMode, 50);
  map(kGuestKernelMode, 0, "[guest.kernel.kallsyms]");
  sample(kGuestKernelMode, 52);
  EXPECT_NE(transcript(builder.file()).find(R"(
0 cpu-1 -1/-1 map 0x1000+0x200 at 0x0 [kernel.kallsyms]_text
0 cpu-1 guest1 -1/-1 map 0x1000+0x200 at 0x0 [guest.kernel.kallsyms.50]
0 cpu-1 guest1 50/60 sample event=0 weight=1000 guest-kernel 0x1010 kernel=[] user=[] regs=0 stack=0
0 cpu-1 guest1 50/60 sample event=0 weight=1000 guest-user 0x1010 kernel=[] user=[] regs=0 stack=0
0 cpu-1 guest2 51/61 sample event=0 weight=1000 guest-kernel 0x1010 kernel=[] user=[] regs=0 stack=0
0 cpu-1 50/60 sample event=0 weight=1000 kernel 0x1010 kernel=[] user=[] regs=0 stack=0
0 cpu-1 guest3 -1/-1 map 0x1000+0x200 at 0x0 [guest.kernel.kallsyms]
0 cpu-1 guest3 52/62 sample event=0 weight=1000 guest-kernel 0x1010 kernel=[] user=[] regs=0 stack=0
)"),
            std::string::npos)
      << transcript(builder.file());
}

// perf inject --guest-data: id 2 belongs to an event that was opened in the guest of process 50.
TEST(PerfData, IdsSayWhichMachineARecordIsOf) {
  EventAttr attr;
  attr.sample_type = kSampleIdentifier | kSampleTid;
  attr.flags = flag(AttrFlag::kSampleIdAll);
  RecordingBuilder builder;
  builder.add_event({.attr = attr, .ids = {1, 2}});
  Out index = builder.out().u64(2);
  for (uint64_t id : {1U, 2U}) {
    index.u64(id).u64(0).u64(0).u64(0);
  }
  builder.add_record(kIdIndex, 0, index.u64(0).u64(0).u64(50).u64(3));
  for (uint64_t id : {1U, 2U}) {
    builder.add_record(kComm, 0, builder.out().u32(7).u32(7).path("a").u32(7).u32(7).u64(id));
    builder.add_record(kSample, kUserMode, builder.out().u64(id).u32(7).u32(7));
  }
  std::string text = transcript(builder.file());
  EXPECT_NE(text.find("0 cpu-1 7/7 comm a\n0 cpu-1 7/7 sample"), std::string::npos) << text;
  EXPECT_NE(text.find("0 cpu-1 guest1 7/7 comm a\n0 cpu-1 guest1 7/7 sample"), std::string::npos)
      << text;
}

TEST(PerfData, AnIdIndexThatLiesIsNoHarm) {
  for (uint64_t count : {uint64_t{1}, uint64_t{3}, UINT64_MAX, UINT64_MAX / 48 + 1}) {
    RecordingBuilder builder = recording_of(kSampleIp);
    builder.add_record(kIdIndex, 0, builder.out().u64(count).u64(1).u64(0).u64(0).u64(0).u64(50));
    builder.add_record(kSample, kUserMode, builder.out().u64(1));
    EXPECT_NE(transcript(builder.file()).find("sample event=0"), std::string::npos) << count;
  }
  RecordingBuilder builder = recording_of(kSampleIp);
  builder.add_record(kIdIndex, 0, builder.out().u32(0));  // too short for its count
  builder.add_record(kSample, kUserMode, builder.out().u64(1));
  EXPECT_NE(transcript(builder.file()).find("sample event=0"), std::string::npos);
}

TEST(PerfData, LossIsCountedOnce) {
  EventAttr attr;
  attr.sample_type = kSampleTime;
  attr.flags = flag(AttrFlag::kSampleIdAll);
  RecordingBuilder builder;
  builder.add_event({.attr = attr, .ids = {}});
  builder.add_record(kLost, 0, builder.out().u64(0).u64(10).u64(5));
  builder.add_record(kLostSamples, 0, builder.out().u64(3).u64(6));   // the processor's
  builder.add_record(kLostSamples, 0, builder.out().u64(12).u64(0));  // perf's sum at the end
  builder.add_record(kLostSamples, kMiscLostByFilter, builder.out().u64(4).u64(0));
  std::string text = transcript(builder.file());
  EXPECT_NE(text.find("5 cpu-1 -1/-1 lost 10 (the kernel's buffer was full"), std::string::npos);
  EXPECT_NE(text.find("lost 3 (the processor's own buffer"), std::string::npos);
  EXPECT_NE(text.find("lost 2 (the kernel's buffer was full"), std::string::npos) << text;
  EXPECT_NE(text.find("lost 4 (a filter of perf record"), std::string::npos);
}

TEST(PerfData, DeferredCallChainsAreJoined) {
  EventAttr attr;
  attr.sample_type = kSampleTid | kSampleTime | kSampleCallchain;
  attr.flags = flag(AttrFlag::kSampleIdAll) | flag(AttrFlag::kDeferCallchain);
  RecordingBuilder builder;
  builder.add_event({.attr = attr, .ids = {}});
  for (uint64_t time : {1U, 2U, 3U}) {
    uint64_t cookie = time == 3 ? 99 : 77;  // two samples of one system call; one chain never comes
    builder.add_record(kSample,
                       1,
                       builder.out()
                           .u32(1)
                           .u32(1)
                           .u64(time)
                           .u64(4)
                           .u64(kChainKernel)
                           .u64(0xF0)
                           .u64(kChainUserDeferred)
                           .u64(cookie));
  }
  for (int i = 0; i < 5; ++i) {
    builder.add_round();
  }
  builder.add_record(
      kCallchainDeferred,
      2,
      builder.out().u64(77).u64(3).u64(kChainUser).u64(0xA).u64(0xB).u32(1).u32(1).u64(9));
  for (const std::string& text :
       {transcript(builder.file()), stream_transcript(builder.pipe(), 100)}) {
    for (std::string_view start : {"1 cpu-1 1/1 ", "2 cpu-1 1/1 "}) {
      EXPECT_NE(text.find(fmt::format(
                    "\n{}sample event=0 weight=1 kernel 0x0 kernel=[0xf0] user=[0xa 0xb]", start)),
                std::string::npos)
          << text;
    }
    EXPECT_NE(text.find("kernel=[0xf0] user=[] "), std::string::npos);
    EXPECT_NE(text.find("lost 1 (the user half of the call chain never arrived)"),
              std::string::npos);
  }
}

// The pieces may end anywhere, even inside records.
TEST(PerfData, CompressedRecordsAreOneStream) {
  Scene scene;
  std::string plain = scene.recording().data();
  // AUXTRACE data is never compressed, so the scene ends before it.
  plain = plain.substr(0, plain.find("PTPTPTPT") - 56);
  for (bool second_kind : {false, true}) {
    RecordingBuilder packed;
    Packer packer;
    for (size_t at = 0; at < plain.size(); at += 100) {
      std::string piece = packer.pack(std::string_view(plain).substr(at, 100));
      if (second_kind) {
        Out body = packed.out().u64(piece.size()).raw(piece).pad(8);
        packed.add_record(kCompressed2, 0, body);
      } else {
        packed.add_record(kCompressed, 0, packed.out().raw(piece));  // odd sizes on purpose
      }
    }
    packed.add_round();
    std::string pipe_head = scene.recording().pipe();
    pipe_head.resize(pipe_head.size() - scene.recording().data().size());
    std::string want = events_only(transcript(pipe_head + plain));
    EXPECT_EQ(events_only(transcript(pipe_head + packed.data())), want);
    EXPECT_EQ(events_only(stream_transcript(pipe_head + packed.data(), 33)), want);
  }
}

TEST(PerfData, ADirectoryIsMergedByTime) {
  wick::testing::ScratchDir scratch;
  std::string directory = scratch.file("perf.data");
  std::filesystem::create_directory(directory);
  RecordingBuilder main = recording_of(kSampleIp | kSampleTime);
  main.add_record(kSample, kUserMode, main.out().u64(0xAAAA).u64(1));
  wick::testing::write_file(directory + "/data", main.file());
  for (uint64_t cpu = 0; cpu < 3; ++cpu) {
    RecordingBuilder records;
    for (uint64_t i = 0; i < 4; ++i) {
      records.add_record(kSample, kUserMode, records.out().u64(cpu).u64(10 + 3 * i + cpu));
    }
    wick::testing::write_file(fmt::format("{}/data.{}", directory, cpu), records.data());
  }
  struct TimesOnly : IgnoringSink {
    std::vector<int64_t> times;
    void on_sample(const SampleEvent& event) override { times.push_back(event.at.time_ns); }
  } sink;
  Result<Input> input = Input::open(directory, nullptr);
  ASSERT_TRUE(input);
  ASSERT_TRUE(read(*input, FlagValues(), sink));
  EXPECT_EQ(sink.times, (std::vector<int64_t>{1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21}));
}

TEST(PerfData, MissingFilesOfADirectoryAreReported) {
  struct Samples : IgnoringSink {
    std::vector<uint64_t> addresses;
    std::string losses;
    void on_sample(const SampleEvent& event) override { addresses.push_back(event.address); }
    void on_lost(const LostEvent& event) override {
      losses +=
          fmt::format("{} {}: {} ({})\n", event.count, event.what, event.reason, event.detail);
    }
  };
  wick::testing::ScratchDir scratch;
  std::string directory = scratch.file("perf.data");
  std::filesystem::create_directory(directory);
  RecordingBuilder main = recording_of(kSampleIp | kSampleTime);
  main.add_record(kSample, kUserMode, main.out().u64(0xAAAA).u64(1));
  main.add_feature(kFeatureDirFormat, main.out().u64(1).bytes());
  wick::testing::write_file(directory + "/data", main.file());
  auto read_path = [&](const std::string& path) {
    Samples sink;
    Result<Input> input = Input::open(path, nullptr);
    EXPECT_TRUE(input && read(*input, FlagValues(), sink));
    return sink;
  };
  EXPECT_EQ(read_path(directory).losses,
            "0 data files: the files data.0, data.1 ... of the recording are missing ()\n");
  EXPECT_EQ(read_path(directory + "/data").losses,
            "0 data files: the files data.0, data.1 ... of the recording are missing (name the "
            "directory instead of the file data in it)\n");
  for (uint64_t number : {2U, 5U}) {
    RecordingBuilder records;
    records.add_record(kSample, kUserMode, records.out().u64(number).u64(10 + number));
    wick::testing::write_file(fmt::format("{}/data.{}", directory, number), records.data());
  }
  Samples some = read_path(directory);
  EXPECT_EQ(some.addresses, (std::vector<uint64_t>{0xAAAA, 2, 5}));
  EXPECT_EQ(some.losses, "4 data files: a file of the directory is missing (data.0)\n");
}

TEST(PerfData, ADirectoryMayHoldTheKernelsImage) {
  wick::testing::ScratchDir scratch;
  std::string directory = scratch.file("perf.data");
  std::filesystem::create_directories(directory + "/kcore_dir");
  wick::testing::write_file(directory + "/data", Scene().recording().file());
  wick::testing::write_file(directory + "/kcore_dir/kallsyms", "0 T _text\n");
  Transcript sink;
  Result<Input> input = Input::open(directory, nullptr);
  ASSERT_TRUE(input);
  ASSERT_TRUE(read(*input, FlagValues(), sink));
  EXPECT_NE(sink.text().find("fact kernel image: kcore_dir with kallsyms\n"), std::string::npos);
  EXPECT_EQ(events_only(sink.text()), events_only(transcript(Scene().recording().file())));
}

TEST(PerfData, MessagesAtTheEndOfAPipeAreNoLoss) {
  std::string pipe = Scene().recording().pipe();
  std::string text = pipe + "[ perf record: Woken up 1 times to write data ]\n";
  for (const std::string& got : {transcript(text), stream_transcript(text, 11)}) {
    EXPECT_NE(got.find("perf's own messages are at the end"), std::string::npos) << got;
    EXPECT_EQ(got.find("damaged"), std::string::npos);
  }
}

TEST(PerfData, UnfinishedFilesAreRead) {
  std::string file = Scene().recording().file();
  size_t data_size_at = 48;
  file.replace(data_size_at, 8, std::string(8, '\0'));
  std::string text = transcript(file);
  EXPECT_NE(text.find("the recorder was stopped before it could finish"), std::string::npos)
      << text;
  EXPECT_NE(text.find("0x400102 kernel=[0xffffffff81000010]"), std::string::npos);
  EXPECT_EQ(text.find("finish the file (notice"), std::string::npos) << "a loss, as in cut files";
}

TEST(PerfData, NothingToReadIsAnError) {
  EXPECT_NE(transcript("PERFILE2").find("ends inside its header"), std::string::npos);
  EXPECT_NE(transcript("PERFILE3xxxxxxxx").find("is not a perf.data recording"), std::string::npos);
  EXPECT_NE(transcript(RecordingBuilder().file()).find("does not describe any event"),
            std::string::npos);
  EXPECT_NE(transcript(RecordingBuilder().pipe()).find("does not describe any event"),
            std::string::npos);
}

// The build id of one map of a recording with two events. Only the first event requests build ids;
// `id` says whose map it is.
std::string build_id_of_map(uint64_t id, uint16_t misc, std::string_view identity) {
  constexpr uint64_t kAsking = 11;
  constexpr uint64_t kOther = 22;
  RecordingBuilder builder(ByteOrder::kLittle);
  EventAttr attr;
  attr.sample_type = kSampleIdentifier;
  attr.flags = flag(AttrFlag::kSampleIdAll) | flag(AttrFlag::kBuildId);
  builder.add_event({.attr = attr, .ids = {kAsking}});
  attr.flags = flag(AttrFlag::kSampleIdAll);
  builder.add_event({.attr = attr, .ids = {kOther}});
  Out map = builder.out().u32(100).u32(100).u64(0x400000).u64(0x2000).u64(0).raw(identity);
  map.u32(5).u32(2).path("/bin/server").u64(id);
  builder.add_record(kMmap2, misc | kUserMode, map);

  struct : IgnoringSink {
    std::string build_id = "no map";
    void on_map(const MapEvent& event) override { build_id = event.build_id; }
  } sink;
  EXPECT_TRUE(read_bytes(as_bytes(builder.file()), sink));
  return sink.build_id;
}

TEST(PerfData, ABuildIdIsBelievedOnlyWhereOneWasAskedFor) {
  std::string of_20 = std::string("\x14\0\0\0", 4) + "abcdefghijklmnopqrst";
  std::string of_8 = std::string("\x08\0\0\0", 4) + "abcdefgh" + std::string(12, '\0');
  std::string of_21 = std::string("\x15\0\0\0", 4) + "abcdefghijklmnopqrst";
  EXPECT_EQ(build_id_of_map(11, kMiscMmapBuildId, of_8), "abcdefgh");
  EXPECT_EQ(build_id_of_map(22, kMiscMmapBuildId, of_8), "");
  EXPECT_EQ(build_id_of_map(0, kMiscMmapBuildId, of_8), "abcdefgh");  // perf's own
  EXPECT_EQ(build_id_of_map(11, 0, of_8), "");
  EXPECT_EQ(build_id_of_map(11, kMiscMmapBuildId, of_21), "");
  // Records that perf inject adds.
  EXPECT_EQ(build_id_of_map(22, kMiscMmapBuildId, of_20), "abcdefghijklmnopqrst");
  of_20[1] = 1;  // device 276
  EXPECT_EQ(build_id_of_map(22, kMiscMmapBuildId, of_20), "");
}

}  // namespace
}  // namespace wick::perf_data
