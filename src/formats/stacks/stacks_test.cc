// SPDX-License-Identifier: Apache-2.0
// Tests the texts of bpftrace, bcc, gdb and eu-stack: as the tools print them, and damaged.
#include "formats/stacks/stacks.h"

#include <gtest/gtest.h>

#include "profile/names.h"
#include "profile/validate.h"

namespace wick::stacks {
namespace {

using namespace std::string_view_literals;

FlagValues default_flags() {
  FlagValues flags;
  flags.declare(read_flags());
  return flags;
}

Result<Profile> read_text(std::string_view text, const FlagValues& flags = default_flags()) {
  Input input = Input::from_text("stacks.txt", std::string(text));
  return read(input, flags);
}

Profile must_read(std::string_view text, const FlagValues& flags = default_flags()) {
  EXPECT_TRUE(sniff(as_bytes(text))) << text;
  Result<Profile> profile = read_text(text, flags);
  EXPECT_TRUE(profile) << profile.error().message;
  EXPECT_TRUE(validate(*profile));
  return *std::move(profile);
}

std::string folded_of(const Profile& profile) {
  const Format* folded = find_format("folded");
  FlagValues flags;
  flags.declare(folded->write_flags);
  std::string text;
  Output out = Output::to_text(text);
  EXPECT_TRUE(folded->write_profile(profile, flags, out));
  return text;
}

constexpr std::string_view kBpftrace = R"(Attaching 2 probes...

ERROR: failed to look up stack id -17 (pid -1): -2
@[, 
    0x1b31567
    layout_decl(tree_node*, unsigned int)+651
, cc1plus, 18877]: 1
@[
    vfs_read+145
    do_syscall_64+113
    entry_SYSCALL_64_after_hwframe+118
, 
    __read+13
    main+20
, cat, 4711]: 12
@[
    main+3
, 
    ksys_write+1
    entry_SYSCALL_64_after_hwframe+118
]: 2
)";

TEST(Stacks, Bpftrace) {
  Profile profile = must_read(kBpftrace);
  EXPECT_EQ(folded_of(profile),
            "layout_decl(tree_node*, unsigned int);[unknown] 1\n"
            "main;__read;entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];vfs_read_[k] 12\n"
            "main;entry_SYSCALL_64_after_hwframe_[k];ksys_write_[k] 2\n");
  EXPECT_EQ(thread_name(profile, profile.samples.thread[1]), "cat 4711");
  EXPECT_EQ(profile.samples.count[1], 12U);
  EXPECT_TRUE(profile.losses.empty());
}

TEST(Stacks, BpftraceMapsAreEventsAndUnitsAreSaid) {
  constexpr std::string_view kText = "@reads[\n    a+1\n]: 3\n@bytes[\n    a+1\n    b+1\n]: 4096\n";
  Profile profile = must_read(kText);
  ASSERT_EQ(profile.events.size(), 2U);
  EXPECT_EQ(profile.strings[profile.events[EventId(0)].name], "bytes");
  FlagValues flags = default_flags();
  flags.set("unit", "us");
  Profile timed = must_read(kText, flags);
  EXPECT_EQ(timed.samples.weight[0], 4'096'000);
  EXPECT_EQ(timed.samples.count[0], 0U);
}

// Kernel threads have no user stack; a map of which no row has a stack counts something else.
TEST(Stacks, BpftraceStacksMayBeEmpty) {
  Profile profile = must_read(
      "@[\n    main+1\n, a, 7]: 2\n@[, kworker/0:1, 9]: 5\n@n[a]: 100\n@h[b]: \n[1]  3 |@@@|\n");
  EXPECT_EQ(folded_of(profile), " 5\nmain 2\n");
  EXPECT_EQ(thread_name(profile, profile.samples.thread[1]), "kworker/0:1 9");
  EXPECT_TRUE(profile.losses.empty());
}

TEST(Stacks, BpftraceLoss) {
  Profile profile = must_read(
      "@[\n    a\n]: 3\n@[\n    b\n@[\n    c\n]: -4\n@[\n    d\n]: \n[0] 5 |@@|\n@[\n    e\n");
  EXPECT_EQ(folded_of(profile), "a 3\n");
  uint64_t lost = 0;
  for (const Loss& loss : profile.losses) {
    lost += loss.severity == LossClass::kDataLoss ? loss.count : 0;
  }
  EXPECT_EQ(lost, 4U);
}

constexpr std::string_view kBcc =
    R"(Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.

