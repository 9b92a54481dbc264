// SPDX-License-Identifier: Apache-2.0
// jitdump: the file in which a JIT compiler describes the code that it generated (jit-PID.dump).
//
//     header   magic "JiTD" in the writer's byte order, version, size of the header, machine, pad,
//              pid, time, flags                                                       40 bytes
//     records  id, size of the record, time, and by id:
//       0 load        pid, tid, address (twice), size, number, name NUL, the code itself
//       1 move        pid, tid, address, old address, new address, size, number
//       2 lines       address, count, then address, line, discriminator, file NUL: of the next
//                     load
//       3 close
//       4 unwinding   skipped: wick follows the code (unwind/code_flow.h) or the frame pointer
//
// wick reads the file directly; perf first writes one ELF file for each function. There is no
// record for code that was discarded; its memory is simply used again. So a function is valid from
// its own time on until another one is loaded over it; without a time, the last one counts. Times
// are CLOCK_MONOTONIC unless the header says that they are the processor's own. A record that does
// not fit ends the reading; the records before it stay valid. Records with other ids are skipped,
// and damage is counted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "elf/dwarf_ranges.h"
#include "elf/image.h"
#include "symbolize/text_symbols.h"

namespace wick {

// The functions that were at one address, one after the other. The first also counts before its
// time: compilers describe code when it is finished, or a little later.
struct JitHistory {
  struct Load {
    int64_t time_ns = 0;
    uint32_t function = 0;  // its number in the dump
  };
  uint64_t address = 0;
  std::vector<Load> loads;  // by time
};

class JitDump {
 public:
  // Stores no bytes of the file. Empty if it is not a jitdump.
  static JitDump parse(Bytes bytes);

  // The function that was loaded last.
  std::optional<NamedCode> find(uint64_t address) const;
  // A function by its number, and the location of an address in it.
  NamedCode code_at(uint32_t function, uint64_t address) const;
  // The history of those addresses (ascending) that more than one function has used. None if the
  // answer would be unreasonably long: then the dump is hostile.
  std::optional<std::vector<JitHistory>> histories(std::span<const uint64_t> addresses) const;
  // The function that was loaded last at an address, or last with this start and name.
  std::optional<uint32_t> number_at(uint64_t address) const;
  // The function that was at an address at a time.
  std::optional<uint32_t> number_at(uint64_t address, int64_t time_ns) const;
  std::optional<uint32_t> number_of(uint64_t start, std::string_view name) const;
  uint64_t start_of(uint32_t function) const { return functions_[function].start; }
  bool has_lines(uint32_t function) const { return functions_[function].lines > 0; }
  // Its code, within the parsed bytes; shorter than its size if the dump lacks some.
  Bytes code_of(uint32_t function, Bytes file) const;
  Architecture machine() const { return machine_; }
  // Whether its times are comparable with those of a recording.
  bool has_monotonic_times() const { return has_monotonic_times_; }
  size_t size() const { return functions_.size(); }
  uint64_t damaged() const { return damaged_; }

 private:
  friend class JitDumpReader;

  struct Line {
    uint64_t offset = 0;  // from the start of the function
    uint32_t line = 0;
    uint32_t file = 0;  // in files_
  };
  struct Function {
    uint64_t start = 0;
    uint64_t size = 0;
    int64_t time_ns = 0;  // when it was loaded
    std::string name;
    uint64_t code = 0;  // offset in the file
    uint64_t code_size = 0;
    uint32_t first_line = 0;  // index into lines_
    uint32_t lines = 0;
  };

  std::vector<Function> functions_;  // in the order of loading
  std::vector<Line> lines_;
  std::vector<std::string> files_;
  RangeTable owners_;
  std::vector<uint32_t> by_start_;  // functions, by start and then by number
  uint64_t largest_ = 0;            // size of a function
  bool is_by_time_ = true;          // no function is older than the one before it in the file
  Architecture machine_ = Architecture::kOther;
  bool has_monotonic_times_ = false;
  uint64_t damaged_ = 0;
};

}  // namespace wick
