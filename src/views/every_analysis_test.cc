// SPDX-License-Identifier: Apache-2.0
// Every analysis in every view, with one small profile in the format of perf script. A view shows
// the report or refuses with a sentence. Analyses and views do not include each other: they share
// only roles and shapes.
#include <set>

#include <gtest/gtest.h>

#include "analyze/analyses.h"
#include "formats/formats.h"
#include "views/views.h"

namespace wick {
namespace {

constexpr std::string_view kRecording =
    "app 7/8 [000] 10.001: 1000000 cpu-clock:u:\n"
    "\t1234 copy+0x34 (/bin/app)\n"
    "\t1108 main+0x8 (/bin/app)\n"
    " copy+0x38/copy+0x30/P/-/-/2  copy+0x38/copy+0x30/P/-/-/2\n"
    "\n"
    "app 7/8 [001] 10.002: 1000000 cpu-clock:u:\n"
    "\t1238 copy+0x38 (/bin/app)\n"
    "\t1108 main+0x8 (/bin/app)\n"
    "\n"
    "app 7/9 [000] 10.003: 1000000 cpu-clock:u:\n"
    "\t1108 main+0x8 (/bin/app)\n"
    "\n";

// Two events, for analyses that compare them.
constexpr std::string_view kCounted =
    "app 7/8 [000] 10.001: 1000 cycles:u:\n"
    "\t1234 copy+0x34 (/bin/app)\n"
    "\n"
    "app 7/8 [000] 10.002: 2000 instructions:u:\n"
    "\t1234 copy+0x34 (/bin/app)\n"
    "\n";

Profile recorded(std::string_view text = kRecording) {
  Input input = Input::from_text("recording", std::string(text));
  const Format* format = *recognise(input);
  FlagValues flags;
  flags.declare(format->read_flags);
  return *format->read_profile(input, flags);
}

// Four instructions for every function, all from one source line.
class SmallCode : public CodeSource {
 public:
  Result<FunctionCode> function_at(const Profile&, const Frame& frame) override {
    FunctionCode code{.name = "copy", .file = "/bin/app", .begin = frame.address & ~0xFFULL};
    code.end = code.begin + 0x100;
    code.chains = {{}, {{.function = "copy", .file = "/src/copy.c", .line = 1}}};
    for (uint64_t at = code.begin; at < code.end; at += 4) {
      code.instructions.push_back(
          {.address = at, .length = 4, .bytes = "\x90", .text = "nop", .chain = 1});
    }
    code.instructions[1].target = code.begin;
    return code;
  }
  CodeChain locations_at(const Profile&, const Frame&) override {
    return {{.function = "copy", .file = "/src/copy.c", .line = 1}};
  }
  const SourceText& source(const std::string&) override { return text_; }

 private:
  SourceText text_ = {.path = "/src/copy.c", .lines = {"void copy() {}"}};
};

FlagValues defaults(std::span<const Flag> rows) {
  FlagValues flags;
  flags.declare(rows);
  return flags;
}

Report report_of(const Analysis& analysis) {
  FlagValues flags = defaults(analysis.flags);
  SmallCode code;
  auto answer = [&]() -> Result<Report> {
    if (analysis.compare != nullptr) {
      std::vector<Side> sides(2);
      for (Side& side : sides) {
        side.name = "side";
        side.runs.push_back(recorded());
      }
      return analysis.compare(sides, flags);
    }
    if (analysis.compares_events) {
      return analysis.run(recorded(kCounted), "", flags);
    }
    std::string_view argument = analysis.argument.empty() ? "" : "copy";
    return analysis.run_on_code != nullptr ? analysis.run_on_code(recorded(), argument, flags, code)
                                           : analysis.run(recorded(), argument, flags);
  }();
  EXPECT_TRUE(answer) << analysis.name << ": " << answer.error().message;
  return answer ? *answer : Report{};
}

bool is_sentence(std::string_view text) {
  return text.size() > 20 && text.ends_with('.') && text[0] >= 'A' && text[0] <= 'Z';
}

struct Shown {
  std::string text;
  bool refused = false;
};

Shown shown_by(const View& view, const Report& report) {
  Shown shown;
  Output out = Output::to_text(shown.text);
  Result<> done = view.write(report, defaults(view.flags), out);
  return done ? shown : Shown{.text = done.error().message, .refused = true};
}

TEST(EveryView, ShowsEveryAnalysisOrRefusesWithASentence) {
  for (const Analysis& analysis : all_analyses()) {
    Report report = report_of(analysis);
    for (const View& view : all_views()) {
      Shown shown = shown_by(view, report);
      bool has_name = shown.text.find("copy") != std::string::npos ||
                      shown.text.find("app") != std::string::npos ||
                      shown.text.find("IPC") != std::string::npos;
      EXPECT_TRUE(shown.refused ? is_sentence(shown.text) : has_name)
          << analysis.name << " in " << view.name << ":\n"
          << shown.text;
    }
  }
}

TEST(EveryView, NoAnalysisIsRefusedByItsOwnViews) {
  for (const Analysis& analysis : all_analyses()) {
    Report report = report_of(analysis);
    for (std::string_view name : {analysis.view, analysis.page}) {
      if (const View* view = find_view(name)) {
        EXPECT_FALSE(shown_by(*view, report).refused) << analysis.name << " in " << name;
      }
    }
    for (std::string_view name : {"terminal", "json", "csv", "md"}) {
      EXPECT_FALSE(shown_by(*find_view(name), report).refused) << analysis.name << " in " << name;
    }
  }
}

// Views search by role: without any names, a report looks the same.
TEST(EveryView, NeedsNoNames) {
  for (const Analysis& analysis : all_analyses()) {
    Report report = report_of(analysis);
    Report nameless = report;
    for (Section& section : nameless.sections) {
      section.name.clear();
      if (std::holds_alternative<Tracks>(section.body)) {
        continue;  // its columns have no names of their own
      }
      Table* table = std::get_if<Table>(&section.body);
      if (auto* tree = std::get_if<Tree>(&section.body)) {
        table = &tree->nodes;
      } else if (auto* code = std::get_if<Code>(&section.body)) {
        table = &code->rows;
      } else if (auto* graph = std::get_if<Graph>(&section.body)) {
        table = &graph->nodes;
      }
      for (ReportColumn& column : table->columns) {
        column.name.clear();
      }
    }
    for (std::string_view name : {"terminal", "md", "svg", "listing", "code_page"}) {
      EXPECT_EQ(shown_by(*find_view(name), nameless).text, shown_by(*find_view(name), report).text)
          << analysis.name << " in " << name;
    }
  }
}

// Sections are keys of a JSON object, so their names must differ.
TEST(EveryView, SectionsHaveNamesOfTheirOwn) {
  for (const Analysis& analysis : all_analyses()) {
    std::set<std::string> names;
    for (const Section& section : report_of(analysis).sections) {
      EXPECT_FALSE(section.name.empty()) << analysis.name;
      EXPECT_TRUE(names.insert(section.name).second) << analysis.name << " " << section.name;
    }
  }
}

}  // namespace
}  // namespace wick
