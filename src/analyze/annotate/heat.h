// SPDX-License-Identifier: Apache-2.0
// Where samples hit the code: costs by the frame that contains the code.
//
// The code of an inlined function is inside another function. Its frames have the address of that
// function, and are above that function's frame in the stack. So machine code belongs to the frame
// below the inlined frames, the frame that contains the code (its "home"):
//
//     main+0x10;outer+0x20;leaf{inlined}+0x20      the sample hits outer+0x20
//
// All code without a name in a module counts as one function, until the code shows where functions
// begin.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "profile/stack_costs.h"

namespace wick {

struct HotFunction {
  std::string name;     // demangled; empty for code without names
  std::string linkage;  // may be empty
  std::string module;
  std::string file;     // its source; may be empty
  FunctionId function;  // none for code without names
  Frame hottest;        // its frame with the most samples, else any
  Cost self;
  Cost total;
};

class CodeHeat {
 public:
  CodeHeat(const Profile& profile, const StackCosts& costs);

  // Functions with a known address, and those that an interpreter ran. Heaviest self first, then
  // heaviest total.
  const std::vector<HotFunction>& functions() const { return functions_; }
  // The samples whose home is this frame.
  const Cost& self(FrameId home) const { return self_[home.index()]; }
  bool is_home(FrameId frame) const { return is_home_[frame.index()]; }

  // Each home frame has a key, or kNoKey. totals() returns for each key the cost of the samples
  // with a frame of that key anywhere in their stack. Each sample counts once.
  static constexpr uint32_t kNoKey = std::numeric_limits<uint32_t>::max();
  std::vector<Cost> totals(const std::vector<uint32_t>& key_of_frame, size_t keys) const;

 private:
  void find_homes();
  void collect_functions();

  const Profile& profile_;
  const StackCosts& costs_;
  std::vector<FrameId> homes_;  // by stack
  std::vector<bool> is_home_;   // by frame
  std::vector<Cost> self_;      // by frame
  std::vector<HotFunction> functions_;
};

}  // namespace wick
