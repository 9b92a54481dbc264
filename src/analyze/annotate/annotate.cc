// SPDX-License-Identifier: Apache-2.0
// From frames to instructions, lines and parts. FunctionReport works in this order:
//
//   assign_frames   maps every frame that has code of the function to the number of its instruction
//                   (keys_). One more key, count(), is for addresses outside the available code,
//                   such as those of another build of the binary.
//   collect_lines   lists the source lines to show, and numbers them. Line 0 is code without a
//                   line.
//   sections        instructions use the keys as they are. Lines and parts map each key once more,
//                   to a line or to the innermost inlined function.
//
// Invariant: every sample of the function has exactly one key, so the selfs of instructions, lines
// and parts all add up to the self of the function. Totals do not add up: a sample counts once for
// each instruction on its stack. CodeHeat::totals() counts it once for each key, even if the
// function calls itself.
#include "analyze/annotate/annotate.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "analyze/annotate/branch_columns.h"
#include "analyze/annotate/cost_columns.h"
#include "analyze/annotate/interpreted.h"
#include "analyze/annotate/matches.h"
#include "analyze/annotate/target.h"
#include "analyze/summary.h"
#include "base/bytes.h"
#include "base/escape.h"
#include "base/path.h"
#include "profile/late_samples.h"
#include "report/label_forms.h"

namespace wick {
namespace {

// If the lines of a function are further apart than this, a generator has put it together.
constexpr uint32_t kMaxLines = 5000;

constexpr std::array kAnnotateFlags = {
    Flag{"symbol", 's', FlagKind::kText, "FUNCTION", "", "the function, as in perf"},
    Flag{"disassembler-style",
         'M',
         FlagKind::kChoice,
         "att|intel",
         "att",
         "how x86 instructions are written"},
    Flag{"source-dir",
         '\0',
         FlagKind::kText,
         "DIR|OLD=NEW",
         "",
         "where sources are now, several separated by ':'"},
    Flag{"no-source", '\0', FlagKind::kSwitch, "", "", "instructions only, no source lines"},
};

std::string hex(uint64_t number) {
  return fmt::format("{:#x}", number);
}

struct ListedLine {
  std::string file;
  uint32_t number = 0;
  friend auto operator<=>(const ListedLine&, const ListedLine&) = default;
};

const CodeLocation& leaf_of(const CodeChain& chain) {
  static const CodeLocation kNone;
  return chain.empty() ? kNone : chain.front();
}

// "leaf < middle": the inlined functions. leaf was inlined into middle, and middle into the
// function itself.
std::string inlined_text(const CodeChain& chain) {
  std::string text;
  for (size_t i = 0; i + 1 < chain.size(); ++i) {
    text += i == 0 ? "" : " < ";
    text += chain[i].function.empty() ? "(no name)" : chain[i].function;
  }
  return text;
}

// How far the address of a sample is from the instruction that caused it.
std::string skid_note(std::string_view event) {
  if (event.contains("clock")) {
    return "A sample is at the instruction where the program resumes after the timer's interrupt: "
           "that instruction or those just before it took the time (a slow load shows at the first "
           "instruction that needs its value).";
  }
  if (event.contains(":p") || event.contains("ibs")) {
    return "The event is precise: samples are at the instruction that caused them, or at the next "
           "one.";
  }
  return "Hardware counters interrupt late (skid): the cost belongs to the instruction shown or to "
         "one before it. If the processor supports it, a precise event (-e cycles:pp) reduces the "
         "skid.";
}

class FunctionReport {
 public:
  FunctionReport(const Profile& profile,
                 const StackCosts& costs,
                 const CodeHeat& heat,
                 const Target& target,
                 CodeSource& source,
                 const AnnotateOptions& options)
      : profile_(profile),
        costs_(costs),
        heat_(heat),
        target_(target),
        code_(target.code),
        source_(source),
        options_(options),
        measure_(profile, costs) {}

