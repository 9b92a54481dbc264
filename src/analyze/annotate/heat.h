// Where in the code samples hit: costs by the frame that has the code.
//
// An inlined function has no code of its own: its frames have the address of the function that they
// were compiled into, and stand above its frame in the stack. Machine code is therefore looked at
// by the frame below them, the one that has the code (its "home"):
//
//     main+0x10;outer+0x20;leaf{inlined}+0x20      the sample hits outer+0x20
//
// Functions without a name are one function a module, until their code tells where they begin.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "profile/stack_costs.h"

namespace wick {

struct HotFunction {
  std::string name;     // as shown to people; empty for code without names
  std::string linkage;  // may be empty
  std::string module;
  std::string file;     // its source; may be empty
  FunctionId function;  // none for code without names
  Frame hottest;        // its frame with most samples, else any
  Cost self;
  Cost total;
};

class CodeHeat {
 public:
  CodeHeat(const Profile& profile, const StackCosts& costs);

  // Those with a place in the code, heaviest self first, then heaviest total.
  const std::vector<HotFunction>& functions() const { return functions_; }
  // What was sampled with the frame as the one that has the code.
  const Cost& self(FrameId home) const { return self_[home.index()]; }
  bool is_home(FrameId frame) const { return is_home_[frame.index()]; }

  // Each home frame belongs to a key, or to kNoKey; for each key the samples that have a frame of
  // it anywhere in their stack, each once.
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
