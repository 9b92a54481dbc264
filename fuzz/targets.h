// SPDX-License-Identifier: Apache-2.0
// The fuzz targets: one function for each reader of untrusted bytes. For any input, each must
// return quickly and without an error of the sanitizers.
#pragma once

#include <span>
#include <string_view>

#include "base/bytes.h"

namespace wick::fuzz {

struct Target {
  std::string_view name;  // fuzz/corpus/NAME contains its inputs
  void (*run)(Bytes input);
};

std::span<const Target> all_targets();

}  // namespace wick::fuzz