    b'filemap_map_pages'
    handle_mm_fault
    --
    [unknown]
    main
    -                my prog (9036)
        3

    -                swapper/0 (0)
        2

)";

TEST(Stacks, BccProfile) {
  Profile profile = must_read(kBcc);
  EXPECT_EQ(folded_of(profile), " 2\nmain;[unknown];handle_mm_fault_[k];filemap_map_pages_[k] 3\n");
  EXPECT_EQ(profile.samples.weight[0], 3 * (1'000'000'000 / 49));
  EXPECT_EQ(profile.samples.count[0], 3U);
  EXPECT_EQ(thread_name(profile, profile.samples.thread[0]), "my prog 9036");
}

TEST(Stacks, BccOffCpuTimeIsMicroseconds) {
  Profile profile = must_read(
      "Tracing off-CPU time (us) of all threads by user + kernel stack... Hit Ctrl-C to end.\n^C\n"
      "    schedule\n    do_nanosleep\n    -                sleep (5)\n        1000084\n\n");
  EXPECT_EQ(profile.samples.weight[0], 1'000'084'000);
  EXPECT_EQ(profile.samples.count[0], 0U);
  EXPECT_EQ(profile.events[EventId(0)].kind, Quantity::kOffCpu);
}

constexpr std::string_view kGdb = R"([New LWP 18250]
0x00007f79 in __GI___clock_nanosleep () at x.c:48

Thread 2 (Thread 0x7f79e6b5b6c0 (LWP 18250) "th \"x"):
#0  0x00007f79e6c2e545 in usleep (useconds=1000000, s=0x5 ") at (") at ../sysdeps/usleep.c:31
#1  0x000055e05c61415b in (anonymous namespace)::in<int (*)(int)>(int) (n=1)
    at th.cc:3
        local = 5
#2  S::operator() (this=0x1) at th.cc:4
#3  0x000055e05c61416c in operator<< <char> (p=0x0) at th.cc:5
#4  <signal handler called>
#5  0x00007f79e6be81f5 in ?? () from /usr/lib/libwork.so
(More stack frames follow...)

Thread 1 (Thread 0x7f79e6b5c740 (LWP 18248) "th"):
#0  main () at th.cc:6
[Inferior 1 (process 18248) detached]
)";

TEST(Stacks, Gdb) {
  Profile profile = must_read(kGdb);
  EXPECT_EQ(folded_of(profile),
            "libwork.so+0x7f79e6be81f4;<signal handler called>;operator<< <char>;S::operator();"
            "(anonymous namespace)::in<int (*)(int)>(int)_[i];usleep 1\nmain 1\n");
  EXPECT_EQ(profile.threads[ThreadId(0)].tid, 18250);
  EXPECT_EQ(profile.samples.ending[0], StackEnd::kTooDeep);
  EXPECT_EQ(profile.strings[profile.events[EventId(0)].name], "backtraces");
  bool found = false;
  for (const Frame& frame : profile.frames) {
    found = found || (frame.line == 3 && profile.strings[line_file(profile, frame)] == "th.cc");
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(profile.losses.empty());
}

TEST(Stacks, ManyBacktracesAreAProfile) {
  Profile profile = must_read(
      "#0  f () at a.c:1\n#1  0x12 in main ()\n#0  f () at a.c:1\n#1  0x12 in main ()\n#0  g ()\n");
  EXPECT_EQ(folded_of(profile), "g 1\nmain;f 2\n");
}

TEST(Stacks, AFrameWhoseLineWasCutIsNotAFunction) {
  constexpr std::string_view kWhole = "#0  0x12 in f ()\n#1  0x13 in g () at g.c:1\n";
  for (std::string_view cut : {"#2  0",
                               "#2  0x",
                               "#2  0x1",
                               "#2  0x14 in ma",
                               "#2  0x14 in main (argc=1, a",
                               "#2  main",
                               "#2  0x14 mai"}) {
    Profile profile = must_read(std::string(kWhole) + std::string(cut));
    EXPECT_EQ(folded_of(profile), "g;f 1\n") << cut;
    ASSERT_EQ(profile.losses.size(), 2U) << cut;
    EXPECT_EQ(profile.strings[profile.losses[0].reason], "frames whose line was cut");
  }
  for (std::string_view whole : {"#2  0x14 in main ()",
                                 "#2  0x14 in main (argc=1) at m.c:7",
                                 "#2  main () from /lib/libm.so",
                                 "#2  0x14 main - /bin/main"}) {
    Profile profile = must_read(std::string(kWhole) + std::string(whole));
    EXPECT_TRUE(folded_of(profile).starts_with("main;g")) << folded_of(profile);
    EXPECT_EQ(profile.losses.size(), 1U) << whole;
  }
}

constexpr std::string_view kEuStack = R"(PID 18248 - process
TID 18248:
#0  0x00007f79e6c5e295 usleep - /usr/lib/libc.so.6
    ../sysdeps/posix/usleep.c:31:10
#1  0x000055e05c61415b in - /tmp/th
    /tmp/th.c:3:71
#2  0x000055e05c61415b - 1 work
#3  0x000055e05c614000
TID 18250:
#0  0x00007f79e6c2e545 clock_nanosleep@@GLIBC_2.17
)";

TEST(Stacks, EuStack) {
  Profile profile = must_read(kEuStack);
  EXPECT_EQ(folded_of(profile), "[unknown];work;in_[i];usleep 1\nclock_nanosleep@@GLIBC_2.17 1\n");
  EXPECT_EQ(profile.threads[ThreadId(1)].tid, 18250);
  EXPECT_EQ(profile.processes[ProcessId(0)].pid, 18248);
}

TEST(Stacks, OtherTextsAreNotRecognised) {
  for (std::string_view text : {"main;work 7\n",
                                "# comment\n#1 x\n",
                                "@comm[bash]: 5\n",
                                "cat 4711 1.5: 1 cycles:\n\t7f12 read (libc.so)\n\n",
                                ""}) {
    EXPECT_FALSE(sniff(as_bytes(text))) << text;
  }
  EXPECT_FALSE(read_text("nothing\n"));
}

TEST(Stacks, EveryCutIsAnErrorOrValid) {
  for (std::string_view text : {kBpftrace, kBcc, kGdb, kEuStack}) {
    for (size_t size = 0; size < text.size(); ++size) {
      Result<Profile> profile = read_text(text.substr(0, size));
      ASSERT_TRUE(!profile || validate(*profile)) << size;
    }
  }
}

TEST(Stacks, HostileTexts) {
  std::string deep = "@[\n";
  std::string frames;
  for (int i = 0; i < 100'000; ++i) {
    deep += "    f+1\n";
    frames += fmt::format("#{}  0x12 in f ()\n", i);
  }
  EXPECT_EQ(must_read(deep + "]: 1\n").stacks.size(), 100'001U);
  EXPECT_EQ(must_read(frames).stacks.size(), 100'001U);
  Profile large = must_read("@[\n    a\n]: 9223372036854775807\n@[\n    b\n]: 1\n");
  EXPECT_FALSE(large.losses.empty());
  must_read("@[\n    a\0\xff\x1b[2J\n]: 1\n"sv);
  must_read(
      "#0  0xffffffffffffffffffff in f ()\n#18446744073709551615  0x0 in g (\n#0  f ((((((\n");
}

}  // namespace
}  // namespace wick::stacks
