// The stubs of the procedure linkage table: which function each of them jumps to.
//
// A call to a function of another library goes through a stub, some instructions that jump to where
// a slot of the GOT points. Stubs have no symbols, but the slot has a relocation, and that names
// the function:
//
//     call -> stub: jmp *slot  ->  relocation whose place is the slot  ->  symbol
//
// So the stubs are found by decoding their jump, not by counting them: layouts differ between
// linkers (GNU ld, lld, mold), with branch protection (.plt.sec, BTI) and without.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "elf/image.h"

namespace wick {

struct PltStub {
  uint64_t address = 0;  // linked
  uint64_t size = 0;
  std::string_view name;  // of the function; empty when only `target` is known
  uint64_t target = 0;    // of an indirect function (IRELATIVE): its resolver's address
};

// In the order of the file. x86-64, x86 and AArch64; none for others.
std::vector<PltStub> find_plt_stubs(const ElfImage& image);

}  // namespace wick
