// SPDX-License-Identifier: Apache-2.0
// Real stacks of all supported processors: testdata/dump_stack.c is built for each. It prints its
// registers, stack and mappings together with the true callers, and this test unwinds the output.
// AArch64 runs under qemu, with signed return addresses. Targets whose tools are missing are
// skipped.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/parse_number.h"
#include "elf/testing.h"
#include "tests/support/files.h"
#include "unwind/testing.h"

namespace wick {
namespace {

using testing::ElfWriter;
using testing::load_elf;
using testing::LoadedFile;
using testing::ScratchDir;
using testing::source_path;

bool is_installed(const std::string& program) {
  return std::system(fmt::format("command -v {} > /dev/null 2>&1", program).c_str()) == 0;
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  char buffer[4096];
  size_t size = 0;
  while (pipe != nullptr && (size = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0) {
    text.append(buffer, size);
  }
  if (pipe != nullptr) {
    ::pclose(pipe);
  }
  return text;
}

uint64_t hex(const std::string& text) {
  return std::strtoull(text.c_str(), nullptr, 16);
}
std::string unhex(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<char>(hex(std::string(text.substr(i, 2)))));
  }
  return bytes;
}

// The content of one "case" of the program's output.
struct Dump {
  std::string name;
  UnwindRegisters registers;
  std::vector<uint64_t> truth;
  std::vector<std::string> maps;
  std::map<uint64_t, std::string> code;
  std::string stack;
};

std::vector<Dump> parse(const std::string& output) {
  std::vector<Dump> dumps;
  for (size_t at = 0; at < output.size();) {
    size_t end = std::min(output.find('\n', at), output.size());
    std::string line = output.substr(at, end - at);
    at = end + 1;
    size_t blank = line.find(' ');
    std::string word = line.substr(0, blank);
    std::string rest = blank == std::string::npos ? "" : line.substr(blank + 1);
    std::string second = rest.substr(std::min(rest.find(' '), rest.size()));
    if (word == "case") {
      dumps.push_back({.name = rest});
    } else if (dumps.empty()) {
      continue;
    } else if (word == "reg") {
      dumps.back().registers.set(std::strtoul(rest.c_str(), nullptr, 10), hex(second));
    } else if (word == "truth") {
      dumps.back().truth.push_back(hex(rest));
    } else if (word == "map") {
      dumps.back().maps.push_back(rest);
    } else if (word == "code") {
      dumps.back().code[hex(rest)] = unhex(second.substr(1));
    } else if (word == "stack") {
      dumps.back().stack = unhex(rest);
    }
  }
  return dumps;
}

// The executable mappings of a dump.
class DumpModules {
 public:
  // Without `vdso_bytes`, the vdso is like that of another machine: its bytes are not available.
  DumpModules(const Dump& dump, UnwindArch arch, bool vdso_bytes) {
    for (const std::string& map : dump.maps) {
      unsigned long long begin = 0;
      unsigned long long end = 0;
      unsigned long long offset = 0;
      char flags[5] = {};
      int path_at = 0;
      std::sscanf(
          map.c_str(), "%llx-%llx %4s %llx %*s %*s %n", &begin, &end, flags, &offset, &path_at);
      if (flags[2] != 'x') {
        continue;
      }
      std::string path = map.substr(static_cast<size_t>(path_at));
      auto bytes = vdso_bytes ? dump.code.find(begin) : dump.code.end();
      if (path.starts_with('/')) {
        add_file(begin, end, offset, path);
      } else if (bytes != dump.code.end()) {
        add_memory(begin, end, bytes->second, arch);
      } else {
        list_.add({begin, end, 0, nullptr, true});
      }
    }
  }
  const ModuleLookup& lookup() const { return list_; }

 private:
  void add_file(uint64_t begin, uint64_t end, uint64_t offset, const std::string& path) {
    std::unique_ptr<LoadedFile> file = load_elf(path);
    ASSERT_NE(file, nullptr);
    uint64_t bias = file->image->load_bias({begin, end - begin, offset}).value_or(0);
    list_.add({begin, end, bias, &file->table});
    files_.push_back(std::move(file));
  }

  // The vdso is a complete ELF file; qemu's signal return stub is bare code and gets a file around
  // it.
  void add_memory(uint64_t begin, uint64_t end, const std::string& bytes, UnwindArch arch) {
    bool is_elf = bytes.starts_with(
        "\x7F"
        "ELF");
    kept_.push_back(std::make_unique<std::string>(bytes));
    if (!is_elf) {
      ElfWriter writer;
      writer.machine = arch == UnwindArch::kAarch64 ? EM_AARCH64 : EM_X86_64;
      uint32_t text = writer.add({.name = ".text",
                                  .contents = bytes,
                                  .flags = SHF_ALLOC | SHF_EXECINSTR,
                                  .address = begin});
      writer.load_section(text, PF_R | PF_X);
      *kept_.back() = writer.bytes();
    }
    Result<ElfImage> image = ElfImage::parse(as_bytes(*kept_.back()));
    ASSERT_TRUE(image.has_value());
    auto file = std::make_unique<LoadedFile>();
    file->image = std::make_unique<ElfImage>(std::move(*image));
    file->table = UnwindTable::compile(*file->image);
    uint64_t bias = is_elf ? file->image->load_bias({begin, end - begin, 0}).value_or(0) : 0;
    list_.add({begin, end, bias, &file->table});
    files_.push_back(std::move(file));
  }

