// SPDX-License-Identifier: Apache-2.0
// The other half of program.cc.
#include "part.h"

static int helper(int x) {
  return part_middle(x) ^ part_leaf(x + 1);
}
int never_used(int x) {
  return helper(x) * 11;
}
int part_outer(int x) {
  return helper(x) + helper(x * 2);
}
