// SPDX-License-Identifier: Apache-2.0
// Versions of one small profile must give the same dump, whatever the layout of their tables; what
// the writer writes must be read again; and damage at every byte and value must not be fatal.
#include "formats/firefox/firefox.h"

#include <gtest/gtest.h>

#include "base/escape.h"
#include "formats/firefox/location.h"
#include "formats/json_testing.h"
#include "profile/builder.h"
#include "tests/support/files.h"

namespace wick::firefox {
namespace {

std::string dump_of(std::string_view text) {
  return testing::dump_json("firefox", text);
}

// Version 57 with markers of all phases, a counter and CPU times.
constexpr std::string_view kVersion57 = R"({"meta":{"interval":1,"startTime":1000,"version":24,
"preprocessedProfileVersion":57,"product":"p","sampleUnits":{"threadCPUDelta":"ns"},
"categories":[{"name":"Other"},{"name":"Kernel","subcategories":["Other","JIT"]}],
"markerSchema":[{"name":"T","fields":[{"key":"u","format":"unique-string"}]}]},
"libs":[{"name":"a.out","path":"/x/a.out","codeId":"ab12"}],
"counters":[{"name":"mem","category":"Memory","pid":"10","samples":{"time":[0,1],"count":[5,-2]}}],
"shared":{"stringArray":["main","foo","bar","a.out","foo.cpp","tick"]},
"threads":[{"name":"t","pid":"10","tid":11,"processName":"prog","registerTime":0.5,
"samples":{"length":3,"stack":[0,2,null],"timeDeltas":[1,0.5,0.25],"weight":[1,2,1],
"weightType":"samples","threadCPUDelta":[null,7,9]},
"markers":{"length":4,"name":[5,5,5,5],"startTime":[1,2,3,null],"endTime":[null,4,null,5],
"phase":[0,1,2,3],"category":[0,1,0,0],"data":[null,{"type":"T","u":1,"n":12,"f":0.5,"b":true},
{"type":"call","cause":{"stack":1}},null]},
"stackTable":{"length":3,"frame":[0,1,2],"prefix":[null,0,1]},
"frameTable":{"length":3,"address":[16,32,32],"inlineDepth":[0,0,1],"category":[1,0,0],
"subcategory":[1,0,0],"func":[0,1,2],"nativeSymbol":[0,null,null],"line":[1,2,3],
"column":[null,null,4]},
"funcTable":{"length":3,"name":[0,1,2],"isJS":[false,true,false],"resource":[0,-1,0],
"fileName":[4,null,4],"lineNumber":[null,7,null]},
"resourceTable":{"length":1,"lib":[0],"name":[3],"host":[null],"type":[1]},
"nativeSymbols":{"length":1,"libIndex":[0],"address":[8],"name":[0]}}]})";

constexpr std::string_view kDump =
    "counter 0 mem = 5 bytes process=prog 10\n"
    "counter 1000000 CPU time = 0 nanoseconds kind=cumulative thread=t 11\n"
    "counter 1000000 mem = 3 bytes process=prog 10\n"
    "counter 1500000 CPU time = 7 nanoseconds kind=cumulative thread=t 11\n"
    "counter 1750000 CPU time = 16 nanoseconds kind=cumulative thread=t 11\n";

TEST(Firefox, ReadsSamplesMarkersAndCounters) {
  std::string dump = dump_of(kVersion57);
  EXPECT_TRUE(dump.starts_with(kDump)) << dump;
  for (std::string_view line :
       {"event samples in samples frequency=1000\n",
        "mark 1000000 tick thread=t 11\n",
        "sample samples at 1000000 thread t 11 of prog 10 weight 1 count 1 stack "
        "main@/x/a.out+0x10 foo.cpp:1{kernel}\n",
        "sample samples at 1500000 thread t 11 of prog 10 weight 2 count 2 stack "
        "main@/x/a.out+0x10 foo.cpp:1{kernel};foo language=JavaScript;"
        "bar@/x/a.out+0x20 foo.cpp:3 column=4{inlined}\n",
        "sample samples at 1750000 thread t 11 of prog 10 weight 1 count 1 stack \n",
        "span 2000000..4000000 t 11 tick labels={b=true,category=Kernel,f=0.5,n=12,type=T,u=foo}\n",
        "span 3000000..5000000 t 11 tick kind=call stack=main@/x/a.out+0x10 foo.cpp:1{kernel};"
        "foo language=JavaScript\n"}) {
    EXPECT_NE(dump.find(line), std::string::npos) << line << dump;
  }
}

