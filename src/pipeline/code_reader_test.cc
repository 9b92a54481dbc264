// The code of this very program: what it has, and what is refused.
#include "pipeline/code_reader.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "elf/symbols.h"
#include "profile/builder.h"
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
  EXPECT_TRUE(refusal(profile("/absent/lib.so", "")).contains("/absent/lib.so is not here"));
  EXPECT_TRUE(refusal(profile("/tmp/perf-12.map", "")).contains("at run time"));
  EXPECT_TRUE(refusal(profile("[kernel.kallsyms]", ""), Mode::kKernel).contains("kcore"));
  address_ = 0xFFFFFFFFFF;
  EXPECT_TRUE(refusal(profile(path_, build_id_)).contains("has no function at 0xffffffffff"));
}

}  // namespace
}  // namespace wick
