// SPDX-License-Identifier: Apache-2.0
// Reads the code of this test program, of a file that plays the kernel, and of a JIT dump: the
// instructions and lines, and the messages for code that is not available.
#include "pipeline/code_reader.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "elf/symbols.h"
#include "profile/builder.h"
#include "symbolize/jit_testing.h"
#include "symbolize/kernel_testing.h"
#include "tests/support/files.h"

namespace wick {
namespace {

int known_variable = 7;

// A function with a loop, a call to itself and a variable.
extern "C" __attribute__((noinline)) int wick_code_reader_example(int depth) {
  int sum = 0;
  for (int i = 0; i < depth; ++i) {
    sum += wick_code_reader_example(i) + known_variable;
  }
  return sum;
}

class CodeReaderTest : public ::testing::Test {
 protected:
  CodeReaderTest() : path_(std::filesystem::read_symlink("/proc/self/exe")) {
    known_variable = wick_code_reader_example(1);
    file_ = open_elf(path_);
    SymbolTable symbols = SymbolTable::from(file_->image);
    for (size_t i = 0; i < symbols.size(); ++i) {
      if (symbols[i].name == "wick_code_reader_example") {
        address_ = symbols[i].address;
      }
    }
    build_id_ = hex_digits(as_text(file_->image.build_id()));
  }
  // A profile with one frame in one module.
  Profile profile(const std::string& path,
                  const std::string& build_id,
                  std::string_view function = "") {
    ProfileBuilder builder;
    ModuleId module =
        builder.module({.path = builder.string(path), .build_id = builder.string(build_id)});
    FunctionId named = function.empty()
                           ? FunctionId()
                           : builder.function({.name = builder.string(function), .module = module});
    builder.frame({.function = named, .module = module, .address = address_});
    return builder.finish();
  }
  static Result<FunctionCode> code_of(const Profile& profile, Mode mode = Mode::kUser) {
    CodeReader reader({.files = default_file_search()}, {});
    Frame frame = profile.frames[FrameId(0)];
    frame.mode = mode;
    return reader.function_at(profile, frame);
  }
  static std::string refusal(const Profile& profile, Mode mode = Mode::kUser) {
    Result<FunctionCode> code = code_of(profile, mode);
    return code ? "it was not refused" : code.error().message;
  }

  std::string path_;
  std::unique_ptr<OpenedFile> file_;
  uint64_t address_ = 0;
  std::string build_id_;
};

TEST_F(CodeReaderTest, TheFunctionIsThereWithItsLinesAndNames) {
  ASSERT_NE(address_, 0U);
  Profile recorded = profile(path_, build_id_);
  CodeReader reader({.files = default_file_search()}, {});
  Result<FunctionCode> code = reader.function_at(recorded, recorded.frames[FrameId(0)]);
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(code->name, "wick_code_reader_example");
  EXPECT_EQ(code->begin, address_);
  uint64_t at = code->begin;
  bool calls_itself = false;
  bool has_line = false;
  for (const CodeInstruction& instruction : code->instructions) {
    EXPECT_EQ(instruction.address, at) << "no gaps";
    EXPECT_EQ(instruction.bytes.size(), instruction.length);
    at += instruction.length;
    calls_itself = calls_itself ||
                   (instruction.is_call && instruction.refers_to == "wick_code_reader_example");
    const CodeChain& chain = code->chains[instruction.chain];
    has_line = has_line || (!chain.empty() && chain[0].file.ends_with("code_reader_test.cc"));
  }
  EXPECT_EQ(at, code->end);
  EXPECT_TRUE(has_line);
#if defined(__x86_64__) && !defined(__OPTIMIZE__)
  EXPECT_TRUE(calls_itself);
  EXPECT_TRUE(std::ranges::any_of(code->instructions, [](const CodeInstruction& instruction) {
    return instruction.refers_to.contains("known_variable");
  })) << "operands are named";
#endif
}

// Whether a source is newer depends on the last requested program, not on the first one.
TEST_F(CodeReaderTest, SourcesAreSeenFromTheModuleThatWasAskedForLast) {
  testing::ScratchDir scratch;
  std::string old_copy = scratch.file("program");
  std::string source = scratch.file("a.cc");
  std::ofstream(source) << "one\n";
  std::filesystem::copy_file(path_, old_copy);
  auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(old_copy, now - std::chrono::years(30));
  std::filesystem::last_write_time(source, now - std::chrono::years(20));
  Profile of_old = profile(old_copy, build_id_);
  Profile of_this = profile(path_, build_id_);
  CodeReader reader({.files = default_file_search()}, {});
  reader.locations_at(of_old, of_old.frames[FrameId(0)]);
  EXPECT_TRUE(reader.source(source).is_newer);
  reader.locations_at(of_this, of_this.frames[FrameId(0)]);
  EXPECT_FALSE(reader.source(source).is_newer);
}

TEST_F(CodeReaderTest, AnotherBuildIsRefused) {
  if (build_id_.empty()) {
    GTEST_SKIP() << "the linker writes no build id here";
  }
  std::string other = build_id_;
  other[0] = other[0] == 'a' ? 'b' : 'a';
  EXPECT_TRUE(refusal(profile(path_, other)).contains("is not the recorded file: its build id"));
}

TEST_F(CodeReaderTest, WithoutABuildIdTheNameMustFit) {
  EXPECT_TRUE(code_of(profile(path_, "", "wick_code_reader_example")));
  EXPECT_TRUE(
      refusal(profile(path_, "", "another_function")).contains("the recording another_function"));
}

TEST_F(CodeReaderTest, WhatIsNotHereIsNamed) {
  EXPECT_TRUE(refusal(profile("/absent/lib.so", "")).contains("/absent/lib.so was not found"));
  EXPECT_TRUE(refusal(profile("/tmp/perf-12.map", "")).contains("at run time"));
  std::string other_kernel = hex_digits("no such kernel ever.");
  EXPECT_TRUE(
      refusal(profile("[kernel.kallsyms]", other_kernel), Mode::kKernel).contains("debug package"));
  address_ = 0xFFFFFFFFFF;
  EXPECT_TRUE(refusal(profile(path_, build_id_)).contains("has no function at 0xffffffffff"));
}

// The file that plays the kernel (symbolize/kernel_testing.h), and its memory, at another address.
class KernelCodeTest : public ::testing::Test {
 protected:
  KernelCodeTest() {
    testing::write_file(scratch_.file("kallsyms"),
                        "ffffffff9a000000 T _text\n"
                        "ffffffff9a000800 T outer\n"
                        "ffffffff9a000900 T _etext\n");
    ProfileBuilder builder;
    ModuleId module = builder.module({.path = builder.string("[kernel.kallsyms]"),
                                      .build_id = builder.string(hex_digits(kBuildId))});
    builder.frame({.module = module,
                   .address = testing::kLinkedOuter - testing::kLinkedText + 0x24,
                   .mode = Mode::kKernel});
    profile_ = builder.finish();
  }
  Result<FunctionCode> code() {
    FileSearch search;
    search.debug_dirs = {scratch_.file("")};
    CodeReader reader({.files = search, .kallsyms = scratch_.file("kallsyms")}, {});
    return reader.function_at(profile_, profile_.frames[FrameId(0)]);
  }
  static void expect_outer(const FunctionCode& code) {
    EXPECT_EQ(code.name, "outer");
    EXPECT_EQ(code.begin, 0x800U);
    EXPECT_EQ(code.end, 0x900U);
    ASSERT_GT(code.instructions.size(), 0x24U);
    EXPECT_TRUE(code.instructions[0].is_call);
    EXPECT_EQ(code.instructions[0].address, 0x800U);
    EXPECT_EQ(code.instructions[0].refers_to, "outer");
    EXPECT_EQ(code.instructions[1].text, "nop");
  }

