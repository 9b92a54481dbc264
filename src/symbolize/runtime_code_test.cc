// SPDX-License-Identifier: Apache-2.0
// Names of generated code: dumps and maps as JIT compilers write them, and the owners of the files.
#include "symbolize/runtime_code.h"

#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolize/jit_dump.h"
#include "symbolize/jit_testing.h"
#include "symbolize/text_symbols.h"
#include "tests/support/files.h"

namespace wick {
namespace {

using testing::DumpWriter;

std::string at(const JitDump& dump, uint64_t address) {
  std::optional<NamedCode> code = dump.find(address);
  return code ? fmt::format("{} {}:{}", code->function.name, code->file, code->line) : "-";
}

class JitDumps : public ::testing::TestWithParam<bool> {};

TEST_P(JitDumps, FunctionsLinesAndMoves) {
  DumpWriter writer(GetParam());
  writer.lines(0x1000, {{0x1000, 10, "a.js"}, {0x1010, 12, "\xff"}, {0x1008, 11, "b.js"}})
      .record(4, std::string(24, '\0'))  // unwinding information
      .load(0x1000, 0x20, "first", 1)
      .load(0x2000, 0x20, "second", 2)
      .record(77, "of the future")
      .move(0x2000, 0x3000, 0x20, 2)
      .load(0x1010, 0x8, "reused", 3)
      .record(3, "");
  JitDump dump = JitDump::parse(as_bytes(writer.bytes()));
  EXPECT_EQ(dump.damaged(), 0U);
  EXPECT_EQ(at(dump, 0x0fff), "-");
  EXPECT_EQ(at(dump, 0x1000), "first a.js:10");
  EXPECT_EQ(at(dump, 0x1009), "first b.js:11");
  EXPECT_EQ(at(dump, 0x1010), "reused :0") << "the last to be loaded counts";
  EXPECT_EQ(at(dump, 0x1019), "first a.js:12") << "lines come in any order";
  EXPECT_EQ(at(dump, 0x2001), "second :0");
  EXPECT_EQ(at(dump, 0x3001), "second :0");
}

INSTANTIATE_TEST_SUITE_P(BothByteOrders, JitDumps, ::testing::Bool());

TEST(JitDump, CutAtEveryByteAndDamagedAtEveryByte) {
  std::string whole = DumpWriter()
                          .lines(0x1000, {{0x1000, 10, "a.js"}})
                          .load(0x1000, 0x20, "first", 1)
                          .move(0x1000, 0x3000, 0x20, 1)
                          .bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    JitDump dump = JitDump::parse(as_bytes(std::string_view(whole).substr(0, size)));
    EXPECT_LE(dump.size(), 1U);
    at(dump, 0x1004);
  }
  EXPECT_EQ(JitDump::parse(as_bytes(whole)).size(), 2U);
  for (size_t i = 0; i < whole.size(); ++i) {
    for (char value : {'\0', '\x7f', '\xff'}) {
      std::string damaged = whole;
      damaged[i] = value;
      at(JitDump::parse(as_bytes(damaged)), 0x1004);
    }
  }
  EXPECT_GT(JitDump::parse(as_bytes(std::string_view(whole).substr(0, whole.size() - 1))).damaged(),
            0U);
}

// A function that is larger than its code, or nearly as large as all memory, gets no name.
TEST(JitDumpSizes, AreBelievedWithTheirCodeOnly) {
  auto named = [](std::string_view size_bytes) {
    std::string dump = DumpWriter().load(0x1000, 0x20, "f", 1).bytes();
    constexpr size_t kSize = 40 + 16 + 24;  // headers, then pid, tid and two addresses
    dump.replace(kSize, size_bytes.size(), size_bytes);
    JitDump read = JitDump::parse(as_bytes(dump));
    EXPECT_NE(read.damaged() > 0, read.find(0x1004).has_value());
    return read.find(0x1004).has_value();
  };
  EXPECT_TRUE(named(std::string_view("\x20\0\0", 3)));
  EXPECT_FALSE(named(std::string_view("\x21\0\0", 3)));
  EXPECT_FALSE(named(std::string_view("\x20\0\0\0\0\0\0\x40", 8)));
}

TEST_P(JitDumps, AddressesThatAreReusedHaveAHistory) {
  DumpWriter writer(GetParam());
  writer.time(100)
      .load(0x1000, 0x20, "old", 1)
      .time(200)
      .load(0x1010, 0x20, "new", 2)
      .time(150)  // out of order
      .load(0x1018, 0x8, "between", 3)
      .time(300)
      .move(0x1018, 0x1000, 0x8, 3);
  JitDump dump = JitDump::parse(as_bytes(writer.bytes()));
  EXPECT_TRUE(dump.has_monotonic_times());
  std::vector<uint64_t> asked = {0x0fff, 0x1000, 0x1008, 0x1018, 0x1020, 0x2000};
  std::optional<std::vector<JitHistory>> histories = dump.histories(asked);
  ASSERT_TRUE(histories);
  std::string text;
  for (const JitHistory& history : *histories) {
    text += fmt::format("{:x}", history.address);
    for (const JitHistory::Load& load : history.loads) {
      text += fmt::format(
          " {} {}", load.time_ns, dump.code_at(load.function, history.address).function.name);
    }
    text += '\n';
  }
  EXPECT_EQ(text, "1000 100 old 300 between\n1018 100 old 150 between 200 new\n");
}

TEST(JitDump, AnAddressHasTheCodeOfATime) {
  DumpWriter writer;
  writer.time(100).load(0x1000, 0x40, "old", 1);
  writer.time(300).load(0x1010, 0x10, "new", 2);
  writer.time(200).load(0x1010, 0x20, "between", 3);
  JitDump dump = JitDump::parse(as_bytes(writer.bytes()));
  auto name_at = [&](uint64_t address, int64_t time_ns) {
    std::optional<uint32_t> number = dump.number_at(address, time_ns);
    return number ? std::string(dump.code_at(*number, address).function.name) : "-";
  };
  EXPECT_EQ(name_at(0x1018, 50), "old") << "compilers describe code after it has run";
  EXPECT_EQ(name_at(0x1018, 199), "old");
  EXPECT_EQ(name_at(0x1018, 200), "between");
  EXPECT_EQ(name_at(0x1018, 300), "new") << "its record came before";
  EXPECT_EQ(name_at(0x1028, 150), "old");
  EXPECT_EQ(name_at(0x1028, 400), "between");
  EXPECT_EQ(name_at(0x1000, 400), "old");
  EXPECT_EQ(name_at(0x1040, 400), "-");
}

TEST(JitDump, TimesOfTheProcessorAreNotOurs) {
  EXPECT_FALSE(JitDump::parse(as_bytes(DumpWriter(false, 1).bytes())).has_monotonic_times());
}

// 3,000 functions at the same 3,000 addresses: nine million answers are refused.
TEST(JitDump, AHistoryWithoutEndIsRefused) {
  DumpWriter writer;
  std::vector<uint64_t> asked;
  for (uint64_t i = 0; i < 3000; ++i) {
    writer.load(0x1000, 3000, "f", i);
    asked.push_back(0x1000 + i);
  }
  EXPECT_FALSE(JitDump::parse(as_bytes(writer.bytes())).histories(asked));
}

// Both files of a process; the dump comes first.
class RuntimeCode {
 public:
  explicit RuntimeCode(const RuntimeProcess& process) {
    RuntimeFile dump = open_jit_dump(process);
    RuntimeFile map = open_perf_map(process);
    dump_ = JitDump::parse(dump.file.bytes());
    map_ = TextSymbols::from_perf_map(std::string(as_text(map.file.bytes())));
    refused_ = dump.refused + map.refused;
  }
  std::optional<NamedCode> find(uint64_t address) const {
    if (std::optional<NamedCode> code = dump_.find(address)) {
      return code;
    }
    std::optional<NamedRange> function = map_.find(address);
    return function ? std::optional(NamedCode{.function = *function}) : std::nullopt;
  }
  const std::string& refused() const { return refused_; }