  Report run() {
    assign_frames();
    collect_lines();
    Report report = start_report(profile_, costs_, fmt::format("Code of {}", name_in_text(name())));
    report.sections.push_back({"instructions", "Instructions", Code{instructions()}});
    if (options_.with_source && lines_.size() > 1) {
      report.sections.push_back({"lines", "Source lines", Code{lines()}});
    }
    report.sections.push_back(
        {"parts", "The function and its inlined functions", parts(), SectionRole::kParts});
    report.sections.push_back({"function", "Function", function(), SectionRole::kSubject});
    if (!target_.also.empty()) {
      report.sections.push_back({"matches",
                                 "Other matches",
                                 matches_table(measure_, target_.also),
                                 SectionRole::kOthers});
    }
    add_notes(report);
    return report;
  }

 private:
  size_t count() const { return code_.instructions.size(); }
  const CodeChain& chain(size_t instruction) const {
    return code_.chains[code_.instructions[instruction].chain];
  }
  std::string name() const {
    if (!code_.name.empty()) {
      return code_.name;
    }
    std::string_view module = profile_.strings[profile_.modules[target_.frame.module].path];
    return fmt::format("{}+{:#x}", file_name_of(module), code_.begin);
  }

  // Maps the function's frames to instructions. Key count() is for frames that hit none of them.
  void assign_frames() {
    keys_.assign(profile_.frames.size(), CodeHeat::kNoKey);
    selfs_.assign(count() + 1, {});
    for (size_t row = 0; row < profile_.frames.size(); ++row) {
      const Frame& frame = profile_.frames[FrameId::from_index(row)];
      bool inside = frame.address - code_.begin < code_.end - code_.begin;
      bool is_ours = frame.module == target_.frame.module && frame.address != 0 &&
                     (target_.function.valid() ? frame.function == target_.function : inside);
      if (!heat_.is_home(FrameId::from_index(row)) || !is_ours) {
        continue;
      }
      keys_[row] = static_cast<uint32_t>(inside ? instruction_at(frame.address) : count());
      selfs_[keys_[row]] += heat_.self(FrameId::from_index(row));
    }
    totals_ = heat_.totals(keys_, count() + 1);
    for (const Cost& self : selfs_) {
      self_ += self;
    }
    std::vector<uint32_t> whole = keys_;
    std::ranges::replace_if(whole, [](uint32_t key) { return key != CodeHeat::kNoKey; }, 0U);
    total_ = heat_.totals(whole, 1)[0];
  }

  size_t instruction_at(uint64_t address) const {
    auto after =
        std::ranges::upper_bound(code_.instructions, address, {}, &CodeInstruction::address);
    return static_cast<size_t>(after - code_.instructions.begin()) - 1;
  }

  // The source lines of the function, numbered in the order in which the report shows them: first
  // the lines of the function's file, from the first to the last, then inlined lines from other
  // files. Line 0 is for code without a line.
  void collect_lines() {
    main_file_ = first_file();
    std::set<ListedLine> wanted = lines_of_instructions();
    add_lines_between(wanted);
    lines_.push_back({});
    for (bool is_main : {true, false}) {
      std::ranges::copy_if(wanted, std::back_inserter(lines_), [&](const ListedLine& line) {
        return (line.file == main_file_) == is_main;
      });
    }
    for (size_t i = 0; i < lines_.size(); ++i) {
      numbers_[lines_[i]] = static_cast<uint32_t>(i);
    }
  }

  // The file of the function itself; empty if unknown.
  std::string first_file() const {
    for (size_t i = 0; i < count(); ++i) {
      if (!chain(i).empty() && !chain(i).back().file.empty()) {
        return chain(i).back().file;
      }
    }
    return "";
  }

  std::set<ListedLine> lines_of_instructions() const {
    std::set<ListedLine> lines;
    for (size_t i = 0; i < count(); ++i) {
      const CodeLocation& leaf = leaf_of(chain(i));
      if (leaf.line != 0) {
        lines.insert({leaf.file, leaf.line});
      }
    }
    return lines;
  }

