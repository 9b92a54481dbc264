// SPDX-License-Identifier: Apache-2.0
// Named areas of a program: "allocator = malloc|free|operator new". A project stores such a list in
// a file and compares the share of each area from run to run.
//
//     # one area a line: a name, '=', a regular expression on function names, files and modules
//     crc     = crc32
//     logging = syslog|vsnprintf
//
// A frame that several patterns match is in all of these areas. With AreaRule::kInnermost it is in
// the first of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flags.h"
#include "base/named_patterns.h"
#include "base/result.h"
#include "profile/profile.h"
#include "profile/stack_costs.h"

namespace wick {

using Area = NamedPattern;

// The error names the line.
Result<std::vector<Area>> parse_areas(std::string_view text, std::string_view path);

// For which areas a sample counts.
enum class AreaRule : uint8_t {
  kEvery,      // each area with a frame in its stack: areas may overlap
  kInnermost,  // the area of its innermost frame that is in an area: areas add up to the whole
};

struct AreaOptions {
  std::vector<Area> areas = {};
  AreaRule rule = AreaRule::kEvery;
};
// From --areas and --exclusive-areas.
Result<AreaOptions> parse_area_options(const FlagValues& flags);
inline constexpr Flag kAreasFlag = {
    .name = "areas",
    .kind = FlagKind::kFileText,
    .value = "FILE",
    .help = "add a table of areas; the file has lines name = regex"};
inline constexpr Flag kExclusiveAreasFlag = {
    .name = "exclusive-areas",
    .help = "with --areas: count each sample for one area only, that of its innermost frame"};

inline constexpr std::string_view kNoArea = "[no area]";

// The samples of each area, as flags of stacks.
struct AreaStacks {
  std::vector<std::vector<bool>> with;    // by area: stacks whose samples count for it
  std::vector<std::vector<bool>> leaves;  // by area: those of them whose leaf is in the area
  std::vector<bool> none;                 // stacks that count for no area
  std::vector<bool> unmatched;            // by area: its pattern matches no frame
};
AreaStacks area_stacks(const Profile& profile, std::span<const Area> areas, AreaRule rule);

// The cost of each area.
struct AreaCosts {
  std::vector<Cost> self;   // by area: samples whose leaf is in it
  std::vector<Cost> total;  // by area: samples that count for it
  Cost none;
};
AreaCosts area_costs(const StackCosts& costs, const AreaStacks& stacks);

// A sentence about an area whose pattern matches nothing.
std::string unmatched_area_text(const Area& area);

}  // namespace wick
