// SPDX-License-Identifier: Apache-2.0
// Parsing of single event and frame lines.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/perf_script/event_line.h"
#include "formats/perf_script/frame_line.h"
#include "formats/perf_script/locations.h"

namespace wick::perf_script {
namespace {

// comm|pid|tid|cpu|time|period|event|rest, unknown ones empty; starts with '~' if uncertain.
std::string described(std::string_view text) {
  std::optional<EventLine> line = parse_event_line(text);
  if (!line) {
    return "no";
  }
  auto number = [](int64_t value, int64_t none) {
    return value == none ? std::string() : fmt::format("{}", value);
  };
  Who who = parse_who(line->who);
  return fmt::format("{}{}|{}|{}|{}|{}|{}|{}|{}",
                     line->certain ? "" : "~",
                     who.comm,
                     number(who.pid, -1),
                     number(who.tid, -1),
                     number(line->cpu, kNoCpu),
                     number(line->time_ns, kNoTime),
                     line->has_period ? fmt::format("{}", line->period) : "",
                     line->event,
                     line->rest);
}

TEST(EventLine, EveryColumnIsFoundAgain) {
  EXPECT_EQ(described("t prog 23453/23454 [002]   868.009623:   10101010 cpu-clock:ppp: "),
            "t prog|23453|23454|2|868009623000|10101010|cpu-clock:ppp| ");
  EXPECT_EQ(described("swapper     0 [012] 2281339.604067:   20834821 cycles:"),
            "swapper||0|12|2281339604067000|20834821|cycles|");
  EXPECT_EQ(described("x 9/9     198791.127353123: cpu-clock: "),
            "x|9|9||198791127353123||cpu-clock| ");
}

TEST(EventLine, CommsMayHoldAnything) {
  EXPECT_EQ(described("Thread (pool) 7 100/102 [001] 10.000002:     100000 cycles:u: "),
            "Thread (pool) 7|100|102|1|10000002000|100000|cycles:u| ");
  EXPECT_EQ(described("kworker/u8:2-ev   12 [000] 1.000000: 1 cycles: "),
            "kworker/u8:2-ev||12|0|1000000000|1|cycles| ");
  EXPECT_EQ(described("V8 3.2 [x]  25607 4794564.109216: 104345 cycles:"),
            "V8 3.2 [x]||25607||4794564109216000|104345|cycles|");
  EXPECT_EQ(described("RenderThread\t31850/31881 [001] 684943.449406: 250000 cpu-clock:"),
            "RenderThread|31850|31881|1|684943449406000|250000|cpu-clock|");
  EXPECT_EQ(described("1.000000: cyc 7 [000] 8.000000: 5 cycles:"),
            "1.000000: cyc||7|0|8000000000|5|cycles|");
  EXPECT_EQ(described("   1.000000: cyc 7 8.000000: 5 cycles:"),
            "1.000000: cyc||7||8000000000|5|cycles|");
  EXPECT_EQ(described("1.000000: x: at 8.000000: y"), "||||1000000000||x| at 8.000000: y");
  EXPECT_EQ(described(":-1    -1/-1    1.000000: cycles: "), "||||1000000000||cycles| ");
  EXPECT_EQ(described(":4152  4152 1.000000: cycles: "), "||4152||1000000000||cycles| ");
}

TEST(EventLine, EventNamesMayHoldColonsSlashesAndBlanks) {
  EXPECT_EQ(described("a 1 1.000000: sched:sched_switch: prev_comm=a next_comm=b"),
            "a||1||1000000000||sched:sched_switch| prev_comm=a next_comm=b");
  EXPECT_EQ(described("a 1 1.000000:   5 cpu_core/cycles/: "),
            "a||1||1000000000|5|cpu_core/cycles/| ");
  EXPECT_EQ(described("a 1 1.000000:   5   cycles:ppp: "), "a||1||1000000000|5|cycles:ppp| ");
  EXPECT_EQ(described("a 1 1.000000:   5 raw 0x3c: "), "a||1||1000000000|5|raw 0x3c| ");
  EXPECT_EQ(described("a 1 1.000000:  psb:  psb offs: 0"), "a||1||1000000000||psb|  psb offs: 0");
}

TEST(EventLine, AnyColumnMayBeMissing) {
  EXPECT_EQ(described("node-v011 31912 cpu-clock: "), "node-v011||31912||||cpu-clock| ");
  EXPECT_EQ(described("pool (a) 7 16783 cpu-clock: "), "pool (a) 7||16783||||cpu-clock| ");
  EXPECT_EQ(described("x 16784    5025125 cpu-clock:u: "), "x||16784|||5025125|cpu-clock:u| ");
  EXPECT_EQ(described("      x    5025125 cpu-clock:u: "), "x|||||5025125|cpu-clock:u| ");
  EXPECT_EQ(described("16784 11828.492479: cpu-clock:u: "),
            "||16784||11828492479000||cpu-clock:u| ");
  EXPECT_EQ(described("11828.492479: cpu-clock:u: "), "||||11828492479000||cpu-clock:u| ");
  EXPECT_EQ(described("x 16784 11828.492479: "), "x||16784||11828492479000||| ");
  EXPECT_EQ(described("x 16784 11828.492479:    5025125 "), "x||16784||11828492479000|5025125|| ");
  EXPECT_EQ(described("cpu-clock:u: "), "~||||||cpu-clock:u| ");
  EXPECT_EQ(described("x 16784 "), "~x||16784|||||");
  EXPECT_EQ(described("x "), "~x|||||||");
  EXPECT_EQ(described("  "), "no");
}

TEST(EventLine, FlagsDatesAndAFrameMayStandInIt) {
  EXPECT_EQ(described("x 16784 U     11828.492479: cpu-clock:u: "),
            "x||16784||11828492479000||cpu-clock:u| ");
  EXPECT_EQ(described("x 7 [001] 2026-11-15 07:34:39.953043 11970.416388: cycles: "),
            "x||7|1|11970416388000||cycles| ");
  EXPECT_EQ(described("      x 16750 11827.426732:    2004008 cpu-clock:      5595bead34b9 f (/p)"),
            "x||16750||11827426732000|2004008|cpu-clock|      5595bead34b9 f (/p)");
  EXPECT_EQ(described("      x 16750 11827.426732:     5595bead34b9 f: g (/p)"),
            "x||16750||11827426732000|||     5595bead34b9 f: g (/p)");
  EXPECT_EQ(described("      x 16750      5595bead34b9 f (/p)"),
            "x||16750|||||      5595bead34b9 f (/p)");
}

TEST(EventLine, NumbersThatCannotBeAreNoTimes) {
  std::optional<EventLine> line = parse_event_line("a 1 99999999999999.000000: 5 cycles: ");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->time_ns, kNoTime);
}

// address|name|start|module|flags
std::string described_frame(std::string_view text) {
  std::optional<FrameLine> frame = parse_frame_line(text);
  if (!frame) {
    return "no";
  }
  return fmt::format("{:x}|{}|{:x}|{}|{}{}",
                     frame->address,
                     frame->name,
                     frame->start,
                     frame->module,
                     frame->inlined ? "i" : "",
                     frame->module_offset ? "o" : "");
}

TEST(FrameLine, NamesAndModulesMayHoldBlanksAndParentheses) {
  EXPECT_EQ(described_frame("\t            1288 (anonymous namespace)::mid+0x48 (/opt/t prog)"),
            "1288|(anonymous namespace)::mid|1240|/opt/t prog|");
  EXPECT_EQ(described_frame("\t  1288 std::function<int (int, int)>::operator()+0x8 (/opt/app)"),
            "1288|std::function<int (int, int)>::operator()|1280|/opt/app|");
  EXPECT_EQ(described_frame("\t  1288 f(int (*)(int)) (/opt/a (b)/app (deleted))"),
            "1288|f(int (*)(int))|0|/opt/a (b)/app (deleted)|");
  EXPECT_EQ(described_frame("\t  1288 f (/opt/a)b)"), "1288|f|0|/opt/a)b|");
  EXPECT_EQ(described_frame("\t  1288 operator+(X const&, X const&)+0x2f (/opt/a b/app)"),
            "1288|operator+(X const&, X const&)|1259|/opt/a b/app|");
  EXPECT_EQ(described_frame("13a80b608e0a RegExp:[&<>\"'] (/tmp/perf-7539.map)"),
            "13a80b608e0a|RegExp:[&<>\"']|0|/tmp/perf-7539.map|");
}

TEST(FrameLine, ColumnsMayBeMissing) {
  EXPECT_EQ(described_frame("\t 12bc B<double>::operator()"), "12bc|B<double>::operator()|0||");
  EXPECT_EQ(described_frame("\t 12bc (anonymous namespace)::mid"),
            "12bc|(anonymous namespace)::mid|0||");
  EXPECT_EQ(described_frame("\t 12bc"), "12bc||0||");
  EXPECT_EQ(described_frame("\t 12bc (/opt/t prog)"), "12bc||0|/opt/t prog|");
  EXPECT_EQ(described_frame("7f1e2215d058  (/lib/x.so)"), "7f1e2215d058||0|/lib/x.so|");
  EXPECT_EQ(described_frame("\t 12bc [unknown] ([unknown])"), "12bc|[unknown]|0||");
  EXPECT_EQ(described_frame("\t 12bc (inlined)"), "12bc||0||i");
  EXPECT_EQ(described_frame("\t 12bc f+0x1d (inlined)"), "12bc|f|129f||i");
}

TEST(FrameLine, OffsetsInTheModuleReplaceTheAddress) {
  EXPECT_EQ(described_frame("\t 74938fb3f0 libx.so[+29c3f0] (/vendor/libx.so)"),
            "29c3f0||0|/vendor/libx.so|o");
  EXPECT_EQ(described_frame("\t 74938fb3f0 f+0x10 (/vendor/libx.so+0x29c3f0)"),
            "29c3f0|f|29c3e0|/vendor/libx.so|o");
}

TEST(FrameLine, OffsetsBeyondTheAddressAreNoStart) {
  EXPECT_EQ(described_frame("\t d70 _start+0xffff018fd5dce000 (/usr/lib/ld-2.24.so)"),
            "d70|_start|0|/usr/lib/ld-2.24.so|");
}

TEST(FrameLine, OtherLinesAreNone) {
  EXPECT_EQ(described_frame(""), "no");
  EXPECT_EQ(described_frame("\tmain+334:"), "no");
  EXPECT_EQ(described_frame("  t.cpp:4"), "no");
  EXPECT_EQ(described_frame("\t12345678901234567 f (x)"), "no");
}

TEST(FrameLine, ModesComeFromTheModuleOrTheAddress) {
  EXPECT_EQ(mode_of("[kernel.kallsyms]", 0), Mode::kKernel);
  EXPECT_EQ(mode_of("[nf_conntrack_ipv4]", 0x7d8), Mode::kKernel);
  EXPECT_EQ(mode_of("[guest.kernel.kallsyms.12]", 0), Mode::kGuestKernel);
  EXPECT_EQ(mode_of("/lib/modules/4.1.0/build/vmlinux", 0x414b3b), Mode::kKernel);
  EXPECT_EQ(mode_of("/boot/vmlinux-5.4", 0), Mode::kKernel);
  EXPECT_EQ(mode_of("/lib/modules/5.4/mlx5_core.ko.xz", 0), Mode::kKernel);
  EXPECT_EQ(mode_of("bpf_prog_2b956549", 0xffffffffc09ace93), Mode::kKernel);
  EXPECT_EQ(mode_of("", 0xffffffffc09ace93), Mode::kKernel);
  EXPECT_EQ(mode_of("[vdso]", 0x7fff00001000), Mode::kUser);
  EXPECT_EQ(mode_of("[anon:dalvik]", 0x7fff00001000), Mode::kUser);
  EXPECT_EQ(mode_of("/opt/app", 0x1000), Mode::kUser);
  EXPECT_TRUE(is_jit("/tmp/perf-31912.map"));
  EXPECT_TRUE(is_jit("/home.d/u/jitted-12-3.so"));
  EXPECT_FALSE(is_jit("/usr/lib/libjit.so"));
}

TEST(FrameLine, SourceLines) {
  auto described_source = [](std::string_view text) {
    std::optional<SourceLine> source = parse_source_line(text);
    return source ? fmt::format("{}|{}|{}", source->file, source->line, source->inlined) : "no";
  };
  EXPECT_EQ(described_source("  t.cpp:4"), "t.cpp|4|false");
  EXPECT_EQ(described_source("  leaf.h:3 (inlined)"), "leaf.h|3|true");
  EXPECT_EQ(described_source("  /a b/x.c:12 (discriminator 3)"), "/a b/x.c|12|false");
  EXPECT_EQ(described_source("  libc-2.33.so[27b25]"), "|0|false");
  EXPECT_EQ(described_source("  ??:0"), "|0|false");
  EXPECT_EQ(described_source("   three blanks:4"), "no");
  EXPECT_EQ(described_source("  no number"), "no");
}

TEST(FrameLine, BranchesAreDistinguishedFromFrames) {
  EXPECT_TRUE(is_branch_line(" 0xffffffff811c1723([k])/0xffffffff811c172a([k])/P/-/-/0/ "));
  EXPECT_TRUE(is_branch_line("main(/opt/a)/f(/opt/a)/M/-/-/12/ f(/opt/a)/main(/opt/a)/P/-/-/1/"));
  EXPECT_TRUE(is_branch_line("\tmain+334:"));
  EXPECT_TRUE(is_branch_line("\t00005629ec742a6e\tinsn: e9 e4 fe ff ff  \t# PRED 1 cycles [1]"));
  EXPECT_TRUE(is_branch_line("\tmismatch of LBR data and executable"));
  EXPECT_FALSE(is_branch_line("\tffffffff811c1732 [unknown] ([kernel.kallsyms])"));
  EXPECT_FALSE(is_branch_line("\t            1288 mid+0x48 (/opt/t prog)"));
}

TEST(FrameLine, AFrameAmongOtherColumnsIsFound) {
  auto found = [](std::string_view rest) { return described_frame(find_frame(rest).text); };
  EXPECT_EQ(found("      5595bead34b9 f+0x1d (/p) ilen: 4 insn: 48 83 c2 03"),
            "5595bead34b9|f|5595bead349c|/p|");
  EXPECT_EQ(found("    call        5595bead34b9 f+0x1d (/p) => 5595bead0000 g (/p)"),
            "5595bead34b9|f|5595bead349c|/p|");
  EXPECT_EQ(found("  ffffffffb42071f2 [unknown] ([k]) 0xb8e16([k])/0xb71e3([k])/P/-/-/4/  0xb"),
            "ffffffffb42071f2|[unknown]|0|[k]|");
  EXPECT_EQ(found("  ffffffffb42071f2 f ([k])g([k])/h([k])/P/-/-/4/ g([k])/h([k])/P/-/-/4/"),
            "ffffffffb42071f2|f|0|[k]|");
  EXPECT_EQ(found("     5629ec742901 0x5629ec7428f4/0x5629ec742901/P/-/-/19/ "),
            "5629ec742901||0||");
  EXPECT_EQ(found("  cbr: 29 freq: 2900 MHz (242%)     ffffffffb960d300 f ([k])"),
            "ffffffffb960d300|f|0|[k]|");
  EXPECT_EQ(
      found("     55e0aea36098 data+0x8 (/opt/w prog) ffffffff8175286a f ([k])               0"),
      "ffffffff8175286a|f|0|[k]|");
  EXPECT_EQ(found("     7f084d4c6b70 d (/p)      1e05080021 |OP N/A|LVL N/A               0     "
                  "7f084d4c6b71 f (/p)"),
            "7f084d4c6b71|f|0|/p|");
  EXPECT_EQ(found(" deadbeefcafe is no address in its columns"), "no");
  EXPECT_EQ(found(" prev_comm=perf prev_pid=16808 prev_prio=120"), "no");
  EXPECT_EQ(found(" 0xffffffff811c1723([k])/0xffffffff811c172a([k])/P/-/-/0/ "), "no");
}

TEST(LineCache, DistinguishesLines) {
  LineCache<LocationId> cache;
  std::string text;
  for (uint32_t i = 0; i < 20000; ++i) {
    LineHash hash = hash_line(text + fmt::format("{}", i));
    ASSERT_FALSE(cache.find(hash).valid()) << i;
    cache.add(hash, LocationId(i));
    text += i % 400 == 0 ? "x" : "";  // all lengths up to 50
  }
  EXPECT_EQ(cache.find(hash_line("0")), LocationId(0));
}

TEST(LineCache, EveryByteAndTheLengthCount) {
  for (size_t size = 1; size < 70; ++size) {
    std::string line(size, 'a');
    LineHash hash = hash_line(line);
    EXPECT_NE(hash, hash_line(line + 'a'));
    EXPECT_NE(hash, hash_line(line + '\0'));
    for (size_t at = 0; at < size; ++at) {
      std::string other = line;
      other[at] = 'b';
      LineHash changed = hash_line(other);
      EXPECT_NE(hash.a, changed.a) << size << " " << at;
      EXPECT_NE(hash.b, changed.b) << size << " " << at;
    }
  }
}

}  // namespace
}  // namespace wick::perf_script
