// SPDX-License-Identifier: Apache-2.0
// The self cost of each stack: the sum of all samples with exactly this stack.
//
// Most nodes of a stack tree are only callers. The class stores costs for the other nodes only.
#pragma once

#include <vector>

#include "base/rank_set.h"
#include "profile/profile.h"

namespace wick {

class StackCosts {
 public:
  explicit StackCosts(const Profile& profile) : StackCosts(profile, EventId()) {}
  // The samples of one event, or of all events if `event` is none.
  StackCosts(const Profile& profile, EventId event);

  // Zero for nodes without own samples.
  Cost self(StackId stack) const {
    return sampled_.contains(stack.index()) ? costs_[sampled_.rank(stack.index())] : Cost();
  }
  const Cost& total() const { return total_; }
  bool is_sampled(StackId stack) const { return sampled_.contains(stack.index()); }
  // The sampled stacks, in the order of their ids.
  const std::vector<StackId>& stacks() const { return stacks_; }

  // The number of equally weighted samples that would be as accurate as these (Kish): (sum w)^2 /
  // sum w^2. Intervals use it. 0 if the input does not say how many samples it has.
  double effective_samples() const { return effective_samples_; }

 private:
  RankSet sampled_;
  std::vector<Cost> costs_;  // by rank
  std::vector<StackId> stacks_;
  Cost total_;
  double effective_samples_ = 0;
};

// Events have different units and cannot be added: the samples of the first sample's event.
StackCosts costs_of_first_event(const Profile& profile);

}  // namespace wick
