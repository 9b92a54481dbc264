// SPDX-License-Identifier: Apache-2.0
// DWARF that the tests write entry by entry: valid files, and hostile ones. tests/dwarf compares
// wick with other tools on the output of compilers.
//
// Hostile files share tables, form cycles, nest deeply, or are cut and damaged at every byte. For
// these the tests check that the reader ends, that the work is bounded, and that it counts the
// damage.
#include <chrono>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "elf/dwarf_info.h"
#include "elf/dwarf_testing.h"

namespace wick {
namespace {

using testing::AbbrevWriter;
using testing::bytes_of;
using testing::DwarfParts;
using testing::inlined_program;
using testing::LineWriter;
using testing::uleb;
using testing::UnitWriter;

std::string described(const std::vector<DwarfFrame>& frames) {
  std::string text;
  for (const DwarfFrame& frame : frames) {
    text += fmt::format("{}{} {}:{}:{}\n",
                        frame.symbol(),
                        frame.inlined ? " inlined" : "",
                        frame.file.path(),
                        frame.line,
                        frame.column);
  }
  return text;
}

struct Opened {
  explicit Opened(std::string file, DwarfFiles* files = nullptr)
      : bytes(std::move(file)),
        image(std::make_unique<ElfImage>(std::move(*ElfImage::parse(as_bytes(bytes))))),
        info(std::make_unique<DwarfInfo>(*image, files)) {}
  std::string at(uint64_t address) const {
    std::vector<DwarfFrame> frames;
    info->find(address, frames);
    return described(frames);
  }
  std::string bytes;
  std::unique_ptr<ElfImage> image;
  std::unique_ptr<DwarfInfo> info;
};

constexpr std::string_view kInnermost =
    "shared_name inlined /src/inc/b.h:50:2\n"
    "middle inlined /src/inc/b.h:30:0\n"
    "outer /src/a.c:200:7\n";

class DwarfVersions : public ::testing::TestWithParam<std::pair<uint16_t, bool>> {};

TEST_P(DwarfVersions, ReturnsChainsOfInlinedCalls) {
  auto [version, wide] = GetParam();
  Opened opened(inlined_program(version, wide).elf());
  EXPECT_EQ(opened.at(0x0FFF), "");
  EXPECT_EQ(opened.at(0x1000), "outer /src/a.c:10:1\n");
  EXPECT_EQ(opened.at(0x1010), "middle inlined /src/a.c:10:1\nouter /src/a.c:200:7\n");
  EXPECT_EQ(opened.at(0x1020), kInnermost);
  EXPECT_EQ(opened.at(0x102F), kInnermost);
  EXPECT_EQ(opened.at(0x1030), "middle inlined /src/a.c:12:3\nouter /src/a.c:200:7\n");
  EXPECT_TRUE(opened.at(0x104F).starts_with("shared_name inlined /src/a.c:12:3\n"));
  EXPECT_EQ(opened.at(0x1060), "outer /src/a.c:12:3\n");
  EXPECT_EQ(opened.at(0x1100), "");
  EXPECT_EQ(opened.info->damaged(), 0U);
}
INSTANTIATE_TEST_SUITE_P(All,
                         DwarfVersions,
                         ::testing::Values(std::pair{uint16_t{2}, false},
                                           std::pair{uint16_t{3}, false},
                                           std::pair{uint16_t{3}, true},
                                           std::pair{uint16_t{4}, false},
                                           std::pair{uint16_t{4}, true}));

TEST(Dwarf, ManyThreadsMayAskFirst) {
  Opened opened(inlined_program(4).elf());
  std::vector<std::thread> threads;
  std::vector<std::string> answers(8);
  for (std::string& answer : answers) {
    threads.emplace_back([&] { answer = opened.at(0x1020); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::string& answer : answers) {
    EXPECT_EQ(answer, kInnermost);
  }
}

TEST(Dwarf, NamesFromTheAlternateFile) {
  DwarfParts shared = inlined_program(4);
  AbbrevWriter abbrev;
  uint64_t unit = abbrev.add(dw_tag::kCompileUnit,
                             true,
                             {{dw_at::kLowPc, dw_form::kAddr}, {dw_at::kHighPc, dw_form::kData4}});
  uint64_t function = abbrev.add(dw_tag::kSubprogram,
                                 true,
                                 {{dw_at::kName, dw_form::kGnuStrpAlt},
                                  {dw_at::kLowPc, dw_form::kAddr},
                                  {dw_at::kHighPc, dw_form::kData4}});
  uint64_t call = abbrev.add(dw_tag::kInlinedSubroutine,
                             false,
                             {{dw_at::kAbstractOrigin, dw_form::kGnuRefAlt},
                              {dw_at::kLowPc, dw_form::kAddr},
                              {dw_at::kHighPc, dw_form::kData4}});
  UnitWriter info(4);
  info.entry(unit);
  info.data(0x2000, 8).data(0x100, 4);
  info.entry(function);
  info.offset(1).data(0x2000, 8).data(0x100, 4);
  info.entry(call);
  // The second entry of the other file: "middle".
  info.offset(shared.info.find("middle") - 1).data(0x2010, 8).data(0x10, 4);
  info.end_children();
  info.end_children();

  struct Files : DwarfFiles {
    explicit Files(const ElfImage& image) : alternate_image(image) {}
    const ElfImage* alternate() override { return &alternate_image; }
    const ElfImage* package() override { return nullptr; }
    const ElfImage* split(std::string_view, std::string_view) override { return nullptr; }
    const ElfImage& alternate_image;
  };
  testing::ElfWriter writer;
  writer.type = ET_REL;  // as dwz writes it
  shared.add_to(writer);
  Opened alternate(writer.bytes());
  Files files(*alternate.image);
  DwarfParts made{.info = info.bytes(), .abbrev = abbrev.bytes()};
  Opened opened(made.elf(), &files);
  EXPECT_EQ(opened.at(0x2010), "middle inlined :0:0\nshared_name :0:0\n");
  // Without that file there are no names, and no harm.
  Opened alone(made.elf());
  EXPECT_EQ(alone.at(0x2010), " inlined :0:0\n :0:0\n");
}

// A lambda has no linkage name; its scope distinguishes it from others.
TEST(Dwarf, FunctionsWithoutLinkageNameHaveAScope) {
  constexpr uint16_t kNamespace = 0x39;
  constexpr uint16_t kLexicalBlock = 0x0B;
  for (uint64_t language : {0x1AU, 0x0CU}) {  // C++11, C99
    AbbrevWriter abbrev;
    uint64_t unit = abbrev.add(dw_tag::kCompileUnit,
                               true,
                               {{dw_at::kLanguage, dw_form::kData1},
                                {dw_at::kLowPc, dw_form::kAddr},
                                {dw_at::kHighPc, dw_form::kData4}});
    uint64_t space = abbrev.add(kNamespace, true, {{dw_at::kName, dw_form::kString}});
    uint64_t unnamed = abbrev.add(kNamespace, true, {});
    uint64_t block = abbrev.add(kLexicalBlock, true, {});
    uint64_t type = abbrev.add(dw_tag::kStructureType, true, {{dw_at::kName, dw_form::kString}});
    uint64_t nameless = abbrev.add(dw_tag::kStructureType, true, {});
    uint64_t declaration =
        abbrev.add(dw_tag::kSubprogram, false, {{dw_at::kName, dw_form::kString}});
    uint64_t defined = abbrev.add(dw_tag::kSubprogram,
                                  true,
                                  {{dw_at::kSpecification, dw_form::kRef4},
                                   {dw_at::kLowPc, dw_form::kAddr},
                                   {dw_at::kHighPc, dw_form::kData4}});
    uint64_t function = abbrev.add(dw_tag::kSubprogram,
                                   true,
                                   {{dw_at::kName, dw_form::kString},
                                    {dw_at::kLowPc, dw_form::kAddr},
                                    {dw_at::kHighPc, dw_form::kData4}});
    UnitWriter info(4);
    info.entry(unit);
    info.data(language, 1).data(0x2000, 8).data(0x100, 4);
    info.entry(space);
    info.text("before");
    uint64_t declared = info.entry(declaration);
    info.text("elsewhere");
    info.end_children();
    info.entry(defined);
    info.data(declared, 4).data(0x20C0, 8).data(0x20, 4);
    info.entry(nameless);
    info.entry(function);
    info.text("operator()").data(0x20E0, 8).data(0x20, 4);
    for (int level = 0; level < 3; ++level) {
      info.end_children();
    }
    info.entry(space);
    info.text("a");
    info.entry(unnamed);
    info.entry(function);
    info.text("main").data(0x2000, 8).data(0x80, 4);
    info.entry(block);
    info.entry(type);
    info.text("<lambda()>");
    info.entry(function);
    info.text("operator()").data(0x2080, 8).data(0x40, 4);
    for (int level = 0; level < 7; ++level) {
      info.end_children();
    }
    Opened opened(DwarfParts{.info = info.bytes(), .abbrev = abbrev.bytes()}.elf());
    std::vector<DwarfFrame> frames;
    opened.info->find(0x2084, frames);
    opened.info->find(0x2004, frames);
    opened.info->find(0x20E4, frames);
    ASSERT_EQ(frames.size(), 3U);
    EXPECT_EQ(frames[0].name, "operator()");
    EXPECT_EQ(frames[1].name, "main");
    bool has_scopes = language == 0x1A;
    EXPECT_EQ(frames[0].scope, has_scopes ? "a::(anonymous namespace)::main::<lambda()>" : "");
    EXPECT_EQ(frames[1].scope, has_scopes ? "a::(anonymous namespace)" : "");
    EXPECT_EQ(frames[2].scope, has_scopes ? "before::elsewhere::<lambda>" : "");
  }
}

TEST(Dwarf, AHoleInTheFileEndsTheUnits) {
  DwarfParts parts = inlined_program(4);
  std::string unit = parts.info;
  parts.info = unit + std::string(64, '\0');
  EXPECT_EQ(Opened(parts.elf()).at(0x1024), kInnermost) << "padding";
  EXPECT_EQ(Opened(parts.elf()).info->damaged(), 0U);
  parts.info = unit + std::string(1 << 20, '\0');
  EXPECT_EQ(Opened(parts.elf()).at(0x1024), kInnermost);
  EXPECT_EQ(Opened(parts.elf()).info->damaged(), 1U);
}

TEST(Dwarf, AddressesOfUnitsFromAranges) {
  AbbrevWriter abbrev;
  uint64_t unit = abbrev.add(dw_tag::kCompileUnit, true, {{dw_at::kName, dw_form::kString}});
  uint64_t function = abbrev.add(dw_tag::kSubprogram,
                                 false,
                                 {{dw_at::kName, dw_form::kString},
                                  {dw_at::kLowPc, dw_form::kAddr},
                                  {dw_at::kHighPc, dw_form::kAddr}});
  UnitWriter info(2);
  info.entry(unit);
  info.text("a.c");
  info.entry(function);
  info.text("f").data(0x3000, 8).data(0x3010, 8);
  info.end_children();
  std::string set = bytes_of(2, 2) + bytes_of(0, 4) + std::string("\x8\0", 2) + bytes_of(0, 4) +
                    bytes_of(0x3000, 8) + bytes_of(0x10, 8) + std::string(16, '\0');
  DwarfParts made{.info = info.bytes(), .abbrev = abbrev.bytes()};
  EXPECT_EQ(Opened(made.elf()).at(0x3004), "");
  made.aranges = bytes_of(set.size(), 4) + set;
  EXPECT_EQ(Opened(made.elf()).at(0x3004), "f :0:0\n");
  EXPECT_EQ(Opened(made.elf()).at(0x3010), "");
}

// DWARF 2 has no lists of ranges: gcc -gstrict-dwarf gives .text in the root entry, although
// functions have separate sections, and one range of a function, although inlined calls are in
// others.
TEST(Dwarf, UnitsOfDwarf2HaveMoreCodeThanTheyList) {
  AbbrevWriter abbrev;
  uint64_t unit = abbrev.add(dw_tag::kCompileUnit,
                             true,
                             {{dw_at::kLowPc, dw_form::kAddr}, {dw_at::kHighPc, dw_form::kAddr}});
  uint64_t function = abbrev.add(dw_tag::kSubprogram,
                                 true,
                                 {{dw_at::kName, dw_form::kString},
                                  {dw_at::kLowPc, dw_form::kAddr},
                                  {dw_at::kHighPc, dw_form::kAddr}});
  uint64_t call = abbrev.add(dw_tag::kInlinedSubroutine,
                             false,
                             {{dw_at::kName, dw_form::kString},
                              {dw_at::kLowPc, dw_form::kAddr},
                              {dw_at::kHighPc, dw_form::kAddr}});
  UnitWriter info(2);
  info.entry(unit);
  info.data(0x1000, 8).data(0x1010, 8);
  info.entry(function);
  info.text("f").data(0x3000, 8).data(0x3010, 8);
  info.entry(call);
  info.text("g").data(0x3020, 8).data(0x3030, 8);
  info.end_children();
  info.end_children();
  std::string set = bytes_of(2, 2) + bytes_of(0, 4) + std::string("\x8\0", 2) + bytes_of(0, 4) +
                    bytes_of(0x1000, 8) + bytes_of(0x10, 8) + bytes_of(0x3000, 8) +
                    bytes_of(0x30, 8) + std::string(16, '\0');
  DwarfParts made{
      .info = info.bytes(), .abbrev = abbrev.bytes(), .aranges = bytes_of(set.size(), 4) + set};
  Opened opened(made.elf());
  EXPECT_EQ(opened.at(0x3004), "f :0:0\n");
  EXPECT_EQ(opened.at(0x3024), "g inlined :0:0\nf :0:0\n");
  std::vector<DwarfFrame> among_others;
  opened.info->find_in_unit(0, std::array{uint64_t{0x3024}}).append_to(among_others, 0);
  EXPECT_EQ(described(among_others), opened.at(0x3024));
}

TEST(Dwarf, CodeThatTheLinkerDroppedIsNowhere) {
  DwarfParts made = inlined_program(4);
  // A second sequence at 0, as ld leaves it, must not hide anything.
  made.line = LineWriter()
                  .address(0)
                  .row(1, 99, 1, 0x5000)
                  .end()
                  .address(0x1000)
                  .row(1, 10, 1, 0x100)
                  .end()
                  .bytes();
  EXPECT_EQ(Opened(made.elf()).at(0x1000), "outer /src/a.c:10:1\n");
  EXPECT_EQ(Opened(made.elf()).at(0x10), "");
}

// Origins that form a cycle.
TEST(Dwarf, CircularOriginsEnd) {
  AbbrevWriter abbrev;
  uint64_t unit = abbrev.add(dw_tag::kCompileUnit,
                             true,
                             {{dw_at::kLowPc, dw_form::kAddr}, {dw_at::kHighPc, dw_form::kData4}});
  uint64_t function = abbrev.add(dw_tag::kSubprogram,
                                 false,
                                 {{dw_at::kAbstractOrigin, dw_form::kRef4},
                                  {dw_at::kLowPc, dw_form::kAddr},
                                  {dw_at::kHighPc, dw_form::kData4}});
  UnitWriter info(4);
  info.entry(unit);
  info.data(0x1000, 8).data(0x100, 4);
  uint64_t self = info.here();
  info.entry(function);
  info.data(self, 4).data(0x1000, 8).data(0x100, 4);
  info.end_children();
  Opened opened(DwarfParts{.info = info.bytes(), .abbrev = abbrev.bytes()}.elf());
  EXPECT_EQ(opened.at(0x1000), " :0:0\n");
  EXPECT_GT(opened.info->damaged(), 0U);
}

// Ten thousand units that all point to one line program of a megabyte: without a limit that is ten
// gigabytes of work.
TEST(Dwarf, SharedLineProgramsAreBounded) {
  AbbrevWriter abbrev;
  uint64_t unit = abbrev.add(dw_tag::kCompileUnit,
                             false,
                             {{dw_at::kStmtList, dw_form::kSecOffset},
                              {dw_at::kLowPc, dw_form::kAddr},
                              {dw_at::kHighPc, dw_form::kData4}});
  DwarfParts made{.abbrev = abbrev.bytes()};
  constexpr uint64_t kUnits = 10'000;
  for (uint64_t number = 0; number < kUnits; ++number) {
    UnitWriter info(4);
    info.entry(unit);
    info.offset(0).data(0x1000 + number * 16, 8).data(16, 4);
    made.info += info.bytes();
  }
  made.line = LineWriter().address(0x1000).raw(std::string(1 << 20, '\x14')).end().bytes();
  Opened opened(made.elf());
  auto start = std::chrono::steady_clock::now();
  for (uint64_t number = 0; number < kUnits; ++number) {
    (void)opened.at(0x1000 + number * 16);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_GT(opened.info->damaged(), 0U);
}

// The same with one huge table of abbreviations, which each unit enters at a different offset.
TEST(Dwarf, SharedAbbreviationsAreBounded) {
  DwarfParts made;
  AbbrevWriter abbrev;
  for (int i = 0; i < 100'000; ++i) {
    abbrev.add(dw_tag::kVariable, false, {{dw_at::kName, dw_form::kString}});
  }
  made.abbrev = abbrev.bytes();
  for (uint64_t number = 0; number < 20'000; ++number) {
    std::string rest = bytes_of(4, 2) + bytes_of(number * 7, 4) + '\x8' + uleb(0xFFFFFF);
    made.info += bytes_of(rest.size(), 4) + rest;
  }
  auto start = std::chrono::steady_clock::now();
  Opened opened(made.elf());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_GT(opened.info->damaged(), 0U);
}

TEST(Dwarf, NestingOfEntriesIsBounded) {
  AbbrevWriter abbrev;
  uint64_t unit = abbrev.add(dw_tag::kCompileUnit,
                             true,
                             {{dw_at::kLowPc, dw_form::kAddr}, {dw_at::kHighPc, dw_form::kData4}});
  uint64_t block = abbrev.add(0x0B, true, {});
  UnitWriter info(4);
  info.entry(unit);
  info.data(0x1000, 8).data(0x100, 4);
  info.raw(std::string(1'000'000, static_cast<char>(block)));
  Opened opened(DwarfParts{.info = info.bytes(), .abbrev = abbrev.bytes()}.elf());
  EXPECT_EQ(opened.at(0x1000), "");
  EXPECT_GT(opened.info->damaged(), 0U);
}

// Functions that are not requested. By its sibling attribute each ends where the next begins; by
// its entries each has all that follow as its children.
TEST(Dwarf, FunctionsThatArePassedOverAreReadOnce) {
  AbbrevWriter abbrev;
  uint64_t unit = abbrev.add(dw_tag::kCompileUnit,
                             true,
                             {{dw_at::kLowPc, dw_form::kAddr}, {dw_at::kHighPc, dw_form::kData4}});
  uint64_t function = abbrev.add(dw_tag::kSubprogram, true, {{dw_at::kSibling, dw_form::kRef4}});
  uint64_t variable = abbrev.add(dw_tag::kVariable, false, {});
  UnitWriter info(4);
  info.entry(unit);
  info.data(0x1000, 8).data(0x100, 4);
  for (int i = 0; i < 10'000; ++i) {
    info.entry(function);
    info.data(info.here() + sizeof(uint32_t), 4);
  }
  info.raw(std::string(2'000'000, static_cast<char>(variable)));
  Opened opened(DwarfParts{.info = info.bytes(), .abbrev = abbrev.bytes()}.elf());
  auto start = std::chrono::steady_clock::now();
  (void)opened.info->find_in_unit(0, std::array{uint64_t{0x1000}});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

// Small units that share a large table and use one row of it.
TEST(Dwarf, ATableIsNotPaidForByEachUnit) {
  AbbrevWriter abbrev;
  uint64_t unit = abbrev.add(dw_tag::kCompileUnit,
                             false,
                             {{dw_at::kLowPc, dw_form::kAddr}, {dw_at::kHighPc, dw_form::kData4}});
  for (int i = 0; i < 200'000; ++i) {
    abbrev.add(dw_tag::kVariable, false, {{dw_at::kName, dw_form::kString}});
  }
  DwarfParts made{.abbrev = abbrev.bytes()};
  constexpr uint32_t kUnits = 20'000;
  for (uint64_t number = 0; number < kUnits; ++number) {
    UnitWriter info(4);
    info.entry(unit);
    info.data(0x1000 + number * 16, 8).data(16, 4);
    made.info += info.bytes();
  }
  Opened opened(made.elf());
  auto start = std::chrono::steady_clock::now();
  for (uint32_t number = 0; number < kUnits; ++number) {
    (void)opened.info->find_in_unit(number, std::array{uint64_t{0x1000} + number * 16});
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

// Requests all addresses and returns the number of frames. It must end and read nothing outside
// (under sanitizers).
size_t ask_everywhere(const DwarfParts& sections) {
  Opened opened(sections.elf());
  size_t all = 0;
  for (uint64_t address = 0x0FF0; address < 0x1110; address += 8) {
    std::vector<DwarfFrame> frames;
    opened.info->find(address, frames);
    EXPECT_LT(frames.size(), 100U);
    all += frames.size();
  }
  return all;
}

TEST(Dwarf, CutAtEveryByte) {
  for (uint16_t version : {uint16_t{2}, uint16_t{4}}) {
    DwarfParts whole = inlined_program(version);
    size_t frames = ask_everywhere(whole);
    EXPECT_GT(frames, 0U);
    for (std::string DwarfParts::* part : {&DwarfParts::info,
                                           &DwarfParts::abbrev,
                                           &DwarfParts::line,
                                           &DwarfParts::ranges,
                                           &DwarfParts::str}) {
      for (size_t size = 0; size < (whole.*part).size(); ++size) {
        DwarfParts cut = whole;
        (cut.*part).resize(size);
        EXPECT_LE(ask_everywhere(cut), frames) << size;
      }
    }
  }
}

TEST(Dwarf, EveryByteDamaged) {
  for (uint16_t version : {uint16_t{3}, uint16_t{4}}) {
    DwarfParts whole = inlined_program(version);
    for (std::string DwarfParts::* part :
         {&DwarfParts::info, &DwarfParts::abbrev, &DwarfParts::line, &DwarfParts::ranges}) {
      for (size_t at = 0; at < (whole.*part).size(); ++at) {
        for (char other : {'\0', '\1', '\x7F', '\x80', '\xFF'}) {
          DwarfParts damaged = whole;
          (damaged.*part)[at] = other;
          ask_everywhere(damaged);
        }
      }
    }
  }
}

TEST(RangeTable, ChildrenHideTheirParents) {
  RangeTable table({{10, 100, 0}, {20, 40, 1}, {30, 35, 2}, {60, 70, 3}},
                   RangeTable::Winner::kLarger);
  std::string owners;
  for (uint64_t at : {9U, 10U, 20U, 30U, 35U, 40U, 60U, 70U, 99U, 100U}) {
    uint32_t owner = table.find(at);
    owners += owner == RangeTable::kNone ? "- " : std::to_string(owner) + " ";
  }
  EXPECT_EQ(owners, "- 0 1 2 1 0 3 0 0 - ");
}

// Compares with painting byte by byte, for ranges that overlap in any way.
TEST(RangeTable, OverlapsAreWonByNumber) {
  uint64_t random = 7;
  auto next = [&](uint64_t limit) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return (random >> 33U) % limit;
  };
  for (uint32_t round = 0; round < 500; ++round) {
    std::vector<OwnedRange> ranges;
    std::vector<uint32_t> larger(64, RangeTable::kNone);
    std::vector<uint32_t> smaller(64, RangeTable::kNone);
    for (uint32_t owner = 0; owner < 1 + round % 9; ++owner) {
      uint64_t begin = 1 + next(40);
      uint64_t end = begin + 1 + next(20);
      ranges.push_back({begin, end, owner});
      for (uint64_t at = begin; at < end; ++at) {
        larger[at] = owner;
        smaller[at] = std::min(smaller[at], owner);
      }
    }
    RangeTable by_larger(ranges, RangeTable::Winner::kLarger);
    RangeTable by_smaller(ranges, RangeTable::Winner::kSmaller);
    for (uint64_t at = 0; at < 64; ++at) {
      ASSERT_EQ(by_larger.find(at), larger[at]) << round << " " << at;
      ASSERT_EQ(by_smaller.find(at), smaller[at]) << round << " " << at;
    }
  }
}

TEST(SourceFile, PathsAreJoined) {
  EXPECT_EQ((SourceFile{"/c", "d", "f.c"}).path(), "/c/d/f.c");
  EXPECT_EQ((SourceFile{"/c", "/d", "f.c"}).path(), "/d/f.c");
  EXPECT_EQ((SourceFile{"/c", "d", "/f.c"}).path(), "/f.c");
  EXPECT_EQ((SourceFile{"/c/", "", "f.c"}).path(), "/c/f.c");
  EXPECT_EQ((SourceFile{"", "", "f.c"}).path(), "f.c");
}

}  // namespace
}  // namespace wick
