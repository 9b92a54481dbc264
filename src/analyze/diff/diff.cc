// SPDX-License-Identifier: Apache-2.0
// Puts the steps of a comparison together:
//
//   align_sides    gives equal functions of all runs one row number (aligned.h)
//   check_*        refuses or notes inputs that cannot be compared (inputs.h)
//   judge          decides for each row whether the change is evidence (judge.h)
//   listed_rows    selects and sorts the rows to show (table.h)
//
// judge() sees all rows, not only the listed ones. The correction for multiple comparisons must
// count every test that was made, so --min-share and --sort must never run before it.
//
// The rest of the file converts the flags into DiffOptions and writes the notes about the method.
#include "analyze/diff/diff.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>

#include "analyze/diff/inputs.h"
#include "analyze/diff/machine_notes.h"
#include "analyze/diff/picture.h"
#include "analyze/diff/table.h"
#include "analyze/summary.h"
#include "base/escape.h"
#include "base/parse_number.h"
#include "profile/names.h"
#include "report/amounts.h"

namespace wick {
namespace {

// There are many call paths. Paths with a smaller share are left out.
constexpr double kLeastPathShare = 0.001;
constexpr double kPercent = 100;

std::string basis_text(const DiffOptions& options) {
  std::string what = options.measure == Measured::kSelf ? "Self" : "Total";
  std::string by = fmt::format("{} by {}", what, by_text(options));
  switch (options.as) {
    case DiffAs::kShare:
      return by + ", as share of the time";
    case DiffAs::kRun:
      return by + (options.per.empty() ? ", per run" : ", per operation");
    case DiffAs::kSecond:
      return by + (options.per.empty() ? ", per second" : ", per second and operation");
  }
  return by;
}

void add_method_notes(const Compared& compared, Report& report) {
  const Measuring& measuring = compared.measuring;
  if (!measuring.knows_samples() && !measuring.has_several_runs()) {
    report.notes.emplace_back(
        "The inputs do not say how many samples their numbers come from, so there is no evidence. "
        "Compare several runs per side, or use --unit samples if the numbers are samples.");
    return;
  }
  bool one = compared.judgement.comparisons == 1;
  report.notes.push_back(fmt::format(
      "{} with {:.0f} samples or more {} compared; family-wise error rate at most {:.0f} % (Holm).",
      one ? "One row" : fmt::format("{} rows", compared.judgement.comparisons),
      kLeastSamples,
      one ? "was" : "were",
      kPercent * kLevel));
  if (!measuring.has_several_runs()) {
    bool blocks = std::ranges::all_of(compared.aligned.sides, [](const AlignedSide& side) {
      return !side.runs[0].blocks.empty();
    });
    report.notes.push_back(
        fmt::format("One run per side: {}. The variation between runs is unknown; `wick diff "
                    "--repeat 5 -- A -- B` or several files per side would show it.",
                    blocks ? "bursts within a run are accounted for"
                           : fmt::format("samples are treated as independent, because burst "
                                         "detection needs {} timed samples",
                                         kLeastForBlocks)));
  }
  if (compared.options.as == DiffAs::kShare) {
    report.notes.emplace_back(
        "Shares: when one row shrinks, the shares of all others grow. If both sides did the same "
        "work, --as run compares the time itself.");
  }
}

void add_counts(const Compared& compared, std::span<const uint32_t> listed, Report& report) {
  std::array<double, 3> counts = {};
  for (const std::vector<Judged>& side : compared.judgement.sides) {
    for (uint32_t row : listed) {
      counts[static_cast<size_t>(side[row].verdict)] += 1;
    }
  }
  for (Verdict verdict : {Verdict::kMore, Verdict::kLess, Verdict::kNoEvidence}) {
    std::string title(verdict_text(verdict, compared.on_rows()));
    std::string name = verdict == Verdict::kNoEvidence ? "no_evidence" : title;
    if (compared.on_rows() == VerdictOn::kShare && verdict != Verdict::kNoEvidence) {
      title += " of the whole";
    }
    report.figures.push_back({name, counts[static_cast<size_t>(verdict)], title});
  }
}

// How the cost of one side's whole program differs from that of the first side.
std::string whole_text(const Compared& compared, const Measuring& costs, size_t side) {
  Measuring::Quantity whole = whole_quantity(compared.aligned);
  double before = costs.typical(0, whole.costs[0]);
  double after = costs.typical(side, whole.costs[side]);
  std::string name = compared.aligned.sides.size() == 2 ? "After" : fmt::format("After {}", side);
  std::string text = fmt::format(kWholeSameText, name, amount_text(after, compared.unit));
  if (after != before) {
    text = fmt::format(kWholeText,
                       name,
                       fmt::format("{:.1f}", kPercent * std::abs(after / before - 1)),
                       after < before ? kWholeLessText : kWholeMoreText,
                       amount_text(before, compared.unit),
                       amount_text(after, compared.unit));
  }
  if (!costs.knows_samples() && !costs.has_several_runs()) {
    return text + ".";
  }
  Difference difference = costs.compare(whole, side);
  text += fmt::format(" (95 %: {:+.1f} to {:+.1f} %).",
                      kPercent * std::max(-1.0, difference.low / before),
                      kPercent * difference.high / before);
  bool has_evidence = compared.judgement.whole.empty()
                          ? difference.probability < kLevel
                          : compared.judgement.whole[side - 1].verdict != Verdict::kNoEvidence;
  return has_evidence || after == before ? text : fmt::format("{} {}", text, kMayBeChanceText);
}

// Empty if the sides count different things, or sizes, or cost per second.
std::string headline(std::span<const Side> sides, const Compared& compared) {
  bool alike = std::ranges::all_of(sides, [&](const Side& side) {
    return std::ranges::all_of(side.runs,
                               [&](const Profile& run) { return unit_of(run) == compared.unit; });
  });
  if (!alike || compared.unit == "bytes" || compared.options.as == DiffAs::kSecond) {
    return "";
  }
  Measuring costs(DiffAs::kRun, per_side(compared.options, sides.size()), compared.aligned);
  std::string text;
  for (size_t side = 1; side < sides.size(); ++side) {
    text += (text.empty() ? "" : " ") + whole_text(compared, costs, side);
  }
  return text;
}

// The share of a side's cost in rows that the first side has, too.
double shared_cost(const AlignedRuns& aligned, size_t of_side, size_t other_side) {
  auto is_in = [&](size_t side, size_t row) {
    return std::ranges::any_of(aligned.sides[side].runs,
                               [&](const AlignedRun& run) { return run.total[row].weight != 0; });
  };
  double shared = 0;
  double all = 0;
  for (const AlignedRun& run : aligned.sides[of_side].runs) {
    for (size_t row = 0; row < aligned.rows(); ++row) {
      auto weight = static_cast<double>(run.self[row].weight);
      all += weight;
      shared += weight != 0 && is_in(other_side, row) ? weight : 0;
    }
  }
  return all > 0 ? shared / all : 1;
}

// Two files of the same program can write its names differently. Then every row is new or gone,
// which looks like a change.
void add_caution_of_names(const AlignedRuns& aligned, const DiffOptions& options, Report& report) {
  constexpr double kLeastShared = 0.1;
  if (options.by != DiffBy::kFunction) {
    return;
  }
  for (size_t side = 1; side < aligned.sides.size(); ++side) {
    double before = shared_cost(aligned, 0, side);
    double after = shared_cost(aligned, side, 0);
    if (before < kLeastShared && after < kLeastShared) {
      report.cautions.push_back(fmt::format(
          "{} and {} have almost no functions in common ({:.1f} and {:.1f} % of the cost): they "
          "are "
          "different programs, or their names are written differently (--map OLD=NEW, --unify).",
          aligned.sides[0].name,
          aligned.sides[side].name,
          kPercent * before,
          kPercent * after));
    }
  }
}

bool have_one_run(std::span<const Side> sides) {
  return std::ranges::all_of(sides, [](const Side& side) { return side.runs.size() == 1; });
}

// The areas, by total, with verdicts that are corrected for the number of areas.
void add_areas(std::span<const Side> sides,
               const DiffOptions& options,
               bool exact,
               Report& report) {
  DiffOptions by_area{
      .by = DiffBy::kArea, .measure = Measured::kTotal, .as = options.as, .per = options.per};
  AlignOptions alignment = align_options(options, have_one_run(sides));
  alignment.by = by_area.by;
  alignment.measure = by_area.measure;
  AlignedRuns aligned = align(sides, alignment);
  std::vector<double> per = per_side(options, sides.size());
  Measuring measuring(options.as, per, aligned);
  Measuring shares(DiffAs::kShare, per, aligned);
  Judgement judgement = judge(aligned, measuring, by_area.measure, exact);
  std::string unit = unit_of(sides[0].runs[0]);
  Compared compared{aligned, measuring, shares, judgement, by_area, unit};
  std::vector<uint32_t> rows(aligned.rows());
  std::iota(rows.begin(), rows.end(), 0);
  bool is_exclusive = options.areas.rule == AreaRule::kInnermost;
  report.sections.push_back(whole_section(
      "areas", is_exclusive ? "Areas, each sample in one" : "Areas", diff_table(compared, rows)));
  for (size_t area = 0; area < aligned.unmatched_areas.size(); ++area) {
    if (aligned.unmatched_areas[area]) {
      report.warnings.push_back(unmatched_area_text(options.areas.areas[area]));
    }
  }
}

}  // namespace

Result<AlignedRuns> align_sides(std::span<const Side> sides, const DiffOptions& options) {
  TRY(check_samples(sides));
  return align(sides, align_options(options, have_one_run(sides)));
}

Result<Report> diff(std::span<const Side> sides, const DiffOptions& options) {
  AlignedRuns aligned = TRY(align_sides(sides, options));
  return diff_aligned(sides, aligned, options);
}

Result<Report> diff_aligned(std::span<const Side> sides,
                            const AlignedRuns& aligned,
                            const DiffOptions& options) {
  std::string unit = unit_of(sides[0].runs[0]);
  Report report = start_comparison(sides, basis_text(options));
  TRY(check_events(sides, options.as, report.notes));
  TRY(check_seconds(aligned, options.as));
  add_caution_of_names(aligned, options, report);
  add_machine_notes(sides, report.notes);
  std::vector<double> per = per_side(options, sides.size());
  Measuring measuring(options.as, per, aligned);
  Measuring shares(DiffAs::kShare, per, aligned);
  bool exact = unit == "bytes" && !measuring.knows_samples();
  Judgement judgement = judge(aligned, measuring, options.measure, exact);
  Compared compared{aligned, measuring, shares, judgement, options, unit};
  report.headline = headline(sides, compared);
  if (aligned.has_pools) {
    report.notes.push_back(
        fmt::format("Rows with # add up {} whose names differ in numbers only, because the runs do "
                    "not have the same ones.",
                    options.by == DiffBy::kThread ? "threads" : "processes"));
  }
  std::vector<uint32_t> rows = listed_rows(compared);
  add_counts(compared, rows, report);
  report.sections.push_back({"changes", report.title, diff_table(compared, rows)});
  if (!options.areas.areas.empty()) {
    add_areas(sides, options, exact, report);
  }
  if (!judgement.whole.empty()) {
    report.sections.push_back(whole_section("whole", "Overall", whole_table(compared)));
  }
  if (!options.conditions.empty()) {
    Table conditions = TRY(condition_table(sides, aligned, measuring, options.conditions, exact));
    report.sections.push_back(whole_section("conditions", "Conditions", std::move(conditions)));
  }
  report.sections.push_back(whole_section("sides", "Inputs", sides_table(sides, aligned)));
  if (options.flame) {
    report.sections.push_back(
        difference_picture(sides, options, align_options(options, have_one_run(sides))));
  }
  if (!exact) {
    add_method_notes(compared, report);
  }
  return report;
}

namespace {

constexpr std::array kDiffFlags = {
    Flag{"by",
         'b',
         FlagKind::kChoice,
         "function|module|line|mode|language|thread|process|path|gil|task|label:KEY",
         "function",
         "group rows by"},
    Flag{"measure", '\0', FlagKind::kChoice, "self|total", "self", "which cost to compare"},
    Flag{"as",
         '\0',
         FlagKind::kChoice,
         "share|run|second",
         "share",
         "compare shares, cost per run (same work), or cost per second (same load)"},
    Flag{"per",
         '\0',
         FlagKind::kText,
         "N[,M...]",
         "",
         "operations per run, one number or one per side: compares the cost of one operation"},
    Flag{"sort",
         's',
         FlagKind::kChoice,
         "evidence|change|name",
         "evidence",
         "which rows come first"},
    Flag{"min-share", '\0', FlagKind::kNumber, "PERCENT", "0", "hide rows below this share"},
    Flag{"map",
         '\0',
         FlagKind::kTexts,
         "OLD=NEW",
         "",
         "a function that was renamed; s/REGEX/NEW/ renames all that match, \\1 in NEW is a group "
         "(repeatable)"},
    kAreasFlag,
    kExclusiveAreasFlag,
    Flag{"unify",
         '\0',
         FlagKind::kChoice,
         "clones|templates|all|none",
         "none",
         "treat compiler clones of a function, its template instances, or both as one function"},
    Flag{"fail-if",
         '\0',
         FlagKind::kTexts,
         "CONDITION",
         "",
         "exit with status 4 if this is true: \"total(REGEX) > +2%\" (repeatable)"},
    Flag{
        "flame", '\0', FlagKind::kPath, "FILE", "", "also draw the differential flame graph (SVG)"},
    Flag{"flame-width",
         '\0',
         FlagKind::kChoice,
         "both|before|after",
         "both",
         "frame widths; both: the mean, and the picture can switch to either side"},
    Flag{"detect",
         '\0',
         FlagKind::kNumber,
         "PERCENT",
         "5",
         "with one side: how many samples are needed to find such a change"},
};

Result<std::vector<double>> parse_per(std::string_view text, size_t sides) {
  std::vector<double> numbers;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(','));
    std::optional<double> number = parse_number<double>(word);
    if (!number || !(*number >= 1)) {
      return fail_usage("--per takes the number of operations per run, 1 or more.");
    }
    numbers.push_back(*number);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  if (numbers.size() > 1 && numbers.size() != sides) {
    return fail_usage("--per takes one number, or one for each of the {} sides.", sides);
  }
  return numbers;
}

// The names that --map can change.
std::vector<std::string> names_in(const Side& side) {
  std::set<std::string> names;
  for (const Profile& run : side.runs) {
    for (size_t row = 0; row < run.frames.size(); ++row) {
      names.insert(frame_name(run, FrameId::from_index(row)));
    }
    for (size_t row = 0; row < run.modules.size(); ++row) {
      names.emplace(module_name(run, ModuleId::from_index(row)));
    }
  }
  return {names.begin(), names.end()};
}

Result<DiffOptions> parse_options(std::span<const Side> sides, const FlagValues& flags) {
  DiffOptions options;
  TRY(parse_by(flags.text("by"), sides, options));
  bool wants_self = !is_by_sample(options.by) && flags.text("measure") == "self";
  options.measure = wants_self ? Measured::kSelf : Measured::kTotal;
  constexpr std::array<std::string_view, 3> kAs = {"share", "run", "second"};
  options.as = static_cast<DiffAs>(std::ranges::find(kAs, flags.text("as")) - kAs.begin());
  constexpr std::array<std::string_view, 3> kSorts = {"evidence", "change", "name"};
  options.sort =
      static_cast<DiffSort>(std::ranges::find(kSorts, flags.text("sort")) - kSorts.begin());
  options.per = TRY(parse_per(flags.text("per"), sides.size()));
  bool sizes = !sides[0].runs[0].samples.empty() && unit_of(sides[0].runs[0]) == "bytes";
  if ((!options.per.empty() || sizes) && !flags.given("as")) {
    options.as = DiffAs::kRun;
  }
  if (!options.per.empty() && options.as == DiffAs::kShare) {
    return fail_usage("--per is for costs; it cannot be combined with --as share.");
  }
  options.flame = flags.given("flame");
  constexpr std::array<std::string_view, 3> kWidths = {"both", "before", "after"};
  options.flame_width = static_cast<FlameWidth>(
      std::ranges::find(kWidths, flags.text("flame-width")) - kWidths.begin());
  options.min_share = flags.number("min-share") / kPercent;
  if (options.by == DiffBy::kPath && !flags.given("min-share")) {
    options.min_share = kLeastPathShare;
  }
  options.detect = flags.number("detect") / kPercent;
  if (options.detect <= 0) {
    return fail_usage("--detect takes the change to find, in percent, such as 5.");
  }
  std::vector<std::string> known;
  if (flags.given("map")) {
    known = names_in(sides[0]);
  }
  options.name_rules = TRY(NameRules::make(flags.texts("map"), flags.text("unify"), known));
  options.areas = TRY(parse_area_options(flags));
  for (const std::string& text : flags.texts("fail-if")) {
    options.conditions.push_back(TRY(parse_condition(text)));
    if (options.conditions.back().in_points && options.as != DiffAs::kShare) {
      return fail_usage("--fail-if \"{}\": percentage points (pp) need --as share.",
                        terminal_text(text));
    }
    if (!options.conditions.back().pattern && options.as == DiffAs::kShare) {
      return fail_usage(
          "--fail-if \"{}\" can never hold: the overall share is always 100 %. --as run compares "
          "the cost of a whole run, --as second the cost of a second.",
          terminal_text(text));
    }
  }
  return options;
}

}  // namespace

std::span<const Flag> diff_flags() {
  return kDiffFlags;
}

Result<Report> run_diff(std::span<const Side> sides, const FlagValues& flags) {
  DiffOptions options = TRY(parse_options(sides, flags));
  if (sides.size() == 1 && !options.areas.areas.empty()) {
    return fail_usage("--areas compares two sides; `wick report --areas` shows those of one.");
  }
  Report report = TRY(sides.size() == 1 ? plan(sides[0], options) : diff(sides, options));
  std::vector<std::string> known;
  for (const Side& side : flags.given("map") ? sides : std::span<const Side>()) {
    std::ranges::move(names_in(side), std::back_inserter(known));
  }
  for (const std::string& map : options.name_rules.unused_maps(known)) {
    report.warnings.push_back(fmt::format(
        "--map {} matches nothing: no input has a function or module of that name.", map));
  }
  return report;
}

}  // namespace wick
