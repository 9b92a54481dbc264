// SPDX-License-Identifier: Apache-2.0
#include "analyze/annotate/heat.h"

#include <algorithm>
#include <map>

#include "profile/names.h"

namespace wick {

CodeHeat::CodeHeat(const Profile& profile, const StackCosts& costs)
    : profile_(profile), costs_(costs) {
  find_homes();
  collect_functions();
}

void CodeHeat::find_homes() {
  homes_.resize(profile_.stacks.size());
  is_home_.resize(profile_.frames.size());
  self_.resize(profile_.frames.size());
  for (size_t row = 1; row < homes_.size(); ++row) {
    StackId stack = StackId::from_index(row);
    FrameId id = profile_.stacks.frame(stack);
    const Frame& frame = profile_.frames[id];
    FrameId below = homes_[profile_.stacks.parent(stack).index()];
    bool is_copy = (frame.flags & kInlined) != 0 && below.valid() &&
                   profile_.frames[below].module == frame.module &&
                   profile_.frames[below].address == frame.address;
    homes_[row] = is_copy ? below : id;
    is_home_[homes_[row].index()] = true;
  }
  for (StackId stack : costs_.stacks()) {
    if (stack != kEmptyStack) {
      self_[homes_[stack.index()].index()] += costs_.self(stack);
    }
  }
}

void CodeHeat::collect_functions() {
  // A named function by its id, code without names by its module.
  std::map<std::pair<FunctionId, ModuleId>, uint32_t> known;
  std::vector<uint32_t> key_of_frame(profile_.frames.size(), kNoKey);
  std::vector<int64_t> hottest;
  for (size_t row = 0; row < profile_.frames.size(); ++row) {
    FrameId id = FrameId::from_index(row);
    const Frame& frame = profile_.frames[id];
    bool has_code = frame.address != 0 && frame.module.valid();
    bool has_lines = is_interpreted(frame.origin) && frame.function.valid();
    if (!is_home_[row] || (!has_code && !has_lines)) {
      continue;
    }
    auto [found, is_new] =
        known.try_emplace({frame.function, frame.module}, static_cast<uint32_t>(functions_.size()));
    key_of_frame[row] = found->second;
    if (is_new) {
      HotFunction made{.module = std::string(module_name(profile_, frame)),
                       .function = frame.function};
      if (frame.function.valid()) {
        made.name = function_name(profile_, frame.function);
        const Function& function = profile_.functions[frame.function];
        made.linkage = profile_.strings[function.linkage_name];
        made.file = profile_.strings[function.file];
      }
      functions_.push_back(std::move(made));
      hottest.push_back(-1);
    }
    functions_[found->second].self += self_[row];
    if (self_[row].weight > hottest[found->second]) {
      hottest[found->second] = self_[row].weight;
      functions_[found->second].hottest = frame;
    }
  }
  std::vector<Cost> totals = this->totals(key_of_frame, functions_.size());
  for (size_t i = 0; i < functions_.size(); ++i) {
    functions_[i].total = totals[i];
  }
  std::ranges::stable_sort(functions_, [](const HotFunction& a, const HotFunction& b) {
    return a.self.weight != b.self.weight ? a.self.weight > b.self.weight
                                          : a.total.weight > b.total.weight;
  });
}

std::vector<Cost> CodeHeat::totals(const std::vector<uint32_t>& key_of_frame, size_t keys) const {
  std::vector<Cost> totals(keys);
  std::vector<StackId> counted(keys);  // the last stack counted for the key
  for (StackId sampled : costs_.stacks()) {
    for (StackId at = sampled; at != kEmptyStack; at = profile_.stacks.parent(at)) {
      uint32_t key = key_of_frame[homes_[at.index()].index()];
      if (key != kNoKey && counted[key] != sampled) {
        counted[key] = sampled;
        totals[key] += costs_.self(sampled);
      }
    }
  }
  return totals;
}

}  // namespace wick
