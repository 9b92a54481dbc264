// SPDX-License-Identifier: Apache-2.0
// Builds an UnwindTable: collects the functions of all sources, sorts them, runs each program once,
// and appends the rows.
//
// Functions may overlap in a damaged file. As in the search tables of .eh_frame_hdr, the function
// that starts last wins, up to its own end; the function under it does not continue after that. So
// each function is cut at the start of the next, and rows ascend for any input.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/id_index.h"
#include "elf/cfi.h"
#include "elf/frame_program.h"
#include "elf/image.h"
#include "unwind/table.h"

namespace wick {

class UnwindTableBuilder {
 public:
  explicit UnwindTableBuilder(UnwindArch arch);

  // Adds the functions of a section that no earlier section describes. `code` says which addresses
  // can be code; null: all.
  void add(const CfiSection& section, const ElfImage* code);
  // Adds a rule for [begin, end) from another source than CFI; used only where there is no CFI.
  void add_known(uint64_t begin, uint64_t end, const UnwindRule& rule);
  // The function at an address has no caller. Replaces its CFI by the rule, unless the CFI says so
  // itself; false if it has no CFI.
  bool mark_start(uint64_t begin, const UnwindRule& rule);
  // Adds the frames of Go's functions, which are exact for every address. Call it before add() of
  // sections that also describe them.
  void add_go_frames(const ElfImage& image);
  // A part of the file's code that is outside of all functions added so far.
  struct Gap {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  std::vector<Gap> gaps(const ElfImage& image) const;

  UnwindArch arch() const { return arch_; }
  UnwindTable finish();

 private:
  static constexpr uint32_t kKnown = UINT32_MAX;

  struct Source {
    CfiSection section;
    CfiReader reader;
    std::unique_ptr<FrameProgram> program;
    std::vector<CfiRow> initial;      // for each CIE
    std::vector<uint8_t> initial_ok;  // for each CIE
  };
  struct Function {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t source = 0;  // kKnown: `item` is a rule
    uint32_t item = 0;
  };

  bool is_described(uint64_t address) const;
  bool has_start(const Function& function) const;
  void run_all(bool track_extra);
  void run_function(const Function& function, uint64_t end);
  void prepare_sources();
  UnwindRule rule_of(const CfiRow& row, const Cie& cie);
  void set_where(const RegisterRule& rule, UnwindRule::Where& where, int32_t& offset);
  int32_t expression(Bytes bytes);
  uint32_t rule_number(const UnwindRule& rule);
  void append(uint64_t address, const UnwindRule& rule);
  void append(uint64_t address, uint32_t rule);

  UnwindArch arch_;
  const UnwindArchTraits& traits_;
  std::deque<Source> sources_;
  std::vector<Function> functions_;  // sorted between calls
  std::vector<Function> known_;
  std::vector<UnwindRule> known_rules_;
  UnwindTable table_;
  IdIndex rule_index_;
  std::unordered_map<std::string, int32_t> expression_index_;
  UnwindRule last_rule_;
  uint32_t last_rule_number_ = 0;
  bool extra_wanted_ = false;
};

}  // namespace wick
