// SPDX-License-Identifier: Apache-2.0
// Tests that the reader reads the files of the writer. tests/record/run.py tests that perf reads
// it, too.
#include "formats/perf_data/writer.h"

#include <gtest/gtest.h>

#include "formats/perf_data/perf_data.h"
#include "formats/perf_data/testing.h"
#include "stream/transcript.h"

namespace wick::perf_data {
namespace {

using testing::attr_bytes;
using testing::EventSpec;
using testing::flag;
using testing::Out;
using testing::transcript;

EventSpec clock_event() {
  EventSpec event{.attr = {}, .ids = {7, 8}};
  event.attr.type = 1;
  event.attr.sample_type =
      kSampleIdentifier | kSampleIp | kSampleTid | kSampleTime | kSampleCpu | kSamplePeriod;
  event.attr.flags = flag(AttrFlag::kSampleIdAll);
  return event;
}

// One process with one sample.
std::string written(bool finished) {
  std::string text;
  Output out = Output::to_text(text);
  Writer writer(out,
                {.name = "host",
                 .release = "6.1",
                 .architecture = "x86_64",
                 .version = "wick",
                 .command_line = {"wick", "record", "./a b"},
                 .cpus = 2});
  EventSpec event = clock_event();
  writer.begin({{attr_bytes(event, ByteOrder::kLittle), "cpu-clock", event.ids}});
  writer.on_comm({.at = {.pid = 5, .tid = 5}, .name = "exactly8"});
  writer.on_map({.at = {.pid = 5, .tid = 5},
                 .start = 0x1000,
                 .size = 0x2000,
                 .file_offset = 0x3000,
                 .path = "/bin/a",
                 .file = {.device = 1, .inode = 2}});
  writer.on_map({.at = {.pid = 5, .tid = 5},
                 .start = 0x8000,
                 .size = 0x1000,
                 .path = "/bin/a",
                 .executable = false});
  std::string sample = Out(ByteOrder::kLittle)
                           .u32(kSample)
                           .u16(2)
                           .u16(56)
                           .u64(8)
                           .u64(0x1234)
                           .u32(5)
                           .u32(5)
                           .u64(1000)
                           .u64(1)
                           .u64(77)
                           .bytes();
  Record record{reinterpret_cast<const std::byte*>(sample.data()), {.type = kSample, .size = 56}};
  writer.write(record, 1000);
  if (finished) {
    writer.add_build_id("/bin/a", "\xAB\xCD\xEF\x01");
    writer.add_build_id("[kernel.kallsyms]", std::string(20, '\x77'));
    writer.finish();
  } else {
    writer.finish_round();
  }
  return text;
}

TEST(Writer, WhatIsWrittenIsReadAgain) {
  std::string text = transcript(written(true));
  for (std::string_view part :
       {"exactly8", "/bin/a", "1234", "host", "6.1", "./a b", "cpu-clock", "abcdef01", "777777"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
  }
  EXPECT_EQ(text.find("lost"), std::string::npos) << text;
}

TEST(Writer, AFileThatWasNeverFinishedHasItsRecords) {
  std::string text = transcript(written(false));
  EXPECT_NE(text.find("1234"), std::string::npos) << text;
  EXPECT_NE(text.find("/bin/a"), std::string::npos) << text;
}

}  // namespace
}  // namespace wick::perf_data
