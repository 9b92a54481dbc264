// The fuzz targets: one function for each place where foreign bytes enter. Each must return,
// quickly and without a finding of the sanitizers, whatever it is given.
#pragma once

#include <span>
#include <string_view>

#include "base/bytes.h"

namespace wick::fuzz {

struct Target {
  std::string_view name;  // fuzz/corpus/NAME holds its inputs
  void (*run)(Bytes input);
};

std::span<const Target> all_targets();

}  // namespace wick::fuzz
