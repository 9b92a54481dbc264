// SPDX-License-Identifier: Apache-2.0
// Frames with addresses go in; frames with lines and inlined functions come out.
#include "pipeline/inlining.h"

#include <gtest/gtest.h>

#include "elf/dwarf_testing.h"
#include "pipeline/naming.h"
#include "profile/builder.h"
#include "profile/dump.h"
#include "profile/names.h"
#include "profile/validate.h"
#include "tests/support/files.h"

namespace wick {
namespace {

class InliningTest : public ::testing::Test {
 protected:
  InliningTest() : path_(scratch_.file("program")) {
    testing::write_file(path_, testing::inlined_program(4).elf());
  }
  // Each stack is a list of addresses, the caller first.
  Profile profile(const std::vector<std::vector<uint64_t>>& stacks) const {
    ProfileBuilder builder;
    builder.event({.name = builder.string("samples"), .unit = builder.string("samples")});
    ModuleId module = builder.module({.path = builder.string(path_)});
    for (const std::vector<uint64_t>& addresses : stacks) {
      StackId stack = kEmptyStack;
      for (uint64_t address : addresses) {
        stack = builder.stack(
            stack, builder.frame({.module = module, .address = address, .mode = Mode::kUser}));
      }
      builder.add_sample({.stack = stack});
    }
    return builder.finish();
  }
  // The stacks without the path of the program.
  std::string named(const std::vector<std::vector<uint64_t>>& stacks, bool inlines) const {
    Profile named = with_names(profile(stacks), {.inlines = inlines});
    EXPECT_TRUE(validate(named));
    std::string text = dump(named);
    for (size_t at = text.find(path_); at != std::string::npos; at = text.find(path_)) {
      text.replace(at, path_.size(), "P");
    }
    return text;
  }

  testing::ScratchDir scratch_;
  std::string path_;
};

TEST_F(InliningTest, InlinedFunctionsBecomeFrames) {
  std::string text = named({{0x1004, 0x1024}}, true);
  EXPECT_NE(text.find("outer@P+0x1004 /src/a.c:10 column=1{user};"
                      "outer@P+0x1024 /src/a.c:200 column=7{user};"
                      "middle@P+0x1024 /src/inc/b.h:30{inlined};"
                      "shared_name@P+0x1024 /src/inc/b.h:50 column=2{inlined}"),
            std::string::npos)
      << text;
}

// A function may have lines of several files: `#line`, an .inc file, generated code.
TEST_F(InliningTest, ALineIsInItsOwnFile) {
  Profile after = with_names(profile({{0x1024}, {0x1044}}), {});
  ASSERT_TRUE(validate(after));
  std::vector<std::string> lines;
  std::vector<bool> has_own_file;
  for (size_t row : {0U, 1U}) {
    const Frame& frame = after.frames[after.stacks.frame(after.samples.stack[row])];
    lines.push_back(fmt::format("{}:{}", after.strings[line_file(after, frame)], frame.line));
    has_own_file.push_back(!frame.file.empty());
    EXPECT_EQ(after.strings[after.functions[frame.function].file], "/src/inc/b.h");
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"/src/inc/b.h:50", "/src/a.c:12"}));
  EXPECT_EQ(has_own_file, (std::vector<bool>{false, true})) << "only where it differs";
}

TEST_F(InliningTest, NamesMadeFromAddressesAreReplaced) {
  for (bool is_made_up : {true, false}) {
    Profile before = profile({{0x1024}});
    StringInterner strings(std::move(before.strings));
    Frame& frame = before.frames[FrameId::from_index(0)];
    frame.function =
        before.functions.push_back({.name = strings.intern("program+0x1000"),
                                    .module = frame.module,
                                    .flags = static_cast<uint8_t>(is_made_up ? kMadeUpName : 0)});
    before.strings = strings.release();
    std::string text = dump(with_names(std::move(before), {.again = true}));
    EXPECT_EQ(text.find("outer@") != std::string::npos, is_made_up) << text;
  }
}

TEST_F(InliningTest, NothingHappensWhenNotAsked) {
  std::string text = named({{0x1004, 0x1024}}, false);
  EXPECT_NE(text.find("program+0x1004{user};"), std::string::npos) << text;
  EXPECT_EQ(text.find("middle"), std::string::npos) << text;
}

TEST_F(InliningTest, LinesAndInlinedFunctionsComeLater) {
  std::vector<std::vector<uint64_t>> stacks = {{0x1004, 0x1024}, {0x1044}};
  Profile late = with_names(profile(stacks), {.inlines = false});
  std::vector<NamedModule> modules;
  late = with_names(std::move(late), {.again = true}, &modules);
  ASSERT_TRUE(validate(late));
  EXPECT_EQ(dump(late), dump(with_names(profile(stacks), {})));
  ASSERT_EQ(modules.size(), 1U);
  EXPECT_EQ(modules[0].addresses, 3U);
  EXPECT_EQ(modules[0].binary, path_);
  // A second naming changes nothing.
  std::string before = dump(late);
  EXPECT_EQ(dump(with_names(std::move(late), {.again = true})), before);
}

TEST_F(InliningTest, NamesFromElsewhereAreNotOverruled) {
  Profile before = profile({{0x1024}});
  StringInterner strings(std::move(before.strings));
  Frame& frame = before.frames[FrameId::from_index(0)];
  frame.function = before.functions.push_back(
      {.name = strings.intern("something else"), .module = frame.module});
  before.strings = strings.release();
  std::string text = dump(before);
  EXPECT_EQ(dump(with_names(std::move(before), {.again = true})), text);
}

TEST_F(InliningTest, StacksThatShareCallersStillDo) {
  Profile before = profile({{0x1004, 0x1024}, {0x1004, 0x1044}, {0x1004}, {}});
  Profile after = with_names(before, {});
  ASSERT_TRUE(validate(after));
  ASSERT_EQ(after.samples.size(), 4U);
  StackId caller = after.samples.stack[2];
  EXPECT_EQ(after.stacks.parent(caller), kEmptyStack);
  EXPECT_EQ(after.samples.stack[3], kEmptyStack);
  // Above the caller: outer, middle, leaf in both.
  for (size_t row : {0U, 1U}) {
    StackId stack = after.samples.stack[row];
    for (int depth = 0; depth < 3; ++depth) {
      stack = after.stacks.parent(stack);
    }
    EXPECT_EQ(stack, caller);
  }
}

// Enough addresses for several batches and all cores; the result must be the same as one by one.
TEST_F(InliningTest, ManyAddressesGiveWhatEachGivesAlone) {
  std::vector<std::vector<uint64_t>> stacks;
  for (uint64_t address = 0x1000; address < 0x1100; ++address) {
    stacks.push_back({address});
  }
  Profile all = with_names(profile(stacks), {});
  for (size_t row = 0; row < stacks.size(); row += 17) {
    Profile one = with_names(profile({stacks[row]}), {});
    StackId a = all.samples.stack[row];
    StackId b = one.samples.stack[0];
    while (a != kEmptyStack && b != kEmptyStack) {
      const Frame& x = all.frames[all.stacks.frame(a)];
      const Frame& y = one.frames[one.stacks.frame(b)];
      EXPECT_EQ(all.strings[all.functions[x.function].name],
                one.strings[one.functions[y.function].name]);
      EXPECT_EQ(x.line, y.line);
      a = all.stacks.parent(a);
      b = one.stacks.parent(b);
    }
    EXPECT_EQ(a, b);
  }
}

}  // namespace
}  // namespace wick
