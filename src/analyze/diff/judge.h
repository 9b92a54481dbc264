// From costs to verdicts: what a change is measured in, how sure it is, and whether there is
// evidence for it at all when everything that was compared is taken into account.
//
// One run a side: the samples are a poll, and their clustering in time is allowed for. Several runs
// a side: the spread between runs decides. docs/statistics.md tells the rest.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analyze/diff/united.h"
#include "base/statistics.h"

namespace wick {

// What a cost is divided by, to be compared.
enum class DiffAs {
  kShare,   // everything the run did: shares of its time
  kRun,     // nothing: the runs did the same work
  kSecond,  // the length of the recording: the runs were under the same load
};

enum class Verdict { kNoEvidence, kLess, kMore };
std::string_view verdict_text(Verdict verdict, std::string_view unit);

// Rows with fewer samples on both sides together are not judged: no number of them could be
// evidence after the correction, and they would weaken the evidence for others. The choice does not
// depend on the difference, so it is no peeking.
inline constexpr double kLeastSamples = 10;

class Measuring {
 public:
  // `per`: operations of a run, by side; 1 where nothing was said.
  Measuring(DiffAs as, std::vector<double> per, const United& united);

  DiffAs as() const { return as_; }
  double value(size_t side, size_t run, const Cost& cost) const;
  // Mean over the runs of a side.
  double mean(size_t side, std::span<const Cost> costs) const;
  double mean(size_t side, Measured measure, size_t row) const;
  // The samples behind a row on both sides, 0 when nobody knows.
  double samples(size_t side, std::span<const Cost> costs) const;
  bool knows_samples() const { return knows_samples_; }
  bool has_several_runs() const { return several_runs_; }

  struct Quantity {
    std::vector<std::vector<Cost>> costs;  // by side, by run
    // By side, of its first run: how the samples cluster; empty where that is not known.
    std::vector<Clustering> clustering;
  };
  Difference compare(const Quantity& quantity, size_t side) const;
  // What two sides like this one differ by.
  Difference compare_with_itself(const Quantity& quantity, size_t side) const;

 private:
  // A side's single run as samples.
  Sampled sampled(size_t side, const Quantity& quantity) const;
  // Variance that sampling alone gives the values of a side's runs, around `mean`, of something
  // that has this share of a run: samples come at fixed steps, so their number is not part of it.
  double noise(size_t side, double mean, double share) const;
  double share(const Quantity& quantity, size_t side) const;

  DiffAs as_;
  std::vector<double> per_;
  const United& united_;
  bool knows_samples_ = true;
  bool several_runs_ = false;
};

Measuring::Quantity row_quantity(const United& united, Measured measure, size_t row);
Measuring::Quantity whole_quantity(const United& united);

struct Judged {
  Difference difference;
  double corrected = 1;  // probability after the correction
  Verdict verdict = Verdict::kNoEvidence;
  bool tested = false;
};
// One for each row and each side but the first: [side - 1][row].
struct Judgement {
  std::vector<std::vector<Judged>> sides;
  std::vector<Judged> whole;  // by side - 1: everything together; empty for shares
  size_t comparisons = 0;     // that the correction is for
};
// `exact`: the numbers are no samples (sizes of a file), so any difference is one.
Judgement judge(const United& united, const Measuring& measuring, Measured measure, bool exact);

}  // namespace wick
