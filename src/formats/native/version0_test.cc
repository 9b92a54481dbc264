// SPDX-License-Identifier: Apache-2.0
// Files of version 0, written by the last wick that wrote that version, retain their meaning.
//
// testdata/version0 has them, each with the canonical text from that wick. Information that the
// text has in facts is now in fields.

#include "formats/native/version0.h"

#include <gtest/gtest.h>

#include "formats/native/testing.h"
#include "profile/dump.h"
#include "tests/support/files.h"

namespace wick::native {
namespace {

std::string path_of(const std::string& name) {
  return testing::source_path("src/formats/native/testdata/version0/" + name);
}

Profile read_old(const std::string& name) {
  Result<Profile> profile = read(testing::read_file(path_of(name + ".wick")));
  EXPECT_TRUE(profile) << name << ": " << profile.error().message;
  return profile ? std::move(*profile) : Profile();
}

// The lines of a text, except those that start with one of `left_out`.
std::string lines_without(std::string_view text, std::initializer_list<std::string_view> left_out) {
  std::string kept;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n') + 1);
    text.remove_prefix(line.size());
    bool drop = std::ranges::any_of(
        left_out, [&](std::string_view start) { return line.starts_with(start); });
    kept += drop ? "" : line;
  }
  return kept;
}

void expect_same_dump(const std::string& name) {
  std::initializer_list<std::string_view> moved = {"fact addresses are places in the file",
                                                   "fact jitdump of process",
                                                   "source ",
                                                   "process ",
                                                   "module ",
                                                   "function ",
                                                   "event "};
  std::string before = testing::read_file(path_of(name + ".dump"));
  std::string now = dump(read_old(name));
  constexpr std::string_view kSource = " source=example";  // marks and counters have one now
  for (size_t at = now.find(kSource); at != std::string::npos; at = now.find(kSource)) {
    now.erase(at, kSource.size());
  }
  EXPECT_EQ(lines_without(now, moved), lines_without(before, moved)) << name;
}

TEST(Version0, MeansWhatItMeant) {
  for (const char* name : {"rich", "facts", "recorded", "file-offsets"}) {
    expect_same_dump(name);
  }
}

TEST(Version0, NothingIsLostInReading) {
  for (const char* name : {"rich", "rounds", "facts", "recorded", "two-events"}) {
    EXPECT_TRUE(reader_losses(read_old(name)).empty()) << name;
  }
  Profile redox = read_old("redox");  // has losses itself
  EXPECT_EQ(redox.samples.size(), 1340U);
  EXPECT_FALSE(has_loss(redox, "damaged"));
  Profile cut = read_old("cut");
  EXPECT_TRUE(has_loss(cut, "the file ends early"));
  EXPECT_GT(cut.samples.size(), 0U);
}

TEST(Version0, FactsBecomeFields) {
  Profile profile = read_old("facts");
  ASSERT_EQ(profile.sources.size(), 1U);
  const Source& source = profile.sources[SourceId(0)];
  EXPECT_EQ(profile.strings[source.host], "example");
  EXPECT_EQ(profile.strings[source.kernel], "6.1.0-17-amd64");
  EXPECT_EQ(source.clock, ClockKind::kMonotonic);
  EXPECT_EQ(source.wall_clock_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(profile.processes[ProcessId(0)].source, SourceId(0));
  EXPECT_EQ(profile.strings[profile.processes[ProcessId(0)].jit_dump], "/tmp/jit-42.dump");
  EXPECT_EQ(profile.modules[ModuleId(0)].address_kind, AddressKind::kFileOffset);
  EXPECT_EQ(profile.events[EventId(0)].interval_ns, 1'000'000U);
}

TEST(Version0, PointsOfCountersBecomeSeries) {
  Profile profile = read_old("recorded");
  ASSERT_EQ(profile.series.size(), 1U);
  EXPECT_EQ(profile.counters.size(), 5U);
  EXPECT_EQ(profile.counters[4].value, 40);
}

TEST(Version0, IsWrittenAgainAsTheVersionOfToday) {
  Profile old = read_old("rich");
  Result<Profile> again = read(write(old));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(exact_text(*again), exact_text(old));
}

TEST(Version0, CutAtEveryByteItGivesAProfileOrASentence) {
  std::string file = testing::read_file(path_of("facts.wick"));
  for (size_t size = 0; size < file.size(); ++size) {
    Result<Profile> profile = read(file.substr(0, size));
    EXPECT_TRUE(!profile || validate(*profile)) << size;
    EXPECT_TRUE(!profile || !reader_losses(*profile).empty()) << size;
  }
}

TEST(Version0, NamesMadeFromAddressesAreMarked) {
  ProfileBuilder builder;
  ModuleId library = builder.module({.path = builder.string("/lib/libx.so")});
  auto add = [&](std::string_view name, ModuleId module) {
    builder.function({.name = builder.string(name), .module = module});
  };
  add("libx.so+0x1230", library);
  add("libx.so", library);
  add("liby.so+0x1230", library);
  add("+0x1230", ModuleId());
  Profile profile = builder.finish();
  version0::upgrade_facts(profile);
  std::vector<int> flags;
  for (const Function& function : profile.functions) {
    flags.push_back(function.flags);
  }
  EXPECT_EQ(flags, (std::vector<int>{kMadeUpName, 0, 0, 0}));
}

}  // namespace
}  // namespace wick::native
