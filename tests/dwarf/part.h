// SPDX-License-Identifier: Apache-2.0
// Inlined across files.
#pragma once
extern "C" int part_outer(int x);
inline int part_leaf(int x) {
  return x % 7 == 0 ? x / 7 : x * 5 + 1;
}
inline int part_middle(int x) {
  int sum = 0;
  for (int i = 0; i < x % 3; ++i) {
    sum += part_leaf(i + x);
  }
  return sum;
}
