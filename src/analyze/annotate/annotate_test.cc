// SPDX-License-Identifier: Apache-2.0
// Annotation of functions and source files. The profile and the code are invented (MadeUpCode), so
// the tests know the cost of every instruction, line and inlined function.
#include "analyze/annotate/annotate.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "profile/builder.h"
#include "profile/interpreted_testing.h"
#include "profile/shown_frames.h"

namespace wick {
namespace {

// Made-up code: each function has four instructions of four bytes, starting at its address.
class MadeUpCode : public CodeSource {
 public:
  Result<FunctionCode> function_at(const Profile&, const Frame& frame) override {
    if (refused) {
      return fail("There is no code.");
    }
    if (frame.mode == Mode::kKernel) {
      return fail("The kernel's code is not available.");
    }
    FunctionCode code{.name = "outer", .file = "bin/prog", .begin = frame.address & ~0xFFULL};
    code.end = code.begin + 16;
    code.chains = {{},
                   {{.function = "outer", .file = "/src/a.cc", .line = 10}},
                   {{.function = "leaf", .file = "/src/b.h", .line = 3},
                    {.function = "outer", .file = "/src/a.cc", .line = 12}}};
    for (uint32_t i = 0; i < 4; ++i) {
      code.instructions.push_back({.address = code.begin + i * 4,
                                   .length = 4,
                                   .bytes = "\x90",
                                   .text = "nop",
                                   .chain = i == 2   ? 2U
                                            : i == 3 ? 0U
                                                     : 1U});
    }
    code.instructions[1].target = code.begin;
    return code;
  }
  CodeChain locations_at(const Profile& profile, const Frame& frame) override {
    Result<FunctionCode> code = function_at(profile, frame);
    if (!code) {
      return {};
    }
    for (const CodeInstruction& instruction : code->instructions) {
      if (instruction.contains(frame.address)) {
        return code->chains[instruction.chain];
      }
    }
    return {};
  }
  const SourceText& source(const std::string& file) override { return texts[file]; }

  bool refused = false;
  std::map<std::string, SourceText> texts = {
      {"/src/a.cc", {.path = "/src/a.cc", .lines = std::vector<std::string>(20, "code")}}};
};

class AnnotateTest : public ::testing::Test {
 protected:
  AnnotateTest() {
    event_ = builder_.event({.name = builder_.string("cpu-clock"), .unit = builder_.string("ns")});
    thread_ = builder_.thread({.tid = 1});
    module_ = builder_.module({.path = builder_.string("/bin/prog")});
  }
  FrameId frame(std::string_view function,
                uint64_t address,
                uint8_t flags = 0,
                Mode mode = Mode::kUser) {
    FunctionId id = function.empty()
                        ? FunctionId()
                        : builder_.function({.name = builder_.string(function), .module = module_});
    return builder_.frame(
        {.function = id, .module = module_, .address = address, .mode = mode, .flags = flags});
  }
  void sample(std::initializer_list<FrameId> frames, int64_t weight) {
    StackId stack = kEmptyStack;
    for (FrameId id : frames) {
      stack = builder_.stack(stack, id);
    }
    builder_.add_sample({.weight = weight,
                         .count = static_cast<uint64_t>(weight),
                         .stack = stack,
                         .thread = thread_,
                         .event = event_});
  }
  // main calls outer at its own 0x104. outer is hot at its first, second and third instruction. The
  // third one belongs to leaf, which was inlined.
  Profile example() {
    FrameId main = frame("main", 0x1104);
    sample({main, frame("outer", 0x2100)}, 10);
    sample({main, frame("outer", 0x2104)}, 20);
    sample({main, frame("outer", 0x2108), frame("leaf", 0x2108, kInlined)}, 60);
    sample({main, frame("outer", 0x210c), frame("outer", 0x2104)}, 5);  // outer calls itself
    sample({main, frame("sys_work", 0x9000, 0, Mode::kKernel)}, 3);
    sample({main}, 2);
    return builder_.finish();
  }