  // From the function's first line in its file to its last one, if there is a text to show.
  void add_lines_between(std::set<ListedLine>& wanted) {
    uint32_t first = UINT32_MAX;
    uint32_t last = 0;
    for (size_t i = 0; i < count(); ++i) {
      if (chain(i).empty() || chain(i).back().line == 0 || chain(i).back().file != main_file_) {
        continue;
      }
      first = std::min(first, chain(i).back().line);
      last = std::max(last, chain(i).back().line);
    }
    if (last == 0 || !has_text(main_file_)) {
      return;
    }
    last = std::min(last, first + kMaxLines);
    for (uint32_t line = first; line <= last; ++line) {
      wanted.insert({main_file_, line});
    }
  }

  bool has_text(const std::string& file) {
    return options_.with_source && !source_.source(file).path.empty();
  }

  Table instructions() const {
    CostColumns costs(measure_, self_);
    BranchColumns branches(profile_, target_.frame.module, code_.begin, code_.end);
    ReportColumn address = text_column("address", "address", ColumnRole::kAddress);
    ReportColumn bytes = text_column("bytes", "bytes", ColumnRole::kBytes);
    ReportColumn text = text_column("instruction", "instruction", ColumnRole::kInstruction);
    ReportColumn target = text_column("target", "jumps to", ColumnRole::kTarget);
    ReportColumn refers = text_column("refers_to", "refers to", ColumnRole::kReference);
    ReportColumn function = text_column("function", "function");
    ReportColumn inlined = text_column("inlined", "inlined", ColumnRole::kInlined);
    ReportColumn file = text_column("file", "file", ColumnRole::kFile);
    ReportColumn line = count_column("line", "line", ColumnRole::kLine);
    auto add = [&](size_t key, const CodeInstruction& instruction) {
      costs.add(selfs_[key], totals_[key]);
      branches.add(instruction.address, instruction.length);
      const CodeChain& chain = code_.chains[instruction.chain];
      address.text.push_back(instruction.length == 0 ? "" : hex(instruction.address));
      bytes.text.push_back(hex_digits(instruction.bytes));
      text.text.push_back(instruction.text);
      target.text.push_back(instruction.target ? hex(*instruction.target) : "");
      refers.text.push_back(instruction.refers_to);
      function.text.push_back(leaf_of(chain).function);
      inlined.text.push_back(inlined_text(chain));
      file.text.push_back(leaf_of(chain).file);
      line.numbers.push_back(leaf_of(chain).line);
    };
    for (size_t i = 0; i < count(); ++i) {
      add(i, code_.instructions[i]);
    }
    if (selfs_[count()].count > 0 || selfs_[count()].weight != 0) {
      add(count(), {.text = "[outside the available code]"});
    }
    Table table;
    costs.append_to(table, true);
    std::move(branches).append_to(table);
    for (ReportColumn* column :
         {&address, &bytes, &text, &target, &refers, &function, &inlined, &file, &line}) {
      table.columns.push_back(std::move(*column));
    }
    return table;
  }

  // The line number of an instruction. Line 0 if it has no line, or if the samples hit no
  // instruction.
  uint32_t line_of(size_t key) const {
    if (key >= count()) {
      return 0;
    }
    const CodeLocation& leaf = leaf_of(chain(key));
    auto found = numbers_.find({leaf.file, leaf.line});
    return found == numbers_.end() ? 0 : found->second;
  }

  Table lines() {
    std::vector<Cost> selfs(lines_.size());
    std::vector<uint32_t> keys = keys_;
    for (size_t key = 0; key < selfs_.size(); ++key) {
      selfs[line_of(key)] += selfs_[key];
    }
    for (uint32_t& key : keys) {
      key = key == CodeHeat::kNoKey ? key : line_of(key);
    }
    std::vector<Cost> totals = heat_.totals(keys, lines_.size());
    CostColumns costs(measure_, self_);
    SourceColumns listed;
    auto add = [&](size_t row) {
      const auto& [file, line] = lines_[row];
      costs.add(selfs[row], totals[row]);
      listed.add(file, line, row == 0 ? "" : source_.source(file).line(line));
    };
    for (size_t row = 1; row < lines_.size(); ++row) {
      add(row);
    }
    if (selfs[0].count > 0 || selfs[0].weight != 0) {
      add(0);
    }
    Table table;
    costs.append_to(table, true);
    std::move(listed).append_to(table);
    return table;
  }

