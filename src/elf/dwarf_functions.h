// FunctionTree: the functions of a unit that have code, the calls that were inlined into them, and
// which of these is at work at an address.
//
// One pass over the entries of the unit. Only functions and inlined calls are looked at; of the
// others the pass only finds the end. Types at the level of the file are passed over as a whole
// where the compiler wrote down their end (gcc does): types inside of functions are not, because
// the member functions of a local type stand there with their code.
//
// Who asks for some addresses only says which, in ascending order. Then nothing is sorted: each
// node claims the wanted addresses that it covers, and since what is inlined comes after what it is
// inlined into, the last one to claim an address is the innermost. Functions without any wanted
// address are passed over as a whole, where the compiler wrote down their end. A function may hide
// others that way (member functions of its local types), so when an address is not found what was
// passed over is read after all. 100,000 addresses of a 42 MB program: 18 ms of 72 went into
// sorting ranges, and later 25 of 52 into reading everything again for the sake of a few lambdas.
//
// Names are not read here: most functions of a unit are never asked for (dwarf_file.h finds them).
// The tree tells which entries have the names. Many nodes share one: all calls of a function that
// were inlined have the name of that function.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "elf/dwarf_ranges.h"
#include "elf/dwarf_unit.h"

namespace wick {

// A function, or a call of one that was inlined.
struct FunctionNode {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint64_t begin = 0;       // its first address
  uint32_t name = 0;        // see FunctionTree::named_entry()
  uint32_t caller = kNone;  // the node it was inlined into; none for functions
  // Where the inlined call was.
  uint32_t call_file = 0;
  uint32_t call_line = 0;
  uint32_t call_column = 0;
};

class FunctionTree {
 public:
  FunctionTree() = default;
  // `wanted` are the addresses that will be asked for, ascending, each once; none: any.
  static FunctionTree read(const DwarfUnit& unit,
                           const Abbreviations& abbreviations,
                           DwarfLimits& limits,
                           std::span<const uint64_t> wanted = {});

  // The innermost node at an address, or kNone. Only when read for any address.
  uint32_t find(uint64_t address) const { return owners_.find(address); }
  // The innermost node at a wanted address, by its place among them, or kNone.
  uint32_t claimed_by(size_t index) const { return claims_[index]; }
  const FunctionNode& operator[](uint32_t node) const { return nodes_[node]; }
  size_t size() const { return nodes_.size(); }
  bool empty() const { return nodes_.empty(); }
  // Names of the nodes are numbered from 0 to names() - 1; this is the offset in .debug_info of the
  // entry that tells one.
  uint64_t named_entry(uint32_t name) const { return named_entries_[name]; }
  size_t names() const { return named_entries_.size(); }
  size_t memory_bytes() const {
    return nodes_.capacity() * sizeof(FunctionNode) + owners_.memory_bytes() +
           named_entries_.capacity() * sizeof(uint64_t) + claims_.capacity() * sizeof(uint32_t);
  }

 private:
  friend class FunctionReader;

  std::vector<FunctionNode> nodes_;  // callers before what is inlined into them
  std::vector<uint64_t> named_entries_;
  RangeTable owners_;             // when read for any address
  std::vector<uint32_t> claims_;  // nodes by wanted address
};

}  // namespace wick
