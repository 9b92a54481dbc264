// SPDX-License-Identifier: Apache-2.0
// For tests: one small recording with every kind of content, so that truncating it and changing its
// bytes reaches every part of the reader.
#pragma once

#include "formats/perf_data/testing.h"

namespace wick::perf_data::testing {

inline constexpr uint64_t kSceneStart = 1'000'000'000;

class Scene {
 public:
  explicit Scene(ByteOrder order = ByteOrder::kLittle);
  const RecordingBuilder& recording() const { return builder_; }

 private:
  static constexpr uint64_t kClockId = 11;
  static constexpr uint64_t kTracepointId = 22;

  // The trailer of every record except samples.
  Out& trailer(Out& body, uint64_t time, uint32_t tid) const;
  void add_events();
  void add_features();
  void add_process();
  void add_samples();
  void add_rest();

  RecordingBuilder builder_;
};

inline constexpr uint64_t kSceneTrailer = kSampleIdentifier | kSampleTid | kSampleTime | kSampleCpu;

inline Scene::Scene(ByteOrder order) : builder_(order) {
  add_events();
  add_features();
  add_process();
  add_samples();
  add_rest();
}

inline Out& Scene::trailer(Out& body, uint64_t time, uint32_t tid) const {
  body.u32(100).u32(tid).u64(kSceneStart + time).u32(1).u32(0).u64(kClockId);
  return body;
}

inline void Scene::add_events() {
  EventAttr clock;
  clock.type = kSoftware;
  clock.config = 0;
  clock.period_or_frequency = 4000;
  clock.sample_type = kSceneTrailer | kSampleIp | kSamplePeriod | kSampleCallchain |
                      kSampleBranchStack | kSampleRegsUser | kSampleStackUser;
  clock.flags =
      flag(AttrFlag::kSampleIdAll) | flag(AttrFlag::kFrequency) | flag(AttrFlag::kBuildId);
  clock.branch_sample_type = kBranchCallStack | kBranchHwIndex;
  clock.user_registers = 0b1011;
  clock.user_stack_bytes = 32;
  builder_.add_event({.attr = clock, .ids = {kClockId, kClockId + 1}});

  EventAttr tracepoint;
  tracepoint.type = kTracepoint;
  tracepoint.config = 314;
  tracepoint.period_or_frequency = 1;
  tracepoint.sample_type = kSceneTrailer | kSampleIp | kSampleRaw;
  tracepoint.flags = flag(AttrFlag::kSampleIdAll);
  builder_.add_event({.attr = tracepoint, .ids = {kTracepointId}});
}

inline void Scene::add_features() {
  builder_.add_feature(kFeatureHostname, builder_.out().counted_text("lab").bytes());
  builder_.add_feature(kFeatureArch, builder_.out().counted_text("x86_64").bytes());
  builder_.add_feature(kFeatureNrCpus, builder_.out().u32(4).u32(2).bytes());
  builder_.add_feature(kFeatureCmdline,
                       builder_.out().u32(2).counted_text("perf").counted_text("record").bytes());
  builder_.add_feature(kFeatureSampleTime,
                       builder_.out().u64(kSceneStart).u64(kSceneStart + 900).bytes());
  builder_.add_feature(
      kFeatureClockData,
      builder_.out().u32(1).u32(1).u64(1'600'000'000'000'000'000).u64(kSceneStart).bytes());
  Out tracing = builder_.out();
  std::string_view format = "name: sched_switch\nID: 314\nformat:\n";
  tracing.raw("\x17\x08\x44tracing").raw(std::string_view("0.6\0\0\x08", 6)).u32(4096);
  tracing.raw(std::string_view("header_page\0", 12)).u64(2).raw("ab");
  tracing.raw(std::string_view("header_event\0", 13)).u64(0).u32(1).u64(3).raw("abc").u32(1);
  tracing.raw(std::string_view("sched\0", 6)).u32(1).u64(format.size()).raw(format);
  builder_.add_feature(kFeatureTracingData, tracing.bytes());
}

inline void Scene::add_process() {
  Out kernel = builder_.out();
  kernel.u32(UINT32_MAX).u32(0).u64(0xffffffff81000000).u64(0x1000000).u64(0xffffffff81000000);
  kernel.path("[kernel.kallsyms]_text").u32(0).u32(0).u64(0).u64(0).u64(0);
  builder_.add_record(kMmap, 1, kernel);
  Out comm = builder_.out().u32(100).u32(100).path("server");
  builder_.add_record(kComm, kMiscCommExec | 2, trailer(comm, 0, 100));
  Out map = builder_.out().u32(100).u32(100).u64(0x400000).u64(0x2000).u64(0x1000);
  map.u8(4).u8(0).u16(0).raw("\xde\xad\xbe\xef").raw(std::string(16, '\0')).u32(5).u32(2);
  map.path("/bin/server");
  builder_.add_record(kMmap2, kMiscMmapBuildId | 2, trailer(map, 10, 100));
  Out fork = builder_.out().u32(100).u32(100).u32(101).u32(100).u64(kSceneStart + 20);
  builder_.add_record(kFork, 0, trailer(fork, 20, 100));
}

inline void Scene::add_samples() {
  // Two CPUs, one after the other, overlapping in time; then a round.
  for (uint64_t cpu = 0; cpu < 2; ++cpu) {
    for (uint64_t i = 0; i < 3; ++i) {
      Out sample = builder_.out();
      sample.u64(kClockId + cpu).u64(0x400100 + i).u32(100).u32(static_cast<uint32_t>(100 + cpu));
      sample.u64(kSceneStart + 100 + 100 * i + 50 * cpu).u32(static_cast<uint32_t>(cpu)).u32(0);
      sample.u64(250'000);
      sample.u64(5).u64(kChainKernel).u64(0xffffffff81000010).u64(kChainUser).u64(0x400100 + i);
      sample.u64(0x400200);
      sample.u64(1).u64(0).u64(0x400210).u64(0x400220).u64(2);
      sample.u64(2).u64(1).u64(2).u64(3);
      sample.u64(16).raw("0123456789abcdef").u64(8);
      builder_.add_record(kSample, 1, sample);
    }
    Out point = builder_.out();
    point.u64(kTracepointId).u64(0xffffffff81000020).u32(100).u32(100);
    point.u64(kSceneStart + 400 + cpu).u32(static_cast<uint32_t>(cpu)).u32(0).u32(4).raw("raw!");
    builder_.add_record(kSample, 1, point);
  }
  builder_.add_round();
}

inline void Scene::add_rest() {
  Out out = builder_.out();
  builder_.add_record(kSwitch, kMiscSwitchOut | kMiscSwitchPreempted, trailer(out, 500, 101));
  Out lost = builder_.out().u64(kClockId).u64(7);
  builder_.add_record(kLost, 0, trailer(lost, 510, 100));
  Out throttle = builder_.out().u64(kSceneStart + 520).u64(kClockId).u64(kClockId);
  builder_.add_record(kThrottle, 0, trailer(throttle, 520, 100));
  Out symbol = builder_.out().u64(0xffffffffc0000000).u32(64).u16(1).u16(0).path("bpf_prog_1");
  builder_.add_record(kKsymbol, 1, trailer(symbol, 530, 100));
  Out exit = builder_.out().u32(100).u32(100).u32(101).u32(100).u64(kSceneStart + 540);
  builder_.add_record(kExit, 0, trailer(exit, 540, 101));
  builder_.add_record(kTimeConv, 0, builder_.out().u64(31).u64(7).u64(9));
  Out trace = builder_.out().u64(8).u64(0).u64(0).u32(3).u32(101).u32(1).u32(0);
  builder_.add_record(kAuxtrace, 0, trace);
  builder_.add_bytes("PTPTPTPT");
  builder_.add_round();
}

}  // namespace wick::perf_data::testing