// The layout of version 75: shared tables, distances to parents, flags instead of nulls.
TEST(Firefox, TheNewestVersionHasTheSameStacks) {
  constexpr std::string_view kVersion75 = R"({"meta":{"interval":1,"startTime":0,
"preprocessedProfileVersion":75,"categories":[{"name":"Other"}]},
"libs":[{"name":"a.out","path":"/x/a.out","codeId":null}],
"threads":[{"name":"t","pid":"10","tid":"11.1","samples":{"stack":[1,2],"time":[0,1]}}],
"shared":{"stringArray":["main","foo","bar","foo.cpp"],"sources":{"filename":[3]},
"stackTable":{"frame":[0,1,2],"prefixOffset":[0,1,1]},
"frameTable":{"func":[0,1,2],"address":[16,32,0],"lib":[0,0,0],"flags":[18,3,0],
"line":[5,0,0],"column":[0,0,0],"category":[0,0,0],"nativeSymbol":[0,0,0]},
"funcTable":{"name":[0,1,2],"flags":[8,0,1],"source":[0,0,0],"resource":[0,0,0],
"lineNumber":[0,0,0]},"resourceTable":{"name":[1],"type":[1]}}})";
  std::string dump = dump_of(kVersion75);
  for (std::string_view line : {"stack main@/x/a.out+0x10 foo.cpp:5;foo@/x/a.out+0x20{inlined}\n",
                                "stack main@/x/a.out+0x10 foo.cpp:5;foo@/x/a.out+0x20{inlined};bar "
                                "language=JavaScript\n"}) {
    EXPECT_NE(dump.find(line), std::string::npos) << line << dump;
  }
}

// Version 24: everything is in the thread, and addresses of callers are return addresses.
TEST(Firefox, TheOldestVersionHasReturnAddresses) {
  constexpr std::string_view kVersion24 = R"({"meta":{"interval":1,"startTime":0,
"preprocessedProfileVersion":24},"counters":[{"name":"c","category":"x","pid":1,
"sampleGroups":{"id":0,"samples":{"time":[1],"count":[2]}}}],
"threads":[{"name":"t","pid":10,"tid":11,"libs":[{"name":"a","path":"/a"}],
"samples":{"stack":[1],"time":[0],"duration":[3]},
"markers":{"name":[0,0,0,0],"time":[1,2,3,4],"data":[{"type":"tracing","interval":"start"},
{"type":"tracing","interval":"end"},{"startTime":5,"endTime":6},null]},
"stackTable":{"frame":[0,0],"prefix":[null,0]},"frameTable":{"func":[0],"address":[32]},
"funcTable":{"name":[0],"resource":[0],"address":[16]},"resourceTable":{"lib":[0],"type":[1]},
"stringArray":["f"]}]})";
  std::string dump = dump_of(kVersion24);
  for (std::string_view line : {"counter 1000000 c = 2  kind=cumulative process=1\n",
                                "mark 4000000 f thread=t 11\n",
                                "span 1000000..2000000 t 11 f labels={type=tracing}\n",
                                "span 5000000..6000000 t 11 f\n",
                                "weight 3 count 3 stack f@/a+0x1f;f@/a+0x20\n"}) {
    EXPECT_NE(dump.find(line), std::string::npos) << line << dump;
  }
}