 private:
  JitDump dump_;
  TextSymbols map_;
  std::string refused_;
};

TEST(RuntimeCode, FilesAreKnownByTheirNames) {
  EXPECT_EQ(pid_of_perf_map("/tmp/perf-12.map"), 12);
  EXPECT_FALSE(pid_of_perf_map("/tmp/perf-.map"));
  EXPECT_FALSE(pid_of_perf_map("/tmp/perf-1x.map"));
  EXPECT_FALSE(pid_of_perf_map("/var/perf-12.map"));
  EXPECT_TRUE(is_jit_dump("/var/lib/jit-12.dump"));
  EXPECT_TRUE(is_jit_dump("jit-12.dump"));
  EXPECT_FALSE(is_jit_dump("/var/lib/jit-.dump"));
  EXPECT_FALSE(is_jit_dump("/jit-12.dump/x"));
}

TEST(RuntimeCode, TheDumpComesFirstThenTheMap) {
  testing::ScratchDir scratch;
  std::string root = scratch.file("root");
  ASSERT_EQ(::mkdir(root.c_str(), 0700), 0);
  ASSERT_EQ(::mkdir((root + "/tmp").c_str(), 0700), 0);
  testing::write_file(root + "/jit-7.dump", DumpWriter().load(0x1000, 0x20, "dumped", 1).bytes());
  testing::write_file(root + "/tmp/perf-7.map", "0x1000 40 mapped\n1000 10 mapped again\n");
  RuntimeProcess process(7, root);
  process.set_dump("/jit-7.dump");
  RuntimeCode code(process);
  EXPECT_EQ(code.find(0x1008)->function.name, "dumped");
  EXPECT_EQ(code.find(0x1028)->function.name, "mapped");
  EXPECT_FALSE(code.find(0x1040));
  EXPECT_TRUE(code.refused().empty());
  RuntimeCode map_only(RuntimeProcess(7, root));
  EXPECT_EQ(map_only.find(0x1008)->function.name, "mapped again") << "later lines win";
  EXPECT_EQ(map_only.find(0x1018)->function.name, "mapped");
}

TEST(RuntimeCode, AMapThatWasHeldOutlivesItsName) {
  testing::ScratchDir scratch;
  std::string root = scratch.file("root");
  ASSERT_EQ(::mkdir(root.c_str(), 0700), 0);
  ASSERT_EQ(::mkdir((root + "/tmp").c_str(), 0700), 0);
  std::string path = root + "/tmp/perf-7.map";
  RuntimeProcess process(7, root);
  process.hold_files();
  EXPECT_FALSE(process.held_map().valid()) << "there is none yet";
  testing::write_file(path, "1000 10 early\n");
  process.hold_files();
  std::ofstream(path, std::ios::app) << "2000 10 late\n";
  ASSERT_EQ(::unlink(path.c_str()), 0);
  RuntimeCode code(process);
  EXPECT_EQ(code.find(0x1008)->function.name, "early");
  EXPECT_EQ(code.find(0x2008)->function.name, "late");
}

TEST(RuntimeCode, ADumpIsReadAlthoughItWasRemoved) {
  testing::ScratchDir scratch;
  std::string path = scratch.file("jit-7.dump");
  testing::write_file(path, DumpWriter().load(0x1000, 0x20, "dumped", 1).bytes());
  RuntimeProcess process(7, "");
  process.set_dump(path);
  process.hold_files();
  ASSERT_EQ(::unlink(path.c_str()), 0);
  RuntimeCode code(process);
  ASSERT_TRUE(code.find(0x1008));
  EXPECT_EQ(code.find(0x1008)->function.name, "dumped");
}

TEST(RuntimeCode, FilesOfOthersAreNotBelieved) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can give files away";
  }
  testing::ScratchDir scratch;
  std::string path = scratch.file("jit-7.dump");
  testing::write_file(path, DumpWriter().load(0x1000, 0x20, "dumped", 1).bytes());
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  RuntimeProcess process(7, "");
  process.set_dump(path);
  RuntimeCode code(process);
  EXPECT_FALSE(code.find(0x1008));
  EXPECT_EQ(code.refused(), path);
}

TEST(RuntimeCode, AProcessInOurTreeHasOurNumber) {
  RuntimeProcess self = RuntimeProcess::live(::getpid());
  EXPECT_EQ(self.map_path(), fmt::format("/tmp/perf-{}.map", self.inner_pid()));
  EXPECT_EQ(self.pid(), ::getpid());
}

}  // namespace
}  // namespace wick
