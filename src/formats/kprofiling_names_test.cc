// SPDX-License-Identifier: Apache-2.0
// The names of redox-kprofiling, and names in brackets that are not its own.
#include "formats/kprofiling_names.h"

#include <gtest/gtest.h>

#include "formats/folded/folded.h"
#include "profile/names.h"
#include "profile/validate.h"

namespace wick::kprofiling {
namespace {

// All stacks as folded text, with offsets.
std::string plain(std::string_view folded) {
  Profile profile = with_plain_names(folded::from_text(folded));
  EXPECT_TRUE(validate(profile));
  std::string text;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    std::string stack;
    for (StackId at = profile.samples.stack[row]; at != kEmptyStack;
         at = profile.stacks.parent(at)) {
      FrameId id = profile.stacks.frame(at);
      std::optional<uint64_t> offset = offset_in_function(profile, profile.frames[id]);
      std::string name = frame_name(profile, id) + (offset ? fmt::format("+{:#x}", *offset) : "");
      stack = stack.empty() ? name : fmt::format("{};{}", name, stack);
    }
    text += fmt::format("{} {}\n", stack, profile.samples.weight[row]);
  }
  return text;
}

TEST(KprofilingNames, BracketsAndTheProcessAreRemoved) {
  EXPECT_EQ(plain("kernel;[k::a];[memcpy] 3\nkernel;[k::a];[<T as k::B<K,V>>::f] 4\n"
                  "kernel;[[kernel]] 1\n"),
            "k::a;memcpy 3\nk::a;<T as k::B<K,V>>::f 4\n[kernel] 1\n");
}

TEST(KprofilingNames, OffsetsAreDecimalUnlessOneHasALetter) {
  EXPECT_EQ(plain("kernel;[k::a+12];[k::b+1929] 3\n"), "k::a+0xc;k::b+0x789 3\n");
  EXPECT_EQ(plain("kernel;[k::a+12];[k::b+c9] 3\n"), "k::a+0x12;k::b+0xc9 3\n");
  EXPECT_EQ(plain("kernel;[<A + B as k::C>::f] 3\n"), "<A + B as k::C>::f 3\n");
}

TEST(KprofilingNames, AFunctionAndItsOffsetOnTopAreOneFrame) {
  EXPECT_EQ(plain("kernel;[k::a];[k::a+12];[k::a];[k::a+16];[k::b];[k::b+1] 3\n"
                  "kernel;[k::a];[k::a+12];[k::b] 2\n"),
            "k::a+0xc;k::a+0x10;k::b+0x1 3\nk::a+0xc;k::b 2\n");
}

TEST(KprofilingNames, OtherProfilesDoNotChange) {
  for (std::string_view text : {"kernel;[libc.so.6];[unknown] 3\n",
                                "prog;[libc.so.6];[prog] 3\n",
                                "kernel;k::a;k::b 3\n",
                                "main;[x::y];work;more 3\n",
                                "[0x12];[0x34] 3\n"}) {
    EXPECT_EQ(plain(text), text);
  }
}

TEST(KprofilingNames, TheProcessIsTheKernel) {
  Profile profile = with_plain_names(folded::from_text("kernel;[k::a] 3\n"));
  EXPECT_EQ(process_name(profile, profile.threads[profile.samples.thread[0]].process), "kernel 0");
  EXPECT_EQ(profile.frames[FrameId(1)].mode, Mode::kKernel);
}

}  // namespace
}  // namespace wick::kprofiling
