// SPDX-License-Identifier: Apache-2.0
#include "analyze/origin.h"

#include <gtest/gtest.h>

#include "profile/builder.h"

namespace wick {
namespace {

TEST(Origin, NamesCommandHostDateAndFilter) {
  ProfileBuilder builder;
  builder.source({.host = builder.string("alpha")});
  builder.add_fact("command", "./server --port 80");
  builder.add_fact("host", "another spelling");
  builder.add_fact("started", "2026-11-18T10:00:21Z");
  builder.add_fact("filter", "--thread worker");
  builder.add_fact("filter", "--focus 'a b'");
  Profile profile = builder.finish();
  EXPECT_EQ(recorded_command(profile), "./server --port 80");
  EXPECT_EQ(origin_text(profile),
            "on alpha, 2026-11-18 10:00:21 UTC, only --thread worker --focus 'a b'");
}

TEST(Origin, TheDateOfTheFirstSampleIfTheClockIsKnown) {
  ProfileBuilder builder;
  builder.event({.name = builder.string("samples"), .unit = builder.string("samples")});
  builder.source({.host = builder.string("alpha"), .wall_clock_ns = 1'794'996'000'000'000'000});
  builder.add_sample({.time_ns = 21'500'000'000});
  EXPECT_EQ(origin_text(builder.finish()), "on alpha, 2026-11-18 10:00:21 UTC");
}

TEST(Origin, FactsOfPerfScriptAndNames) {
  ProfileBuilder builder;
  builder.add_fact("hostname", "beta");
  builder.add_fact("captured on", "Wed Nov 18 10:00:21 2026");
  builder.add_process({.pid = 7, .name = builder.string("cc1plus")});
  Profile profile = builder.finish();
  EXPECT_EQ(origin_text(profile), "on beta, Wed Nov 18 10:00:21 2026");
  EXPECT_EQ(recorded_command(profile), "cc1plus") << "the only process";
}

TEST(Origin, NothingIsKnownOfFoldedStacks) {
  Profile profile = ProfileBuilder().finish();
  EXPECT_EQ(recorded_command(profile), "");
  EXPECT_EQ(origin_text(profile), "");
}

}  // namespace
}  // namespace wick
