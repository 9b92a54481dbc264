// SPDX-License-Identifier: Apache-2.0
// The stubs of the procedure linkage table (PLT): which function each of them jumps to.
//
// A call to a function of another library goes through a stub: a few instructions that jump to the
// address in a slot of the GOT. Stubs have no symbols, but the slot has a relocation, which names
// the function:
//
//     call -> stub: jmp *slot  ->  relocation at the slot's address  ->  symbol
//
// So wick finds the stubs by decoding their jump and not by counting: layouts differ between
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
  std::string_view name;  // of the function; empty if only `target` is known
  uint64_t target = 0;    // of an indirect function (IRELATIVE): address of its resolver
};

// In the order of the file. x86-64, x86 and AArch64; none for others.
std::vector<PltStub> find_plt_stubs(const ElfImage& image);

}  // namespace wick
