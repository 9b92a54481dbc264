// SPDX-License-Identifier: Apache-2.0
// The branch stacks of a text, in four forms:
//
//     brstack       0x1288/0x12a0/P/-/-/12/COND/- 0x...       FROM/TO/flags, newest first
//                   0x1288(/opt/t)/0x12a0(/opt/t)/M/-/-/12    with modules
//     brstacksym    main+0x8/leaf+0x0/P/-/-/12                names instead of addresses
//     brstackoff    0x88(/opt/t)/0xa0(/opt/t)/P/-/-/12        offsets in the modules
//     brstackinsn   the instructions between the branches, oldest first, a line each:
//                   "\t0000000000001288\tinsn: c3 \t# PRED 12 cycles [30] 0.25 IPC"
//
// The flags are: predicted P, mispredicted M, unknown N or -; X in a transaction; A aborted one;
// cycles since the branch before; and since perf 4.14 a type, since 6.0 speculation. brstackinsn
// names no targets: the instruction after a branch is its target. It also says how many instructions
// each block has, which the profile stores like those of files (CodeBlock).
//
// An address without a module belongs to the mapping that the text has for it: perf prints them
// with --show-mmap-events. The address becomes an offset in that file then.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/perf_script/line_cache.h"
#include "profile/builder.h"

namespace wick::perf_script {

class Branches {
 public:
  explicit Branches(ProfileBuilder& builder) : builder_(builder) {}

  // A line, or the end of one, with entries of brstack, brstacksym or brstackoff.
  void add_entries(std::string_view line);
  // A line of brstackinsn: an instruction, a label, or a remark about code that is missing.
  void add_instruction_line(std::string_view line);
  // "PERF_RECORD_MMAP2 7/7: [0x400000(0x1000) @ 0x1000 00:23 5 1]: r-xp /opt/t"
  void add_map(std::string_view record);

  bool empty() const { return newest_first_.empty() && !has_instructions_; }
  // Ends the sample: its branches, or none.
  BranchSetId finish();

  // Entries that could not be read.
  uint64_t bad_entries() const { return bad_entries_; }

 private:
  struct Map {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t offset = 0;
    ModuleId module;
  };

  FrameId frame_of(std::string_view location);
  FrameId make_frame(std::string_view location);
  FrameId frame_at(uint64_t address, std::string_view module);
  void add(FrameId from, FrameId to, uint16_t cycles, uint16_t flags);
  void finish_instructions();

  ProfileBuilder& builder_;
  LineCache<FrameId> frames_;  // by the text of the location
  std::vector<Map> maps_;
  std::vector<Branch> newest_first_;
  uint64_t bad_entries_ = 0;

  // Of brstackinsn.
  bool has_instructions_ = false;
  bool waits_for_target_ = false;  // the last line was a branch
  FrameId from_;                   // that branch
  uint16_t cycles_ = 0;
  uint16_t flags_ = 0;
  FrameId begin_;  // of the current block; none if unknown
  uint32_t instructions_ = 0;
  std::vector<Branch> oldest_first_;
};

}  // namespace wick::perf_script
