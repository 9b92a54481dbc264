// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_data/features.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/perf_data/perf_data.h"
#include "formats/perf_data/testing.h"
#include "stream/transcript.h"

namespace wick::perf_data {
namespace {

using testing::attr_bytes;
using testing::EventSpec;
using testing::Out;
using testing::RecordingBuilder;

// The transcript of a recording with one event and this feature.
std::string transcript_with(uint32_t feature, std::string_view bytes) {
  RecordingBuilder builder;
  EventAttr attr;
  attr.sample_type = kSampleIp;
  builder.add_event({.attr = attr, .ids = {8}});
  builder.add_feature(feature, bytes);
  builder.add_round();  // without any record, a file counts as unfinished
  Transcript sink;
  Result<> result = read_bytes(as_bytes(builder.file()), sink);
  return result ? sink.text() : result.error().message;
}

Out out() {
  return Out(ByteOrder::kLittle);
}

void expect_fact(uint32_t feature, const Out& bytes, std::string_view fact) {
  std::string text = transcript_with(feature, bytes.bytes());
  EXPECT_NE(text.find(fmt::format("fact {}\n", fact)), std::string::npos) << text;
}

TEST(Features, BecomeFacts) {
  expect_fact(kFeatureHostname, out().counted_text("lab"), "host: lab");
  expect_fact(kFeatureOsRelease, out().counted_text("6.1.0"), "kernel: 6.1.0");
  expect_fact(kFeatureVersion, out().counted_text("6.1.187"), "perf version: 6.1.187");
  expect_fact(kFeatureNrCpus, out().u32(8).u32(6), "CPUs of the host: 6 online of 8");
  expect_fact(kFeatureCpuDesc, out().counted_text("Some CPU"), "CPU: Some CPU");
  expect_fact(kFeatureTotalMem, out().u64(2048), "memory of the host: 2 MB");
  expect_fact(kFeatureCmdline,
              out().u32(2).counted_text("perf").counted_text("record"),
              "command line: perf record");
  expect_fact(kFeatureSampleTime,
              out().u64(1'000'000'000).u64(2'500'000'000),
              "sample times, as the header says: 1.000000000 s to 2.500000000 s");
  expect_fact(kFeatureCompressed,
              out().u32(1).u32(1).u32(3).u32(5).u32(4096),
              "compression: zstd, level 3, 5 to 1");
  expect_fact(kFeatureClockData, out().u32(1).u32(7).u64(0).u64(5), "clock: boottime");
  expect_fact(kFeatureHybridTopology,
              out()
                  .u32(2)
                  .counted_text("cpu_core")
                  .counted_text("0-7")
                  .counted_text("cpu_atom")
                  .counted_text("8-15"),
              "kinds of cores: cpu_core: CPUs 0-7; cpu_atom: CPUs 8-15");
  expect_fact(kFeatureNumaTopology,
              out().u32(1).u32(0).u64(1024).u64(512).counted_text("0-3"),
              "NUMA nodes: 0: CPUs 0-3, 1 MB");
  expect_fact(kFeatureGroupDesc,
              out().u32(1).counted_text("{a,b}").u32(0).u32(2),
              "event groups: {a,b} (2 events from number 0)");
  expect_fact(kFeatureCache, out().u32(1), "feature CACHE: 4 bytes, not used");
  expect_fact(99, out().u32(1), "feature of unknown number 99: 4 bytes, not used");
}

TEST(Features, TheMachineComesFirst) {
  std::string text = transcript_with(kFeatureArch, out().counted_text("aarch64").bytes());
  EXPECT_NE(text.find("host architecture=4\n"), std::string::npos) << text;
  text = transcript_with(kFeatureEMachine, out().u32(3).bytes());
  EXPECT_NE(text.find("host architecture=1\n"), std::string::npos) << text;
}

TEST(Features, EventDescriptionsNameEventsByIdOrPosition) {
  EventSpec spec{.attr = {}, .ids = {}};
  spec.attr.sample_type = kSampleIp;
  Out by_position = out().u32(1).u32(spec.attr_bytes);
  by_position.raw(attr_bytes(spec, ByteOrder::kLittle)).u32(0).counted_text("my-cycles");
  std::string text = transcript_with(kFeatureEventDesc, by_position.bytes());
  EXPECT_NE(text.find("kind 0 my-cycles (my-cycles)"), std::string::npos) << text;

  spec.attr.config = 5;  // of another event, but the id belongs to this one
  Out by_id = out().u32(1).u32(spec.attr_bytes);
  by_id.raw(attr_bytes(spec, ByteOrder::kLittle)).u32(1).counted_text("by-id").u64(8);
  text = transcript_with(kFeatureEventDesc, by_id.bytes());
  EXPECT_NE(text.find("kind 0 by-id"), std::string::npos) << text;
}

// If the attributes of a file are lost, the copies in the descriptions can replace them.
TEST(Features, EventDescriptionsReplaceLostAttributes) {
  RecordingBuilder builder;
  EventSpec spec{.attr = {}, .ids = {}};
  spec.attr.sample_type = kSampleIp;
  Out description = out().u32(1).u32(spec.attr_bytes);
  description.raw(attr_bytes(spec, ByteOrder::kLittle)).u32(0).counted_text("cycles");
  builder.add_feature(kFeatureEventDesc, description.bytes());
  builder.add_record(kSample, 2, out().u64(0x123));
  Transcript sink;
  ASSERT_TRUE(read_bytes(as_bytes(builder.file()), sink));
  EXPECT_NE(sink.text().find("user 0x123"), std::string::npos) << sink.text();
}

std::string build_id_record(uint16_t misc,
                            std::string_view id,
                            uint8_t size,
                            std::string_view path) {
  Out body = out().u32(UINT32_MAX).raw(id).raw(std::string(20 - id.size(), '\0'));
  body.u8(size).u8(0).u16(0).path(path);
  return RecordingBuilder::make_record(ByteOrder::kLittle, 0, misc, body.bytes());
}

TEST(Features, BuildIds) {
  std::string_view id = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a";
  std::string section = build_id_record(kMiscBuildIdSize, id, 10, "/bin/sized") +
                        build_id_record(0, id, 0, "/bin/filled") +
                        build_id_record(kMiscBuildIdSize, "", 0, "/bin/none");
  std::string text = transcript_with(kFeatureBuildId, section);
  EXPECT_NE(text.find("build id 0102030405060708090a /bin/sized\n"), std::string::npos) << text;
  // Without a size, zeros at the end are padding, four at a time.
  EXPECT_NE(text.find("build id 0102030405060708090a0000 /bin/filled\n"), std::string::npos);
  EXPECT_EQ(text.find("/bin/none"), std::string::npos);
  EXPECT_LT(text.find("host architecture"), text.find("build id"));
}

TEST(Features, BuildIdsOfTheFirstPerfsHaveNoPid) {
  Out body = out().raw(std::string(20, 'x')).u32(0).path("[kernel.kallsyms]");
  std::string text = transcript_with(
      kFeatureBuildId, RecordingBuilder::make_record(ByteOrder::kLittle, 0, 0, body.bytes()));
  EXPECT_NE(text.find("7878 [kernel.kallsyms]\n"), std::string::npos) << text;
}

TEST(Features, EventTypesOfVersion1NameEvents) {
  RecordingBuilder builder;
  EventAttr attr;
  attr.type = kTracepoint;
  attr.config = 55;
  attr.sample_type = kSampleIp;
  builder.add_event({.attr = attr, .ids = {}});
  std::string file = builder.file();
  std::string types = out().u64(55).raw("irq:irq_entry").raw(std::string(51, '\0')).bytes();
  file.replace(56, 16, out().u64(file.size()).u64(types.size()).bytes());
  Transcript sink;
  ASSERT_TRUE(read_bytes(as_bytes(file + types), sink));
  EXPECT_NE(sink.text().find("kind 0 irq:irq_entry"), std::string::npos) << sink.text();
}

TEST(Features, LiesAboutLengthsAreHarmless) {
  constexpr size_t kMaxText = 10'000;  // 160 bytes cannot mean more
  for (uint32_t feature = 1; feature < 140; ++feature) {
    for (uint64_t lie : {uint64_t{0}, uint64_t{1}, uint64_t{UINT32_MAX}, uint64_t{UINT64_MAX}}) {
      Out bytes = out();
      for (int i = 0; i < 20; ++i) {
        bytes.u64(lie);
      }
      for (size_t size = 0; size < bytes.bytes().size(); size += 7) {
        std::string text = transcript_with(feature, bytes.bytes().substr(0, size));
        EXPECT_FALSE(text.empty()) << feature << ": a transcript, or a sentence";
        EXPECT_LT(text.size(), kMaxText) << feature;
      }
    }
  }
}

}  // namespace
}  // namespace wick::perf_data
