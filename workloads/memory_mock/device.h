// SPDX-License-Identifier: Apache-2.0
// The device that the server simulates: two memories that base address registers (BARs) locate.
//
//   BAR0   128 bytes, read only, holding 0x10 to 0x8f
//   BAR1   2048 bytes, read and write
//
// All connections share the memories. Each connection has its own configuration space, 64 bytes in
// which the client finds the BARs and assigns their addresses: finding a BAR's size overwrites its
// address for a moment, which must not remove the memory from the other clients.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace memory_mock {

inline constexpr size_t kBars = 6;
inline constexpr size_t kBar0Size = 128;
inline constexpr size_t kBar1Size = 2048;
inline constexpr uint32_t kIdentity = 2 << 16 | 1;  // device 2 of vendor 1
inline constexpr uint64_t kFirstBarRegister = 0x10;

// The address that the client assigns to a BAR.
constexpr uint32_t address_of_bar(size_t bar) {
  return static_cast<uint32_t>(0x10 + 4 * bar) << 16;
}

class Memories {
 public:
  Memories();
  std::span<const uint8_t> readable(size_t bar) const;
  std::span<uint8_t> writable(size_t bar);  // empty if the BAR is read only

 private:
  std::array<uint8_t, kBar0Size> bar0_;
  std::array<uint8_t, kBar1Size> bar1_{};
};

class ConfigSpace {
 public:
  ConfigSpace();
  // Registers are whole words; those outside the space read as all ones, as on a real bus.
  uint32_t read(uint64_t offset) const;
  void write(uint64_t offset, uint32_t value);

  // The part of a BAR that an access refers to; none if it is not completely inside one.
  struct Location {
    size_t bar;
    size_t offset;
  };
  std::optional<Location> find(uint64_t address, size_t length) const;

 private:
  std::array<uint32_t, 16> registers_{};
};

}  // namespace memory_mock
