// SPDX-License-Identifier: Apache-2.0
// Tests the reader of `perf script` on short texts: every column, frames and their callers, records
// to ignore, and damage at every byte. Texts of the corpus must give the stacks that inferno finds.
#include <algorithm>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "formats/broken_input.h"
#include "formats/perf_script/frame_line.h"
#include "formats/perf_script/testing.h"
#include "profile/names.h"
#include "tests/support/files.h"

namespace wick::perf_script {
namespace {

std::string losses_of(const Profile& profile) {
  std::string text;
  for (const Loss& loss : profile.losses) {
    text += fmt::format("{}{} {}: {} ({})\n",
                        loss.severity == LossClass::kNotice ? "notice " : "",
                        loss.count,
                        profile.strings[loss.what],
                        profile.strings[loss.reason],
                        profile.strings[loss.detail]);
  }
  return text;
}

TEST(PerfScript, ReadsEveryColumn) {
  EXPECT_EQ(dump_of("# hostname : box\n"
                    "t prog 100/101 [002]   868.009623:   10101010 cpu-clock:ppp: \n"
                    "\t            1288 (anonymous namespace)::mid+0x48 (/opt/t prog)\n"
                    "\t            10f1 main+0x61 (/opt/t prog)\n"
                    "\tffffffff81000000 do_syscall_64+0x5c ([kernel.kallsyms])\n"
                    "\n"),
            "event cpu-clock:ppp in nanoseconds\n"
            "fact format: perf-script\n"
            "fact hostname: box\n"
            "function (anonymous namespace)::mid@/opt/t prog address=0x1240\n"
            "function do_syscall_64@[kernel.kallsyms] address=0xffffffff80ffffa4\n"
            "function main@/opt/t prog address=0x1090\n"
            "sample cpu-clock:ppp at 868009623000 cpu 2 thread t prog 101 of t prog 100 "
            "weight 10101010 count 1 stack "
            "do_syscall_64@[kernel.kallsyms]+0xffffffff80ffffff{kernel};"
            "main@/opt/t prog+0x10f0{user};"
            "(anonymous namespace)::mid@/opt/t prog+0x1288{user}\n");
}

TEST(PerfScript, FunctionsKnowWhereTheyStart) {
  Result<Profile> profile = read_text("a 1 1.000000: cycles: \n\t 1288 f+0x48 (/opt/a)\n\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->functions[FunctionId(0)].address, 0x1240U);
}

TEST(PerfScript, SamplesWithoutACallChainAreOneLine) {
  EXPECT_EQ(folded("          t prog  3978  1536.830571:   10101010 cpu-clock:      560da0eac284 "
                   "(anonymous namespace)::mid+0x44 (/opt/t prog)\n"
                   "               x  3978  1536.840674:   10101010 cpu-clock:  ffffffff81b9488c "
                   "iowrite16+0xc ([kernel.kallsyms])\n"
                   "              dd  3978  1536.850674:   10101010 cpu-clock:      560da0eac284 "
                   "(anonymous namespace)::mid+0x44 (/opt/t prog)\n"),
            "(anonymous namespace)::mid 2\niowrite16_[k] 1\n");
}

TEST(PerfScript, FramesIndentedWithBlanksAreFrames) {
  EXPECT_EQ(
      folded("node 31912 cpu-clock: \n"
             "            13a80b608e0a RegExp:[&<>\\\"\\'] (/tmp/perf-7539.map)\n"
             "             c6d7895aac9 LazyCompile:~body_0 evalmachine:1 (/tmp/perf-31912.map)\n"
             "                   dd777 v8::Call(v8::Isolate*, int) (/apps/node)\n"
             "\n"),
      "v8::Call(v8::Isolate*, int);LazyCompile:~body_0 evalmachine:1_[j];"
      "RegExp:[&<>\\\"\\']_[j] 1\n");
}

TEST(PerfScript, InlinedFramesBelongToTheModuleBelow) {
  EXPECT_EQ(dump_of("app 100 10.000001:     100000 cycles:u: \n"
                    "\t          401150 leaf+0x8 (inlined)\n"
                    "\t          401150 middle (inlined)\n"
                    "\t          401150 outer+0x10 (/opt/a b/app)\n"
                    "\n"),
            "event cycles:u in cycles:u\n"
            "fact format: perf-script\n"
            "function outer@/opt/a b/app address=0x401140\n"
            "sample cycles:u at 10000001000 thread app 100 of app weight 100000 count 1 stack "
            "outer@/opt/a b/app+0x401150{user};middle@/opt/a b/app+0x401150{inlined};"
            "leaf@/opt/a b/app+0x401150{inlined}\n");
}

TEST(PerfScript, SourceLinesBelongToTheFrameAbove) {
  EXPECT_EQ(dump_of("app 100 10.000001:     100000 cycles:u: \n"
                    "\t          401150 leaf\n"
                    "  leaf.h:3 (inlined)\n"
                    "\t          401150 outer+0x10 (/opt/app)\n"
                    "  app.cpp:30\n"
                    "\t           2724a start+0x10 (/lib/libc.so.6)\n"
                    "  libc.so.6[2724a]\n"
                    "\n"),
            "event cycles:u in cycles:u\n"
            "fact format: perf-script\n"
            "function outer@/opt/app address=0x401140\n"
            "function start@/lib/libc.so.6 address=0x2723a\n"
            "sample cycles:u at 10000001000 thread app 100 of app weight 100000 count 1 stack "
            "start@/lib/libc.so.6+0x27249{user};outer@/opt/app+0x401150 app.cpp:30{user};"
            "leaf@/opt/app+0x401150 leaf.h:3{inlined}\n");
}

// The addresses of the frames, root first.
std::string addresses_of(std::string_view text) {
  Result<Profile> profile = read_text(text);
  if (!profile) {
    return profile.error().message;
  }
  std::string result;
  for (StackId at = profile->samples.stack[0]; at != kEmptyStack; at = profile->stacks.parent(at)) {
    result = fmt::format("{:x} {}", profile->frames[profile->stacks.frame(at)].address, result);
  }
  return result;
}

// docs/decisions/0008: an address is inside its instruction.
TEST(PerfScript, CallersStandInsideTheirCalls) {
  std::string chain =
      "a 1 1.000000: cycles: \n"
      "\tffffffff81000010 vfs_write+0x10 ([kernel.kallsyms])\n"
      "\tffffffff81000130 entry+0x30 ([kernel.kallsyms])\n"
      "\t            1010 leaf (inlined)\n"  // entered the kernel
      "\t            1010 write+0x10 (/lib/libc.so.6)\n"
      "\t            2020 middle (inlined)\n"
      "\t            2020 main+0x20 (/opt/a)\n"
      "\t            3000 next+0x0 (/opt/a)\n"  // the call is the end of the previous function
      "\t               0 [unknown] ([unknown])\n"
      "\n";
  EXPECT_EQ(addresses_of(chain), "0 3000 201f 201f 1010 1010 ffffffff8100012f ffffffff81000010 ");
  // perf unwound the user stacks itself.
  std::string unwound = "0 3000 2020 2020 1010 1010 ffffffff8100012f ffffffff81000010 ";
  for (std::string_view how :
       {"--call-graph dwarf", "--call-graph=lbr -a", "-F 99 -g dwarf,8192"}) {
    EXPECT_EQ(addresses_of(fmt::format("# cmdline : /usr/bin/perf record {} ls\n{}", how, chain)),
              unwound);
  }
  EXPECT_NE(addresses_of("# cmdline : /usr/bin/perf record -g ls dwarf\n" + chain), unwound);
  EXPECT_EQ(addresses_of("# wick: callers stand at their calls\n" + chain),
            "0 3000 2020 2020 1010 1010 ffffffff81000130 ffffffff81000010 ");
}

TEST(PerfScript, SourceLinesDoNotMoveCallers) {
  EXPECT_EQ(addresses_of("a 1 1.000000: cycles: \n"
                         "\t            1010 leaf\n"
                         "  leaf.h:3 (inlined)\n"
                         "\t            1010 outer+0x10 (/opt/a)\n"
                         "  outer.c:7\n"
                         "\t            2020 inner\n"
                         "  inner.h:3 (inlined)\n"
                         "\t            2020 main+0x20 (/opt/a)\n"
                         "\n"),
            "201f 201f 1010 1010 ");
}

TEST(PerfScript, CallersAByteBeforeEveryFourthAreInTheirCalls) {
  std::string text = "a 1 1.000000: cycles: \n\t 1000 f+0x1 (/opt/a)\n";
  std::string addresses = "1000 ";
  for (int i = 1; i <= 16; ++i) {
    text += fmt::format("\t {:x} f+0x1 (/opt/a)\n", 0x1003 + i * 16);
    addresses = fmt::format("{:x} {}", 0x1003 + i * 16, addresses);
  }
  EXPECT_EQ(addresses_of(text), addresses);
  EXPECT_EQ(addresses_of(text + "\t 2000 g+0x1 (/opt/a)\n").substr(0, 10), "1fff 1102 ");
}

TEST(PerfScript, NamesAreMadeOnlyFromNumbersThatLast) {
  EXPECT_EQ(
      folded("a 1 1.000000: cycles: \n"
             "\t             8a8 [unknown] (/lib/libc.so.6)\n"
             "\t    7f51c7d538a8 [unknown] (/lib/libc.so.6)\n"
             "\t    7f51c7d538a9 [unknown] ([unknown])\n"
             "\tffffffff81b9488c [unknown] ([kernel.kallsyms])\n"
             "\t            14b9\n"
             "\t      74938fb3f0 libx.so[+29c3f0] (/vendor/libx.so)\n"
             "\n"),
      "libx.so+0x29c3f0;[0x14b9];[kernel.kallsyms]_[k];[unknown];[libc.so.6];libc.so.6+0x8a8 1\n");
}

TEST(PerfScript, EventsStayApart) {
  Result<Profile> profile = read_text(
      "a 1 1.0: 5 cycles: \n\t 1 f (/x)\n\n"
      "a 1 1.1: 7  task-clock: \n\t 1 f (/x)\n\n"
      "a 1 1.2: cycles: \n\t 1 f (/x)\n\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(dump(*profile),
            "event cycles in cycles\n"
            "event cycles in samples\n"
            "event task-clock in nanoseconds\n"
            "fact format: perf-script\n"
            "sample cycles at 1000000000 thread a 1 of a weight 5 count 1 stack f@/x+0x1{user}\n"
            "sample cycles at 1200000000 thread a 1 of a weight 1 count 1 stack f@/x+0x1{user}\n"
            "sample task-clock at 1100000000 thread a 1 of a weight 7 count 1 stack "
            "f@/x+0x1{user}\n");
}

TEST(PerfScript, ProcessesAreNamedByTheirMainThread) {
  Result<Profile> profile = read_text(
      "worker 7/8 1.0: cycles: \n\n"
      "perf-exec 7/7 1.1: cycles: \n\n"
      "server 7/7 1.2: cycles: \n\n"
      "other 9/10 1.3: cycles: \n\n");
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->processes.size(), 2U);
  EXPECT_EQ(process_name(*profile, ProcessId(0)), "server 7");
  EXPECT_EQ(process_name(*profile, ProcessId(1)), "other 9");
  EXPECT_EQ(thread_name(*profile, ThreadId(0)), "worker 8");
}

TEST(PerfScript, AnEventLineMayLookLikeACommentOrAFrame) {
  Result<Profile> profile = read_text(
      "#hash 7 [000] 1.0: 5 cycles: \n\t 1 f (/x)\n\n"
      "\ttab 8 [000] 1.1: 5 cycles: \n\t 1 f (/x)\n\n"
      "# time of first sample : 1.000000\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(losses_of(*profile), "");
  ASSERT_EQ(profile->threads.size(), 2U);
  EXPECT_EQ(thread_name(*profile, ThreadId(0)), "#hash 7");
  EXPECT_EQ(thread_name(*profile, ThreadId(1)), "tab 8");
}

TEST(PerfScript, TextsWithFewColumnsAreRead) {
  EXPECT_EQ(folded("\n\t 14b9 f (/x)\n\t 12fb main (/x)\n\n\n\t 12fb main (/x)\n\n"),
            "main 1\nmain;f 1\n");                                                // ip,sym,dso
  EXPECT_EQ(folded("     5595bead34b9 f\n     5595bead3242 g\n"), "f 1\ng 1\n");  // no chain
  EXPECT_EQ(folded("x \n\t 14b9 f\n\t 12fb main\n\n"), "main;f 1\n");             // comm,ip,sym
  EXPECT_EQ(folded("cpu-clock:u: \n\t 14b9 f\n\n"), "f 1\n");                     // event,ip,sym
  EXPECT_EQ(folded("1.000000: \n\t 14b9 f\n\n"), "f 1\n");                        // time,ip,sym
  EXPECT_EQ(folded("x 1 1.000000:    5025125 \n"), " 1\n");                       // no ip
}

TEST(PerfScript, ABlankLineMayStandBeforeTheStack) {
  EXPECT_EQ(folded("a 26037  8801.193547:     250000 cpu-clock:uhH:\n"
                   "\t          401b97 main+0x1f (/x)\n"
                   "\n"
                   "a 26037  8801.194312:     250000 cpu-clock:uhH:\n"
                   "\n"
                   "\t          401b94 main+0x1c (/x)\n"),
            "main 2\n");
}

TEST(PerfScript, LineEndsAndTabsDoNotMatter) {
  EXPECT_EQ(folded("a\t1 [000]\t1.0:\t5\tcycles:\r\n\t1 f (/x)\r\n\r\n"), "f 1\n");
  EXPECT_EQ(
      folded("a 1 [000] 1.0: 5 cycles:\r\n\t1 f (/x)\r\n\r\nb 2 1.1: 5 cycles:\n\t1 g (/x)\n"),
      "f 1\ng 1\n");
}

// A part of a line can be a frame of its own: "foo(int)" is foo in the file "int".
TEST(PerfScript, ATextThatIsCutInsideALineInventsNothing) {
  std::string text =
      "a 1 [000] 1.000001: 5 cycles:\n\t401b94 foo(int)+0x1c (/bin/x)\n\t401c00 main+0x2 "
      "(/bin/x)\n\n"
      "a 1 [000] 1.000002: 543210 cycles:\n\t401b94 foo(int)+0x1c (/bin/x)\n"
      "\t401d00 bar(char)+0x4 (/bin/x)\n\t401c00 main+0x2 (/bin/x)\n\n";
  Result<Profile> whole = read_text(text);
  ASSERT_TRUE(whole);
  auto names = [](const Profile& profile) {
    std::set<std::string> found;
    for (const Frame& frame : profile.frames) {
      found.insert(fmt::format("{} {}",
                               profile.strings[profile.functions[frame.function].name],
                               profile.strings[profile.modules[frame.module].path]));
    }
    return found;
  };
  std::set<std::string> known = names(*whole);
  for (size_t length = text.find("\n\n") + 2; length < text.size(); ++length) {
    Result<Profile> cut = read_text(text.substr(0, length));
    ASSERT_TRUE(cut) << length;
    for (const std::string& name : names(*cut)) {
      EXPECT_TRUE(known.contains(name)) << name << " at " << length;
    }
    for (size_t row = 0; row < cut->samples.size(); ++row) {
      EXPECT_EQ(cut->samples.weight[row], whole->samples.weight[row]) << length;
    }
    bool inside = text[length - 1] != '\n' && !text.substr(0, length).ends_with("(/bin/x)");
    bool reported = std::ranges::any_of(cut->losses, [&](const Loss& loss) {
      return cut->strings[loss.reason] == kTextWasCut && loss.severity == LossClass::kDataLoss;
    });
    EXPECT_EQ(reported, inside) << length;
  }
}

TEST(PerfScript, DataAddressesAreNoFrames) {
  std::string text =
      "w prog 1 1.000000:          1 page-faults:     55e0aea36098 __TMC_END__+0x0 (/opt/w prog)\n"
      "\tffffffff8175286a elf_load+0x28a ([kernel.kallsyms])\n"
      "\n"
      "w prog 1 1.000001:          1 page-faults:     55e0aea36099 __TMC_END__+0x1 (/opt/w prog)\n"
      "     7f084d4c6b70 _start+0x0 (/lib/ld.so)\n"  // indented with blanks
      "\n";
  Result<Profile> profile = read_text(text);
  ASSERT_TRUE(profile);
  EXPECT_EQ(write_as("folded", *profile), "_start 1\nelf_load_[k] 1\n");
}

TEST(PerfScript, TracepointFieldsAreNoFrames) {
  EXPECT_EQ(
      folded("perf 16808 [000] 11829.610545: sched:sched_switch: prev_comm=perf prev_pid=16808 "
             "prev_state=D ==> next_comm=migration/0\n"
             "\tffffffff821f7d98 __schedule+0x618 ([kernel.kallsyms])\n"
             "\n"
             "perf 16808 [000] 11829.610546: sched:sched_switch: prev_comm=add\n"),
      " 1\n__schedule_[k] 1\n");
}

TEST(PerfScript, RegistersAndRecordsAreCounted) {
  Result<Profile> profile = read_text(
      "a 1 1.000000: 5 cycles: \n"
      "\t 1 f (/x)\n"
      " 0xff(/x)/0xfe(/x)/P/-/-/0/  0xfd(/x)/0xfc(/x)/M/-/-/0/ \n"
      "a 1 1.000001: 5 cycles: \n"
      "\t 1 f (/x)\n"
      "\n"
      "\tmain+334:\n"
      "\t00005629ec742a6e\tinsn: e9 e4 fe ff ff\n"
      "a 1 1.000002: 5 cycles: \n"
      "\t 1 f (/x)\n"
      " ABI:2    AX:0x17f7fd    BX:0x56016daefeb0 \n"
      "a 1 1.000003: PERF_RECORD_COMM exec: b:1/1\n"
      "a 1 1.000003: PERF_RECORD_FORK(1:2):(1:1)\n"
      "a 1 1.000003: PERF_RECORD_LOST lost 12\n"
      "a 1 1.000004: 5 cycles: \n"
      "\t 1 f (/x)\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(write_as("folded", *profile), "f 4\n");
  EXPECT_EQ(losses_of(*profile),
            "12 samples: lost while recording (line 14)\n"
            "notice 1 lines: register values are not used yet ()\n"
            "notice 3 records: records that are not samples ()\n");
}

// -F ip,sym --show-mmap-events, --show-round-events, --show-namespace-events, -F +srccode
TEST(PerfScript, RecordsThatNameNobodyAreCounted) {
  Result<Profile> profile = read_text(
      "PERF_RECORD_MMAP2 7/7: [0x400000(0x1000) @ 0 00:1d 123291722 526021]: r-xp /opt/a\n"
      "PERF_RECORD_COMM: a b:7/7\n"
      "\n"
      "\t 1 f\n"
      "\n"
      "PERF_RECORD_FINISHED_ROUND\n"
      "\n"
      "\t 2 g\n"
      "\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(write_as("folded", *profile), "f 1\ng 1\n");
  EXPECT_EQ(losses_of(*profile), "notice 3 records: records that are not samples ()\n");

  profile = read_text(
      "a 1 1.000000: PERF_RECORD_NAMESPACES 1/1 - nr_namespaces: 7\n"
      "\t\t[0/net: 4/0xeffffff9, 1/uts: 4/0xeffffffe, 2/ipc: 4/0xefffffff, 3/pid: 4/0xeffffffc, \n"
      "\t\t 4/user: 4/0xeffffffd, 5/mnt: 4/0xeffffff8, 6/cgroup: 4/0xeffffffb]\n"
      "a 1 1.000002: 5 cycles: \n"
      "\t 1 f (/x)\n"
      "\n"
      "|13       for (int i = 0; i < 9; ++i) work(i); // once more: 7\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(write_as("folded", *profile), "f 1\n");
  EXPECT_EQ(losses_of(*profile),
            "notice 1 lines: the text of source files is not read ()\n"
            "notice 1 records: records that are not samples ()\n");
}

TEST(PerfScript, RecordsMayFillTheHead) {
  std::string text;
  while (text.size() < 2 * Input::kHeadBytes) {
    text += "PERF_RECORD_MMAP2 7/7: [0x400000(0x1000) @ 0 00:1d 1 1]: r-xp /opt/a\n";
  }
  EXPECT_TRUE(sniff(as_bytes(std::string_view(text).substr(0, Input::kHeadBytes))));
  Result<Profile> profile = read_text(text + "\n\t 1 f\n\t 2 g\n\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(write_as("folded", *profile), "g;f 1\n");
}

// -F tid,ip and similar: small numbers are aligned, and look like addresses.
TEST(PerfScript, ThreadsWithoutACommAreNoFrames) {
  for (std::string_view who : {" 3466 ",
                               "   -1 ",
                               " 3466/3467  ",
                               " 3466/-1    ",
                               " 3466 [001] ",
                               " 3466/3467  [001] ",
                               "[001] ",
                               " 3466 cpu-clock:ppp: ",
                               "   -1 [001] cpu-clock:ppp: ",
                               "34666 "}) {
    std::string sample = std::string(who) + "\n\t            1288 f\n\t            1300 g\n\n";
    EXPECT_TRUE(sniff(as_bytes(sample))) << who;
    Result<Profile> profile = read_text(sample + sample);
    ASSERT_TRUE(profile) << who;
    EXPECT_EQ(write_as("folded", *profile), "g;f 2\n") << who;
    EXPECT_EQ(losses_of(*profile), "") << who;
  }
}

TEST(PerfScript, RegistersAfterAFrameAreNoPartOfIt) {
  Result<Profile> profile = read_text(
      "  x 7 24338.603454: 5 cycles:      55c789e5d145 work+0xc (/x) ABI:2    AX:0x4  ABI:2 SP:0x7 "
      "\n"
      "  x 7 24338.603455: 5 cycles:      55c789e5d145 work ABI:2    AX:0x5 \n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(write_as("folded", *profile), "work 2\n");
  EXPECT_EQ(losses_of(*profile), "notice 2 lines: register values are not used yet ()\n");
}

// -F ip,brstack and -F ip,sym,dso,brstacksym of samples without a call chain.
TEST(PerfScript, AFrameMayStandBeforeItsBranches) {
  Result<Profile> profile = read_text(
      "     7f06d6a21e00\n"
      "     5629ec742901 0x5629ec7428f4/0x5629ec742901/P/-/-/19/  0x56/0x57/P/-/-/1/ \n"
      "     5629ec742901 0x5629ec7428f4/0x5629ec742901/M/-/-/19/ \n"
      "     5629ec742901 f+0x1 (/x) main+0x3/f+0x0/P/-/-/19/ \n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(folded("     7f06d6a21e00 f\n"
                   "     7f06d6a21e00 f\n"
                   "\tmain+334:\n"
                   "\t00005629ec742a6e\tinsn: e9 e4 fe ff ff\n"
                   "     5629ec742901 g\n"),
            "f 2\ng 1\n");
  EXPECT_EQ(write_as("folded", *profile), "[0x5629ec742901] 2\n[0x7f06d6a21e00] 1\nf 1\n");
  EXPECT_EQ(losses_of(*profile), "");
  EXPECT_EQ(profile->branch_sets.size(), 3U);
}

TEST(PerfScript, DamageIsCountedAndReadingGoesOn) {
  Result<Profile> profile = read_text(
      "\t 1 lost (/x)\n"
      "\n"
      "a 1 1.0: 5 cycles: \n"
      "\t 1 f (/x)\n"
      "garbage in the middle\n"
      "\tmore of it\n"
      "\t 2 g (/x)\n"
      "\n"
      "no event follows this\n"
      "\n"
      "a 1 1.1: 5 cycles: \n"
      "\t 2 g (/x)\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(write_as("folded", *profile), "g 1\ng;f 1\n");
  EXPECT_EQ(losses_of(*profile),
            "1 samples: stacks without an event line (line 1)\n"
            "3 lines: not in the form of perf script (line 5: it is neither an event "
            "nor a frame)\n");
}

TEST(PerfScript, NothingRecognisedIsAnError) {
  Result<Profile> profile = read_text("neither\nthis\n\nnor that\n");
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message,
            "test.perf.txt has no samples of perf script: line 1: it is neither an event nor a "
            "frame.");
  EXPECT_FALSE(read_text("# only a header\n"));
  EXPECT_FALSE(read_text("\n"));
}

TEST(PerfScript, PeriodsBeyond62BitsAreLossNotOverflow) {
  Result<Profile> profile = read_text(
      "a 1 1.0: 18446744073709551615 cycles: \n\t 1 f (/x)\n\n"
      "a 1 1.1: 4611686018427387904 cycles: \n\t 1 f (/x)\n\n"
      "a 1 1.2: 1 cycles: \n\t 1 f (/x)\n\n"
      "a 1 1.3: 99999999999999999999999 cycles: \n\t 1 f (/x)\n\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->losses.size(), 1U);
  EXPECT_EQ(profile->losses[0].count, 3U);
  EXPECT_EQ(profile->events.size(), 1U);
}

TEST(PerfScript, HugeLinesAndDeepStacksAreFine) {
  std::string text = "a 1 1.0: 5 cycles: \n";
  for (int i = 0; i < 100000; ++i) {
    text += fmt::format("\t {:x} f{} (/x)\n", i, i % 7);
  }
  text += "\t 1 " + std::string(1 << 20, 'n') + " (/" + std::string(1 << 20, 'm') + ")\n\n";
  text += std::string(1 << 20, 'c') + " 1 1.0: 5 cycles: \n";
  text += "\t 1 " + std::string(1 << 20, '(') + " (" + std::string(1 << 20, ')') + "\n\n";
  Result<Profile> profile = read_text(text);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->samples.size(), 2U);
}

TEST(PerfScript, TerminalEscapesStayInNamesAndNeverReachAMessage) {
  Result<Profile> profile =
      read_text("a\x1b[31m 1 1.0: 5 cyc\x1b[0mles: \n\t 1 f\x1b]0;x\x07 (/x\x1b)\n\x1b[2J\n\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(dump(*profile).find('\x1b'), std::string::npos);
  EXPECT_EQ(profile->strings[profile->functions[FunctionId(0)].name], "f\x1b]0;x\x07");
}

std::string everything() {
  return "# hostname : box\n"
         "t prog 100/101 [002]   868.009623:   10101010 cpu-clock:ppp: \n"
         "\t            1288 leaf+0x48 (inlined)\n"
         "\t            1288 mid+0x48 (/opt/t prog)\n"
         "  mid.cc:4\n"
         "\tffffffff81000000 do_syscall_64+0x5c ([kernel.kallsyms])\n"
         "\n"
         "       x 7 868.009624:    5 cycles:      5595bead34b9 f (/p) 0xf(/p)/0xe(/p)/P/-/-/1/\n"
         "a 1 1.000003: PERF_RECORD_LOST lost 12\n"
         " ABI:2    AX:0x17f7fd\n";
}

TEST(PerfScript, CutAnywhereItGivesAnErrorOrAProfile) {
  std::string text = everything();
  for (size_t length = 0; length <= text.size(); ++length) {
    for (std::string_view compat : {"", "stackcollapse", "stackcollapse,srcline,all"}) {
      Result<Profile> profile = read_text(text.substr(0, length), compat);
      if (!profile) {
        EXPECT_TRUE(profile.error().message.ends_with('.')) << profile.error().message;
      }
    }
    sniff(as_bytes(std::string_view(text).substr(0, length)));
  }
}

TEST(PerfScript, AnyChangedByteGivesAnErrorOrAProfile) {
  std::string text = everything();
  for (size_t at = 0; at < text.size(); ++at) {
    for (char byte : {'\0', '\n', '\t', ' ', '(', ')', ':', '/', '9', 'f', '\xff', '#', '['}) {
      std::string changed = text;
      changed[at] = byte;
      sniff(as_bytes(changed));
      EXPECT_TRUE(read_text(changed) || true);
      EXPECT_TRUE(read_text(changed, "stackcollapse,srcline") || true);
    }
  }
}

TEST(PerfScript, SniffsItsOwnTextAndNothingElse) {
  for (std::string_view text : {"a 1 1.0: 5 cycles: \n\t 1 f (/x)\n\n",
                                "# ========\n# captured on: Thu\n# hostname : box\n",
                                "a 1 1.0: PERF_RECORD_COMM: a:1/1\n",
                                "PERF_RECORD_COMM: a:1/1\nPERF_RECORD_FORK(1:2):(1:1)\n",
                                "\n\t 14b9 f (/x)\n\n",
                                "     5595bead34b9 f (/x)\n",
                                "x \n\t 14b9 f\n\n",
                                "node 31912 cpu-clock: \n            13a80b608e0a f (/x)\n\n"}) {
    EXPECT_TRUE(sniff(as_bytes(text))) << text;
  }
  for (std::string_view text : {"main;work 7\nmain 1\n",
                                "swapper;start_kernel;rest_init 1\nkworker/0:1;x 3\n",
                                "a;b 1: 2\n",
                                "# A page\n\nSome words about it: read them.\n",
                                "12 34\n",
                                "{\"a\": 1}\n",
                                "0000000000401136 T main\n                 U malloc\n",
                                ""}) {
    EXPECT_FALSE(sniff(as_bytes(text))) << text;
  }
  EXPECT_FALSE(sniff(as_bytes(std::string(Input::kHeadBytes, '\0'))));
}

// The recognised format of each text of the corpus, and that nothing in them is lost.
TEST(PerfScriptCorpus, EveryTextIsRecognisedAndReadWhole) {
  size_t texts = 0;
  for (std::string_view path : {"local-perf/no-callgraph-single-line.perf.txt",
                                "local-perf/no-dso.perf.txt",
                                "local-perf/ns-timestamps.perf.txt",
                                "local-perf/pid-tid-nosymoff.perf.txt",
                                "local-perf/space-dso-anon-ns.perf.txt",
                                "local-perf/srcline.perf.txt",
                                "local-perf/synthetic-inlined-and-odd-names.perf.txt",
                                "local-perf/synthetic-srcline-inlined.perf.txt",
                                "local-perf/two-events.perf.txt",
                                "local-perf/with-header.perf.txt",
                                "FlameGraph/test/perf-cycles-instructions-01.txt",
                                "FlameGraph/test/perf-dd-stacks-01.txt",
                                "FlameGraph/test/perf-funcab-cmd-01.txt",
                                "FlameGraph/test/perf-funcab-pid-01.txt",
                                "FlameGraph/test/perf-iperf-stacks-pidtid-01.txt",
                                "FlameGraph/test/perf-js-stacks-01.txt",
                                "FlameGraph/test/perf-numa-stacks-01.txt",
                                "FlameGraph/test/perf-rust-Yamakaky-dcpu.txt",
                                "FlameGraph/example-perf-stacks.txt.gz",
                                "inferno/collapse-perf/cpp-stacks-std-function.txt",
                                "inferno/collapse-perf/empty-line.txt",
                                "inferno/collapse-perf/go-stacks.txt",
                                "inferno/collapse-perf/single-event.txt",
                                "inferno/collapse-perf/versioned-vmlinux.txt",
                                "speedscope/linux-perf/one-sample.linux-perf.txt",
                                "speedscope/linux-perf/rust-mangled.linux-perf.txt",
                                "speedscope/linux-perf/simple-with-pid.linux-perf.txt",
                                "speedscope/linux-perf/simple.linux-perf.txt",
                                "simpleperf/perf_display_bitmaps.perf-script.gz",
                                "simpleperf/perf_display_bitmaps.header.perf-script.gz"}) {
    std::string file = testing::corpus_path(path);
    SKIP_WITHOUT_CORPUS(file);
    Result<Input> input = Input::open(file, nullptr);
    ASSERT_TRUE(input) << path;
    Result<const Format*> format = recognise(*input);
    ASSERT_TRUE(format) << path;
    EXPECT_EQ((*format)->name, "perf-script") << path;
    FlagValues flags;
    flags.declare(read_flags());
    Result<Profile> profile = read(*input, flags);
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_TRUE(validate(*profile)) << path;
    EXPECT_EQ(losses_of(*profile), "") << path;
    ++texts;
  }
  EXPECT_EQ(texts, 30U);
}

// As many samples as the recording has (INDEX.md); for the second text, as many as lines that start
// one.
TEST(PerfScriptCorpus, SamplesAmongBranches) {
  std::string root = testing::corpus_path("lbr");
  SKIP_WITHOUT_CORPUS(root);
  auto samples = [&](std::string_view name) {
    Result<Input> input = Input::open(fmt::format("{}/expected.{}.txt.gz", root, name), nullptr);
    FlagValues flags;
    flags.declare(read_flags());
    Result<Profile> profile = input ? read(*input, flags) : fail("no file");
    return profile ? profile->samples.size() : 0;
  };
  EXPECT_EQ(samples("brstack.propeller_sample_1"), 3740U);
  EXPECT_EQ(samples("brstackinsn.propeller_sample_1.first40000lines"), 245U);
}

// Samples, stacks and threads of texts with known correct results (the corpus' INDEX.md).
TEST(PerfScriptCorpus, LocalTextsHaveTheirTrueStacks) {
  std::string root = testing::corpus_path("local-perf");
  SKIP_WITHOUT_CORPUS(root);
  for (std::string_view name : {"no-dso",
                                "ns-timestamps",
                                "pid-tid-nosymoff",
                                "space-dso-anon-ns",
                                "srcline",
                                "with-header"}) {
    std::string text = testing::read_file(fmt::format("{}/{}.perf.txt", root, name));
    EXPECT_EQ(folded(text),
              "__libc_start_call_main;main;(anonymous namespace)::mid 7\n"
              "__libc_start_call_main;main;B<double>::operator() 6\n")
        << name;
  }
  std::string odd = testing::read_file(root + "/synthetic-inlined-and-odd-names.perf.txt");
  EXPECT_EQ(folded(odd),
            "[unknown];operator+(X const&, X const&);do_syscall_64_[k] 1\n"
            "main;outer;leaf_[i] 1\n");
  Result<Profile> profile = read_text(odd);
  ASSERT_TRUE(profile);
  EXPECT_EQ(thread_name(*profile, ThreadId(1)), "Thread (pool) 7 102");
}

// "std::function<int (int)>::operator()" as inferno shows it: up to the arguments. Go's "(*T).m" is
// a whole name.
std::string without_arguments(std::string_view name) {
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    depth += name[i] == '<' || name[i] == '{' ? 1 : name[i] == '>' || name[i] == '}' ? -1 : 0;
    if (name[i] == '(' && depth == 0 && (i == 0 || name[i - 1] != '.')) {
      return std::string(name.substr(0, i));
    }
  }
  return std::string(name);
}

// The stacks that wick reads, in inferno's form: comm first, the module if there is no name.
std::set<std::string> stacks_as_inferno(const Profile& profile) {
  std::set<std::string> stacks;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    Sample sample = profile.samples[row];
    std::string text;
    for (StackId at = sample.stack; at != kEmptyStack; at = profile.stacks.parent(at)) {
      const Frame& frame = profile.frames[profile.stacks.frame(at)];
      std::string_view path =
          frame.module.valid() ? profile.strings[profile.modules[frame.module].path] : "[unknown]";
      std::string name = frame.function.valid()
                             ? std::string(profile.strings[profile.functions[frame.function].name])
                             : module_label(path);
      text = fmt::format(";{}{}", without_arguments(name), text);
    }
    stacks.insert(std::string(profile.strings[profile.threads[sample.thread].name]) + text);
  }
  return stacks;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The differences between the two: inferno marks kernel code, puts brackets around brackets, and
// repairs Rust names that perf demangled only partly.
TEST(PerfScriptCorpus, TheStacksThatInfernoFinds) {
  std::string root = testing::corpus_path("inferno/collapse-perf");
  SKIP_WITHOUT_CORPUS(root);
  struct Answer {
    std::string_view text;
    std::string_view result;
  };
  for (const Answer& answer :
       {Answer{"cpp-stacks-std-function", "cpp-stacks-std-function-collapsed"},
        Answer{"go-stacks", "go-stacks-collapsed"},
        Answer{"single-event", "single-event-collapsed"},
        Answer{"versioned-vmlinux", "versioned-vmlinux-collapsed-kernel"}}) {
    Result<Profile> profile =
        read_text(testing::read_file(fmt::format("{}/{}.txt", root, answer.text)));
    ASSERT_TRUE(profile) << answer.text;
    std::set<std::string> expected;
    std::istringstream lines(
        testing::read_file(fmt::format("{}/results/{}.txt", root, answer.result)));
    for (std::string line; std::getline(lines, line);) {
      line.resize(line.rfind(' '));
      replace_all(line, "_[k]", "");
      replace_all(line, "[[kernel.kallsyms]]", "[kernel.kallsyms]");
      replace_all(line,
                  "gc::gc::GcBox<T>::new::_{{closure}}",
                  "gc::gc::GcBox$LT$T$GT$::new::_$u7b$$u7b$closure$u7d$$u7d$::ha2ed0674a1c3dc9f");
      expected.insert(line);
    }
    EXPECT_EQ(stacks_as_inferno(*profile), expected) << answer.text;
  }
}

TEST(PerfScript, ARenamedThreadIsOneThread) {
  Result<Profile> profile = read_text(
      "python3 1/2 1.000000: 5 cycles: \n\t 1 f (/x)\n\n"
      "python3 1/1 1.000001: 5 cycles: \n\t 1 f (/x)\n\n"
      "pool-1 1/2 1.000002: 5 cycles: \n\t 1 f (/x)\n\n"
      "pool-1 1/2 1.000003: 5 cycles: \n\t 1 f (/x)\n\n"
      "run 1/1 1.000004: 5 cycles: \n\t 1 f (/x)\n\n");
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->threads.size(), 3U);  // a main thread may have started another program
  EXPECT_EQ(thread_name(*profile, ThreadId(0)), "pool-1 2");
  ASSERT_EQ(profile->thread_names.size(), 2U);
  EXPECT_EQ(profile->strings[profile->thread_names[0].name], "python3");
  EXPECT_EQ(profile->thread_names[1].time_ns, 1'000'002'000);
  EXPECT_EQ(profile->strings[profile->thread_names[1].name], "pool-1");
}

TEST(PerfScript, ATextWithoutTimesCannotSayWhenAThreadWasRenamed) {
  Result<Profile> profile = read_text(
      "python3 1/2 cycles: \n\t 1 f (/x)\n\n"
      "pool-1 1/2 cycles: \n\t 1 f (/x)\n\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->threads.size(), 2U);
}

}  // namespace
}  // namespace wick::perf_script
