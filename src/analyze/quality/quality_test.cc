// SPDX-License-Identifier: Apache-2.0
#include "analyze/quality/quality.h"

#include <gtest/gtest.h>

#include "profile/builder.h"

namespace wick {
namespace {

double figure(const Report& report, std::string_view name) {
  for (const Figure& figure : report.figures) {
    if (figure.name == name) {
      return figure.value;
    }
  }
  return -1;
}

TEST(Quality, CountsEveryStackOnceByHowItEnded) {
  ProfileBuilder builder;
  EventId event = builder.event({builder.string("cpu-clock"), builder.string("nanoseconds")});
  ModuleId libc = builder.module({builder.string("/lib/libc.so.6"), {}});
  ModuleId program = builder.module({builder.string("/bin/program"), {}});
  StackId start = builder.stack(kEmptyStack, builder.frame({.module = libc, .address = 1}));
  StackId inner = builder.stack(start, builder.frame({.module = program, .address = 2}));
  StackId lost = builder.stack(kEmptyStack, builder.frame({.module = program, .address = 3}));
  auto add = [&](StackId stack, Ending ending, uint64_t count) {
    builder.add_sample({.count = count, .stack = stack, .event = event, .ending = ending});
  };
  add(inner, Ending::kComplete, 90);
  add(lost, Ending::kFramePointer, 5);
  add(lost, Ending::kCopyTooShort, 3);
  add(kEmptyStack, Ending::kUnknown, 2);
  builder.add_loss({.reason = "ring full", .count = 7});
  builder.add_loss({.reason = "cut", .what = "bytes", .count = 1000});
  Report report = stack_quality(builder.finish());
  EXPECT_EQ(figure(report, "complete"), 90);
  EXPECT_EQ(figure(report, "broken"), 5);
  EXPECT_EQ(figure(report, "truncated"), 3);
  EXPECT_EQ(figure(report, "unknown"), 2);
  EXPECT_EQ(figure(report, "lost"), 7);
  EXPECT_EQ(report.samples, 100);
  const Table& modules = std::get<Table>(report.sections[0].body);
  EXPECT_EQ(modules.find("name")->text[0], "program") << "the module with most bad stacks leads";
  EXPECT_EQ(modules.find("name")->text[1], "libc.so.6") << "a stack belongs to its outermost frame";
  const Table& reasons = std::get<Table>(report.sections[1].body);
  ASSERT_EQ(reasons.rows(), 3);
  EXPECT_EQ(reasons.find("samples")->numbers[0], 5);
  for (size_t row = 0; row < reasons.rows(); ++row) {
    EXPECT_FALSE(reasons.find("fix")->text[row].empty()) << "each reason comes with advice";
  }
}

}  // namespace
}  // namespace wick
