// SPDX-License-Identifier: Apache-2.0
#include "analyze/annotate/interpreted.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyze/annotate/cost_columns.h"
#include "analyze/annotate/matches.h"
#include "analyze/summary.h"
#include "report/label_forms.h"

namespace wick {
namespace {

// Longer functions are put together by generators.
constexpr uint32_t kMaxLines = 5000;

class InterpretedReport {
 public:
  InterpretedReport(const Profile& profile,
                    const StackCosts& costs,
                    const CodeHeat& heat,
                    const Target& target,
                    CodeSource& source,
                    bool with_source)
      : profile_(profile),
        costs_(costs),
        heat_(heat),
        target_(target),
        function_(profile.functions[target.function]),
        file_(profile.strings[function_.file]),
        text_(source.source(file_)),
        with_source_(with_source),
        measure_(profile, costs) {}

  Report run() {
    collect_lines();
    std::string name(profile_.strings[function_.name]);
    Report report = start_report(profile_, costs_, fmt::format("Code of {}", name_in_text(name)));
    report.sections.push_back({"lines", "Source lines", Code{lines()}});
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
  bool has_text() const { return with_source_ && !text_.path.empty(); }

  // Numbers the lines: from the first line of the function to the last one that was seen, and line 0
  // if the interpreter did not say it.
  void collect_lines() {
    for (const Frame& frame : profile_.frames) {
      if (frame.function == target_.function) {
        numbers_.try_emplace(frame.line);
      }
    }
    uint32_t last = std::min(numbers_.rbegin()->first, function_.line + kMaxLines);
    for (uint32_t line = function_.line; line != 0 && line <= last && has_text(); ++line) {
      numbers_.try_emplace(line);
    }
    uint32_t next = 0;
    for (auto& [line, number] : numbers_) {
      number = next++;
    }
    selfs_.resize(numbers_.size());
    std::vector<uint32_t> keys(profile_.frames.size(), CodeHeat::kNoKey);
    std::vector<uint32_t> whole = keys;
    for (size_t row = 0; row < keys.size(); ++row) {
      FrameId id = FrameId::from_index(row);
      const Frame& frame = profile_.frames[id];
      if (frame.function == target_.function && heat_.is_home(id)) {
        keys[row] = numbers_.at(frame.line);
        whole[row] = 0;
        selfs_[keys[row]] += heat_.self(id);
        self_ += heat_.self(id);
      }
    }
    totals_ = heat_.totals(keys, numbers_.size());
    total_ = heat_.totals(whole, 1)[0];
  }

  Table lines() const {
    CostColumns costs(measure_, self_);
    SourceColumns listed;
    for (const auto& [line, row] : numbers_) {
      costs.add(selfs_[row], totals_[row]);
      listed.add(file_, line, has_text() ? text_.line(line) : "");
    }
    Table table;
    costs.append_to(table, true);
    std::move(listed).append_to(table);
    return table;
  }

  Table function() const {
    Table table = subject_table(measure_, self_, total_);
    add_text(table, "name", ColumnRole::kName, profile_.strings[function_.name]);
    add_text(table, "file", ColumnRole::kFile, file_);
    return table;
  }

  void add_notes(Report& report) const {
    report.notes.insert(report.notes.end(), target_.notes.begin(), target_.notes.end());
    if (with_source_ && text_.path.empty()) {
      report.notes.push_back(fmt::format(
          "Cannot find the source {}; say where it is now with --source-dir DIR or OLD=NEW.",
          file_.empty() ? "of this function" : file_));
    }
    if (self_.count == 0) {
      report.notes.emplace_back(
          "No sample is in this function itself; `total` counts the functions it calls.");
    }
  }

  const Profile& profile_;
  const StackCosts& costs_;
  const CodeHeat& heat_;
  const Target& target_;
  const Function& function_;
  std::string file_;
  const SourceText& text_;
  bool with_source_;
  Measure measure_;
  std::map<uint32_t, uint32_t> numbers_;  // rows by line
  std::vector<Cost> selfs_;               // by row
  std::vector<Cost> totals_;
  Cost self_;
  Cost total_;
};

}  // namespace

Report interpreted_report(const Profile& profile,
                          const StackCosts& costs,
                          const CodeHeat& heat,
                          const Target& target,
                          CodeSource& source,
                          bool with_source) {
  return InterpretedReport(profile, costs, heat, target, source, with_source).run();
}

}  // namespace wick
