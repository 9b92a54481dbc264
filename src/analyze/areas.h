// SPDX-License-Identifier: Apache-2.0
// Named areas of a program: "allocator = malloc|free|operator new". A project stores such a list in
// a file and compares the share of each area from run to run.
//
//     # one area a line: a name, '=', a regular expression on function names, files and modules
//     crc     = crc32
//     logging = syslog|vsnprintf
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/pattern.h"
#include "base/result.h"
#include "profile/profile.h"
#include "profile/stack_costs.h"

namespace wick {

struct Area {
  std::string name;
  Pattern pattern;
};

// The error names the line.
Result<std::vector<Area>> parse_areas(std::string_view text, std::string_view path);

// The cost of each area. Areas may overlap: a sample counts for each area with a frame in its
// stack, or for `none` if no area has one.
struct AreaCosts {
  std::vector<Cost> self;   // by area: samples whose leaf is in it
  std::vector<Cost> total;  // by area: samples with a frame in it
  Cost none;
};
AreaCosts area_costs(const Profile& profile,
                     const StackCosts& costs,
                     const std::vector<Area>& areas);

}  // namespace wick
