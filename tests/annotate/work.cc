// SPDX-License-Identifier: Apache-2.0
// A program with known hot lines, recorded by tests/annotate/run.py. It spends nearly all its time
// in the two lines marked HOT; `mix` is inlined into `churn`.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

static inline uint32_t mix(uint32_t value) {
  for (int i = 0; i < 64; ++i) {
    value = value * 1664525 + 1013904223;  // HOT, inlined
  }
  return value;
}

extern "C" __attribute__((noinline)) uint32_t churn(uint32_t value) {
  for (int i = 0; i < 4000; ++i) {
    value ^= mix(value);
  }
  return value;
}

extern "C" __attribute__((noinline)) double divide(double value) {
  for (int i = 0; i < 40000; ++i) {
    value = 3.0 / value + 1.5;  // HOT
  }
  return value;
}

int main(int argc, char** argv) {
  int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
  uint32_t value = 7;
  double ratio = 2;
  for (int i = 0; i < rounds; ++i) {
    value = churn(value);
    ratio = divide(ratio);
  }
  std::printf("%u %f\n", value, ratio);
}
