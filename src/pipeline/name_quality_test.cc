// SPDX-License-Identifier: Apache-2.0
// Which modules have no names, and what the messages say about them.
#include "pipeline/name_quality.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "elf/dwarf_testing.h"
#include "pipeline/naming.h"
#include "profile/builder.h"
#include "tests/support/files.h"

namespace wick {
namespace {

Profile one_sample(const std::string& path, uint64_t address) {
  ProfileBuilder builder;
  builder.event({.name = builder.string("samples"), .unit = builder.string("samples")});
  ModuleId module = builder.module({.path = builder.string(path)});
  FrameId frame = builder.frame({.module = module, .address = address, .mode = Mode::kUser});
  builder.add_sample({.count = 3, .stack = builder.stack(kEmptyStack, frame)});
  return builder.finish();
}

TEST(NameQuality, AFileThatIsNotHere) {
  std::vector<MissingNames> missing =
      modules_without_names(one_sample("/not/here/prog", 0x1000), {});
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].module, "/not/here/prog");
  EXPECT_EQ(missing[0].samples, 3U);
  EXPECT_EQ(missing[0].what, "names and lines");
  EXPECT_EQ(missing[0].why, "the file was not found");
  EXPECT_NE(missing[0].searched.find("/not/here/prog"), std::string::npos);
}

TEST(NameQuality, DebugInformationThatWasNotUsed) {
  testing::ScratchDir scratch;
  std::string path = scratch.file("program");
  testing::write_file(path, testing::inlined_program(4).elf());
  std::vector<MissingNames> missing = modules_without_names(one_sample(path, 0x1024), {});
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].why, "the profile was made without them");
  EXPECT_TRUE(modules_without_names(with_names(one_sample(path, 0x1024), {}), {}).empty());
}

TEST(NameQuality, DebugInformationOfOtherCodeWouldNotHelp) {
  testing::ScratchDir scratch;
  std::string path = scratch.file("program");
  testing::write_file(path, testing::inlined_program(4).elf());
  std::vector<MissingNames> missing = modules_without_names(one_sample(path, 0x90'0000), {});
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].why, "the file's debug information does not describe this code");
  EXPECT_EQ(missing[0].remedy.find("wick symbolize"), std::string::npos);
}

TEST(NameQuality, AFileOfAnotherFormatIsNotMissing) {
  testing::ScratchDir scratch;
  std::string path = scratch.file("lisp.core");
  testing::write_file(path, "LCBS and the memory of a Lisp system");
  Profile profile = one_sample(path, 0x1000);
  std::vector<MissingNames> missing = modules_without_names(profile, {});
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].why, "the file is not an ELF file, so it has no names that wick can read");
  EXPECT_EQ(missing[0].remedy, "");
  EXPECT_EQ(note_of_unnamed_time(profile, {}).find("--symfs"), std::string::npos);
  std::string losses;
  Profile named = with_names(profile, {});
  for (const Loss& loss : named.losses) {
    losses += named.strings[loss.reason];
  }
  EXPECT_NE(losses.find("is not an ELF file"), std::string::npos) << losses;
}

TEST(NameQuality, TheFilesThatALinkMayMeanAreNamed) {
  testing::ScratchDir scratch;
  testing::ElfWriter writer;
  writer.add({.name = ".gnu_debuglink", .contents = std::string("x.debug\0abcd", 12)});
  std::string path = scratch.file("program");
  testing::write_file(path, writer.bytes());
  FileSearch search{.debug_dirs = {"/debug"}};
  std::vector<MissingNames> missing = modules_without_names(one_sample(path, 0x1000), search);
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].searched,
            fmt::format("{0}x.debug, {0}.debug/x.debug, /debug{0}x.debug, /debug/x.debug",
                        scratch.file("")));
}

TEST(NameQuality, ADebugFileThatIsCutIsTheReason) {
  testing::ScratchDir scratch;
  testing::ElfWriter writer;
  writer.add({.name = ".gnu_debuglink", .contents = std::string("x.debug\0abcd", 12)});
  std::string path = scratch.file("program");
  testing::write_file(path, writer.bytes());
  std::string debug = testing::inlined_program(4).elf();
  for (size_t size : {size_t{0}, size_t{64}, debug.size() / 2, debug.size() - 1}) {
    testing::write_file(scratch.file("x.debug"), debug.substr(0, size));
    std::vector<MissingNames> missing = modules_without_names(one_sample(path, 0x1000), {});
    ASSERT_EQ(missing.size(), 1U);
    EXPECT_EQ(missing[0].why, "its debug file is cut short: " + scratch.file("x.debug")) << size;
  }
  // The note is understood without the reason.
  EXPECT_EQ(
      note_of_unnamed_time(one_sample(path, 0x1000), {}),
      "100.0 % of the self time is in functions without names, 100.0 % in program. To get names: "
      "install or copy its debug file again, then `wick symbolize FILE`.");
}

std::string names_for_code_of(std::string_view program) {
  ProfileBuilder builder;
  builder.event({.name = builder.string("samples"), .unit = builder.string("samples")});
  ModuleId code = builder.module({.path = builder.string("/tmp/perf-999999999.map")});
  ModuleId file = builder.module({.path = builder.string(program)});
  ProcessId process = builder.process({.pid = 999999999, .name = builder.string("x")});
  builder.add_mapping({.process = process, .module = file, .start = 0x1000, .end = 0x2000});
  FrameId frame = builder.frame({.module = code, .address = 1, .mode = Mode::kUser});
  builder.add_sample({.stack = builder.stack(kEmptyStack, frame)});
  std::vector<MissingNames> missing = modules_without_names(builder.finish(), {});
  return missing.empty() ? "" : missing[0].remedy;
}

TEST(NameQuality, AdviceForGeneratedCodeFitsItsRuntime) {
  EXPECT_NE(names_for_code_of("/usr/bin/node").find("--perf-basic-prof"), std::string::npos);
  EXPECT_NE(names_for_code_of("/jvm/libjvm.so").find("DumpPerfMapAtExit"), std::string::npos);
  for (std::string_view program :
       {"/usr/bin/luajit", "/bin/beam.smp", "/usr/bin/qemu-x86_64", "/p"}) {
    std::string advice = names_for_code_of(program);
    EXPECT_NE(advice, "");
    for (std::string_view other : {"java", "node", "PYTHON"}) {
      EXPECT_EQ(advice.find(other), std::string::npos) << program << ": " << advice;
    }
  }
}

TEST(NameQuality, NamesMadeFromAddressesAreNotNames) {
  Profile profile = one_sample("/not/here/libx.so", 0x1010);
  StringInterner strings(std::move(profile.strings));
  Frame& frame = profile.frames[FrameId::from_index(0)];
  frame.function = profile.functions.push_back(
      {.name = strings.intern("libx.so+0x1000"), .module = frame.module, .flags = kMadeUpName});
  profile.strings = strings.release();
  EXPECT_EQ(modules_without_names(profile, {})[0].what, "names and lines");
  profile.functions[frame.function].flags = 0;
  EXPECT_EQ(modules_without_names(profile, {})[0].what, "lines and inlined functions");
}

}  // namespace
}  // namespace wick
