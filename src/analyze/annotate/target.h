// What to annotate: from a word of the user to a function or a source file.
//
//     (nothing)        the hottest function whose code can be had
//     work             the function of that name; else one whose name contains it; else a pattern
//     truth:0x1234     the function at an address of a module; truth+0x1234 as tables spell it
//     work.cc          the lines of a source file
//     leaf             a function that was inlined: where it costs most
//
// Of several functions that fit the hottest is taken, and the others are told.
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
  FrameId frame;  // a place in it
  std::map<uint32_t, Cost> lines;
  Cost self;
};

struct Target {
  FunctionId function;            // none: whatever has the code at frame.address
  Frame frame;                    // a place in it
  FunctionCode code;              // of the function
  std::vector<HotFunction> also;  // others that fit the word, hottest first
  std::vector<HotFile> files;     // not empty: source files are meant, hottest first
  std::vector<std::string> notes;
};

Result<Target> find_target(const Profile& profile,
                           const CodeHeat& heat,
                           std::string_view wanted,
                           CodeSource& source);

}  // namespace wick
