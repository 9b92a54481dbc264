// SPDX-License-Identifier: Apache-2.0
// Code that a process generated, in any order of addresses.
#include "pipeline/space_lookup.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace wick {
namespace {

constexpr uint64_t kBegin = 0x10000;
constexpr uint64_t kSize = 0x1000;

// The byte at an address is its last one.
class Memory : public ProcessMemory {
 public:
  size_t read_some(int32_t /*pid*/, uint64_t address, std::span<std::byte> out) override {
    size_t size = std::min<size_t>(out.size(), kBegin + kSize - address);
    for (size_t i = 0; i < size; ++i) {
      out[i] = static_cast<std::byte>(address + i);
    }
    return size;
  }
};

// Stubs of Python are 11 bytes apart: a caller's may be just below the code that was read last.
TEST(SpaceLookup, GeneratedCodeBelowTheLastReadIsReadAgain) {
  FileSearch search;
  LoadedModules modules(search);
  AddressSpace space;
  space.map(modules.mapping_of(
      {.at = {.pid = 7, .tid = 7}, .start = kBegin, .size = kSize, .path = "//anon"}));
  Memory memory;
  for (uint64_t below = 0; below <= 32; ++below) {
    SpaceLookup lookup(space, modules, {.memory = &memory, .pid = 7});
    ASSERT_EQ(lookup.code_at(kBegin + 64)[0], std::byte{64});
    Bytes code = lookup.code_at(kBegin + 64 - below);
    ASSERT_GE(code.size(), 15U) << below;
    ASSERT_LE(code.size(), 1024U) << below;
    EXPECT_EQ(code[0], static_cast<std::byte>(64 - below)) << below;
  }
  SpaceLookup lookup(space, modules, {.memory = &memory, .pid = 7});
  EXPECT_EQ(lookup.code_at(kBegin + kSize - 3).size(), 3U) << "the end of the mapping";
  EXPECT_TRUE(lookup.code_at(kBegin + kSize).empty());
}

}  // namespace
}  // namespace wick