constexpr std::string_view kGecko = R"J({"profile":{"libs":[{"start":4096,"end":8192,"offset":256,
"name":"lib.so","path":"/lib.so"}],"meta":{"version":19,"interval":1,"startTime":1000,
"categories":[{"name":"Other"}]},"threads":[{"name":"GeckoMain","pid":7,"tid":8,
"samples":{"schema":{"stack":0,"time":1},"data":[[1,0.5],[2,1.5],[3]]},
"markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},
"data":[[0,1,2,1,0,{"type":"x","stack":{"samples":{"schema":{"stack":0,"time":1},
"data":[[1,0.5]]}}}]]},
"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1],[1,2],[1,3]]},
"frameTable":{"schema":{"location":0,"line":1,"category":2},"data":[[0],[1],[2,9],[3]]},
"stringTable":["(root)","0x1010","f (a.js -> b.js:3:14)","0x99"]}],
"processes":[{"meta":{"startTime":1010},"threads":[{"name":"w","pid":9,"tid":9,
"samples":{"schema":{"stack":0,"time":1},"data":[[0,0.5]]},
"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},
"frameTable":{"schema":{"location":0},"data":[[0]]},"stringTable":["g"]}]}]}})J";

TEST(Firefox, ReadsGeckoProfilesOfSeveralProcesses) {
  std::string dump = dump_of(kGecko);
  for (std::string_view line :
       {"at 500000 thread GeckoMain 8 of 7 weight 1 count 1 stack (root);lib.so+0x110\n",
        "at 1500000 thread GeckoMain 8 of 7 weight 1 count 1 stack (root);lib.so+0x10f;"
        "f b.js:9 language=JavaScript\n",
        "weight 1 count 1 stack (root);lib.so+0x10f;0x99\n",
        "at 10500000 thread w 9 of 9 weight 1 count 1 stack g\n",
        "span 1000000..2000000 GeckoMain 8 (root) stack=(root);lib.so+0x110 labels={type=x}\n"}) {
    EXPECT_NE(dump.find(line), std::string::npos) << line << dump;
  }
}

TEST(Firefox, LocationsAreSplit) {
  Location location = parse_location("f (a (b) -> http://x:80/c.js:3:14)");
  EXPECT_EQ(location.name, "f");
  EXPECT_EQ(location.file, "http://x:80/c.js");
  EXPECT_EQ(location.line, 3U);
  EXPECT_EQ(location.column, 14U);
  EXPECT_EQ(parse_location("g (in libxul.so)").library, "libxul.so");
  EXPECT_EQ(parse_location("a::b(int) (const)").name, "a::b(int) (const)");
  EXPECT_EQ(parse_location("x.js:7").line, 7U);
  EXPECT_EQ(*parse_location("0x1f").address, 31U);
  EXPECT_EQ(parse_location("0xg").name, "0xg");
}

TEST(Firefox, OtherVersionsAreNamed) {
  auto processed = [](std::string_view version) {
    return dump_of(fmt::format(R"({{"meta":{{"preprocessedProfileVersion":{}}}}})", version));
  };
  EXPECT_EQ(processed("76"),
            "file.json is a Firefox processed profile of version 76, which is newer than this wick "
            "knows (75): use a newer wick.\n");
  EXPECT_EQ(processed("23"),
            "file.json is a Firefox processed profile of version 23; wick reads 24 to 75. Open it "
            "at profiler.firefox.com and save it there again (Upload Local Profile > Download).\n");
  EXPECT_NE(dump_of(R"({"meta":{"version":3}})").find("Gecko profile of version 3;"),
            std::string::npos);
  EXPECT_NE(dump_of("{}").find("is missing"), std::string::npos);
  EXPECT_EQ(processed("57"), "file.json is a Firefox profile without samples.\n");
}

