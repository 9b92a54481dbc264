// SPDX-License-Identifier: Apache-2.0
// Naming as a service: called repeatedly, by several threads, and with sources that hang, lie or
// disappear.
#include "pipeline/naming.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/dwarf_testing.h"
#include "elf/testing.h"
#include "pipeline/code_reader.h"
#include "pipeline/pipeline.h"
#include "profile/builder.h"
#include "profile/dump.h"
#include "profile/validate.h"
#include "symbolize/jit_testing.h"
#include "tests/support/files.h"

namespace wick {
namespace {

constexpr std::string_view kBuildId = "a build of ours 1234";

std::string program(std::string_view build_id = "") {
  testing::DwarfParts parts = testing::inlined_program(4);
  parts.build_id = build_id;
  return parts.elf();
}

// Samples at addresses of one module, one each.
Profile profile_at(const std::string& path,
                   const std::vector<uint64_t>& addresses,
                   std::string_view build_id = "",
                   int64_t time_ns = kNoTime) {
  ProfileBuilder builder;
  builder.event({.name = builder.string("samples"), .unit = builder.string("samples")});
  ModuleId module = builder.module(
      {.path = builder.string(path), .build_id = builder.string(hex_digits(build_id))});
  for (uint64_t address : addresses) {
    FrameId frame = builder.frame({.module = module, .address = address, .mode = Mode::kUser});
    builder.add_sample({.time_ns = time_ns, .stack = builder.stack(kEmptyStack, frame)});
  }
  return builder.finish();
}

std::vector<std::string> names_of(const Profile& profile) {
  std::vector<std::string> names;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const Frame& frame = profile.frames[profile.stacks.frame(profile.samples.stack[row])];
    names.emplace_back(
        frame.function.valid() ? profile.strings[profile.functions[frame.function].name] : "");
  }
  return names;
}

bool has_notice(const Profile& profile, std::string_view reason) {
  return std::ranges::any_of(profile.losses, [&](const Loss& loss) {
    return profile.strings[loss.reason].find(reason) != std::string_view::npos;
  });
}

class NamingTest : public ::testing::Test {
 protected:
  NamingTest() { testing::write_file(path_, program(kBuildId)); }

  testing::ScratchDir scratch_;
  std::string path_ = scratch_.file("program");
};

TEST_F(NamingTest, OnlyNewAddressesAreLookedUp) {
  Naming naming(NameOptions{});
  naming.name(profile_at(path_, {0x1004, 0x1024}), {});
  EXPECT_EQ(naming.looked_up(), 2U);
  naming.name(profile_at(path_, {0x1004, 0x1024}), {});
  EXPECT_EQ(naming.looked_up(), 2U) << "they are known";
  Profile third = naming.name(profile_at(path_, {0x1004, 0x1024, 0x1044, 0x1008}), {});
  EXPECT_EQ(naming.looked_up(), 4U);
  EXPECT_EQ(dump(third), dump(with_names(profile_at(path_, {0x1004, 0x1024, 0x1044, 0x1008}), {})));
}

TEST_F(NamingTest, AnswersOfManyCallsAreThoseOfOne) {
  Naming naming(NameOptions{});
  std::vector<uint64_t> all;
  for (uint64_t address = 0x1100; address-- > 0x1000;) {
    all.push_back(address);
    naming.name(profile_at(path_, {address}), {});
  }
  EXPECT_EQ(dump(naming.name(profile_at(path_, all), {.is_last = true})),
            dump(with_names(profile_at(path_, all), {})));
}

// Addresses of the profile that are offsets in a file, which is linked elsewhere: a function of 16
// bytes at kLinked.
class FileOffsets : public NamingTest {
 protected:
  static constexpr uint64_t kLinked = 0x401000;

  FileOffsets() {
    testing::ElfWriter elf;
    uint32_t code = elf.add({.name = ".text",
                             .contents = std::string(15, '\x90') + '\xc3',
                             .flags = SHF_ALLOC | SHF_EXECINSTR,
                             .address = kLinked});
    elf.load_section(code, PF_R | PF_X);
    uint32_t names =
        elf.add({.name = ".strtab", .contents = std::string("\0work\0", 6), .type = SHT_STRTAB});
    elf.add({.name = ".symtab",
             .contents = testing::ElfWriter::symbol(0, 0, 0, 0, STT_NOTYPE) +
                         testing::ElfWriter::symbol(1, kLinked, 16, static_cast<uint16_t>(code)),
             .type = SHT_SYMTAB,
             .link = names,
             .info = 1});
    testing::write_file(path_, elf.bytes());
    offset_ = open_elf(path_)->image.segments()[0].offset;
    profile_ = profile_at(path_, {offset_ + 2, offset_ + 4});
    profile_.modules[ModuleId(0)].address_kind = AddressKind::kFileOffset;
  }

