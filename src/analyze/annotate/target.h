// SPDX-License-Identifier: Apache-2.0
// Finds the function or source file to annotate from the user's text.
//
//     (nothing)        the hottest function whose code is available
//     work             the function of that name; else one whose name contains it; else a pattern
//     truth:0x1234     the function at an address of a module; truth+0x1234 as tables spell it
//     work.cc          the lines of a source file
//     leaf             a function that was inlined: where it costs most
//
// If several functions match, the hottest is taken and the others are listed.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/annotate/heat.h"
#include "base/result.h"
#include "profile/code.h"

namespace wick {

// Costs of the lines of one source file.
struct HotFile {
  std::string file;
  FrameId frame;  // a location in it
  std::map<uint32_t, Cost> lines;
  Cost self;
};

struct Target {
  FunctionId function;            // none: the function at frame.address
  Frame frame;                    // a location in it
  FunctionCode code;              // of the function; none if an interpreter ran it
  std::vector<HotFunction> also;  // other matches, hottest first
  std::vector<HotFile> files;     // not empty: source files were requested, hottest first
  std::vector<std::string> notes;
};

Result<Target> find_target(const Profile& profile,
                           const CodeHeat& heat,
                           std::string_view wanted,
                           CodeSource& source);

}  // namespace wick
