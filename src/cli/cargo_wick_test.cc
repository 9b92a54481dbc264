// SPDX-License-Identifier: Apache-2.0
#include "cli/cargo_wick.h"

#include <gtest/gtest.h>

#include "cli/command.h"
#include "experiment/cargo_build.h"

namespace wick {
namespace {

using Words = std::vector<std::string>;

CargoCall split(const Words& words) {
  return split_cargo_words(words, find_command("run")->flags);
}

TEST(CargoWick, IsKnownByItsName) {
  EXPECT_TRUE(is_cargo_wick("/usr/bin/cargo-wick"));
  EXPECT_TRUE(is_cargo_wick("cargo-wick"));
  EXPECT_FALSE(is_cargo_wick("/opt/cargo-wick/wick"));
}

TEST(CargoWick, FlagsFindTheirProgram) {
  CargoCall call = split({"--bin",
                          "x",
                          "--duration",
                          "2",
                          "-p",
                          "y",
                          "--call-graph=fp",
                          "-q",
                          "--raw",
                          "--",
                          "--bin"});
  EXPECT_EQ(call.cargo,
            (Words{"build",
                   "--message-format=json-render-diagnostics",
                   "--release",
                   "--bin",
                   "x",
                   "-p",
                   "y",
                   "-q"}));
  EXPECT_EQ(call.wick, (Words{"--duration", "2", "--call-graph=fp", "--raw"}));
  EXPECT_EQ(call.program, Words{"--bin"});
}

TEST(CargoWick, ChosenProfilesStay) {
  for (const Words& words : {Words{"--profile", "dev"}, Words{"--profile=dev"}, Words{"-r"}}) {
    CargoCall call = split(words);
    EXPECT_EQ(call.cargo.size(), 2 + words.size()) << call.cargo.back();
  }
}

}  // namespace
}  // namespace wick