TEST(Firefox, IndexesOutsideOfTablesAreCounted) {
  std::string dump = dump_of(R"({"meta":{"preprocessedProfileVersion":57},
"shared":{"stringArray":["a"]},"threads":[{"samples":{"stack":[0,1,2,9,3],"time":[0,1e300,2,3,4],
"weight":[1,1,-1,1,1e30]},"stackTable":{"frame":[0,0,0,5],"prefix":[1,0,2,null]},
"frameTable":{"func":[0]},"funcTable":{"name":[0]}}]})");
  for (std::string_view line :
       {"loss whose parent does not come before them: they became roots: 2 stacks ()\n",
        "loss whose frame is not in the table of frames: 1 stacks ()\n",
        "loss whose stack is not in the table of stacks: 1 stacks ()\n",
        "loss with a negative or huge weight: 2 samples ()\n",
        "loss which are not usable: 1 times ()\n"}) {
    EXPECT_NE(dump.find(line), std::string::npos) << line << dump;
  }
}

TEST(Firefox, TextsOutsideOfTheTableAndWrongRowsAreCounted) {
  std::string dump = dump_of(R"({"meta":{"preprocessedProfileVersion":57,"categories":[7]},
"libs":[true],"shared":{"stringArray":["a"]},"threads":["x",{"samples":{"stack":[0],"time":[0]},
"stackTable":{"frame":[0],"prefix":[null]},"frameTable":{"func":[0]},
"funcTable":{"name":[1],"fileName":[9]}}]})");
  for (std::string_view line : {"loss whose text is not in the table of strings: 2 names ()\n",
                                "loss of the wrong type, or out of range: 3 values ()\n"}) {
    EXPECT_NE(dump.find(line), std::string::npos) << line << dump;
  }
}

TEST(Firefox, EveryCutAndEveryValueIsRead) {
  testing::expect_every_cut_is_read("firefox", kVersion57);
  testing::expect_every_cut_is_read("firefox", kGecko);
  testing::expect_every_value_is_read("firefox", kVersion57);
  testing::expect_every_value_is_read("firefox", kGecko);
}

TEST(Firefox, DepthIsNotAProblem) {
  constexpr size_t kDepth = 100'000;
  ProfileBuilder builder;
  StackId stack = kEmptyStack;
  FrameId frame = builder.frame({.function = builder.function({.name = builder.string("f")})});
  for (size_t i = 0; i < kDepth; ++i) {
    stack = builder.stack(stack, frame);
  }
  builder.event({.name = builder.string("samples"), .unit = builder.string("samples")});
  builder.add_sample({.stack = stack});
  Profile profile = builder.finish();
  Result<Profile> again = testing::read_json("firefox", testing::write_json("firefox", profile));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(again->stacks.size(), kDepth + 1);
  std::string nested(kDepth, '[');
  testing::expect_error_or_valid("firefox", R"({"threads":)" + nested);
  std::string processes;
  for (size_t i = 0; i < kDepth; ++i) {
    processes += R"({"processes":[)";
  }
  testing::expect_error_or_valid("firefox", processes);
}

