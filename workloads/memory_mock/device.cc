// SPDX-License-Identifier: Apache-2.0
#include "memory_mock/device.h"

#include <numeric>

namespace memory_mock {
namespace {

constexpr std::array<size_t, kBars> kBarSizes{kBar0Size, kBar1Size};
constexpr size_t kFirstBarIndex = kFirstBarRegister / 4;

bool is_bar(size_t index) {
  return index >= kFirstBarIndex && index < kFirstBarIndex + kBars;
}

}  // namespace

Memories::Memories() {
  std::iota(bar0_.begin(), bar0_.end(), uint8_t{0x10});
}

std::span<const uint8_t> Memories::readable(size_t bar) const {
  return bar == 0 ? std::span<const uint8_t>(bar0_) : std::span<const uint8_t>(bar1_);
}

std::span<uint8_t> Memories::writable(size_t bar) {
  return bar == 1 ? std::span<uint8_t>(bar1_) : std::span<uint8_t>();
}

ConfigSpace::ConfigSpace() {
  registers_[0] = kIdentity;
}

uint32_t ConfigSpace::read(uint64_t offset) const {
  size_t index = offset / 4;
  return index < registers_.size() ? registers_[index] : 0xFFFFFFFF;
}

// A BAR stores only the address bits above its size, which is how a client finds its size.
void ConfigSpace::write(uint64_t offset, uint32_t value) {
  size_t index = offset / 4;
  if (!is_bar(index)) {
    return;
  }
  size_t size = kBarSizes[index - kFirstBarIndex];
  registers_[index] = size == 0 ? 0 : value & ~static_cast<uint32_t>(size - 1);
}

std::optional<ConfigSpace::Location> ConfigSpace::find(uint64_t address, size_t length) const {
  for (size_t bar = 0; bar < kBars; ++bar) {
    uint64_t start = registers_[kFirstBarIndex + bar];
    if (address >= start && address - start < kBarSizes[bar] &&
        length <= kBarSizes[bar] - (address - start)) {
      return Location{bar, static_cast<size_t>(address - start)};
    }
  }
  return std::nullopt;
}

}  // namespace memory_mock