  Table parts() const {
    std::map<std::string, Cost> by_name;
    std::string own = name();
    for (size_t key = 0; key < selfs_.size(); ++key) {
      bool is_inlined = key < count() && chain(key).size() > 1;
      by_name[is_inlined ? leaf_of(chain(key)).function : own] += selfs_[key];
    }
    std::vector<std::pair<std::string, Cost>> rows(by_name.begin(), by_name.end());
    std::ranges::stable_sort(
        rows, [](const auto& a, const auto& b) { return a.second.weight > b.second.weight; });
    CostColumns costs(measure_, self_);
    ReportColumn name = name_column("function");
    ReportColumn kind = text_column("kind", "kind", ColumnRole::kCategory);
    for (const auto& [part, cost] : rows) {
      costs.add(cost, {});
      name.text.push_back(part);
      kind.text.push_back(part == own ? "" : "inlined");
    }
    Table table;
    costs.append_to(table, false);
    table.columns.push_back(std::move(name));
    table.columns.push_back(std::move(kind));
    return table;
  }

  Table function() const {
    Table table = subject_table(measure_, self_, total_);
    auto add = [&](const char* name, ColumnRole role, std::string_view value) {
      add_text(table, name, role, value);
    };
    const Module& module = profile_.modules[target_.frame.module];
    add("name", ColumnRole::kName, name());
    add("module", ColumnRole::kModule, profile_.strings[module.path]);
    add("build_id", ColumnRole::kDetail, profile_.strings[module.build_id]);
    add("binary", ColumnRole::kBinary, code_.file);
    add("begin", ColumnRole::kAddress, hex(code_.begin));
    add("end", ColumnRole::kEnd, hex(code_.end));
    add("file", ColumnRole::kFile, main_file_);
    add("event", ColumnRole::kDetail, event());
    if (late_row() != nullptr) {
      add("late", ColumnRole::kCategory, kLateMark);
    }
    return table;
  }

  std::string_view event() const {
    return profile_.samples.empty()
               ? std::string_view()
               : profile_.strings[profile_.events[profile_.samples.event[0]].name];
  }

  // Null if the samples of the function are not late.
  const LateFunction* late_row() const {
    bool timer_in_kernel = is_timer_event(event()) && target_.frame.mode == Mode::kKernel;
    return timer_in_kernel ? late_function(name()) : nullptr;
  }

  void add_notes(Report& report) {
    report.notes.insert(report.notes.end(), target_.notes.begin(), target_.notes.end());
    report.notes.insert(report.notes.end(), code_.notes.begin(), code_.notes.end());
    if (target_.also.size() > kMatchesListed) {
      report.notes.push_back(fmt::format("{} functions match the name; the hottest are listed.",
                                         target_.also.size() + 1));
    }
    auto unnamed = std::ranges::count_if(code_.instructions, &CodeInstruction::is_unnamed);
    if (unnamed > 0) {
      report.notes.push_back(fmt::format(
          "{} newer than the disassembler and shown as bytes; their "
          "boundaries are correct.",
          unnamed == 1 ? "1 instruction is" : fmt::format("{} instructions are", unnamed)));
    }
    add_source_notes(report);
    if (self_.count > 0) {
      const LateFunction* late = late_row();
      report.notes.push_back(late != nullptr ? late_function_note(*late, event())
                                             : skid_note(event()));
    } else {
      report.notes.emplace_back(
          "No sample is in this function itself; `total` counts the functions it calls.");
    }
  }

  void add_source_notes(Report& report) {
    if (!options_.with_source) {
      return;
    }
    std::set<std::string> missing;
    std::set<std::string> newer;
    for (const ListedLine& line : lines_) {
      if (line.file.empty()) {
        continue;
      }
      const SourceText& text = source_.source(line.file);
      if (text.path.empty()) {
        missing.insert(line.file);
      } else if (text.is_newer) {
        newer.insert(text.path);
      }
    }
    if (!missing.empty()) {
      std::string more = missing.size() == 1
                             ? std::string()
                             : fmt::format(" (and {} more source files)", missing.size() - 1);
      bool lacks_main = missing.contains(main_file_);
      report.notes.push_back(
          fmt::format("Cannot find the source {}{}; say where it is now with --source-dir DIR or "
                      "OLD=NEW.",
                      lacks_main ? main_file_ : *missing.begin(),
                      more));
    }
    for (const std::string& path : newer) {
      report.notes.push_back(
          fmt::format("{} changed after the program was built: its lines may not match.", path));
    }
  }

