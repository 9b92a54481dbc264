// SPDX-License-Identifier: Apache-2.0
// FunctionTree: the functions of a unit that have code, the calls inlined into them, and which of
// these an address belongs to.
//
// One pass over the entries of the unit. The pass uses only functions and inlined calls, and skips
// all other entries. It jumps over types at file level if the compiler recorded their end (gcc
// does). It must enter types inside of functions, because the member functions of a local type are
// there with their code.
//
// A caller that needs only some addresses passes them in ascending order. Then no ranges are
// sorted: each node claims the wanted addresses that it covers, and since an inlined call comes
// after the function that it is inlined into, the last node to claim an address is the innermost.
// Functions without a wanted address are skipped if the compiler recorded their end. Such a
// function may contain others (member functions of its local types), so if an address is not found,
// the skipped functions are read after all. 100,000 addresses of a 42 MB program: sorting ranges
// took 18 ms of 72, and later reading everything again because of a few lambdas took 25 of 52.
//
// The tree does not read names, because most functions of a unit are never requested (dwarf_file.h
// finds names). The tree gives the entries that have the names. Many nodes share one: all inlined
// calls of a function have the name of that function.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "elf/dwarf_ranges.h"
#include "elf/dwarf_unit.h"

namespace wick {

// A function, or an inlined call of one.
struct FunctionNode {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint64_t begin = 0;       // its first address
  uint32_t name = 0;        // see FunctionTree::named_entry()
  uint32_t caller = kNone;  // the node it was inlined into; none for functions
  // The location of the inlined call.
  uint32_t call_file = 0;
  uint32_t call_line = 0;
  uint32_t call_column = 0;
};

// Where the variables of the requested functions are. Without optimisation nearly every variable has
// a slot in memory; with it, those that fit are in registers. Parameters that the source does not
// name do not count.
struct VariableCounts {
  uint32_t in_memory = 0;     // numbers and pointers that are in memory all the time
  uint32_t in_registers = 0;  // in a register, at least for a time
  // If more are in registers, none are counted after that: the code is optimised.
  static constexpr uint32_t kMostInRegisters = 64;
};

class FunctionTree {
 public:
  FunctionTree() = default;
  // `wanted` are the addresses that will be requested, ascending and unique; empty: any address.
  // `variables`, if not null, gets the variables of the functions that are read.
  static FunctionTree read(const DwarfUnit& unit,
                           const Abbreviations& abbreviations,
                           DwarfLimits& limits,
                           std::span<const uint64_t> wanted = {},
                           VariableCounts* variables = nullptr);

  // The innermost node at an address, or kNone. Only if read for any address.
  uint32_t find(uint64_t address) const { return owners_.find(address); }
  // The innermost node at a wanted address, given its index among them, or kNone.
  uint32_t claimed_by(size_t index) const { return claims_[index]; }
  const FunctionNode& operator[](uint32_t node) const { return nodes_[node]; }
  size_t size() const { return nodes_.size(); }
  bool empty() const { return nodes_.empty(); }
  // The names of the nodes are numbered from 0 to names() - 1. This is the offset in .debug_info of
  // the entry with that name.
  uint64_t named_entry(uint32_t name) const { return named_entries_[name]; }
  size_t names() const { return named_entries_.size(); }
  size_t memory_bytes() const {
    return nodes_.capacity() * sizeof(FunctionNode) + owners_.memory_bytes() +
           named_entries_.capacity() * sizeof(uint64_t) + claims_.capacity() * sizeof(uint32_t);
  }

 private:
  friend class FunctionReader;

  std::vector<FunctionNode> nodes_;  // callers before the calls inlined into them
  std::vector<uint64_t> named_entries_;
  RangeTable owners_;             // if read for any address
  std::vector<uint32_t> claims_;  // nodes by wanted address
};

}  // namespace wick