  uint64_t offset_ = 0;  // of the function
  Profile profile_;
};

// pprof files can have names for some addresses of a module and none for others.
TEST_F(FileOffsets, BecomeAddressesForNamedFramesToo) {
  StringId known = profile_.strings.append("known");
  profile_.frames[FrameId(0)].function =
      profile_.functions.push_back({.name = known, .module = ModuleId(0)});
  Profile named = with_names(std::move(profile_), {});
  EXPECT_EQ(named.modules[ModuleId(0)].address_kind, AddressKind::kLinked);
  EXPECT_EQ(named.frames[FrameId(0)].address, kLinked + 2);
  EXPECT_EQ(named.frames[FrameId(1)].address, kLinked + 4);
  EXPECT_EQ(names_of(named), (std::vector<std::string>{"known", "work"}));
}

TEST_F(FileOffsets, FindTheCode) {
  Result<FunctionCode> code =
      CodeReader(NameOptions{}, {}).function_at(profile_, profile_.frames[FrameId(0)]);
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(code->name, "work");
  EXPECT_EQ(code->begin, offset_);
}

TEST_F(NamingTest, ModulesDifferByTheirBuild) {
  Naming naming(NameOptions{});
  EXPECT_EQ(names_of(naming.name(profile_at(path_, {0x1004}), {}))[0], "outer");
  Profile other = naming.name(profile_at(path_, {0x1004}, "another build"), {});
  EXPECT_EQ(names_of(other)[0], "") << "the file is not of that build";
  EXPECT_TRUE(has_notice(other, "another build"));
}

TEST_F(NamingTest, AFileThatIsCutAnywhereIsHarmless) {
  std::string whole = program(kBuildId);
  for (size_t size = 0; size < whole.size(); size += 97) {
    testing::write_file(path_, whole.substr(0, size));
    Profile named = with_names(profile_at(path_, {0x1004, 0x1024}), {});
    EXPECT_TRUE(validate(named)) << size;
  }
}

TEST_F(NamingTest, AFileThatWasCutOrStrippedIsReplacedByPerfsCopy) {
  std::string cache = scratch_.file("debug");
  std::string copy = cache + "/.build-id/" + build_id_path(kBuildId) + "/elf";
  std::filesystem::create_directories(directory_of(copy));
  testing::write_file(copy, program(kBuildId));
  testing::ElfWriter stripped;
  stripped.add({.name = ".note.gnu.build-id",
                .contents = testing::build_id_note(std::string(kBuildId)),
                .type = SHT_NOTE});
  std::string whole = program(kBuildId);
  for (const std::string& changed : {stripped.bytes(), whole.substr(0, whole.size() / 2)}) {
    testing::write_file(path_, changed);
    NameOptions options{.files = {.build_id_cache = cache}};
    Profile named = with_names(profile_at(path_, {0x1004}, kBuildId), options);
    EXPECT_EQ(names_of(named)[0], "outer");
    EXPECT_EQ(names_of(with_names(profile_at(path_, {0x1004}, kBuildId), {}))[0], "");
  }
}

TEST_F(NamingTest, AFileThatIsNewerThanTheRecordingIsReported) {
  constexpr std::string_view kNote = "the file is newer than the recording";
  struct stat status = {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  int64_t written_ns = status.st_mtim.tv_sec * int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
  auto named_at = [&](int64_t recorded_ns, std::string_view build_id = "") {
    return with_names(profile_at(path_, {0x1004}, build_id), {.recorded_ns = recorded_ns});
  };
  Profile earlier = named_at(written_ns - 1);
  EXPECT_TRUE(has_notice(earlier, kNote));
  EXPECT_EQ(names_of(earlier)[0], "outer") << "it may be the same build";
  EXPECT_FALSE(has_notice(named_at(written_ns), kNote));
  EXPECT_FALSE(has_notice(named_at(kNoTime), kNote));
  EXPECT_FALSE(has_notice(named_at(written_ns - 1, kBuildId), kNote)) << "the build id is the same";
  // The clock of the recording is better than the time of its file.
  for (int64_t late_ns : {-1, 1}) {
    Profile profile = profile_at(path_, {0x1004}, "", 1000 + late_ns);
    profile.sources.push_back({.wall_clock_ns = written_ns - 1000});
    Profile named = with_names(std::move(profile), {.recorded_ns = written_ns + 5000});
    EXPECT_EQ(has_notice(named, kNote), late_ns < 0);
  }
}

// The pages of a file that shrinks are gone: reading them would raise SIGBUS.
TEST_F(NamingTest, AFileMayShrinkOrDisappearWhileItIsOpen) {
  for (bool is_removed : {false, true}) {
    testing::write_file(path_, program(kBuildId));
    Naming naming(NameOptions{});
    EXPECT_EQ(names_of(naming.name(profile_at(path_, {0x1004}), {}))[0], "outer");
    if (is_removed) {
      ASSERT_EQ(::unlink(path_.c_str()), 0);
    } else {
      ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
    }
    Profile named = naming.name(profile_at(path_, {0x1004, 0x1024, 0x1044}), {});
    EXPECT_TRUE(validate(named));
    EXPECT_EQ(names_of(named)[0], "outer") << "known before";
  }
}

TEST_F(NamingTest, APipeInPlaceOfAFileDoesNotHang) {
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(names_of(with_names(profile_at(path_, {0x1004}), {}))[0], "");
  std::filesystem::create_directories(scratch_.file("root/tmp"));
  ASSERT_EQ(::mkfifo(scratch_.file("root/tmp/perf-7.map").c_str(), 0600), 0);
  Profile generated = profile_at("/tmp/perf-7.map", {0x1004});
  NameOptions sources{.files = {.symfs = scratch_.file("root")}};
  EXPECT_EQ(names_of(with_names(std::move(generated), sources))[0], "");
}

// Any user can write such a file for the wick of another.
TEST_F(NamingTest, OfAVeryLongMapTheLatestFunctionsHaveNames) {
  std::filesystem::create_directories(scratch_.file("root/tmp"));
  std::string map = "1000 10 first\n";
  std::string line = fmt::format("ffff0000 1 {}\n", std::string(1000, 'x'));
  while (map.size() < (33U << 20U)) {
    map += line;
  }
  map += "2000 10 latest\n";
  testing::write_file(scratch_.file("root/tmp/perf-7.map"), map);
  NameOptions sources{.files = {.symfs = scratch_.file("root")}};
  Profile named = with_names(profile_at("/tmp/perf-7.map", {0x1004, 0x2004}), sources);
  EXPECT_EQ(names_of(named), (std::vector<std::string>{"", "latest"}));
  EXPECT_TRUE(has_notice(named, "only the last part is used"));
}

TEST_F(NamingTest, AMapThatIsCutInsideALineIsReportedAndInventsNoName) {
  std::filesystem::create_directories(scratch_.file("root/tmp"));
  testing::write_file(scratch_.file("root/tmp/perf-7.map"), "1000 10 first\n2000 10 long_na");
  NameOptions sources{.files = {.symfs = scratch_.file("root")}};
  Profile named = with_names(profile_at("/tmp/perf-7.map", {0x1004, 0x2004}), sources);
  EXPECT_EQ(names_of(named), (std::vector<std::string>{"first", ""}));
  EXPECT_TRUE(has_notice(named, "ends inside a line"));
}

TEST_F(NamingTest, AListOfTheKernelMustBeOne) {
  std::string path = scratch_.file("list");
  for (const char* text :
       {"", "garbage\n", "0000000000000000 T _text\n", "ffffffff81000000 T other\n"}) {
    testing::write_file(path, text);
    Result<> checked = check_kallsyms(path);
    ASSERT_FALSE(checked) << text;
    EXPECT_TRUE(checked.error().usage);
  }
  testing::write_file(path, "ffffffff81000000 T _text\nffffffff81000010 T f\n");
  EXPECT_TRUE(check_kallsyms(path));
}

// A recording without symbols has names such as kernel+0x10. Names of any source replace them later,
// but not the names that a recording has.
TEST_F(NamingTest, AMadeUpNameGivesWayToAListOfTheKernel) {
  NameOptions options{.kallsyms = scratch_.file("list"), .again = true};
  testing::write_file(options.kallsyms,
                      "ffffffff81000000 T _text\nffffffff81000010 T f\n"
                      "ffffffff81000020 T _etext\n");
  for (bool is_made_up : {true, false}) {
    Profile profile = profile_at("[kernel.kallsyms]", {0x12});
    profile.frames[FrameId(0)].mode = Mode::kKernel;
    profile.frames[FrameId(0)].function =
        profile.functions.push_back({.name = profile.strings.append("kernel+0x10"),
                                     .module = ModuleId(0),
                                     .flags = static_cast<uint8_t>(is_made_up ? kMadeUpName : 0)});
    Profile named = with_names(std::move(profile), options);
    EXPECT_EQ(names_of(named), std::vector<std::string>{is_made_up ? "f" : "kernel+0x10"});
  }
}

class LyingNames : public ListedNames {
 public:
  LyingNames() : ListedNames("/the/module") {}

 protected:
  std::optional<NamedCode> name_of(uint64_t address) override {
    switch (address) {
      case 0x10:
        return NamedCode{.function = {0x10, 4, "true_name"}};
      case 0x20:
        return NamedCode{.function = {0x10, 4, "ends_before"}};
      default:
        return NamedCode{.function = {address + 1, 4, "begins_after"}};
    }
  }
};

TEST(NameSource, AnswersOutsideTheirFunctionDoNotCount) {
  LyingNames names;
  std::vector<uint64_t> addresses = {0x10, 0x20, 0x30};
  names.find(addresses);
  EXPECT_EQ(without_names(addresses, names.answers()), (std::vector<uint64_t>{0x20, 0x30}));
  NameNotes notes;
  NameFiles files;
  names.report(notes, files);
  ASSERT_EQ(notes.all().size(), 1U);
  EXPECT_EQ(notes.all()[0].detail, "/the/module");
}

TEST(NameSource, RowsHaveDifferentNames) {
  std::set<std::string_view> names;
  for (const NameSourceRow& row : name_source_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_NE(row.make, nullptr);
  }
}

class DebuginfodNames : public NamingTest {
 protected:
  DebuginfodNames() : before_(std::getenv("PATH")) {
    testing::DwarfParts stripped;
    stripped.build_id = kBuildId;
    testing::write_file(path_, stripped.elf());
  }
  void TearDown() override { ::setenv("PATH", before_.c_str(), 1); }

  Profile named_by(const std::string& script) {
    testing::write_file(scratch_.file("debuginfod-find"), "#!/bin/sh\n" + script);
    ::chmod(scratch_.file("debuginfod-find").c_str(), 0755);
    std::string directory = std::filesystem::path(path_).parent_path().string();
    ::setenv("PATH", (directory + ":" + before_).c_str(), 1);
    return with_names(
        profile_at(path_, {0x1004}, kBuildId),
        {.debuginfod = "http://localhost", .debuginfod_patience = std::chrono::milliseconds(300)});
  }

 private:
  std::string before_;
};

TEST_F(DebuginfodNames, FilesOfTheBuildAreUsed) {
  testing::write_file(scratch_.file("debug"), program(kBuildId));
  EXPECT_EQ(names_of(named_by("echo " + scratch_.file("debug") + "\n"))[0], "outer");
}

TEST_F(DebuginfodNames, AServerThatLiesIsNotBelieved) {
  testing::write_file(scratch_.file("debug"), program("another build of it!"));
  Profile named = named_by("echo " + scratch_.file("debug") + "\n");
  EXPECT_EQ(names_of(named)[0], "");
  EXPECT_TRUE(has_notice(named, "a debuginfod server sent files that are not of the recorded"));
  EXPECT_EQ(names_of(named_by("echo /no/such/file\n"))[0], "");
}

TEST_F(DebuginfodNames, AServerThatHangsIsLeftAlone) {
  auto began = std::chrono::steady_clock::now();
  Profile named = named_by("exec sleep 30\n");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(15));
  EXPECT_TRUE(has_notice(named, "debuginfod timed out"));
}

// A recording of a program, a library that is loaded later, and code that is replaced.
class NamesWhileRecording : public ::testing::Test {
 protected:
  NamesWhileRecording() {
    testing::write_file(scratch_.file("first"), program());
    testing::write_file(scratch_.file("second"), program());
  }

