// SPDX-License-Identifier: Apache-2.0
// The fuzz targets: one function for each reader of untrusted bytes; each format has one. For any input, each must
// return quickly and without an error of the sanitizers.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/bytes.h"

namespace wick::fuzz {

struct Target {
  std::string name;  // fuzz/corpus/NAME contains its inputs
  std::function<void(Bytes input)> run;
};

std::span<const Target> all_targets();

}  // namespace wick::fuzz
