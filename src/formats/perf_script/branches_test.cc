// SPDX-License-Identifier: Apache-2.0
// Branch stacks in each form of the text. Expected values are written as perf's brstack has them.
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/perf_script/testing.h"
#include "profile/names.h"
#include "tests/support/files.h"

namespace wick::perf_script {
namespace {

std::string location_text(const Profile& profile, FrameId id) {
  const Frame& frame = profile.frames[id];
  std::string text =
      frame.function.valid()
          ? fmt::format("{}+", profile.strings[profile.functions[frame.function].name])
          : "";
  text += fmt::format("{:#x}", frame.address);
  std::string_view path =
      frame.module.valid() ? profile.strings[profile.modules[frame.module].path] : "";
  return path.empty() ? text : fmt::format("{}({})", text, path);
}

// A line for each sample: FROM/TO/flags in hex/cycles.
std::string branches_of(const Profile& profile) {
  std::string text;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    BranchSetId id = profile.samples.branches[row];
    BranchSet set = id.valid() ? profile.branch_sets[id] : BranchSet();
    for (size_t i = set.first; i < set.first + set.count; ++i) {
      const Branch& branch = profile.branches[i];
      const BranchEdge& edge = profile.edges[branch.edge];
      text += fmt::format("{}{}/{}/{:x}/{}",
                          i == set.first ? "" : " ",
                          location_text(profile, edge.from),
                          location_text(profile, edge.to),
                          branch.flags,
                          branch.cycles);
    }
    text += "\n";
  }
  return text;
}

TEST(PerfScriptBranches, EntriesOfEachForm) {
  Result<Profile> profile = read_text(
      "a 1 1.0: 5 cycles:  0x10/0x20/P/-/-/12/  0x1c(/x y)/0x10([vdso])/M/X/A/70000/COND/-\n"
      "a 1 1.1: 5 cycles: \n"
      "\t 1 f (/x)\n"
      " f+0x3/operator/(a const&)+0x0/N/-/-/0  [unknown]/f+0x4(/x)/P/-/-/1/RET/SPEC_CORRECT_PATH \n"
      "a 1 1.2: 5 cycles: 1 f (/x) 0xffffffff81000000/0x20/-/-/-/0\n");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(branches_of(*profile),
            "0x10/0x20/2/12 0x1c(/x y)/0x10([vdso])/4d/65535\n"
            "f+0x3/operator/(a const&)+0x0/0/0 0x0/f+0x4(/x)/1b2/1\n"
            "0xffffffff81000000/0x20/0/0\n");
  EXPECT_EQ(profile->frames[profile->edges[EdgeId(4)].from].mode, Mode::kKernel);
}

TEST(PerfScriptBranches, AMapGivesAddressesTheirFile) {
  Result<Profile> profile = read_text(
      "PERF_RECORD_MMAP2 7/7: [0x400000(0x1000) @ 0x2000 00:23 5 1]: r-xp /opt/a b\n"
      "a 7 1.0: PERF_RECORD_MMAP2 7/7: [0x7f0000(0x100) @ 0 00:23 5 1]: r-xp /lib/c\n"
      "a 7 1.1: 5 cycles:            40062f 0x40062f/0x4005b0/P/-/-/9  "
      "0x7f0010/0x7f0100/P/-/-/1\n");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(branches_of(*profile),
            "0x262f(/opt/a b)/0x25b0(/opt/a b)/2/9 0x10(/lib/c)/0x7f0100/2/1\n");
}

// The text names no targets: they are the next instructions.
TEST(PerfScriptBranches, InstructionsBetweenBranches) {
  Result<Profile> profile = read_text(
      "a 1 1.0: 5 cycles: \n"
      "\tmain+334:\n"
      "\t0000000000001a6e\tinsn: e9 e4 fe ff ff          \t# PRED 1 cycles [1]\n"
      "\t0000000000001957\tinsn: 81 7d ec 00 b4 c4 04 \n"
      "\t000000000000195e\tinsn: 0f 8d 0f 01 00 00       \t# MISPRED 9 cycles [10] 0.22 IPC\n"
      "\tleaf:\n"
      "\t0000000000002000\tinsn: c3                      \t# PRED INTX\n"
      "\t... not reaching sample ...\n"
      "\t0000000000003000\tinsn: c3                      \t# PRED 4 cycles [14]\n"
      "\t0000000000001963\tinsn: 90 \n");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(branches_of(*profile),
            "0x3000/0x1963/2/4 0x2000/0x0/6/0 0x195e/0x2000/1/9 0x1a6e/0x1957/2/1\n");
  std::map<uint64_t, uint32_t> instructions;
  for (const CodeBlock& block : profile->code_blocks) {
    instructions[profile->frames[block.begin].address] = block.instructions;
  }
  EXPECT_EQ(instructions, (std::map<uint64_t, uint32_t>{{0x1957, 2}, {0x2000, 1}}));
}

TEST(PerfScriptBranches, LinesOfBranchesAloneAreSamples) {
  Result<Profile> profile = read_text(
      " 0x10/0x20/P/-/-/1  0x30/0x40/P/-/-/1\n"
      " 0x10/0x20/P/-/-/2\n");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(branches_of(*profile), "0x10/0x20/2/1 0x30/0x40/2/1\n0x10/0x20/2/2\n");
}

TEST(PerfScriptBranches, OfACutLineTheLastEntryIsLost) {
  Result<Profile> cut = read_text("a 1 1.0: 5 cycles:  0x1/0x2/P/-/-/3  0x4/0x5/P/-/-/12");
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ(branches_of(*cut), "0x1/0x2/2/3\n");
  EXPECT_EQ(cut->losses.size(), 1U);
  Result<Profile> whole = read_text("a 1 1.0: 5 cycles:  0x1/0x2/P/-/-/3  0x4/0x5/P/-/-/12 ");
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(branches_of(*whole), "0x1/0x2/2/3 0x4/0x5/2/12\n");
  EXPECT_EQ(whole->losses.size(), 0U);
}

TEST(PerfScriptBranches, BrokenEntriesAreCounted) {
  Result<Profile> profile =
      read_text("a 1 1.0: 5 cycles:  0xzz/0x20/P/-/-/1  0x1/0x2/P/-/-/x 0x1/0x2/P/-/-/3\n");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(branches_of(*profile), "0x1/0x2/2/3\n");
  ASSERT_EQ(profile->losses.size(), 1U);
  EXPECT_EQ(profile->losses[0].count, 2U);
}

}  // namespace
}  // namespace wick::perf_script
