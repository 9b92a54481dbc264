// SPDX-License-Identifier: Apache-2.0
// Describes this build. Compiled once for each variant, also if variants share all other objects:
// so no two programs have the same build id, and a profiler cannot name one by the other's symbols.
#pragma once

namespace truth {

struct Variant {
  const char* name;     // "plain", "fp", "static", ...
  bool frame_pointers;  // the program was compiled with frame pointers
};

extern const Variant kVariant;

}  // namespace truth
