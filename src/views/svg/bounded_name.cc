// SPDX-License-Identifier: Apache-2.0
#include "views/svg/bounded_name.h"

#include <fmt/format.h>

#include "views/numbers.h"

namespace wick {
namespace {

// A picture never contains longer names: a hostile name of a megabyte in ten thousand frames would
// make a picture of ten gigabytes.
constexpr size_t kLongestName = 4096;

}  // namespace

std::string bounded_name(std::string_view name) {
  if (name.size() <= kLongestName) {
    return std::string(name);
  }
  size_t half = kLongestName / 2;
  size_t left_out = name.size() - 2 * half;
  return fmt::format("{} [.. {} bytes omitted ..] {}",
                     name.substr(0, half),
                     count_text(static_cast<double>(left_out)),
                     name.substr(name.size() - half));
}

}  // namespace wick
