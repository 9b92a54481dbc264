// SPDX-License-Identifier: Apache-2.0
// The two kinds of functions in a path.
//
// A leaf burns CPU in a loop of dependent multiplications and nothing else: no memory, no calls, so
// an interrupt always finds it in the innermost user frame. A caller calls the next function and
// does a little after it, which prevents the compiler from replacing the call by a jump (a tail
// call would remove the caller from the stack).
//
// Invariant: every name defined here is a separate function in the symbol table, in every build.
// Each leaf has its own constant, so that no linker folds two equal bodies into one.
#pragma once

#include <cstdint>

#include "common/no_inline.h"

namespace truth {

using Steps = uint32_t;  // one turn of a leaf's loop: about a nanosecond

// A different odd-looking number for every name.
constexpr uint32_t salt_of(const char* name) {
  uint32_t hash = 2166136261u;
  for (; *name != '\0'; ++name) {
    hash = (hash ^ static_cast<uint32_t>(*name)) * 16777619u;
  }
  return hash | 1u;
}

}  // namespace truth

// The compiler must believe that this variable changes here.
#define TRUTH_OPAQUE(variable) asm volatile("" : "+r"(variable))
// A side effect: a call before this line is not a tail call.
#define TRUTH_STAY() asm volatile("" ::: "memory")

#define TRUTH_ALWAYS_INLINE inline __attribute__((always_inline))

// The body of a leaf. A macro, because an inlined helper would have its own frame.
#define TRUTH_BURN(steps, value, name)            \
  constexpr uint32_t own_salt = salt_of(name);    \
  for (Steps left = (steps); left != 0; --left) { \
    (value) = (value) * 1664525u + own_salt;      \
    TRUTH_OPAQUE(value);                          \
  }

#define TRUTH_LEAF(name)                         \
  WORKLOAD_FUNCTION uint32_t name(Steps steps) { \
    uint32_t value = steps;                      \
    TRUTH_BURN(steps, value, #name)              \
    return value;                                \
  }

#define TRUTH_CALLER(name, callee)               \
  WORKLOAD_FUNCTION uint32_t name(Steps steps) { \
    uint32_t value = callee(steps);              \
    TRUTH_OPAQUE(value);                         \
    return value + 1;                            \
  }
