// SPDX-License-Identifier: Apache-2.0
#include "stream/transcript.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(Transcript, WritesOneLineForEachEvent) {
  Transcript transcript;
  EventContext at{.time_ns = 5, .pid = 7, .tid = 8, .cpu = 1};
  uint64_t chain[] = {0x10, 0x20};
  transcript.on_comm({.at = at, .name = "a\x1b[31m", .exec = true});
  transcript.on_map({.at = at, .start = 0x1000, .size = 0x200, .path = "/bin/a"});
  transcript.on_sample(
      {.at = at, .address = 0x1010, .weight = 3, .mode = Mode::kUser, .user_chain = chain});
  transcript.on_fork({.at = at, .parent_pid = 1, .parent_tid = 1});
  transcript.on_switch({.at = at, .leaves = true, .preempted = true});
  transcript.on_lost({.at = at, .count = 4, .reason = "ring full"});
  transcript.on_aux({.at = at, .truncated = true});
  transcript.on_exit({at});
  EXPECT_EQ(
      transcript.text(),
      "5 cpu1 7/8 exec a\\x1b[31m\n"
      "5 cpu1 7/8 map 0x1000+0x200 at 0x0 /bin/a\n"
      "5 cpu1 7/8 sample event=0 weight=3 user 0x1010 kernel=[] user=[0x10 0x20] regs=0 stack=0\n"
      "5 cpu1 7/8 fork from 1/1\n"
      "5 cpu1 7/8 switch out (preempted)\n"
      "5 cpu1 7/8 lost 4 (ring full)\n"
      "5 cpu1 7/8 aux 0 bytes cut\n"
      "5 cpu1 7/8 exit\n");
}

}  // namespace
}  // namespace wick
