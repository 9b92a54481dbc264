// SPDX-License-Identifier: Apache-2.0
#include "stream/sinks.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "stream/testing.h"
#include "stream/transcript.h"

namespace wick {
namespace {

constexpr EventContext kAt = {.time_ns = 5, .pid = 7, .tid = 7, .cpu = 1};

// Checkpoints are not events, so the transcript omits them.
class WithCheckpoints : public Transcript {
 public:
  int checkpoints = 0;
  void on_checkpoint() override { ++checkpoints; }
};

std::string direct() {
  Transcript transcript;
  testing::send_every_kind(kAt, transcript);
  return transcript.text();
}

TEST(Sinks, ForwardingPassesOnEveryKind) {
  WithCheckpoints transcript;
  ForwardingSink forwarding(transcript);
  testing::send_every_kind(kAt, forwarding);
  EXPECT_EQ(transcript.text(), direct());
  EXPECT_EQ(transcript.checkpoints, 1);
  EXPECT_EQ(std::ranges::count(direct(), '\n'), 18) << "a line for each kind";
}

TEST(Sinks, TeePassesOnEveryKindToBoth) {
  WithCheckpoints first;
  WithCheckpoints second;
  TeeSink tee(first, second);
  testing::send_every_kind(kAt, tee);
  EXPECT_EQ(first.text(), direct());
  EXPECT_EQ(second.text(), direct());
  EXPECT_EQ(first.checkpoints + second.checkpoints, 2);
}

TEST(Sinks, IgnoringTakesEveryKind) {
  IgnoringSink ignoring;
  Transcript transcript;
  TeeSink tee(ignoring, transcript);
  testing::send_every_kind(kAt, tee);
  EXPECT_EQ(transcript.text(), direct());
}

}  // namespace
}  // namespace wick
