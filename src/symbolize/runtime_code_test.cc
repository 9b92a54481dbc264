// Names of generated code: dumps as run-time compilers write them, maps, and whose they are.
#include "symbolize/runtime_code.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/files.h"

namespace wick {
namespace {

template <typename T>
std::string bytes_of(T number, bool swapped) {
  std::string bytes(reinterpret_cast<const char*>(&number), sizeof number);
  return swapped ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

// Writes a jitdump in either byte order.
class DumpWriter {
 public:
  explicit DumpWriter(bool swapped = false) : swapped_(swapped) {
    bytes_ = u32(0x4A695444) + u32(1) + u32(40) + u32(62) + u32(0) + u32(7) + u64(0) + u64(0);
  }
  DumpWriter& load(uint64_t start, uint64_t size, std::string_view name, uint64_t number) {
    return record(0,
                  u32(7) + u32(7) + u64(start) + u64(start) + u64(size) + u64(number) +
                      std::string(name) + '\0' + std::string(size, '\x90'));
  }
  DumpWriter& move(uint64_t from, uint64_t to, uint64_t size, uint64_t number) {
    return record(1, u32(7) + u32(7) + u64(to) + u64(from) + u64(to) + u64(size) + u64(number));
  }
  struct Line {
    uint64_t address;
    uint32_t line;
    std::string_view file;
  };
  DumpWriter& lines(uint64_t start, std::initializer_list<Line> lines) {
    std::string body = u64(start) + u64(lines.size());
    for (const Line& line : lines) {
      body += u64(line.address) + u32(line.line) + u32(0) + std::string(line.file) + '\0';
    }
    return record(2, body);
  }
  DumpWriter& record(uint32_t id, const std::string& body) {
    bytes_ += u32(id) + u32(static_cast<uint32_t>(16 + body.size())) + u64(99) + body;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string u32(uint32_t number) const { return bytes_of(number, swapped_); }
  std::string u64(uint64_t number) const { return bytes_of(number, swapped_); }

  bool swapped_;
  std::string bytes_;
};

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