  static constexpr std::string_view kBuildId = "a kernel of our own.";
  testing::ScratchDir scratch_;
  Profile profile_;
};

TEST_F(KernelCodeTest, ItsImageHasCodeAndLines) {
  testing::write_file(scratch_.file("vmlinux"), testing::kernel_elf(std::string(kBuildId)));
  Result<FunctionCode> found = code();
  ASSERT_TRUE(found) << found.error().message;
  expect_outer(*found);
  for (const CodeInstruction& instruction : found->instructions) {
    if (instruction.address == 0x824) {
      const CodeChain& chain = found->chains[instruction.chain];
      ASSERT_EQ(chain.size(), 3U);
      EXPECT_EQ(chain[0].function, "shared_name");
      EXPECT_EQ(chain[2].function, "outer");
      EXPECT_EQ(chain[2].line, 200U);
    }
  }
  ASSERT_EQ(found->notes.size(), 1U);
  EXPECT_TRUE(found->notes[0].contains("patches its code"));
}

TEST_F(KernelCodeTest, WithoutAnImageItsMemoryHasTheCode) {
  testing::ElfWriter memory;
  memory.type = ET_CORE;
  uint32_t text = memory.add({.name = "text",
                              .contents = std::string(0x800, '\xcc') + testing::outer_code(),
                              .address = 0xffffffff9a000000});
  memory.load_section(text, PF_R | PF_X);
  std::string bytes = memory.bytes();
  testing::write_file(scratch_.file("kcore"), bytes);
  Result<FunctionCode> found = code();
  ASSERT_TRUE(found) << found.error().message;
  expect_outer(*found);
  ASSERT_EQ(found->notes.size(), 1U);
  EXPECT_TRUE(found->notes[0].contains("kcore"));
  for (size_t size : {size_t{0}, size_t{63}, size_t{100}, size_t{0x800}}) {
    testing::write_file(scratch_.file("kcore"), bytes.substr(0, size));
    EXPECT_FALSE(code()) << size;
  }
}

// The code in the module's file is not relocated yet: instructions come from memory, lines from the
// file.
TEST_F(KernelCodeTest, ModulesHaveLinesFromTheirFile) {
  constexpr uint64_t kStart = 0xffffffffc0200000;
  testing::write_file(scratch_.file("fake.ko"), testing::module_elf("a module of our own."));
  testing::write_file(scratch_.file("modules"), "fake 4096 0 - Live 0xffffffffc0200000\n");
  testing::write_file(scratch_.file("kallsyms"),
                      "ffffffff9a000000 T _text\nffffffff9a000900 T _etext\n"
                      "ffffffffc0200000 t first\t[fake]\nffffffffc0200040 t outer\t[fake]\n"
                      "ffffffffc0200140 t last\t[fake]\n");
  testing::ElfWriter memory;
  memory.type = ET_CORE;
  std::string code = std::string(testing::kModuleOuter, '\xcc') + testing::outer_code();
  memory.load_section(memory.add({.name = "text", .contents = code, .address = kStart}), PF_X);
  testing::write_file(scratch_.file("kcore"), memory.bytes());
  ProfileBuilder builder;
  ModuleId module = builder.module({.path = builder.string(scratch_.file("fake.ko"))});
  builder.frame({.module = module, .address = 0x64, .mode = Mode::kKernel});
  profile_ = builder.finish();
  Result<FunctionCode> found = this->code();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->name, "outer");
  EXPECT_EQ(found->instructions[0].refers_to, "outer");
  auto at = std::ranges::find(found->instructions, 0x64U, &CodeInstruction::address);
  ASSERT_NE(at, found->instructions.end());
  ASSERT_EQ(found->chains[at->chain].size(), 3U);
  EXPECT_EQ(found->chains[at->chain][2].line, 200U);
}

TEST_F(KernelCodeTest, WithNeitherItSaysWhatWouldHelp) {
  testing::write_file(scratch_.file("vmlinux"), testing::kernel_elf("of some other build."));
  Result<FunctionCode> found = code();
  ASSERT_FALSE(found);
  EXPECT_TRUE(found.error().message.contains("kcore cannot be read"));
  EXPECT_TRUE(found.error().message.contains("debug package"));
}

// Two functions at one address, one after the other; the second has no lines.
class GeneratedCodeTest : public ::testing::Test {
 protected:
  GeneratedCodeTest() {
    testing::write_file(
        dump_,
        testing::DumpWriter()
            .lines(0x50000, {{0x50000, 10, "a.js"}, {0x50005, 12, "a.js"}})
            .load(0x50000, 0x10, "old_code", 1, std::string("\xe8\xfb\xff\xff\xff", 5))
            .load(0x51000, 0x10, "callee", 2)
            .load(0x50000, 0x10, "new_code", 3, std::string("\xe8\xfb\x0f\x00\x00\xc3", 6))
            .bytes());
  }
  Profile profile(std::string_view function, bool knows_dump) {
    ProfileBuilder builder;
    ModuleId module = builder.module({.path = builder.string("/tmp/perf-7.map")});
    FunctionId named =
        function.empty()
            ? FunctionId()
            : builder.function(
                  {.name = builder.string(function), .module = module, .address = 0x50000});
    builder.frame({.function = named,
                   .module = module,
                   .address = 0x50006,
                   .mode = Mode::kUser,
                   .flags = kJit});
    if (knows_dump) {
      builder.process({.pid = 7, .jit_dump = builder.string(dump_)});
    }
    return builder.finish();
  }
  static Result<FunctionCode> code_of(const Profile& profile) {
    CodeReader reader({}, {});
    return reader.function_at(profile, profile.frames[FrameId(0)]);
  }

