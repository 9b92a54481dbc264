// SPDX-License-Identifier: Apache-2.0
// One libFuzzer program for all targets: the environment variable WICK_FUZZ_TARGET selects one.
#include <cstdio>
#include <cstdlib>

#include "fuzz/targets.h"

namespace {

const wick::fuzz::Target* chosen_target() {
  const char* name = std::getenv("WICK_FUZZ_TARGET");
  for (const wick::fuzz::Target& target : wick::fuzz::all_targets()) {
    if (name != nullptr && target.name == name) {
      return &target;
    }
  }
  std::fprintf(stderr, "Set WICK_FUZZ_TARGET to one of:");
  for (const wick::fuzz::Target& target : wick::fuzz::all_targets()) {
    std::fprintf(stderr, " %s", std::string(target.name).c_str());
  }
  std::fprintf(stderr, ".\n");
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const wick::fuzz::Target* const kTarget = chosen_target();
  kTarget->run(std::as_bytes(std::span(data, size)));
  return 0;
}
