// SPDX-License-Identifier: Apache-2.0
// From costs to verdicts: the unit of a change, its certainty, and whether there is evidence for it
// when all comparisons are taken into account.
//
// One run a side: the samples are a poll, corrected for their clustering in time. Several runs a
// side: the spread between runs decides, and one disturbed run of five does not. docs/statistics.md
// has the details.
#pragma once

#include <span>
#include <vector>

#include "analyze/diff/aligned.h"
#include "base/statistics.h"
#include "base/verdict.h"
#include "report/report.h"

namespace wick {

// The divisor that makes costs comparable.
enum class DiffAs {
  kShare,   // the whole cost of the run: compares shares of its time
  kRun,     // nothing: the runs did the same work
  kSecond,  // the length of the recording: the runs had the same load
};

Tone verdict_tone(Verdict verdict, VerdictOn on);

class Measuring {
 public:
  // `per`: operations of a run, by side; 1 if the user gave none.
  Measuring(DiffAs as, std::vector<double> per, const AlignedRuns& aligned);

  DiffAs as() const { return as_; }
  double value(size_t side, size_t run, const Cost& cost) const;
  // The number that the comparison uses for a side: the trimmed mean over its runs.
  double typical(size_t side, std::span<const Cost> costs) const;
  double typical(size_t side, Measured measure, size_t row) const;
  // The mean over all runs of a side. It includes what only one run had, and means of rows add up.
  double mean(size_t side, Measured measure, size_t row) const;
  // The number of samples of a row on both sides, 0 when unknown.
  double samples(size_t side, std::span<const Cost> costs) const;
  bool knows_samples() const { return knows_samples_; }
  bool has_several_runs() const { return several_runs_; }

  struct Quantity {
    std::vector<std::vector<Cost>> costs;  // by side, by run
    // By side, for its first run: how the samples cluster; empty when unknown.
    std::vector<Clustering> clustering;
  };
  Difference compare(const Quantity& quantity, size_t side) const;
  // The difference between two sides that are both like this one.
  Difference compare_with_itself(const Quantity& quantity, size_t side) const;

 private:
  std::vector<double> values(size_t side, std::span<const Cost> costs) const;
  // The single run of a side, as samples.
  Sampled sampled(size_t side, const Quantity& quantity) const;
  // The variance that sampling alone gives the values of a side's runs, around `typical`, for a row
  // with this share of a run. Samples are taken at fixed intervals, so their number adds no
  // variance.
  double noise(size_t side, double typical, double share) const;
  double share(const Quantity& quantity, size_t side) const;

  DiffAs as_;
  std::vector<double> per_;
  const AlignedRuns& aligned_;
  bool knows_samples_ = true;
  bool several_runs_ = false;
};

Measuring::Quantity row_quantity(const AlignedRuns& aligned, Measured measure, size_t row);
Measuring::Quantity whole_quantity(const AlignedRuns& aligned);

struct Judged {
  Difference difference;
  double corrected = 1;  // probability after the correction
  Verdict verdict = Verdict::kNoEvidence;
  bool tested = false;
};
// One for each row and each side but the first: [side - 1][row].
struct Judgement {
  std::vector<std::vector<Judged>> sides;
  std::vector<Judged> whole;  // by side - 1: the whole program; empty for shares
  size_t comparisons = 0;     // how many tests the correction counts
};
// `exact`: the numbers are not samples (file sizes), so any difference counts.
Judgement judge(const AlignedRuns& aligned,
                const Measuring& measuring,
                Measured measure,
                bool exact);

}  // namespace wick