// Everything that version 57 can hold.
Profile rich_profile() {
  ProfileBuilder b;
  auto text = [&](std::string_view t) { return b.string(t); };
  SourceId source = b.source({.wall_clock_ns = 1'000'000'000});
  ProcessId process = b.process({.pid = 5, .name = text("prog"), .source = source});
  ThreadId main = b.thread({.tid = 5, .process = process, .name = text("main")});
  ThreadId other = b.thread({.tid = 6, .process = process, .name = text("w\"</script>\x01")});
  ModuleId module = b.module({.path = text("/bin/prog"), .build_id = text("0123456789abcdef")});
  Function function{.name = text("f"), .module = module, .file = text("f.c"), .line = 3};
  function.address = 0x100;
  FrameId f = b.frame({.function = b.function(function),
                       .module = module,
                       .address = 0x110,
                       .line = 4,
                       .mode = Mode::kUser,
                       .column = 7});
  FrameId inlined = b.frame({.function = b.function({.name = text("g"), .module = module}),
                             .module = module,
                             .address = 0x110,
                             .mode = Mode::kUser,
                             .flags = kInlined});
  FrameId unnamed = b.frame({.module = module, .address = 0x999, .mode = Mode::kKernel});
  FrameId script = b.frame({.function = b.function({.name = text("s")}),
                            .flags = kJit,
                            .language = Language::kJavaScript});
  StackId deep = b.stack(b.stack(b.stack(kEmptyStack, f), inlined), script);
  EventId event = b.event({.name = text("cpu-clock"),
                           .unit = text("nanoseconds"),
                           .kind = Quantity::kCpuTime,
                           .period = 1'000'000,
                           .frequency = 999});
  b.add_sample({.time_ns = 0, .weight = 1'000'001, .stack = deep, .thread = main, .event = event});
  b.add_sample({.time_ns = 1'234'567,
                .weight = 5,
                .count = 2,
                .stack = b.stack(kEmptyStack, unnamed),
                .thread = other,
                .event = event});
  LabelId labels[] = {b.label({.key = text("k"), .text = text("v")}),
                      b.label({.key = text("n"), .number = -9, .is_number = true})};
  b.add_span({.begin_ns = 10,
              .end_ns = 20,
              .thread = main,
              .name = text("wait"),
              .kind = SpanKind::kOffCpu,
              .stack = deep,
              .labels = b.label_set(labels)});
  b.add_mark({.time_ns = 30,
              .name = text("line"),
              .thread = other,
              .kind = text("log"),
              .labels = b.label_set(labels)});
  SeriesId series = b.series({.name = text("heap"), .unit = text("bytes"), .process = process});
  b.add_counter({.time_ns = 0, .series = series, .value = 10});
  b.add_counter({.time_ns = 5, .series = series, .value = 4.5});
  return b.finish();
}

std::string without_facts(const std::string& dump) {
  std::string rest;
  for (size_t at = 0; at < dump.size();) {
    size_t end = dump.find('\n', at) + 1;
    std::string line = dump.substr(at, end - at);
    rest += line.starts_with("fact ") ? "" : line;
    at = end;
  }
  return rest;
}

TEST(Firefox, WhatItWritesIsReadAgain) {
  Profile profile = rich_profile();
  std::string text = testing::write_json("firefox", profile);
  EXPECT_EQ(without_facts(dump_of(text)), dump(profile));
  EXPECT_EQ(text, testing::write_json("firefox", profile));
  Input input = Input::from_text("x", text);
  Result<const Format*> format = recognise(input);
  ASSERT_TRUE(format.has_value());
  EXPECT_EQ((*format)->name, "firefox");
}

TEST(FirefoxCorpus, MinimalFilesHaveOneTree) {
  std::string root = testing::corpus_path("firefox-profiler/minimal");
  SKIP_WITHOUT_CORPUS(root);
  std::string expected = dump_of(testing::read_file(root + "/p57.json"));
  EXPECT_NE(expected.find("main@/x/a.out+0x10 foo.cpp:1{user};foo@/x/a.out+0x20 foo.cpp:2{user};"
                          "bar@/x/a.out+0x20 foo.cpp:3{inlined}"),
            std::string::npos)
      << expected;
  for (std::string_view version : {"55", "57", "66", "57-no-isMain", "57-no-native"}) {
    std::string dump = dump_of(testing::read_file(fmt::format("{}/p{}.json", root, version)));
    EXPECT_EQ(without_facts(dump), without_facts(expected)) << version;
  }
}

TEST(FirefoxCorpus, GeckoFilesAreRecognisedAndReadWhole) {
  for (std::string_view name : {"59/firefox", "59/simple-firefox", "63/simple-firefox"}) {
    std::string path = testing::corpus_path(fmt::format("speedscope/Firefox/{}.json", name));
    SKIP_WITHOUT_CORPUS(path);
    Result<Input> input = Input::open(path, nullptr);
    ASSERT_TRUE(input.has_value());
    Result<const Format*> format = recognise(*input);
    ASSERT_TRUE(format.has_value()) << format.error().message;
    EXPECT_EQ((*format)->name, "firefox");
    Result<Profile> profile = read(*input, FlagValues());
    ASSERT_TRUE(profile.has_value()) << profile.error().message;
    EXPECT_GT(profile->samples.size(), 30U);
    EXPECT_TRUE(validate(*profile).has_value());
  }
}

}  // namespace
}  // namespace wick::firefox
