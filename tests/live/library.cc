// SPDX-License-Identifier: Apache-2.0
// The library that live_target loads and unloads.
#include <chrono>
#include <cstdint>

extern "C" __attribute__((visibility("default"), noinline)) void live_in_library(int milliseconds) {
  static volatile uint64_t result;
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 20'000; ++i) {
      result = result * 6364136223846793005U + 1;
    }
  }
}
