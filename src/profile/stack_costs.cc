// SPDX-License-Identifier: Apache-2.0
#include "profile/stack_costs.h"

namespace wick {

StackCosts::StackCosts(const Profile& profile, EventId event) : sampled_(profile.stacks.size()) {
  const SampleColumns& samples = profile.samples;
  auto wanted = [&](size_t row) { return !event.valid() || samples.event[row] == event; };
  for (size_t row = 0; row < samples.size(); ++row) {
    if (wanted(row)) {
      sampled_.insert(samples.stack[row].index());
    }
  }
  sampled_.number();
  costs_.resize(sampled_.size());
  stacks_.resize(sampled_.size());
  double squares = 0;
  bool counted = true;
  for (size_t row = 0; row < samples.size(); ++row) {
    if (!wanted(row)) {
      continue;
    }
    StackId stack = samples.stack[row];
    Cost cost{samples.weight[row], samples.count[row]};
    size_t rank = sampled_.rank(stack.index());
    costs_[rank] += cost;
    stacks_[rank] = stack;
    total_ += cost;
    counted = counted && (cost.count > 0 || cost.weight == 0);
    if (cost.count > 0) {
      auto weight = static_cast<double>(cost.weight);
      squares += weight * weight / static_cast<double>(cost.count);
    }
  }
  auto sum = static_cast<double>(total_.weight);
  effective_samples_ = counted && squares > 0 ? sum * sum / squares : 0;
}

StackCosts costs_of_first_event(const Profile& profile) {
  bool is_empty = profile.samples.empty();
  return {profile, is_empty ? EventId(0) : profile.samples.event[0]};
}

}  // namespace wick
