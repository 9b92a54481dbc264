// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "formats/perf_script/testing.h"
#include "formats/target.h"
#include "profile/builder.h"
#include "tests/support/files.h"

namespace wick::perf_script {
namespace {

std::string written(const Profile& profile) {
  return write_as("perf-script", profile);
}

std::string rewritten(std::string_view text) {
  Result<Profile> profile = read_text(text);
  return profile ? written(*profile) : "error " + profile.error().message + "\n";
}

TEST(PerfScriptWriter, PrintsWhatPerfPrints) {
  std::string text =
      "# hostname : box\n"
      "# wick: callers stand at their calls\n"
      "t prog   100/101   [002]   868.009623:   10101010 cpu-clock:ppp: \n"
      "\t            1288 leaf (inlined)\n"
      "\t            1288 (anonymous namespace)::mid+0x48 (/opt/prog)\n"
      "\tffffffff81000000 do_syscall_64+0x5c ([kernel.kallsyms])\n"
      "\t    7f51c7d538a8 [unknown] ([unknown])\n"
      "\t    7f51c7d538a8 [unknown] (/lib/libc.so.6)\n"
      "\t             8a8 [unknown] (/lib/libc.so.6)\n"
      "\n"
      "swapper     0 [000]   868.009624: sched:sched_switch: \n"
      "\n";
  EXPECT_EQ(rewritten(text), text);
}

TEST(PerfScriptWriter, ARenamedThreadHasTheNameOfTheTime) {
  std::string text =
      "# wick: callers stand at their calls\n"
      "python3     1/2         1.000000: cycles: \n"
      "\t               1 f (/x)\n"
      "\n"
      "pool-1     1/2         1.000001: cycles: \n"
      "\t               1 f (/x)\n"
      "\n";
  EXPECT_EQ(rewritten(text), text);
}

TEST(PerfScriptWriter, NanosecondsAreKept) {
  std::string text =
      "# wick: callers stand at their calls\n"
      "ab     1     1.000000001: cycles: \n"
      "\t               1 f (/x)\n"
      "\n"
      "ab     1     1.000001000: cycles: \n"
      "\n";
  EXPECT_EQ(rewritten(text), text);
}

TEST(PerfScriptWriter, HelpsReadersThatKnowOnePattern) {
  EXPECT_EQ(rewritten("Thread (pool) 7 12 100/102 1.000000: 5 cycles: \n\t 1 f (/opt/a b)\n\n"
                      "x 4152 1.000001: 5 raw 0x3c: \n\t 1 f (/x)\n\n"
                      ":7 7 1.000002: 5 cycles: \n\n"
                      "worker 3a 8 1.000003: 5 cycles: \n\n"),
            "# wick: callers stand at their calls\n"
            "Thread (pool)_7_12   100/102       1.000000:          5 cycles: \n"
            "\t               1 f (/opt/a_b)\n"
            "\n"
            "x   4152     1.000001:          5 raw_0x3c: \n"
            "\t               1 f (/x)\n"
            "\n"
            ":7     7     1.000002:          5 cycles: \n"
            "\n"
            "worker 3a     8     1.000003:          5 cycles: \n"
            "\n");
}

TEST(PerfScriptWriter, FoldedTextGetsWhatOtherReadersNeed) {
  Input input = Input::from_text("x", "main;work;vfs_read_[k] 7\nmain;java_[j] 2\n");
  const Format* folded_format = find_format("folded");
  FlagValues flags;
  flags.declare(folded_format->read_flags);
  Result<Profile> profile = folded_format->read_profile(input, flags);
  ASSERT_TRUE(profile);
  std::string text = written(*profile);
  EXPECT_EQ(text,
            "# wick: the times are made up\n"
            "[unknown] 0     0.000000:          7 samples: \n"
            "\t               0 vfs_read ([kernel.kallsyms])\n"
            "\t               0 work ([unknown])\n"
            "\t               0 main ([unknown])\n"
            "\n"
            "[unknown] 0     0.001000:          2 samples: \n"
            "\t               0 java (/tmp/perf-0.map)\n"
            "\t               0 main ([unknown])\n"
            "\n");
  EXPECT_EQ(folded(text), "main;java_[j] 2\nmain;work;vfs_read_[k] 7\n");
  EXPECT_EQ(folded(text, "stackcollapse,all"),
            "[unknown];main;java_[j] 2\n[unknown];main;work;vfs_read_[k] 7\n");
}

// The name of an event says what its periods count, or a header line does.
TEST(PerfScriptWriter, UnitsAreKept) {
  ProfileBuilder builder;
  auto add = [&](std::string_view name, std::string_view unit, int64_t weight) {
    EventId event = builder.event({.name = builder.string(name), .unit = builder.string(unit)});
    builder.add_sample({.time_ns = 1000, .weight = weight, .count = 1, .event = event});
  };
  add("wall", "nanoseconds", 70);
  add("alloc space", "bytes", 8);
  add("hits", "samples", 3);
  add("cpu-clock:u", "nanoseconds", 5);
  add("cycles", "cycles", 5);
  add("sched:sched_switch", "samples", 1);
  std::string text = written(builder.finish());
  EXPECT_TRUE(
      text.starts_with("# wick: wall is in nanoseconds\n# wick: alloc_space is in bytes\n"
                       "# wick: hits is in samples\n[unknown] 0"))
      << text;
  Result<Profile> again = read_text(text);
  ASSERT_TRUE(again);
  std::string units;
  for (const Event& event : again->events) {
    units += fmt::format("{} {}, ", again->strings[event.name], again->strings[event.unit]);
  }
  EXPECT_EQ(units,
            "wall nanoseconds, alloc_space bytes, hits samples, cpu-clock:u nanoseconds, cycles "
            "cycles, sched:sched_switch samples, ");
  EXPECT_EQ(again->samples.count[2], 3U);
  EXPECT_EQ(unretained_text(*find_format("perf-script"), *again, FlagValues(), 6).find("units"),
            std::string::npos);
  EXPECT_TRUE(read_text("# wick: \n# wick: x is in\n# wick:  is in \nab 1 1.0: 5 x: \n\n"));
}

TEST(PerfScriptWriter, NamesStayOnOneLineAndKeepWhatLooksLikeAnOffset) {
  ProfileBuilder builder;
  EventId event = builder.event({.name = builder.string(""), .unit = builder.string("samples")});
  auto frame = [&](std::string_view name) {
    return builder.frame({.function = builder.function({.name = builder.string(name)})});
  };
  StackId stack = kEmptyStack;
  for (std::string_view name : {"a\nb\tc", "f+0x12", "", " g "}) {
    stack = builder.stack(stack, frame(name));
  }
  ThreadId thread = builder.thread({.tid = 3, .name = builder.string("#a\nb")});
  builder.add_sample({.time_ns = 5000, .stack = stack, .thread = thread, .event = event, .cpu = 7});
  std::string text = written(builder.finish());
  EXPECT_EQ(text,
            "_a b     3 [007]     0.000005:          1 samples: \n"
            "\t               0 g ([unknown])\n"
            "\t               0 [unknown] ([unknown])\n"
            "\t               0 f+0x12+0x0 ([unknown])\n"
            "\t               0 a b c ([unknown])\n"
            "\n");
  EXPECT_EQ(folded(text), "a b c;f+0x12;[unknown];g 1\n");
}

TEST(PerfScriptWriter, AStackOf100000FramesIsFine) {
  std::string text = "ab 1 1.000000: 5 cycles: \n";
  for (int i = 0; i < 100000; ++i) {
    text += fmt::format("\t{:16x} f{} (/x)\n", i, i % 7);
  }
  Result<Profile> profile = read_text(text + "\n");
  ASSERT_TRUE(profile);
  EXPECT_TRUE(dump_of(written(*profile)) == dump(*profile));
}

// The text has everything except source lines, blanks in modules and numbers in comms.
TEST(PerfScriptCorpus, WhatIsWrittenIsReadAgain) {
  size_t texts = 0;
  for (std::string_view path : {"FlameGraph/test/perf-cycles-instructions-01.txt",
                                "FlameGraph/test/perf-dd-stacks-01.txt",
                                "FlameGraph/test/perf-funcab-cmd-01.txt",
                                "FlameGraph/test/perf-funcab-pid-01.txt",
                                "FlameGraph/test/perf-iperf-stacks-pidtid-01.txt",
                                "FlameGraph/test/perf-js-stacks-01.txt",
                                "FlameGraph/test/perf-numa-stacks-01.txt",
                                "FlameGraph/test/perf-rust-Yamakaky-dcpu.txt",
                                "inferno/collapse-perf/cpp-stacks-std-function.txt",
                                "inferno/collapse-perf/go-stacks.txt",
                                "inferno/collapse-perf/single-event.txt",
                                "inferno/collapse-perf/versioned-vmlinux.txt",
                                "local-perf/synthetic-inlined-and-odd-names.perf.txt",
                                "speedscope/linux-perf/simple.linux-perf.txt"}) {
    std::string file = testing::corpus_path(path);
    SKIP_WITHOUT_CORPUS(file);
    Result<Profile> first = read_text(testing::read_file(file));
    ASSERT_TRUE(first) << path;
    std::string once = written(*first);
    Result<Profile> again = read_text(once);
    ASSERT_TRUE(again) << path;
    EXPECT_TRUE(written(*again) == once) << path;
    if (!path.starts_with("local-perf")) {  // has a comm and a module that the writer changes
      EXPECT_TRUE(dump(*again) == dump(*first)) << path;
    }
    ++texts;
  }
  EXPECT_EQ(texts, 14U);
}

// The model of stackcollapse-perf.pl in compat.h must find the same in wick's text as in perf's own
// text, so nothing was lost in between. (tests/e2e runs the program itself.) The script ends a
// stack at a blank line before it, as in inferno's empty-line.txt; wick does not.
TEST(PerfScriptCorpus, OtherReadersFindTheSameInWhatIsWritten) {
  size_t texts = 0;
  for (std::string_view folder :
       {"FlameGraph/test", "inferno/collapse-perf", "speedscope/linux-perf"}) {
    std::string root = testing::corpus_path(folder);
    SKIP_WITHOUT_CORPUS(root);
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
      if (!entry.is_regular_file() || entry.path().filename() == "empty-line.txt") {
        continue;
      }
      std::string text = testing::read_file(entry.path()) + "\n\n";
      for (std::string_view options : {"stackcollapse,all", "stackcollapse,tid"}) {
        EXPECT_EQ(folded(rewritten(text), options), folded(text, options)) << entry.path();
      }
      ++texts;
    }
  }
  EXPECT_EQ(texts, 16U);
}

}  // namespace
}  // namespace wick::perf_script