  testing::ScratchDir scratch_;
  std::string dump_ = scratch_.file("jit-7.dump");
};

TEST_F(GeneratedCodeTest, CodeThatWasReplacedIsShownWithItsLines) {
  Result<FunctionCode> code = code_of(profile("old_code", true));
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(code->name, "old_code");
  EXPECT_EQ(code->end - code->begin, 0x10U);
  EXPECT_EQ(code->instructions[0].refers_to, "old_code") << "it calls itself";
  const CodeChain& chain = code->chains[code->instructions[1].chain];
  ASSERT_EQ(chain.size(), 1U);
  EXPECT_EQ(chain[0].function, "old_code");
  EXPECT_EQ(chain[0].file, "a.js");
  EXPECT_EQ(chain[0].line, 12U);
  EXPECT_TRUE(code->notes.empty());
}

TEST_F(GeneratedCodeTest, AnAddressAloneMeansWhatWasLoadedLast) {
  Result<FunctionCode> code = code_of(profile("", true));
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(code->name, "new_code");
  EXPECT_EQ(code->instructions[0].refers_to, "callee");
  ASSERT_EQ(code->notes.size(), 1U);
  EXPECT_TRUE(code->notes[0].contains("has no lines"));
}

TEST_F(GeneratedCodeTest, WhatIsNotInADumpIsRefused) {
  EXPECT_TRUE(code_of(profile("old_code", false)).error().message.contains("in memory only"));
  EXPECT_FALSE(code_of(profile("another_function", true)));
  Profile recorded = profile("old_code", true);
  std::filesystem::remove(dump_);
  EXPECT_TRUE(code_of(recorded).error().message.contains("was not found"));
}

}  // namespace
}  // namespace wick