  struct Recording {
    explicit Recording(const NameOptions& sources = {}) : pipeline(sources) {
      pipeline.on_host({.architecture = Architecture::kX86_64});
      pipeline.on_clock({.kind = ClockKind::kMonotonic});
      pipeline.on_event_kind({0, "cpu-clock", "nanoseconds"});
    }
    void map(uint64_t start, std::string_view path, uint64_t offset) {
      pipeline.on_map({.at = {.pid = 7, .tid = 7},
                       .start = start,
                       .size = 0x1000,
                       .file_offset = offset,
                       .path = path});
    }
    void sample(int64_t time_ns, uint64_t address) {
      pipeline.on_sample({.at = {.time_ns = time_ns, .pid = 7, .tid = 7, .cpu = 0},
                          .address = address,
                          .weight = 10,
                          .mode = Mode::kUser});
    }
    // Returns when at least `count` addresses have been looked up.
    void look_up(uint64_t count) {
      pipeline.look_up_names();
      for (int tries = 0; tries < 1000 && pipeline.names_looked_up() < count; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      EXPECT_GE(pipeline.names_looked_up(), count);
    }
    Pipeline pipeline;
  };

  void write_dump(bool is_replaced) {
    testing::DumpWriter dump;
    dump.time(10).load(0x50000, 0x100, "old_code", 1).load(0x50100, 0x100, "lasting_code", 2);
    if (is_replaced) {
      dump.time(20).load(0x50000, 0x80, "new_code", 3);
    }
    testing::write_file(scratch_.file("jit-7.dump"), dump.bytes());
  }

