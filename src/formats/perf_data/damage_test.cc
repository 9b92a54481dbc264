// SPDX-License-Identifier: Apache-2.0
// Recordings that are truncated, changed or made to lie: the result is an error message or valid
// events, with the loss reported, in bounded time and memory. The sanitizer builds check every byte
// that is read.
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/perf_data/block_stream.h"
#include "formats/perf_data/perf_data.h"
#include "formats/perf_data/scene_testing.h"
#include "stream/sinks.h"
#include "tests/support/files.h"

namespace wick::perf_data {
namespace {

using testing::Out;
using testing::RecordingBuilder;
using testing::Scene;

// Reads everything it gets, and counts it.
class Witness : public IgnoringSink {
 public:
  uint64_t samples = 0;
  uint64_t events = 0;
  uint64_t losses = 0;
  uint64_t checkpoints = 0;
  std::string reasons;

  void on_sample(const SampleEvent& event) override {
    ++samples;
    ++events;
    for (std::span<const uint64_t> words : {event.kernel_chain,
                                            event.user_chain,
                                            event.user_registers.values,
                                            event.interrupt_registers.values}) {
      for (uint64_t word : words) {
        sum_ += word;
      }
    }
    for (const BranchEntry& branch : event.branches) {
      sum_ += branch.from + branch.to + branch.flags;
    }
    for (Bytes bytes : {event.user_stack, event.raw, event.aux}) {
      look_at(as_text(bytes));
    }
    for (uint64_t entry : event.user_chain) {
      EXPECT_LT(entry, kFirstChainMarker);
    }
  }
  void on_map(const MapEvent& event) override {
    ++events;
    look_at(event.path);
    look_at(event.build_id);
  }
  void on_comm(const CommEvent& event) override {
    ++events;
    look_at(event.name);
  }
  void on_build_id(const BuildIdEvent& event) override {
    look_at(event.path);
    look_at(event.build_id);
  }
  void on_kernel_symbol(const KernelSymbolEvent& event) override { look_at(event.name); }
  void on_symbol(const SymbolEvent& event) override {
    look_at(event.path);
    look_at(event.name);
  }
  void on_aux(const AuxEvent& event) override { look_at(as_text(event.data)); }
  void on_fact(std::string_view key, std::string_view value) override {
    look_at(key);
    look_at(value);
  }
  void on_lost(const LostEvent& event) override {
    ++losses;
    EXPECT_FALSE(event.reason.empty());
    reasons += fmt::format("{} {}: {} ({})\n", event.count, event.what, event.reason, event.detail);
  }
  void on_checkpoint() override { ++checkpoints; }

