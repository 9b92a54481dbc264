// SPDX-License-Identifier: Apache-2.0
#include "viewer/page_code.h"

#include <gtest/gtest.h>

#include "profile/builder.h"
#include "profile/interpreted_testing.h"

namespace wick {
namespace {

// host (code at 0x100, lines 10 to 12 of a.cc) with leaf inlined at 0x104.
class MadeUpCode : public CodeSource {
 public:
  Result<FunctionCode> function_at(const Profile&, const Frame& frame) override {
    if (frame.address >= 0x200) {
      return fail("no code here");
    }
    FunctionCode code{.name = "host", .file = "/bin/p", .begin = 0x100, .end = 0x108};
    code.chains = {{}, {{"host", "a.cc", 10}}, {{"leaf", "leaf.h", 77}, {"host", "a.cc", 12}}};
    code.instructions = {
        {.address = 0x100, .length = 4, .text = "push", .chain = 1},
        {.address = 0x104, .length = 4, .text = "call", .refers_to = "other", .chain = 2}};
    return code;
  }
  CodeChain locations_at(const Profile&, const Frame&) override { return {}; }
  const SourceText& source(const std::string& file) override {
    asked = file;
    return file == "a.cc" ? text_ : none_;
  }
  std::string asked;

 private:
  SourceText text_{.path = "/src/a.cc", .lines = std::vector<std::string>(14, "text")};
  SourceText none_;
};

TEST(PageCode, TheHottestFunctionsGetTheirText) {
  ProfileBuilder builder;
  builder.event({.name = builder.string("cycles"), .unit = builder.string("cycles")});
  auto frame = [&](const char* name, const char* file, uint64_t address, uint8_t flags) {
    FunctionId function =
        builder.function({.name = builder.string(name), .file = builder.string(file)});
    return builder.frame({.function = function, .address = address, .flags = flags});
  };
  StackId host = builder.stack(kEmptyStack, frame("host", "a.cc", 0x104, 0));
  StackId leaf = builder.stack(host, frame("leaf", "leaf.h", 0x104, kInlined));
  StackId gone = builder.stack(kEmptyStack, frame("gone", "", 0x200, 0));
  builder.add_sample({.count = 3, .stack = leaf});
  builder.add_sample({.count = 9, .stack = gone});
  Profile profile = builder.finish();
  MadeUpCode source;
  std::vector<PageCode> code = hottest_code(profile, source);
  // "gone" is first and has a note instead of code; "leaf" has neither code nor source.
  ASSERT_EQ(code.size(), 2U);
  EXPECT_EQ(code[0].note, "no code here");
  EXPECT_TRUE(code[0].instructions.empty());
  code.erase(code.begin());
  EXPECT_EQ(code[0].function, profile.frames[profile.stacks.frame(host)].function);
  EXPECT_EQ(code[0].address, 0x100U);
  ASSERT_EQ(code[0].instructions.size(), 2U);
  EXPECT_EQ(code[0].instructions[1].text, "call  # other");
  EXPECT_EQ(code[0].instructions[1].offset, 4U);
  EXPECT_EQ(code[0].instructions[1].line, 12U);  // the line in host, not in leaf
  EXPECT_EQ(code[0].first_line, 6U);
  EXPECT_EQ(code[0].lines.size(), 9U);  // up to the end of the file
}

TEST(PageCode, TheKernelsCodeStaysOut) {
  ProfileBuilder builder;
  builder.event({.name = builder.string("cycles"), .unit = builder.string("cycles")});
  FunctionId function = builder.function({.name = builder.string("host")});
  FrameId frame = builder.frame({.function = function, .address = 0x104, .mode = Mode::kKernel});
  builder.add_sample({.count = 3, .stack = builder.stack(kEmptyStack, frame)});
  Profile profile = builder.finish();
  MadeUpCode source;
  std::vector<PageCode> code = hottest_code(profile, source);
  ASSERT_EQ(code.size(), 1U);
  EXPECT_TRUE(code[0].instructions.empty());
  EXPECT_FALSE(code[0].note.empty());
}

// From the first line of the function, with a few around.
TEST(PageCode, AFunctionOfPythonHasItsSource) {
  class Script : public MadeUpCode {
    const SourceText& source(const std::string& file) override {
      asked = file;
      return text_;
    }
    SourceText text_{.path = "/srv/app.py", .lines = std::vector<std::string>(40, "text")};
  };
  Script source;
  Profile profile = testing::interpreted_profile("main;@;load:20!;read 3\nmain;@;load:22! 9\n");
  std::vector<PageCode> code = hottest_code(profile, source);
  auto load = std::ranges::find(code, std::string("/srv/app.py"), &PageCode::file);
  ASSERT_NE(load, code.end());
  EXPECT_EQ(load->first_line, 1);
  EXPECT_EQ(load->lines.size(), 26);
  EXPECT_TRUE(load->instructions.empty());
  EXPECT_EQ(load->note, "");
}

}  // namespace
}  // namespace wick
