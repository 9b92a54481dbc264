// What this build is. Compiled once for each variant, also where variants share all other objects:
// so no two programs have the same build id, and a profiler cannot name one by the other's symbols.
#pragma once

namespace truth {

struct Variant {
  const char* name;     // "plain", "fp", "static", ...
  bool frame_pointers;  // the program was compiled to keep them
};

extern const Variant kVariant;

}  // namespace truth