 private:
  void look_at(std::string_view bytes) {
    for (char byte : bytes) {
      sum_ += static_cast<unsigned char>(byte);
    }
  }
  uint64_t sum_ = 0;
};

// Reads the recording as mapped bytes and as a stream. The copies have exactly the right length, so
// that a sanitizer notices a read beyond the end.
Witness read_both_ways(std::string_view recording) {
  std::vector<char> copy(recording.begin(), recording.end());
  std::string_view bytes(copy.data(), copy.size());
  Witness streamed;
  Result<> stream = read_stream(as_bytes(bytes), 50, streamed);
  Witness witness;
  Result<> read = read_bytes(as_bytes(bytes), witness);
  EXPECT_EQ(read.has_value(), stream.has_value());
  if (!read) {
    EXPECT_TRUE(read.error().message.ends_with('.')) << read.error().message;
  }
  return witness;
}

TEST(Damage, CutAtEveryByte) {
  for (ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    Scene scene(order);
    for (const std::string& whole : {scene.recording().file(), scene.recording().pipe()}) {
      uint64_t complete = read_both_ways(whole).samples;
      uint64_t before = 0;
      for (size_t size = 0; size < whole.size(); ++size) {
        Witness witness = read_both_ways(std::string_view(whole).substr(0, size));
        EXPECT_LE(witness.samples, complete);
        EXPECT_GE(witness.samples, before) << "fewer samples although more bytes: " << size;
        before = witness.samples;
      }
      EXPECT_EQ(before, complete);
    }
  }
}

TEST(Damage, ACutFileSaysSo) {
  std::string file = Scene().recording().file();
  size_t data_begin = file.find(Scene().recording().data());
  for (size_t size = data_begin + 1; size < file.size(); ++size) {
    Witness witness = read_both_ways(std::string_view(file).substr(0, size));
    bool reported = witness.reasons.find("shorter than its header") != std::string::npos ||
                    witness.reasons.find("notes about the machine") != std::string::npos;
    EXPECT_TRUE(reported) << size;
  }
}

TEST(Damage, EveryByteChanged) {
  Scene scene;
  for (std::string whole : {scene.recording().file(), scene.recording().pipe()}) {
    for (size_t at = 0; at < whole.size(); ++at) {
      char original = whole[at];
      for (int change : {0x00, 0x01, 0x80, 0xFF}) {
        whole[at] = static_cast<char>(change == 1 || change == 0x80 ? original ^ change : change);
        Witness witness = read_both_ways(whole);
        EXPECT_LT(witness.events, 1000U);
      }
      whole[at] = original;
    }
  }
}

TEST(Damage, EveryWordReplacedByZeroOneAndHuge) {
  Scene scene;
  for (const std::string& whole : {scene.recording().file(), scene.recording().pipe()}) {
    for (size_t at = 0; at + 8 <= whole.size(); at += 4) {
      for (uint64_t word : {uint64_t{0},
                            uint64_t{1},
                            uint64_t{0xFFFF},
                            uint64_t{UINT32_MAX},
                            uint64_t{INT64_MAX},
                            uint64_t{UINT64_MAX},
                            uint64_t{UINT64_MAX - 7}}) {
        std::string changed = whole;
        changed.replace(at, 8, Out(ByteOrder::kLittle).u64(word).bytes());
        EXPECT_LT(read_both_ways(changed).events, 1000U);
      }
    }
  }
}

// A record of size 0 must not stop the reader: it must find the records after it.
TEST(Damage, BehindARecordOfSizeZeroTheRestIsRead) {
  EventAttr attr;
  attr.sample_type = kSampleIp | kSampleTime;
  RecordingBuilder builder;
  builder.add_event({.attr = attr, .ids = {}});
  for (uint64_t i = 0; i < 100; ++i) {
    builder.add_record(kSample, 2, builder.out().u64(i).u64(1000 + i));
  }
  std::string file = builder.pipe();
  size_t first = file.size() - 100 * 24;
  for (uint16_t size : {uint16_t{0}, uint16_t{4}, uint16_t{7}}) {
    std::string damaged = file;
    damaged.replace(first + 50 * 24 + 6, 2, Out(ByteOrder::kLittle).u16(size).bytes());
    Witness witness = read_both_ways(damaged);
    EXPECT_EQ(witness.samples, 99U);
    EXPECT_EQ(
        witness.reasons,
        fmt::format("24 bytes: a part of the file is damaged (at byte {})\n", first + 50 * 24));
  }
}

TEST(Damage, AnEndlessPipeOfNothingNeedsNoMemory) {
  std::string pipe = Scene().recording().pipe() + std::string(8 << 20, '\0');
  Witness witness;
  ASSERT_TRUE(read_stream(as_bytes(pipe), 4096, witness));
  EXPECT_EQ(witness.samples, 8U);
  EXPECT_NE(witness.reasons.find("8388608 bytes: a part of the file is damaged"), std::string::npos)
      << witness.reasons;
}

TEST(Damage, APipeThatBringsNothingIsGivenUp) {
  std::string pipe = Scene().recording().pipe() + std::string(80 << 20, 'y');
  Witness witness;
  ASSERT_TRUE(read_stream(as_bytes(pipe), 1 << 16, witness));
  EXPECT_EQ(witness.samples, 8U);
  EXPECT_NE(witness.reasons.find("reading stopped: no record in 64 MiB"), std::string::npos)
      << witness.reasons;
}

// Without rounds, the end of a time interval is unknown. At some point the reader must assume one.
TEST(Damage, AnEndlessPipeWithoutRoundsIsBounded) {
  Witness witness;
  Reading reading(witness, ByteOrder::kLittle);
  EventAttr attr;
  attr.sample_type = kSampleTime | kSampleRaw;
  reading.recording.add_event(attr);
  BlockStream stream(reading, false);
  std::string padding(60'000 - 4, 'x');
  size_t most = 0;
  constexpr uint64_t kRecords = 8000;
  for (uint64_t i = 1; i <= kRecords; ++i) {  // 480 MB
    Out body = Out(ByteOrder::kLittle).u64(i).u32(static_cast<uint32_t>(padding.size()));
    std::string record =
        RecordingBuilder::make_record(ByteOrder::kLittle, kSample, 2, body.raw(padding).bytes());
    for (std::string_view rest = record; !rest.empty();) {
      std::span<std::byte> space = stream.space();
      size_t size = std::min(space.size(), rest.size());
      std::memcpy(space.data(), rest.data(), size);
      rest.remove_prefix(size);
      stream.commit(size);
    }
    most = std::max(most, reading.blocks.bytes());
  }
  stream.finish();
  reading.finish();
  EXPECT_EQ(witness.samples, kRecords);
  EXPECT_LE(most, Reading::kMaxWaitingBytes + (16 << 20));
  EXPECT_EQ(witness.reasons, "");  // the records were in order, so none came late
}

// A few bytes that unpack to many. They are read as they arrive, a few MB at a time.
TEST(Damage, AZstdBombIsCutIntoPieces) {
  EventAttr attr;
  attr.sample_type = kSampleIp;
  RecordingBuilder records;
  for (int i = 0; i < 100'000; ++i) {
    records.add_record(kSample, 2, records.out().u64(1));
  }
  testing::Packer packer;
  RecordingBuilder builder;
  builder.add_event({.attr = attr, .ids = {}});
  for (int i = 0; i < 10; ++i) {
    builder.add_record(kCompressed, 0, builder.out().raw(packer.pack(records.data())));
  }
  Witness witness;
  ASSERT_TRUE(read_stream(as_bytes(builder.pipe()), 4096, witness));
  EXPECT_EQ(witness.samples, 1'000'000U);
  EXPECT_GE(witness.checkpoints, 2U);
}

TEST(Damage, BrokenCompressedDataIsCounted) {
  RecordingBuilder builder;
  builder.add_event({.attr = {}, .ids = {}});
  builder.add_record(kCompressed, 0, builder.out().raw("this is not zstd"));
  EXPECT_NE(read_both_ways(builder.file()).reasons.find("compressed data cannot be unpacked"),
            std::string::npos);
}

// Sections that all point to the same bytes must not multiply the work.
TEST(Damage, OverlappingIdsAreBounded) {
  RecordingBuilder builder;
  for (int i = 0; i < 200; ++i) {
    builder.add_event({.attr = {}, .ids = {}});
  }
  std::string file = builder.file();
  for (size_t row = 0; row < 200; ++row) {
    size_t at = kFileHeaderBytes + row * 128 + 112;
    file.replace(at, 16, Out(ByteOrder::kLittle).u64(0).u64(UINT64_MAX).bytes());
  }
  EXPECT_LT(read_both_ways(file).events, 10U);
}

// Each new event requires that the known ones are described and reported again.
TEST(Damage, EventsWithoutEndAreBounded) {
  RecordingBuilder builder;
  builder.add_event({.attr = {}, .ids = {}});
  Out nameless = builder.out().u64(kFeatureEventDesc).u32(10'000'000).u32(0);
  for (int i = 0; i < 5000; ++i) {
    nameless.u32(0).u32(0);
  }
  Out ids = builder.out().u64(kFeatureEventDesc).u32(1).u32(0).u32(8000).u32(0);
  for (uint64_t i = 1; i <= 8000; ++i) {
    ids.u64(i << 32);
  }
  for (int i = 0; i < 10; ++i) {
    builder.add_record(kHeaderFeature, 0, nameless);
    builder.add_record(kHeaderFeature, 0, ids);
  }
  std::string attr = testing::attr_bytes({.attr = {}, .ids = {}}, builder.order());
  for (int i = 0; i < 20'000; ++i) {
    builder.add_record(kHeaderAttr, 0, builder.out().raw(attr));
    builder.add_record(kComm, 0, builder.out().u32(1).u32(1).raw("comm").u32(0));
  }
  Witness witness;
  ASSERT_TRUE(read_stream(as_bytes(builder.pipe()), 1 << 16, witness));
  EXPECT_EQ(witness.events, 20'000U);
  for (std::string_view reported : {"more descriptions than possible events",
                                    "described too often",
                                    "the description of an event cannot be read"}) {
    EXPECT_NE(witness.reasons.find(reported), std::string::npos) << witness.reasons;
  }
}

TEST(Damage, ManyRunsAreMergedInBoundedMemory) {
  EventAttr attr;
  attr.sample_type = kSampleTime;
  RecordingBuilder builder;
  builder.add_event({.attr = attr, .ids = {}});
  constexpr uint64_t kRecords = 1'000'000;
  for (uint64_t i = 0; i < kRecords; ++i) {  // backwards: every record starts a new run
    builder.add_record(kSample, 2, builder.out().u64(kRecords - i));
  }
  Witness witness;
  ASSERT_TRUE(read_bytes(as_bytes(builder.file()), witness));
  EXPECT_EQ(witness.samples, kRecords);
  EXPECT_NE(witness.reasons.find("too disordered"), std::string::npos) << witness.reasons;
}

TEST(Damage, AFileThatBecomesShorterWhileItIsReadSaysSo) {
  wick::testing::ScratchDir scratch;
  std::string path = scratch.file("perf.data");
  RecordingBuilder builder;
  EventAttr attr;
  attr.sample_type = kSampleIp;
  builder.add_event({.attr = attr, .ids = {}});
  for (int i = 0; i < 400'000; ++i) {
    builder.add_record(kSample, 2, builder.out().u64(1));
  }
  wick::testing::write_file(path, builder.file());
  Result<Input> input = Input::open(path, nullptr);
  ASSERT_TRUE(input);
  struct Shortener : Witness {
    std::string path;
    void on_fact(std::string_view key, std::string_view value) override {
      Witness::on_fact(key, value);
      if (!path.empty()) {
        std::filesystem::resize_file(path, 8192);
        path.clear();
      }
    }
  } witness;
  ASSERT_NE(input->map(), nullptr);
  witness.path = path;
  ASSERT_TRUE(read(*input, FlagValues(), witness));
  EXPECT_NE(witness.reasons.find("the file became shorter while it was read"), std::string::npos);
}

}  // namespace
}  // namespace wick::perf_data
