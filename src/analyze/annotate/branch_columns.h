// SPDX-License-Identifier: Apache-2.0
// What branch stacks say about the instructions of a function:
//
//     executions     in blocks between two recorded branches
//     taken          of a branch, and not_taken, and mispredicted
//     block_cycles   the mean of the blocks that the instruction ends
//
// They count what the stacks contain, not what ran: compare them with each other.
#pragma once

#include <cstdint>
#include <map>

#include "profile/profile.h"
#include "report/columns.h"

namespace wick {

class BranchColumns {
 public:
  // Of the code from `begin` to `end` of a module. No columns if there are no branch stacks.
  BranchColumns(const Profile& profile, ModuleId module, uint64_t begin, uint64_t end);

  // Adds a row; addresses ascend. A row without a length is not an instruction.
  void add(uint64_t address, uint64_t length);
  void append_to(Table& table) &&;

 private:
  struct Branch {
    uint64_t taken = 0;
    uint64_t not_taken = 0;
    uint64_t mispredicted = 0;
  };
  struct Cycles {
    uint64_t timed = 0;
    uint64_t cycles = 0;
  };

  bool has_stacks_ = false;
  std::map<uint64_t, Branch> branches_;        // by address
  std::map<uint64_t, Cycles> ends_;            // of blocks, by address
  std::map<uint64_t, uint64_t> begun_;         // blocks, by their first address
  std::map<uint64_t, uint64_t> ended_;         // blocks, by the address of their last instruction
  uint64_t running_ = 0;                       // blocks that contain the current address
  std::map<uint64_t, uint64_t>::iterator at_;  // of begun_
  ReportColumn executions_ = count_column("executions", "executions");
  ReportColumn taken_ = count_column("taken", "taken");
  ReportColumn not_taken_ = count_column("not_taken", "not taken");
  ReportColumn mispredicted_ = count_column("mispredicted", "mispredicted");
  ReportColumn cycles_ = number_column("block_cycles", "block cycles");
};

}  // namespace wick
