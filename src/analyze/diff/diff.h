// SPDX-License-Identifier: Apache-2.0
// Compares before with after: the changes, their size, and how certain they are.
//
// All other sides are compared with the first. A side is one run of the program or several. The
// report:
//
//     section      shape   content
//     changes      table   a row for each function (module, thread ...) of any side
//     areas        table   --areas: a row for each area, in the order of the file
//     whole        table   unless shares are compared: the whole program
//     conditions   table   --fail-if: the conditions, and whether they hold
//     sides        table   the inputs: name, runs, samples, total, duration
//     flame        tree    on request: the call paths of the first two sides together (picture.h)
//
// Columns of changes. With three sides or more, a column marked * appears once for each side but
// the first; the second and later ones end in _2, _3 ...:
//
//     change *         after minus before, of the share or of the weight; with interval
//     relative *       the same as a fraction of before; NaN for new rows
//     self_before, self_after *, total_before, total_after *
//     self_before_share ...                              the same as shares
//     probability *    that a change of this size is an accident, corrected for all comparisons
//     detectable *     the smallest relative change that would be found four times in five
//     verdict *        "faster", "slower" or "no evidence" (sizes: "smaller", "larger"; shares:
//                      "less", "more"), with a tone
//     state *          "new", "gone" or empty
//     name, module
//
// The headline says how the cost of the whole program changed, if both sides count the same.
//
// With one side alone the report is a plan: how many samples it takes to find a change of each row.
#pragma once

#include "analyze/analyses.h"
#include "analyze/diff/conditions.h"
#include "analyze/diff/judge.h"
#include "analyze/diff/name_rules.h"

namespace wick {

enum class FlameWidth { kBoth, kBefore, kAfter };
enum class DiffSort { kEvidence, kChange, kName };

struct DiffOptions {
  DiffBy by = DiffBy::kFunction;
  std::string label = {};  // the key, for kLabel
  Measured measure = Measured::kSelf;
  DiffAs as = DiffAs::kShare;
  DiffSort sort = DiffSort::kEvidence;
  std::vector<double> per = {};  // operations of a run: none, one for all sides, or one a side
  double min_share = 0;
  double detect = 0.05;  // the relative change that a plan must be able to find
  bool flame = false;
  FlameWidth flame_width = FlameWidth::kBoth;
  NameRules name_rules = {};
  AreaOptions areas = {};
  std::vector<Condition> conditions = {};
};

// Two sides or more, none of them empty.
Result<Report> diff(std::span<const Side> sides, const DiffOptions& options);
// In two steps, for several questions that differ only in `as` and `sort`.
Result<AlignedRuns> align_sides(std::span<const Side> sides, const DiffOptions& options);
Result<Report> diff_aligned(std::span<const Side> sides,
                            const AlignedRuns& aligned,
                            const DiffOptions& options);
// The samples needed to find a relative change of options.detect against this side.
Result<Report> plan(const Side& side, const DiffOptions& options);

std::span<const Flag> diff_flags();
Result<Report> run_diff(std::span<const Side> sides, const FlagValues& flags);

}  // namespace wick
