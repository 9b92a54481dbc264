// SPDX-License-Identifier: Apache-2.0
// Tests what messages become, and that profiles survive writing and reading.
#include "formats/pprof/pprof.h"

#include <gtest/gtest.h>

#include "base/whole_input.h"
#include "formats/pprof/testing.h"
#include "profile/builder.h"
#include "profile/dump.h"
#include "profile/names.h"
#include "tests/support/files.h"

namespace wick::pprof {
namespace {

// "a;b;c 3 of 30 event" for each row.
std::vector<std::string> rows_of(const Profile& profile) {
  std::vector<std::string> rows;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    std::string text;
    StackId stack = profile.samples.stack[row];
    for (; stack != kEmptyStack; stack = profile.stacks.parent(stack)) {
      std::string_view separator = text.empty() ? "" : ";";
      text =
          fmt::format("{}{}{}", frame_name(profile, profile.stacks.frame(stack)), separator, text);
    }
    const Event& event = profile.events[profile.samples.event[row]];
    rows.push_back(fmt::format("{} {} of {} {}",
                               text,
                               profile.samples.count[row],
                               profile.samples.weight[row],
                               profile.strings[event.name]));
  }
  return rows;
}

using Texts = std::vector<std::string>;
using std::string_view_literals::operator""sv;

TEST(PprofReader, ValueTypesAreEventsAndSamplesAreCounts) {
  TestMessage message;
  message.type("samples", "count").type("cpu", "milliseconds").functions({"leaf", "main"});
  message.sample({1, 2}, {3, 30});
  message.type("cpu", "milliseconds", 11).message.number(12, 10);
  Profile profile = read_valid(message);
  EXPECT_EQ(rows_of(profile), Texts{"main;leaf 3 of 30000000 cpu"});
  EXPECT_EQ(profile.events[EventId(0)].period, 10'000'000U);
  EXPECT_EQ(profile.events[EventId(0)].kind, Quantity::kCpuTime);
  EXPECT_TRUE(profile.losses.empty());
}

TEST(PprofReader, TheDefaultTypeIsTheFirstEventAndZerosAreNoRows) {
  TestMessage message;
  message.type("alloc_objects", "count").type("alloc_space", "bytes").type("inuse", "bytes");
  message.functions({"leaf"}).sample({1}, {2, 64, 0}).sample({1}, {0, 0, 0}).sample({1}, {1, 8, 8});
  message.message.number(14, message.string("alloc_space"));
  Profile profile = read_valid(message);
  EXPECT_EQ(rows_of(profile),
            (Texts{"leaf 0 of 64 alloc_space",
                   "leaf 0 of 2 alloc_objects",
                   "leaf 0 of 8 alloc_space",
                   "leaf 0 of 1 alloc_objects",
                   "leaf 0 of 8 inuse"}));
  EXPECT_EQ(profile.samples.group[0], profile.samples.group[1]);
  EXPECT_NE(profile.samples.group[1], profile.samples.group[2]);
  // The groups make one sample each again.
  EXPECT_EQ(rows_of(*read_bytes(write_bytes(profile))), rows_of(profile));
}

TEST(PprofReader, CountsFollowFromThePeriod) {
  TestMessage message;
  message.type("cpu", "nanoseconds").type("cpu", "nanoseconds", 11).functions({"a"});
  message.message.number(12, 100);
  EXPECT_EQ(rows_of(read_valid(TestMessage(message).sample({1}, {300}).sample({1}, {100}))),
            (Texts{"a 3 of 300 cpu", "a 1 of 100 cpu"}));
  EXPECT_EQ(rows_of(read_valid(TestMessage(message).sample({1}, {300}).sample({1}, {150}))),
            (Texts{"a 0 of 300 cpu", "a 0 of 150 cpu"}));
}

TEST(PprofReader, LocationsAreModulesOffsetsAndInlinedFrames) {
  TestMessage message;
  message.type("samples", "count").mapping(9, 0x400000, 0x500000, 0x1000, "/bin/prog", "abcd");
  message.mapping(10, 0, UINT64_MAX, 0, "/lib/libc.so").function(1, "in", "in.h");
  message.function(2, "_ZN1a4workEv", "a.cc");
  message.location(5, 9, 0x400010, {{1, 3, 4}, {2, 5}}).location(6, 10, 0x77).location(7, 9, 0x9);
  message.sample({5, 6, 7}, {1});
  Profile profile = read_valid(message);
  StackId stack = profile.samples.stack[0];
  auto next = [&] {
    const Frame& frame = profile.frames[profile.stacks.frame(stack)];
    stack = profile.stacks.parent(stack);
    return frame;
  };
  Frame inner = next();
  EXPECT_EQ(profile.strings[profile.functions[inner.function].name], "in");
  EXPECT_EQ(inner.flags, kInlined);
  EXPECT_EQ(inner.address, 0x1010U);
  EXPECT_EQ(inner.line, 3U);
  EXPECT_EQ(inner.column, 4U);
  Frame outer = next();
  EXPECT_EQ(profile.strings[profile.functions[outer.function].name], "a::work");
  EXPECT_EQ(profile.strings[profile.functions[outer.function].linkage_name], "_ZN1a4workEv");
  EXPECT_EQ(outer.flags, 0);
  EXPECT_EQ(profile.modules[outer.module].address_kind, AddressKind::kFileOffset);
  EXPECT_EQ(profile.strings[profile.modules[outer.module].build_id], "abcd");
  Frame linked = next();
  EXPECT_EQ(linked.address, 0x77U);
  EXPECT_EQ(profile.modules[linked.module].address_kind, AddressKind::kLinked);
  EXPECT_EQ(next().address, 0U);  // outside of its mapping
  EXPECT_EQ(lost(profile, "outside of their mapping"), 1U);
  EXPECT_EQ(profile.mappings.size(), 1U);
}

TEST(PprofReader, LabelsAreThreadsAndLabels) {
  TestMessage message;
  message.type("samples", "count").functions({"a"});
  message.sample({1}, {1}, {{"thread", "worker"}, {"tid", "", 7}, {"pid", "", 5}, {"comm", "srv"}});
  message.sample({1}, {1}, {{"thread_id", "", 8}, {"bytes", "", 64, "bytes"}, {"path", "/x"}});
  message.sample({1}, {1}, {{"cpu", "", 3}, {"timestamp_ns", "", 99}});
  Profile profile = read_valid(message);
  EXPECT_EQ(thread_name(profile, profile.samples.thread[0]), "worker 7");
  ThreadId thread = profile.samples.thread[0];
  EXPECT_EQ(process_name(profile, profile.threads[thread].process), "srv 5");
  EXPECT_EQ(profile.samples.labels[0], kNoLabels);
  EXPECT_EQ(profile.threads[profile.samples.thread[1]].tid, 8);
  std::string labels;
  for (LabelId id : labels_of(profile, profile.samples.labels[1])) {
    labels += label_text(profile, profile.labels[id]) + "|";
  }
  EXPECT_EQ(labels, "bytes=64 bytes|path=/x|thread_id=8|");
  EXPECT_EQ(profile.samples.cpu[2], 3);
  EXPECT_EQ(profile.samples.time_ns[2], 99);
}

TEST(PprofReader, DifferencesArePairs) {
  TestMessage message;
  message.type("samples", "count").type("cpu", "nanoseconds").functions({"a", "b"});
  TestMessage negative = message;
  negative.sample({1}, {2, 20}).sample({2}, {-1, -10});
  Profile profile = read_valid(negative);
  EXPECT_TRUE(is_before_after(profile));
  EXPECT_EQ(rows_of(profile), (Texts{"a 2 of 20 after", "b 1 of 10 before"}));
  EXPECT_EQ(lost(profile, "in common"), 1U);
  TestMessage labelled = message;
  labelled.sample({1}, {2, 20}).sample({1}, {-3, -30}, {{"pprof::base", "true"}});
  profile = read_valid(labelled);
  EXPECT_EQ(rows_of(profile), (Texts{"a 2 of 20 after", "a 3 of 30 before"}));
  EXPECT_TRUE(profile.losses.empty());
  EXPECT_EQ(rows_of(*read_bytes(write_bytes(profile))), rows_of(profile));
  TestMessage heap;
  heap.type("alloc_space", "bytes").type("inuse_space", "bytes").functions({"a"});
  heap.sample({1}, {2, 20}).sample({1}, {-1, -10});
  EXPECT_EQ(lost(read_valid(heap), "reads inuse_space only"), 1U);
}

// The rules of pprof: a matching frame and what it calls go, unless nothing else is left.
TEST(PprofReader, DropsFrames) {
  TestMessage message;
  message.type("samples", "count").functions({"main", "alloc(int)", "inner", "alloc_keep"});
  message.location(5, 0, 0, {{2, 1}, {1, 2}});  // alloc inlined into main
  message.message.number(7, message.string("alloc.*"));
  message.message.number(8, message.string(".*keep"));
  message.sample({3, 2, 1}, {1}).sample({2}, {1}).sample({3, 4, 1}, {1}).sample({3, 5, 1}, {1});
  EXPECT_EQ(rows_of(read_valid(message)),
            (Texts{"main 1 of 1 samples",
                   "alloc(int) 1 of 1 samples",
                   "main;alloc_keep;inner 1 of 1 samples",
                   "main;main 1 of 1 samples"}));
}

// Frames of three modules, named and unnamed, inlined, with lines and columns; `number` varies them.
StackId rich_stack(ProfileBuilder& builder, std::span<const ModuleId> modules, uint32_t number) {
  ModuleId module = modules[number % 3];
  StackId stack = kEmptyStack;
  for (uint32_t depth = 0; depth < 1 + number % 7; ++depth) {
    bool is_inlined = depth == 2;
    bool is_named = depth != 4;
    FunctionId function = builder.function({.name = builder.string(fmt::format("f{}", depth)),
                                            .linkage_name = builder.string("_f"),
                                            .module = module,
                                            .file = builder.string("f.cc"),
                                            .line = depth});
    FrameId frame = builder.frame({.function = is_named ? function : FunctionId(),
                                   .module = module,
                                   .address = 0x2000 + (is_inlined ? depth - 1 : depth),
                                   .line = is_named ? depth : 0,
                                   .mode = number % 3 == 2 ? Mode::kKernel : Mode::kUser,
                                   .flags = static_cast<uint8_t>(is_inlined ? kInlined : 0),
                                   .column = is_named ? depth : 0});
    stack = builder.stack(stack, frame);
  }
  return stack;
}

Profile rich_profile() {
  ProfileBuilder builder;
  SourceId source = builder.source({.wall_clock_ns = 1'700'000'000'000'000'000});
  EventId cpu = builder.event({.name = builder.string("cpu-clock"),
                               .unit = builder.string("nanoseconds"),
                               .kind = Quantity::kCpuTime,
                               .period = 1000});
  EventId faults = builder.event({builder.string("faults"), builder.string("faults")});
  ProcessId process = builder.process({.pid = 5, .name = builder.string("prog")});
  ProcessId main = builder.process(
      {.name = builder.string("prog"), .source = source, .begin_ns = 0, .end_ns = 12345});
  ModuleId modules[] = {
      builder.module({.path = builder.string("/bin/prog"), .build_id = builder.string("00ff")}),
      builder.module(
          {.path = builder.string("/lib/libx.so"), .address_kind = AddressKind::kFileOffset}),
      builder.module({.path = builder.string("[kernel.kallsyms]")})};
  builder.add_mapping({main, modules[1], 0x7f00'0000'0000, 0x7f00'0000'9000, 0x1000});
  for (uint32_t i = 0; i < 40; ++i) {
    LabelId labels[] = {builder.label({.key = builder.string("path"), .text = builder.string("/")}),
                        builder.label({.key = builder.string("size"),
                                       .number = -int64_t{i},
                                       .unit = builder.string("bytes"),
                                       .is_number = true})};
    ThreadId thread = builder.thread(
        {.tid = i % 4, .process = process, .name = builder.string(fmt::format("t{}", i % 4))});
    builder.add_sample({.weight = 1000 + i,
                        .count = 1 + i % 2,
                        .stack = rich_stack(builder, modules, i),
                        .thread = i % 5 == 0 ? ThreadId() : thread,
                        .event = i % 4 == 3 ? faults : cpu,
                        .labels = i % 2 == 0 ? kNoLabels : builder.label_set(labels)});
  }
  builder.add_fact("comment", "one");
  builder.add_fact("documentation", "https://example.org");
  return builder.finish();
}

// All of a profile that the format can hold comes back: facts are replaced by the reader's.
TEST(PprofWriter, RoundTrip) {
  Profile profile = rich_profile();
  std::string bytes = write_bytes(profile);
  EXPECT_EQ(write_bytes(profile), bytes);
  EXPECT_TRUE(sniff(as_bytes(bytes)));
  Result<Profile> again = read_bytes(bytes);
  ASSERT_TRUE(again && validate(*again));
  std::string expected = dump(profile);
  std::string actual = dump(*again);
  size_t fact = actual.find("fact format: pprof\n");
  ASSERT_NE(fact, std::string::npos);
  actual.erase(fact, std::string_view("fact format: pprof\n").size());
  EXPECT_EQ(actual, expected);
  EXPECT_EQ(write_bytes(*again), write_bytes(*read_bytes(write_bytes(*again))));
}

TEST(PprofWriter, NamesBecomeUtf8) {
  ProfileBuilder builder;
  builder.event({builder.string("samples"), builder.string("samples")});
  FunctionId function = builder.function({.name = builder.string("a\xFF\0b"sv)});
  builder.add_sample({.stack = builder.stack(kEmptyStack, builder.frame({.function = function}))});
  Profile profile = builder.finish();
  EXPECT_EQ(rows_of(*read_bytes(write_bytes(profile))),
            Texts{std::string("a\xEF\xBF\xBD\0b 1 of 1 samples"sv)});
}

TEST(PprofSniff, ByStructure) {
  TestMessage message;
  message.type("samples", "count").functions({"a"}).sample({1}, {1}, {{"k", "v"}});
  EXPECT_TRUE(sniff(as_bytes(message.bytes())));
  for (std::string_view text :
       {"main;work 7\n", "\nmain 1\n", "{\"a\": 1}", "heap profile: 1", ""}) {
    EXPECT_FALSE(sniff(as_bytes(text))) << text;
  }
  ProtoWriter packet;  // of Perfetto
  packet.number(8, 1);
  ProtoWriter trace;
  trace.message(1, packet);
  EXPECT_FALSE(sniff(as_bytes(trace.bytes())));
}

TEST(PprofCorpus, LabelledProfilesSurviveWriting) {
  for (std::string_view name : {"profile-with-labels", "fib", "two-stacks"}) {
    std::string path = testing::corpus_path(fmt::format("parca-pprof/{}.pb.gz", name));
    SKIP_WITHOUT_CORPUS(path);
    Result<Input> input = Input::open(path, nullptr);
    ASSERT_TRUE(input);
    EXPECT_TRUE(sniff(input->head()));
    Result<Profile> profile = read(*input, {});
    ASSERT_TRUE(profile && validate(*profile)) << name;
    EXPECT_TRUE(profile->losses.empty()) << name;
    EXPECT_GT(profile->samples.size(), 1U);
    EXPECT_EQ(rows_of(*read_bytes(write_bytes(*profile))), rows_of(*profile)) << name;
  }
}

}  // namespace
}  // namespace wick::pprof