  std::string recorded(bool is_live) {
    Recording recording;
    write_dump(false);
    recording.map(0x10000, scratch_.file("first"), 0x1000);
    recording.map(0x50000, "//anon", 0);
    recording.map(0x60000, scratch_.file("jit-7.dump"), 0);
    for (uint64_t address : {0x10004U, 0x10024U, 0x50010U, 0x50110U}) {
      recording.sample(15, address);
    }
    if (is_live) {
      recording.look_up(4);
    }
    write_dump(true);
    recording.map(0x20000, scratch_.file("second"), 0x1000);
    for (uint64_t address : {0x10044U, 0x20024U, 0x50010U, 0x50110U, 0x50090U}) {
      recording.sample(25, address);
    }
    if (is_live) {
      recording.look_up(5);  // the second file; the others wait for more
    }
    Profile profile = recording.pipeline.finish();
    EXPECT_TRUE(validate(profile));
    return dump(profile);
  }

  testing::ScratchDir scratch_;
};

TEST_F(NamesWhileRecording, AreThoseOfTheEnd) {
  std::string live = recorded(true);
  EXPECT_EQ(live, recorded(false));
  for (std::string_view name : {"outer@", "middle@", "old_code", "new_code", "lasting_code"}) {
    EXPECT_NE(live.find(name), std::string::npos) << name << " is not in\n" << live;
  }
}

std::vector<std::string> sample_lines(const Profile& profile) {
  std::vector<std::string> lines;
  std::string text = dump(profile);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    if (text.compare(begin, 7, "sample ") == 0) {
      lines.push_back(text.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return lines;
}

// Windows are named by another thread while samples arrive and modules are loaded.
TEST_F(NamesWhileRecording, AreAskedForByAnotherThread) {
  constexpr int kWindows = 20;
  constexpr int kSamples = 200;
  write_dump(true);
  auto feed = [&](Recording& recording, int window) {
    recording.map(0x10000 + 0x1000U * static_cast<uint64_t>(window),
                  scratch_.file(window % 2 == 0 ? "first" : "second"),
                  0x1000);
    for (int i = 0; i < kSamples; ++i) {
      auto offset = static_cast<uint64_t>((i * 7 + window) % 0x100);
      recording.sample(window * 1000 + i,
                       0x10000 + 0x1000U * static_cast<uint64_t>(window) + offset);
      if (i % 50 == 0) {
        recording.pipeline.look_up_names();
      }
    }
  };
  Recording whole;
  for (int window = 0; window < kWindows; ++window) {
    feed(whole, window);
  }
  std::vector<std::string> expected = sample_lines(whole.pipeline.finish());

  Recording parts;
  std::vector<std::string> lines;
  std::thread namer;
  auto name = [&](RecordedWindow window) {
    std::vector<std::string> some = sample_lines(parts.pipeline.named(std::move(window)));
    lines.insert(lines.end(), some.begin(), some.end());
  };
  for (int window = 0; window < kWindows; ++window) {
    feed(parts, window);
    RecordedWindow cut = parts.pipeline.cut();
    if (namer.joinable()) {
      namer.join();
    }
    namer = std::thread(name, std::move(cut));
  }
  namer.join();
  EXPECT_EQ(sample_lines(parts.pipeline.finish()).size(), 0U);
  std::ranges::sort(lines);
  std::ranges::sort(expected);
  EXPECT_EQ(lines, expected);
}

}  // namespace
}  // namespace wick
