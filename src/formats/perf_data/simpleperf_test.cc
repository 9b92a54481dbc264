// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_data/simpleperf.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/perf_data/perf_data.h"
#include "formats/perf_data/testing.h"
#include "stream/transcript.h"

namespace wick::perf_data {
namespace {

using testing::Out;
using testing::RecordingBuilder;

class Names : public Transcript {
 public:
  void on_symbol(const SymbolEvent& event) override {
    bool in_file = event.file_offset != SymbolEvent::kNoFile;
    symbols += fmt::format("{} {:x}+{:x} {} {}\n",
                           event.path,
                           event.address,
                           event.size,
                           event.name,
                           in_file ? fmt::format("at {:x}", event.file_offset) : "absolute");
  }
  std::string symbols;
};

Names read_names(const RecordingBuilder& builder) {
  Names names;
  Result<> result = read_bytes(as_bytes(builder.file()), names);
  EXPECT_TRUE(result);
  return names;
}

RecordingBuilder recording() {
  EventAttr attr;
  attr.sample_type = kSampleIdentifier | kSampleIp;
  RecordingBuilder builder;
  builder.add_event({.attr = attr, .ids = {1}});
  attr.type = kTracepoint;
  attr.config = 47;
  builder.add_event({.attr = attr, .ids = {}});
  builder.add_round();  // without any record, a file counts as unfinished
  return builder;
}

std::string file_entry(const RecordingBuilder& builder,
                       std::string_view path,
                       uint32_t type,
                       std::string_view tail) {
  Out body = builder.out();
  body.raw(path).u8(0).u32(type).u64(0x1000).u32(1);
  body.u64(0x1234).u32(0x20).raw("work").u8(0).raw(tail);
  return builder.out().u32(static_cast<uint32_t>(body.bytes().size())).raw(body.bytes()).bytes();
}

TEST(Simpleperf, NamesInTheFile) {
  RecordingBuilder builder = recording();
  std::string offset = builder.out().u64(0x400).bytes();
  std::string unknown = builder.out().u64(UINT64_MAX).bytes();
  std::string dex = builder.out().u32(1).u64(0x10).bytes();
  builder.add_feature(
      kFeatureSimpleperfFile,
      file_entry(builder, "[kernel.kallsyms]", 0, "") + file_entry(builder, "mod.ko", 1, offset) +
          file_entry(builder, "lib.so", 2, offset) + file_entry(builder, "old.so", 2, unknown) +
          file_entry(builder, "app.dex", 3, dex) + file_entry(builder, "perf.map", 4, ""));
  EXPECT_EQ(read_names(builder).symbols,
            "[kernel.kallsyms] 1234+20 work absolute\n"
            "mod.ko 1234+20 work at 634\n"
            "lib.so 1234+20 work at 634\n"
            "old.so 1234+20 work at 234\n"
            "app.dex 1234+20 work at 1234\n"
            "perf.map 1234+20 work absolute\n");
}

TEST(Simpleperf, NamesInProtobuf) {
  RecordingBuilder builder = recording();
  // {1: "lib.so", 2: 2, 3: 0x1000, 4: {1: 0x1234, 2: 0x20, 3: "work"}, 6: {1: 0x400}}
  std::string symbol = std::string("\x08\xb4\x24\x10\x20\x1a\x04work");
  std::string message = std::string("\x0a\x06lib.so\x10\x02\x18\x80\x20\x22") +
                        static_cast<char>(symbol.size()) + symbol + "\x32\x03\x08\x80\x08";
  builder.add_feature(
      kFeatureSimpleperfFile2,
      builder.out().u32(static_cast<uint32_t>(message.size())).raw(message).bytes());
  EXPECT_EQ(read_names(builder).symbols, "lib.so 1234+20 work at 634\n");
}

TEST(Simpleperf, MetaInfoNamesEvents) {
  RecordingBuilder builder = recording();
  builder.add_feature(kFeatureSimpleperfMetaInfo,
                      std::string_view("android_version\0"
                                       "11\0"
                                       "event_type_info\0"
                                       "cpu-cycles,0,0\nsched:sched_switch,2,47\0",
                                       74));
  std::string text = read_names(builder).text();
  EXPECT_NE(text.find("fact simpleperf android_version: 11"), std::string::npos) << text;
  EXPECT_NE(text.find("kind 0 cpu-cycles"), std::string::npos) << text;
  EXPECT_NE(text.find("kind 1 sched:sched_switch"), std::string::npos) << text;
}

TEST(Simpleperf, OldRecordsOfNames) {
  RecordingBuilder builder = recording();
  builder.add_record(kSimpleperfDso, 0, builder.out().u64(2).u64(9).u64(0).path("lib.so"));
  builder.add_record(kSimpleperfSymbol, 0, builder.out().u64(0x10).u64(4).u64(9).path("old"));
  std::string_view lines =
      "ffffffc000080000 T _text\nffffffc000081000 t mod_fn\t[mod]\nffffffc000082000 t do_it\n";
  builder.add_record(kSimpleperfKernelSymbol,
                     0,
                     builder.out().u32(static_cast<uint32_t>(lines.size())).raw(lines).pad(8));
  EXPECT_EQ(read_names(builder).symbols,
            "lib.so 10+4 old at 10\n"
            "[kernel.kallsyms] ffffffc000080000+0 _text absolute\n"
            "[kernel.kallsyms] ffffffc000082000+0 do_it absolute\n");
}

// A record larger than 64 kB comes in SPLIT records. This one maps ids to events.
TEST(Simpleperf, SplitRecordsArePutTogether) {
  RecordingBuilder builder = recording();
  std::string whole = RecordingBuilder::make_record(
      ByteOrder::kLittle, kSimpleperfEventId, 0, builder.out().u64(1).u64(1).u64(77).bytes());
  builder.add_record(kSimpleperfSplit, 0, builder.out().raw(whole.substr(0, 20)));
  builder.add_record(kSimpleperfSplit, 0, builder.out().raw(whole.substr(20)));
  builder.add_record(kSimpleperfSplitEnd, 0, builder.out());
  builder.add_record(kSample, 2, builder.out().u64(77).u64(0xABC));
  std::string text = read_names(builder).text();
  EXPECT_NE(text.find("sample event=1 weight=1 user 0xabc"), std::string::npos) << text;
  EXPECT_NE(text.find("fact records SIMPLEPERF_EVENT_ID: 1\n"), std::string::npos) << text;
}

TEST(Simpleperf, RecordsOfMoreThan64Kilobytes) {
  RecordingBuilder builder = recording();
  builder.add_record(kSimpleperfDebug, 0, builder.out().raw(std::string(200'000, 'x')));
  builder.add_record(kSample, 2, builder.out().u64(1).u64(0xABC));
  for (const std::string& recording : {builder.file(), builder.pipe()}) {
    Transcript sink;
    ASSERT_TRUE(read_stream(as_bytes(recording), 1000, sink));
    EXPECT_NE(sink.text().find("sample event=0 weight=1 user 0xabc"), std::string::npos);
    EXPECT_NE(sink.text().find("fact records SIMPLEPERF_DEBUG: 1, not used"), std::string::npos);
  }
}

TEST(Simpleperf, UnwindingResultsAreCounted) {
  RecordingBuilder builder = recording();
  for (uint64_t code : {0U, 4U, 4U}) {
    builder.add_record(
        kSimpleperfUnwindingResult, 0, builder.out().u64(1).u64(2).u64(code).u64(0).u64(0).u64(0));
  }
  std::string text = read_names(builder).text();
  EXPECT_NE(text.find("unwinding on the phone: 1 stopped with code 0, 2 stopped with code 4"),
            std::string::npos)
      << text;
}

TEST(Simpleperf, TracingDataInsideTheRecord) {
  RecordingBuilder builder = recording();
  Out data = builder.out();
  std::string_view format = "name: sched_switch\nID: 47\n";
  data.raw("\x17\x08\x44tracing").raw(std::string_view("0.6\0\0\x08", 6)).u32(4096);
  data.raw(std::string_view("header_page\0", 12)).u64(0);
  data.raw(std::string_view("header_event\0", 13)).u64(0).u32(0).u32(1);
  data.raw(std::string_view("sched\0", 6)).u32(1).u64(format.size()).raw(format);
  auto size = static_cast<uint32_t>(data.bytes().size());
  for (uint32_t type : {uint32_t{kSimpleperfTracingData}, uint32_t{kHeaderTracingData}}) {
    RecordingBuilder with_data;
    EventAttr attr;
    attr.type = kTracepoint;
    attr.config = 47;
    attr.sample_type = kSampleIp;
    with_data.add_event({.attr = attr, .ids = {}});
    with_data.add_record(type, 0, builder.out().u32(size).raw(data.bytes()).pad(8));
    with_data.add_record(kSample, 2, builder.out().u64(0xABC));
    Transcript sink;
    ASSERT_TRUE(read_bytes(as_bytes(with_data.pipe()), sink));
    EXPECT_NE(sink.text().find("kind 0 sched:sched_switch"), std::string::npos) << sink.text();
    EXPECT_NE(sink.text().find("user 0xabc"), std::string::npos);
  }
}

}  // namespace
}  // namespace wick::perf_data
