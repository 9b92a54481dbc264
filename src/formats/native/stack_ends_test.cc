// SPDX-License-Identifier: Apache-2.0
// web/test/stack_ends.wick has every kind of stack end, in a file and in generated code. With it,
// web/test compares the words of the page with those of `wick quality`. A new kind fails this test
// until UPDATE_GOLDEN=1 has written the file again.
#include <cstdlib>

#include <gtest/gtest.h>

#include "formats/native/testing.h"
#include "tests/support/files.h"

namespace wick::native {
namespace {

Profile with_every_end() {
  ProfileBuilder builder;
  EventId event = builder.event({builder.string("cpu-clock"), builder.string("nanoseconds")});
  auto kinds = static_cast<uint32_t>(last_of(StackEnd{})) + 1;
  for (std::string_view path : {"/usr/bin/server", "/usr/lib/libx.so", "/tmp/perf-42.map"}) {
    ModuleId module = builder.module({.path = builder.string(path)});
    for (uint32_t kind = 0; kind < kinds; ++kind) {
      FunctionId function = builder.function(
          {.name = builder.string(fmt::format("function_{}", kind)), .module = module});
      FrameId frame = builder.frame({.function = function, .module = module, .address = 16 + kind});
      builder.add_sample({.time_ns = 1000 * int64_t{kind},
                          .weight = 1'000'000 * (1 + int64_t{kind}),
                          .count = 1 + kind,
                          .stack = builder.stack(kEmptyStack, frame),
                          .event = event,
                          .ending = static_cast<StackEnd>(kind)});
    }
  }
  return builder.finish();
}

TEST(StackEnds, TheFileOfTheAgreementTestHasEveryKind) {
  std::string path = testing::source_path("web/test/stack_ends.wick");
  Profile expected = with_every_end();
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    testing::write_file(path, write(expected));
  }
  Result<Profile> stored = read(testing::read_file(path));
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(exact_text(*stored), exact_text(expected)) << "UPDATE_GOLDEN=1 writes it again";
}

}  // namespace
}  // namespace wick::native
