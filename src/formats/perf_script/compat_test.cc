// SPDX-License-Identifier: Apache-2.0
// The corpus has the output of stackcollapse-perf.pl for its texts, with options. tests/e2e also
// runs the program itself, if it is installed, and compares the outputs.
#include <array>
#include <cstdlib>
#include <filesystem>

#include "formats/perf_script/compat_line.h"
#include "formats/perf_script/testing.h"
#include "tests/support/files.h"

namespace wick::perf_script {
namespace {

TEST(Compat, ReadsAsTheScriptDoes) {
  EXPECT_EQ(folded("t prog 100/101 [002]   868.009623:   10101010 cpu-clock:ppp: \n"
                   "\t            1288 (anonymous namespace)::mid+0x48 (/opt/t prog)\n"
                   "\t            1288 a::(anonymous namespace)::mid(int)+0x48 (/opt/t prog)\n"
                   "\t            10f1 main+0x61 (/opt/t prog)\n"
                   "\tffffffff81000000 do_syscall_64+0x5c ([kernel.kallsyms])\n"
                   "\t    7f51c7d538a8 [unknown] (/lib/libc.so.6)\n"
                   "\n"
                   "other 1 868.1: 5 cycles: \n"
                   "\t 1 f (/x)\n"
                   "\n"
                   "last 1 868.1: 5 cpu-clock:ppp: \n"
                   "\t 1 f (/x)\n",
                   "stackcollapse"),
            "t_prog;[libc.so.6];do_syscall_64;main;a::(anonymous namespace)::mid 10101010\n");
}

TEST(Compat, SaysWhatTheScriptLeavesOut) {
  Result<Profile> profile = read_text(
      "a1 1 1.0: 5 cycles: \n\t 1 f (/x)\nwhat is this\n\n"
      "a1 1 1.0: 5 faults: \n\t 1 f (/x)\n\n"
      "a1 1 1.0: 5 cycles: \n\t 1 f (/x)\n",
      "stackcollapse");
  ASSERT_TRUE(profile);
  EXPECT_EQ(dump(*profile),
            "event cycles in units\n"
            "fact format: perf-script\n"
            "fact read as: stackcollapse-perf.pl\n"
            "notice lines that stackcollapse-perf.pl does not understand: 1 lines (line 3)\n"
            "notice no blank line ends the last stack, so stackcollapse-perf.pl drops it: 1 "
            "samples ()\n"
            "notice samples of other events are left out, as stackcollapse-perf.pl does: 1 samples "
            "(only cycles is read)\n"
            "sample cycles weight 5 count 1 stack a1;f\n");
}

TEST(Compat, OptionsAreTheScripts) {
  std::string text =
      "ja va 7/8 1.0: 5 cycles: \n"
      "\t 7f1 [unknown] (/tmp/perf-12.map)\n"
      "\t 7f2 Lorg/x/Y;::a->Lorg/x/Z;::b (/tmp/perf-12.map)\n"
      "\t 7f3 read ([vdso])\n"
      "\n";
  EXPECT_EQ(folded(text, "stackcollapse,all,pid"),
            "ja_va-7;read_[k];Lorg/x/Y:::a_[j];Lorg/x/Z:::b_[i];[perf-12.map]_[j] 5\n");
  EXPECT_EQ(folded(text, "stackcollapse,tid,addrs"),
            "ja_va-7/8;read;Lorg/x/Y:::a;Lorg/x/Z:::b_[i];[perf-12.map <7f1>] 5\n");
  EXPECT_EQ(folded("java" + text.substr(5), "stackcollapse"),
            "java;read;org/x/Y:::a;org/x/Z:::b_[i];[perf-12.map] 5\n");
  EXPECT_EQ(
      folded(text + "ab 1 1.0: 3 faults:\n\t 1 f (x)\n\n", "stackcollapse,event-filter=faults"),
      "ab;f 3\n");
}

TEST(Compat, UnknownProgramsAndOptionsAreUsageErrors) {
  for (std::string_view value : {"",
                                 "inferno",
                                 "stackcollapse,inline",
                                 "stackcollapse,context",
                                 "stackcollapse,x",
                                 "stackcollapse,,all"}) {
    Result<CompatOptions> options = parse_compat(value);
    ASSERT_FALSE(options) << value;
    EXPECT_TRUE(options.error().usage);
  }
}

TEST(Compat, EventLinesAsItsPatternTakesThem) {
  auto described = [](std::string_view line) {
    std::optional<CompatEvent> event = parse_compat_event(line);
    return event ? fmt::format("{}|{}|{}|{}|{}",
                               event->comm,
                               event->pid,
                               event->tid,
                               event->period,
                               event->event)
                 : "no";
  };
  EXPECT_EQ(described("java 12688/12764 6544038.708352: 10309278 cpu-clock:"),
            "java|12688|12764|10309278|cpu-clock");
  EXPECT_EQ(described("Thread (pool) 7 100/102 [001] 1.0: 5 cycles:u: "),
            "Thread (pool)|7||5|cycles:u");
  EXPECT_EQ(described("x 100 1.0: cycles: "), "no");  // one letter
  EXPECT_EQ(described("x  100 1.0: cycles: "), "x |100|||cycles");
  EXPECT_EQ(described("ab 12/ 1.0:7 cycles:"), "ab|12||7|cycles");
  EXPECT_EQ(described("ab 12 1.0: sched:sched_switch: prev=1"), "ab|12|||");
  EXPECT_EQ(described("ab 12"), "no");
  EXPECT_EQ(described(" ab 12 x"), "no");
}

TEST(Compat, FrameLinesAsItsPatternTakesThem) {
  auto described = [](std::string_view line) {
    std::optional<CompatStackLine> frame = parse_compat_stack_line(line);
    return frame ? fmt::format("{}|{}|{}", frame->address, frame->name, frame->module) : "no";
  };
  EXPECT_EQ(described("\t 7f1 f (int) (/a b)"), "7f1|f (int)|/a b");
  EXPECT_EQ(described("\t 7f1 f ()"), "7f1|f|");
  EXPECT_EQ(described("7f1e2215d058  (lib)"), "7f1e2215d058| |lib");
  EXPECT_EQ(described("7f1e2215d058 (lib)"), "7f1e2215d05|8|lib");
  EXPECT_EQ(described("1 (lib)"), "no");
  EXPECT_EQ(described("\t7f1 f(lib)"), "no");
  EXPECT_EQ(described(" (x)"), "no");
  EXPECT_EQ(described(")"), "no");
}

struct Expected {
  std::string_view suffix;
  std::string_view compat;
};
constexpr std::array kExpected = {
    Expected{"default", "stackcollapse"},
    Expected{"all", "stackcollapse,all"},
    Expected{"kernel", "stackcollapse,kernel"},
    Expected{"jit", "stackcollapse,jit"},
    Expected{"pid", "stackcollapse,pid"},
    Expected{"tid", "stackcollapse,tid"},
    Expected{"addrs", "stackcollapse,addrs"},
};

TEST(CompatCorpus, EveryRecordedAnswerOfTheScriptIsReproduced) {
  std::string root = testing::corpus_path("FlameGraph");
  SKIP_WITHOUT_CORPUS(root);
  size_t answers = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/test")) {
    std::string name = entry.path().stem();
    if (!entry.is_regular_file()) {
      continue;
    }
    std::string text = testing::read_file(entry.path());
    for (const Expected& expected : kExpected) {
      // The regenerated results replace upstream's where those are out of date.
      for (std::string_view folder : {"results-regenerated", "test/results"}) {
        std::string path =
            fmt::format("{}/{}/{}-collapsed-{}.txt", root, folder, name, expected.suffix);
        if (std::filesystem::exists(path)) {
          EXPECT_TRUE(folded(text, expected.compat) == testing::read_file(path)) << path;
          ++answers;
          break;
        }
      }
    }
  }
  EXPECT_EQ(answers, 56U);
}

TEST(CompatCorpus, LocalTextsToo) {
  std::string root = testing::corpus_path("local-perf");
  SKIP_WITHOUT_CORPUS(root);
  size_t answers = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/expected")) {
    std::string name = entry.path().filename();
    constexpr std::string_view kEnd = ".stackcollapse-perf.folded";
    if (!name.ends_with(kEnd)) {
      continue;
    }
    name.resize(name.size() - kEnd.size());
    bool srcline = name.find("srcline") != std::string::npos;
    std::string text = testing::read_file(fmt::format("{}/{}.perf.txt", root, name));
    std::string answer = testing::read_file(entry.path());
    std::string mine = folded(text, srcline ? "stackcollapse,all,srcline" : "stackcollapse,all");
    if (answer.empty()) {
      EXPECT_TRUE(mine.starts_with("error")) << name;
    } else {
      EXPECT_EQ(mine, answer) << name;
    }
    ++answers;
  }
  EXPECT_EQ(answers, 10U);
}

}  // namespace
}  // namespace wick::perf_script
