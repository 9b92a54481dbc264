// SPDX-License-Identifier: Apache-2.0
#include "profile/branch_samples.h"

#include <gtest/gtest.h>

#include "profile/builder.h"
#include "profile/filter.h"
#include "profile/validate.h"

namespace wick {
namespace {

Profile recorded(std::string_view event) {
  ProfileBuilder builder;
  auto frame = [&](uint64_t address) { return builder.frame({.address = address}); };
  EdgeId back = builder.edge({.from = frame(0x20), .to = frame(0x10)});
  EdgeId out = builder.edge({.from = frame(0x18), .to = frame(0x30)});
  EdgeId unknown = builder.edge({.from = frame(0), .to = frame(0)});
  Branch branches[] = {
      {back}, {out, 0, kMispredicted}, {back, 0, kMispredicted}, {back}, {unknown}};
  EventId id = builder.event({builder.string(event), builder.string("cycles")});
  builder.add_sample({.time_ns = 5,
                      .weight = 1000,
                      .count = 2,
                      .stack = builder.stack(kEmptyStack, frame(0x20)),
                      .event = id,
                      .branches = builder.branch_set(branches)});
  builder.add_sample({.time_ns = 6, .weight = 1000, .event = id});
  return builder.finish();
}

int64_t weight_at(const Profile& profile, uint64_t address) {
  int64_t weight = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    FrameId leaf = profile.stacks.frame(profile.samples.stack[row]);
    weight += profile.frames[leaf].address == address ? profile.samples.weight[row] : 0;
  }
  return weight;
}

TEST(BranchSamples, EventsAreMadeOfBranchStacks) {
  for (auto [event, back, out] :
       {std::tuple("branches", 6, 2), std::tuple("branch-misses", 2, 2)}) {
    Filter filter;
    filter.event = event;
    Result<Filtered> filtered = apply_filter(recorded("cycles"), filter);
    ASSERT_TRUE(filtered) << filtered.error().message;
    EXPECT_TRUE(validate(filtered->profile));
    EXPECT_EQ(weight_at(filtered->profile, 0x20), back) << event;
    EXPECT_EQ(weight_at(filtered->profile, 0x18), out) << event;
    EXPECT_EQ(filtered->profile.samples.size(), 2U) << event;
    EXPECT_EQ(filtered->profile.samples.time_ns[0], 5) << event;
    EXPECT_EQ(filtered->profile.events.size(), 1U) << event;
  }
}

TEST(BranchSamples, RecordedEventsComeFirst) {
  EXPECT_FALSE(is_made_of_branches(recorded("branches"), "branches"));
  EXPECT_FALSE(is_made_of_branches(recorded("branches:u"), "branches"));
  EXPECT_TRUE(is_made_of_branches(recorded("branches-of-mine"), "branches"));
  EXPECT_TRUE(is_made_of_branches(recorded("branches"), "branch-misses"));
  EXPECT_FALSE(is_made_of_branches(recorded("cycles"), "cycles"));
  EXPECT_FALSE(is_made_of_branches(ProfileBuilder().finish(), "branches"));
}

}  // namespace
}  // namespace wick
