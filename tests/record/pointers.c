// SPDX-License-Identifier: Apache-2.0
// Functions that have a frame pointer, and some that have none, call one another through pointers only. So no call names
// its target, and only the code before the call says whose frame pointer it is. The right stacks are
//
//     main, call_leaf, spin_leaf               spin_leaf pushes nothing
//     main, call_middle, middle, spin_middle   middle saves another register, and has no frame pointer
typedef unsigned long (*Function)(unsigned long);
#define OWN_FUNCTION __attribute__((noinline, noclone))
#define WITHOUT_FRAME_POINTER __attribute__((optimize("omit-frame-pointer")))

OWN_FUNCTION WITHOUT_FRAME_POINTER static unsigned long spin_leaf(unsigned long rounds) {
  unsigned long sum = 1;
  while (rounds-- > 0) {
    __asm__ volatile("imul $3, %0" : "+r"(sum));
  }
  return sum;
}
static volatile Function leaf = spin_leaf;

OWN_FUNCTION static unsigned long spin_middle(unsigned long rounds) {
  unsigned long sum =
      __builtin_frame_address(0) != 0;  // compilers omit the frame pointer of leaves
  while (rounds-- > 0) {
    __asm__ volatile("imul $5, %0" : "+r"(sum));
  }
  return sum;
}
static volatile Function spin = spin_middle;

OWN_FUNCTION WITHOUT_FRAME_POINTER static unsigned long middle(unsigned long rounds) {
  return spin(rounds) + rounds;
}
static volatile Function without = middle;

OWN_FUNCTION static unsigned long call_leaf(unsigned long rounds) {
  return leaf(rounds) + 1;
}
static volatile Function first = call_leaf;

OWN_FUNCTION static unsigned long call_middle(unsigned long rounds) {
  return without(rounds) + 1;
}
static volatile Function second = call_middle;

int main(void) {
  unsigned long sum = 0;
  for (int i = 0; i < 500; ++i) {
    sum += first(500000) + second(500000);
  }
  return sum == 1;
}