  testing::ModuleList list_;
  std::vector<std::unique_ptr<LoadedFile>> files_;
  std::vector<std::unique_ptr<std::string>> kept_;
};

struct Target {
  const char* name;
  UnwindArch arch;
  const char* compiler;
  const char* flags;
  const char* runner;
};

void PrintTo(const Target& target, std::ostream* out) {  // NOLINT: googletest's name
  *out << target.name;
}

// The true addresses must be among the frames, in order and, except for signals, without gaps.
void expect_truth(const Dump& dump, const std::vector<UnwoundFrame>& frames) {
  size_t at = 0;
  size_t first = 0;
  size_t last = 0;
  for (size_t i = 0; i < frames.size() && at < dump.truth.size(); ++i) {
    if (frames[i].address == dump.truth[at]) {
      first = at == 0 ? i : first;
      last = i;
      ++at;
    }
  }
  EXPECT_EQ(at, dump.truth.size());
  if (at > 0 && dump.name != "signal") {
    EXPECT_EQ(last - first + 1, dump.truth.size());
  }
}

void check(const Dump& dump, const Target& target, bool vdso_bytes) {
  SCOPED_TRACE(dump.name);
  DumpModules modules(dump, target.arch, vdso_bytes);
  UnwindInput input{
      .arch = target.arch, .registers = dump.registers, .stack = as_bytes(dump.stack)};
  input.stack_goes_on = false;
  UnwindCache cache;
  std::vector<UnwoundFrame> frames;
  StackEnd end = unwind_stack(input, modules.lookup(), cache, frames);
  std::string text;
  for (const UnwoundFrame& frame : frames) {
    text += fmt::format(" {:x}", frame.address);
  }
  SCOPED_TRACE(text);
  EXPECT_EQ(static_cast<int>(end), static_cast<int>(StackEnd::kComplete));
  expect_truth(dump, frames);
  bool signal = dump.name.ends_with("signal");
  EXPECT_EQ(std::ranges::count(frames, FrameSource::kInterrupted, &UnwoundFrame::source),
            signal ? 1 : 0);
  EXPECT_EQ(std::ranges::count(frames, FrameSource::kFramePointer, &UnwoundFrame::source), 0);
}

class ForeignStack : public ::testing::TestWithParam<Target> {};

TEST_P(ForeignStack, IsUnwoundToTheStart) {
  const Target& target = GetParam();
  if (!is_installed(target.compiler)) {
    GTEST_SKIP() << target.compiler << " is not installed";
  }
  std::string runner = target.runner;
  if (!runner.empty() && !is_installed(runner.substr(0, runner.find(' ')))) {
    GTEST_SKIP() << runner << " is not installed";
  }
  ScratchDir scratch;
  std::string program = scratch.file("dump_stack");
  std::string build = fmt::format("{} {} '{}' -o '{}' 2>&1",
                                  target.compiler,
                                  target.flags,
                                  source_path("src/unwind/testdata/dump_stack.c"),
                                  program);
  std::string said = output_of(build);
  std::vector<Dump> dumps = parse(output_of(fmt::format("{} '{}'", runner, program)));
  if (dumps.empty()) {
    GTEST_SKIP() << "cannot be built or run here: " << said;
  }
  ASSERT_EQ(dumps.size(), 5U);
  for (const Dump& dump : dumps) {
    check(dump, target, true);
    check(dump, target, false);
  }
}

constexpr const char* kQemu = "qemu-aarch64 -cpu max -L /usr/aarch64-linux-gnu";
INSTANTIATE_TEST_SUITE_P(
    All,
    ForeignStack,
    ::testing::Values(
        Target{"x86_64", UnwindArch::kX86_64, "gcc", "-O2", ""},
        Target{"x86_64_lld", UnwindArch::kX86_64, "clang", "-O2 -fuse-ld=lld", ""},
        Target{"x86_64_mold", UnwindArch::kX86_64, "gcc", "-O2 -fuse-ld=mold", ""},
        Target{"x86_64_debug_frame",
               UnwindArch::kX86_64,
               "gcc",
               "-O2 -g -fno-asynchronous-unwind-tables",
               ""},
        Target{"x86", UnwindArch::kX86, "i686-linux-gnu-gcc", "-O2 -static", ""},
        Target{"x86_pic", UnwindArch::kX86, "i686-linux-gnu-gcc", "-O1 -static-pie -fPIE", ""},
        Target{"aarch64", UnwindArch::kAarch64, "aarch64-linux-gnu-gcc", "-O2", kQemu},
        Target{
            "aarch64_static", UnwindArch::kAarch64, "aarch64-linux-gnu-gcc", "-O2 -static", kQemu},
        Target{"aarch64_signed",
               UnwindArch::kAarch64,
               "aarch64-linux-gnu-gcc",
               "-O2 -mbranch-protection=standard",
               kQemu},
        Target{"aarch64_no_frame_pointer",
               UnwindArch::kAarch64,
               "aarch64-linux-gnu-gcc",
               "-Os -fomit-frame-pointer -static",
               kQemu}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace wick
