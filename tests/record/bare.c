// SPDX-License-Identifier: Apache-2.0
// Code without unwind tables: built with and without frame pointers, and never with CFI. Each leaf has one caller of its
// own, so the only right stack of spin_X is .. main, call_X, spin_X.
#include <stdlib.h>

#define LEAF(name)                                                          \
  void spin_##name(long rounds);                                            \
  __attribute__((noinline)) static void call_##name(long rounds) {          \
    spin_##name(rounds);                                                    \
    __asm__ volatile("");                                                   \
  }
LEAF(zero)
LEAF(chain_of_zeros)
LEAF(small)
LEAF(counts_down)
LEAF(without)
LEAF(aligned)
LEAF(never_returns)

int main(int count, char** words) {
  long rounds = count > 1 ? atol(words[1]) : 200000;
  for (int i = 0; i < 500; ++i) {
    call_zero(rounds);
    call_chain_of_zeros(rounds);
    call_small(rounds);
    call_counts_down(rounds);
    call_without(rounds);
    call_aligned(rounds);
  }
  call_never_returns(rounds * 500);
}
