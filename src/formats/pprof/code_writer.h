// SPDX-License-Identifier: Apache-2.0
// The code of a profile as tables of pprof: mappings, locations, functions and strings.
//
// A location is an address with its functions: a frame, and the inlined frames above it in the
// stack. The tree of stacks has one node for each frame, so locations are found for nodes.
//
// Addresses: pprof finds code by mapping, with start, limit and offset in the file. Addresses as
// linked get a mapping of the whole address space, for which pprof takes them as they are. Offsets
// in a file get the recorded mapping, so the process addresses are the recorded ones; else one that
// starts at kFileStart.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "base/protobuf.h"
#include "base/string_table.h"
#include "profile/profile.h"

namespace wick::pprof {

// The strings of the message. protobuf requires valid UTF-8.
class StringNumbers {
 public:
  uint64_t number(std::string_view text);
  void write(ProtoWriter& out) const;

 private:
  StringInterner strings_;
};

class CodeWriter {
 public:
  CodeWriter(const Profile& profile, StringNumbers& strings);

  // Makes the module the first mapping, which pprof takes as the program.
  void set_main(ModuleId module);
  // Appends the ids of the locations of a stack, leaf first.
  void append_locations(StackId stack, std::vector<uint64_t>& ids);
  void write(ProtoWriter& out) const;

 private:
  static constexpr uint64_t kFileStart = 0x1000'0000;
  static constexpr uint64_t kFileLimit = uint64_t{1} << 46U;

  struct Location {
    uint32_t outer = 0;  // the location without the innermost line, 0 if there is none
    FrameId frame;
    uint32_t id = 0;  // in the file; 0 if no sample has it
  };
  struct MappingRow {
    ModuleId module;
    uint64_t start = 0;
    uint64_t limit = 0;
    uint64_t offset = 0;
    uint64_t address = 0;  // of a frame, in that mapping
  };
  struct FunctionRow {
    FunctionId function;
    StringId file;
  };
  struct PairHash {
    size_t operator()(uint64_t pair) const { return hash_mix(pair, 0); }
  };

  bool is_inlined_into(const Frame& inner, const Frame& outer) const;
  uint32_t location_of(uint32_t outer, FrameId frame);
  void emit(uint32_t location);
  MappingRow mapping_of(const Frame& frame) const;
  uint64_t mapping_id(const MappingRow& row);
  uint64_t function_id(const Frame& frame);
  void write_mappings(ProtoWriter& out) const;
  void write_functions(ProtoWriter& out) const;

  const Profile& profile_;
  StringNumbers& strings_;
  std::vector<std::vector<size_t>> mappings_of_;  // rows of profile.mappings, by module
  std::vector<uint32_t> location_of_stack_;       // 0: the root
  std::vector<StackId> caller_of_stack_;          // the stack below the location
  std::vector<Location> locations_{1};
  std::vector<uint32_t> plain_locations_;  // by frame, without an outer location; 0: none yet
  std::unordered_map<uint64_t, uint32_t, PairHash> inlined_locations_;  // by outer and frame
  uint32_t used_locations_ = 0;
  ProtoWriter written_locations_;
  std::vector<MappingRow> mappings_;
  std::map<std::tuple<uint32_t, uint64_t, uint64_t, uint64_t>, uint64_t> mapping_ids_;
  struct Known {
    bool functions = false;
    bool files = false;
    bool lines = false;
    bool inlined = false;
  };
  std::vector<Known> known_;  // by mapping
  std::vector<FunctionRow> functions_;
  std::unordered_map<uint64_t, uint64_t, PairHash> function_ids_;  // by function and file
};

}  // namespace wick::pprof
