// SPDX-License-Identifier: Apache-2.0
#include "profile/dump.h"

#include <gtest/gtest.h>

#include "profile/builder.h"

namespace wick {
namespace {

TEST(Dump, ShowsWhatRoundTripsMustRetain) {
  ProfileBuilder builder;
  auto text = [&](std::string_view string) { return builder.string(string); };
  EventId event = builder.event({.name = text("e"), .unit = text("units"), .period = 5});
  ModuleId module = builder.module({.path = text("/bin/a"), .build_id = text("abcd")});
  ProcessId process = builder.process({.pid = 7, .name = text("p")});
  ThreadId thread = builder.thread({.tid = 8, .process = process, .name = text("t")});
  FunctionId function = builder.function(
      {.name = text("f"), .linkage_name = text("_Z1fv"), .module = module, .address = 0x100});
  builder.function({.name = text("unused"), .address = 1});
  FrameId frame =
      builder.frame({.function = function, .module = module, .address = 0x104, .column = 3});
  LabelId label = builder.label({.key = text("k"), .text = text("v")});
  builder.add_mapping({.process = process, .module = module, .start = 4096, .end = 8192});
  builder.add_sample({.stack = builder.stack(kEmptyStack, frame),
                      .thread = thread,
                      .event = event,
                      .labels = builder.label_set(std::span(&label, 1))});
  SpanId outer =
      builder.add_span({.begin_ns = 1, .end_ns = 9, .thread = thread, .name = text("o")});
  builder.add_span(
      {.begin_ns = 2, .end_ns = 3, .thread = thread, .name = text("i"), .parent = outer});
  builder.add_mark({.time_ns = 4, .name = text("m"), .thread = thread});
  EXPECT_EQ(
      dump(builder.finish()),
      "event e in units period=5\n"
      "function f@/bin/a linkage_name=_Z1fv address=0x100\n"
      "mapping process=p 7 module=/bin/a start=4096 end=8192\n"
      "mark 4 m thread=t 8\n"
      "module /bin/a build_id=abcd\n"
      "sample e thread t 8 of p 7 labels={k=v} weight 1 count 1 stack f@/bin/a+0x104 column=3\n"
      "span 1..9 t 8 o\n"
      "span 2..3 t 8 i parent=o\n");
}

}  // namespace
}  // namespace wick