  const Profile& profile_;
  const StackCosts& costs_;
  const CodeHeat& heat_;
  const Target& target_;
  const FunctionCode& code_;
  CodeSource& source_;
  AnnotateOptions options_;
  Measure measure_;
  std::vector<uint32_t> keys_;  // by frame: its instruction
  std::vector<Cost> selfs_;     // by instruction
  std::vector<Cost> totals_;
  Cost self_;
  Cost total_;
  std::vector<ListedLine> lines_;
  std::map<ListedLine, uint32_t> numbers_;
  std::string main_file_;
};

Report file_report(const Profile& profile,
                   const StackCosts& costs,
                   const Target& target,
                   CodeSource& source) {
  const HotFile& hot = target.files[0];
  Measure measure(profile, costs);
  Report report = start_report(profile, costs, fmt::format("Lines of {}", hot.file));
  source.locations_at(profile,
                      profile.frames[hot.frame]);  // the search for the source starts there
  const SourceText& text = source.source(hot.file);
  std::map<uint32_t, Cost> lines = hot.lines;
  for (uint32_t line = 1; line <= text.lines.size(); ++line) {
    lines.try_emplace(line);
  }
  CostColumns columns(measure, hot.self);
  SourceColumns listed;
  for (const auto& [line, cost] : lines) {
    columns.add(cost, {});
    listed.add(hot.file, line, text.line(line));
  }
  Table table;
  columns.append_to(table, false);
  std::move(listed).append_to(table);
  report.sections.push_back({"lines", "Source lines", Code{std::move(table)}});
  if (text.path.empty()) {
    report.notes.push_back(fmt::format(
        "Cannot find the source {}; say where it is now with --source-dir DIR or OLD=NEW.",
        hot.file));
  } else if (text.is_newer) {
    report.notes.push_back(
        fmt::format("{} changed after the program was built: its lines may not match.", text.path));
  }
  for (size_t i = 1; i < target.files.size(); ++i) {
    report.notes.push_back(fmt::format("Also matches: {} with {:.2f} % of self.",
                                       target.files[i].file,
                                       100 * measure.share(target.files[i].self.weight)));
  }
  report.notes.push_back(
      fmt::format("Self of a line counts its own code, wherever it was inlined. {}",
                  skid_note(profile.strings[profile.events[profile.samples.event[0]].name])));
  return report;
}

}  // namespace

Result<Report> annotate(const Profile& profile,
                        std::string_view wanted,
                        CodeSource& source,
                        const AnnotateOptions& options) {
  StackCosts costs(profile);
  CodeHeat heat(profile, costs);
  Target target = TRY(find_target(profile, heat, wanted, source));
  if (!target.files.empty()) {
    return file_report(profile, costs, target, source);
  }
  if (is_interpreted(target.frame.origin)) {
    return interpreted_report(profile, costs, heat, target, source, options.with_source);
  }
  return FunctionReport(profile, costs, heat, target, source, options).run();
}

std::span<const Flag> annotate_flags() {
  return kAnnotateFlags;
}

Result<Report> run_annotate(const Profile& profile,
                            std::string_view argument,
                            const FlagValues& flags,
                            CodeSource& source) {
  if (!argument.empty() && flags.given("symbol")) {
    return fail_usage("The function is named twice: \"{}\" and -s {}.",
                      terminal_text(argument),
                      terminal_text(flags.text("symbol")));
  }
  return annotate(profile,
                  argument.empty() ? std::string_view(flags.text("symbol")) : argument,
                  source,
                  {.with_source = !flags.is_set("no-source")});
}

}  // namespace wick
