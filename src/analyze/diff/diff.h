// Before against after: what changed, by how much, and how sure that is.
//
// The first side is what the others are held against. A side is one run of the program or several.
// The report:
//
//     section      shape   what
//     rows         table   a row for each function (module, thread ...) of any side
//     whole        table   unless shares are compared: everything together
//     conditions   table   --fail-if: the conditions, and whether they hold
//     sides        table   what was compared: name, runs, samples, total, seconds
//     flame        tree    on request: the call paths of the first two sides together (picture.h)
//
// Columns of rows; with three sides or more those marked * come once for each side but the first,
// from the second of them on with _2, _3 ... behind the name:
//
//     change *         after minus before: of the share, or of the weight, as asked; with interval
//     relative *       the same as a fraction of before; not a number for what is new
//     self_before, self_after *, total_before, total_after *
//     self_before_share ...                              the same as shares
//     probability *    that a change like this comes by accident, corrected for all that is
//     compared detectable *     the smallest relative change that would have been found four times
//     in five verdict *        "faster", "slower" or "no evidence" (sizes: "smaller", "larger")
//     state *          "new", "gone" or nothing
//     name, module
//
// With one side alone it is a plan: how many samples it takes to find a change of each row.
#pragma once

#include "analyze/analyses.h"
#include "analyze/diff/conditions.h"
#include "analyze/diff/judge.h"
#include "analyze/diff/naming.h"

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
  double detect = 0.05;  // the relative change that a plan is for
  bool flame = false;
  FlameWidth flame_width = FlameWidth::kBoth;
  Naming naming = {};
  std::vector<Condition> conditions = {};
};

// Two sides or more, none of them empty.
Result<Report> diff(std::span<const Side> sides, const DiffOptions& options);
// In two steps, for several questions that differ in `as` and `sort` only.
Result<United> unite_sides(std::span<const Side> sides, const DiffOptions& options);
Result<Report> diff_united(std::span<const Side> sides,
                           const United& united,
                           const DiffOptions& options);
// What it takes to find a relative change of options.detect against this side.
Result<Report> plan(const Side& side, const DiffOptions& options);

std::span<const Flag> diff_flags();
Result<Report> run_diff(std::span<const Side> sides, const FlagValues& flags);

}  // namespace wick