  ProfileBuilder builder_;
  EventId event_;
  ThreadId thread_;
  ModuleId module_;
  MadeUpCode code_;
};

const Table& table(const Report& report, std::string_view section) {
  const Body& body = std::ranges::find(report.sections, section, &Section::name)->body;
  const auto* code = std::get_if<Code>(&body);
  return code != nullptr ? code->rows : std::get<Table>(body);
}
std::vector<double> numbers(const Report& report,
                            std::string_view section,
                            std::string_view column) {
  return table(report, section).find(column)->numbers;
}
std::vector<std::string> texts(const Report& report,
                               std::string_view section,
                               std::string_view column) {
  const ReportColumn& found = *table(report, section).find(column);
  std::vector<std::string> result;
  for (size_t row = 0; row < found.size(); ++row) {
    result.push_back(found.text[row]);
  }
  return result;
}
bool notes_contain(const Report& report, std::string_view text) {
  return std::ranges::any_of(report.notes,
                             [&](const std::string& note) { return note.contains(text); });
}

TEST_F(AnnotateTest, TheHottestFunctionIsShownInstructionByInstruction) {
  Result<Report> report = annotate(example(), "", code_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(numbers(*report, "instructions", "self"), (std::vector<double>{10, 25, 60, 0}));
  EXPECT_EQ(numbers(*report, "instructions", "total"), (std::vector<double>{10, 25, 60, 5}));
  EXPECT_EQ(numbers(*report, "instructions", "self_share")[2], 0.6);
  EXPECT_FALSE(table(*report, "instructions").find("self_share")->low.empty());
  EXPECT_DOUBLE_EQ(numbers(*report, "instructions", "function_share")[2], 60.0 / 95);
  EXPECT_EQ(texts(*report, "instructions", "address")[0], "0x2100");
  EXPECT_EQ(texts(*report, "instructions", "target")[1], "0x2100");
  EXPECT_EQ(texts(*report, "instructions", "inlined")[2], "leaf");
  EXPECT_EQ(numbers(*report, "function", "self"), (std::vector<double>{95}));
  EXPECT_EQ(numbers(*report, "function", "total"), (std::vector<double>{95}));
  EXPECT_TRUE(notes_contain(*report, "timer's interrupt"));
}

TEST_F(AnnotateTest, LinesAndPartsHoldTheSameSelf) {
  Result<Report> report = annotate(example(), "outer", code_);
  ASSERT_TRUE(report) << report.error().message;
  // Lines 10 to 12 of the function's file, then the inlined line. Code without a line has no row,
  // because it has no sample.
  EXPECT_EQ(numbers(*report, "lines", "line"), (std::vector<double>{10, 11, 12, 3}));
  EXPECT_EQ(numbers(*report, "lines", "self"), (std::vector<double>{35, 0, 0, 60}));
  EXPECT_EQ(texts(*report, "parts", "name"), (std::vector<std::string>{"leaf", "outer"}));
  EXPECT_EQ(numbers(*report, "parts", "self"), (std::vector<double>{60, 35}));
  EXPECT_TRUE(notes_contain(*report, "Cannot find the source /src/b.h"));
}

TEST_F(AnnotateTest, SamplesOutsideTheCodeHaveTheirOwnRow) {
  sample({frame("outer", 0x2100)}, 4);
  sample({frame("outer", 0x2900)}, 3);
  Result<Report> report = annotate(builder_.finish(), "outer", code_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(numbers(*report, "instructions", "self"), (std::vector<double>{4, 0, 0, 0, 3}));
  EXPECT_EQ(numbers(*report, "function", "self"), (std::vector<double>{7}));
}

TEST_F(AnnotateTest, AFunctionIsFoundByPartPatternAddressAndInlinedName) {
  Profile profile = example();
  for (std::string_view wanted :
       {"oute", "^ou.er$", "prog:0x2108", "prog+0x2108", "/bin/prog:2108", "leaf"}) {
    Result<Report> report = annotate(profile, wanted, code_);
    ASSERT_TRUE(report) << wanted << ": " << report.error().message;
    EXPECT_EQ(numbers(*report, "function", "self"), (std::vector<double>{95})) << wanted;
    EXPECT_EQ(notes_contain(*report, "it was inlined"), wanted == "leaf") << wanted;
  }
}

TEST_F(AnnotateTest, OfSeveralTheHottestIsShownAndTheOthersAreListed) {
  sample({frame("work_a", 0x2100)}, 1);
  sample({frame("work_b", 0x3100)}, 5);
  Result<Report> report = annotate(builder_.finish(), "work", code_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(texts(*report, "instructions", "address")[0], "0x3100");
  EXPECT_EQ(texts(*report, "matches", "name"), (std::vector<std::string>{"work_a"}));
}

// Static functions of two files, or overloads, can be distinguished only by their source file.
TEST_F(AnnotateTest, OthersOfTheSameNameSayTheirFile) {
  auto work_of = [&](std::string_view file, uint64_t address) {
    FunctionId id = builder_.function(
        {.name = builder_.string("work"), .module = module_, .file = builder_.string(file)});
    return builder_.frame({.function = id, .module = module_, .address = address});
  };
  sample({work_of("/src/a.cc", 0x2100)}, 1);
  sample({work_of("/src/b.cc", 0x3100)}, 5);
  Result<Report> report = annotate(builder_.finish(), "work", code_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(texts(*report, "instructions", "address")[0], "0x3100");
  EXPECT_EQ(texts(*report, "matches", "file"), (std::vector<std::string>{"/src/a.cc"}));
}

TEST_F(AnnotateTest, ASourceFileHasLinesOfAllItsFunctions) {
  Profile profile = example();
  Result<Report> report = annotate(profile, "a.cc", code_);
  ASSERT_TRUE(report) << report.error().message;
  std::vector<double> self = numbers(*report, "lines", "self");
  ASSERT_EQ(self.size(), 20U);
  EXPECT_EQ(self[9], 37) << "10 + 25 of outer, 2 of main, which is on the same line";
  Result<Report> inlined = annotate(profile, "b.h", code_);
  ASSERT_TRUE(inlined) << inlined.error().message;
  EXPECT_EQ(numbers(*inlined, "lines", "self"), (std::vector<double>{60}));
}

TEST_F(AnnotateTest, CodeThatCannotBeReadIsReportedAndTheNextHottestShown) {
  sample({frame("sys_work", 0x9000, 0, Mode::kKernel)}, 9);
  sample({frame("outer", 0x2100)}, 1);
  Profile profile = builder_.finish();
  Result<Report> report = annotate(profile, "", code_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(notes_contain(*report, "The hottest function, sys_work with 90.0 %, is not shown"));
  Result<Report> kernel = annotate(profile, "sys_work", code_);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().message, "The kernel's code is not available.");
}

TEST_F(AnnotateTest, CodeWithoutNamesIsOneFunctionByItsRange) {
  sample({frame("", 0x2104)}, 4);
  sample({frame("", 0x2108)}, 2);
  sample({frame("", 0x7100)}, 1);
  Result<Report> report = annotate(builder_.finish(), "", code_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(numbers(*report, "instructions", "self"), (std::vector<double>{0, 4, 2, 0}));
}

TEST_F(AnnotateTest, UnknownNamesGetASuggestion) {
  Result<Report> report = annotate(example(), "ouetr", code_);
  ASSERT_FALSE(report);
  EXPECT_TRUE(report.error().message.contains("did you mean \"outer\"?")) << report.error().message;
}

TEST_F(AnnotateTest, InputWithoutAddressesIsExplained) {
  sample({frame("a", 0)}, 1);
  Result<Report> report = annotate(builder_.finish(), "", code_);
  ASSERT_FALSE(report);
  EXPECT_TRUE(report.error().message.contains("names but no addresses"));
}

TEST_F(AnnotateTest, WithoutSourceThereAreNoLines) {
  Result<Report> report = annotate(example(), "outer", code_, {.with_source = false});
  ASSERT_TRUE(report);
  EXPECT_EQ(std::ranges::find(report->sections, "lines", &Section::name), report->sections.end());
}

Profile interpreted() {
  Profile profile = testing::interpreted_profile(
      "main;@;<module>:9!;parse:3!;read 20\n"
      "main;@;<module>:9!;parse:3! 4\n"
      "main;@;<module>:9!;parse:5!;parse:4! 6\n"
      "main;@;<module>:9!;lib.py/parse:1! 2\n");
  show_frames(profile, ShownFrames::kMixed);
  return profile;
}

TEST_F(AnnotateTest, AnInterpretedFunctionHasLinesAndNoInstructions) {
  code_.texts["/srv/app.py"] = {.path = "/srv/app.py", .lines = {"1", "2", "3", "4", "5", "6"}};
  Result<Report> report = annotate(interpreted(), "parse", code_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(numbers(*report, "lines", "line"), (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(numbers(*report, "lines", "self"), (std::vector<double>{0, 0, 4, 6, 0}));
  EXPECT_EQ(numbers(*report, "lines", "total"), (std::vector<double>{0, 0, 24, 6, 6}));
  EXPECT_EQ(texts(*report, "lines", "source")[3], "4");
  EXPECT_EQ(numbers(*report, "function", "self"), std::vector<double>{10});
  EXPECT_EQ(numbers(*report, "function", "total"), std::vector<double>{30})
      << "recursion counts once";
  EXPECT_EQ(texts(*report, "matches", "file"), std::vector<std::string>{"/srv/lib.py"});
  EXPECT_FALSE(notes_contain(*report, "Cannot find"));
}

TEST_F(AnnotateTest, AMissingSourceOfAnInterpretedFunctionIsNamed) {
  Result<Report> report = annotate(interpreted(), "parse", code_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(numbers(*report, "lines", "line"), (std::vector<double>{3, 4, 5}));
  EXPECT_TRUE(notes_contain(*report, "Cannot find the source /srv/app.py"));
  EXPECT_FALSE(notes_contain(*annotate(interpreted(), "parse", code_, {.with_source = false}),
                             "Cannot find"));
}

TEST_F(AnnotateTest, TheFileOfInterpretedFunctionsHasItsLines) {
  Result<Report> report = annotate(interpreted(), "app.py", code_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(numbers(*report, "lines", "line"), (std::vector<double>{3, 4}));
  EXPECT_EQ(numbers(*report, "lines", "self"), (std::vector<double>{4, 6}));
}

TEST_F(AnnotateTest, TheEvaluatorIsExplained) {
  Result<Report> report = annotate(interpreted(), "_PyEval_EvalFrameDefault", code_);
  ASSERT_FALSE(report);
  EXPECT_TRUE(report.error().message.contains("--stacks native")) << report.error().message;
}

}  // namespace
}  // namespace wick
