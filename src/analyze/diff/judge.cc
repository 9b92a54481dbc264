// SPDX-License-Identifier: Apache-2.0
// How a change becomes a verdict. Measuring converts the costs of each run to comparable numbers
// (shares, or cost per run or second). Then it chooses a test by the runs that it has:
//
//   one run a side, samples known     the counts of samples (compare_sampled). Clustered samples
//                                     count as fewer: the design effect divides their number.
//   several runs on any side          the spread between runs (compare_runs), never less than the
//                                     noise that sampling alone gives. The smallest and the largest
//                                     fifth of five runs or more are left out, row by row.
//   neither                           no test: only the size of the change
//   exact numbers (sizes)             no test: any difference counts
//
// Judge collects the probabilities of all rows with at least kLeastSamples and corrects them
// together (Holm). Invariant: whether a row is tested must not depend on its difference, or the
// error rate of 5 % does not hold.
#include "analyze/diff/judge.h"

#include <algorithm>
#include <cmath>

namespace wick {
namespace {

double weight_of(const Cost& cost) {
  return static_cast<double>(cost.weight);
}

}  // namespace

Tone verdict_tone(Verdict verdict, VerdictOn on) {
  if (verdict != Verdict::kMore && verdict != Verdict::kLess) {
    return Tone::kNeutral;
  }
  bool is_more = verdict == Verdict::kMore;
  return on == VerdictOn::kShare ? (is_more ? Tone::kMore : Tone::kLess)
                                 : (is_more ? Tone::kBad : Tone::kGood);
}

Measuring::Measuring(DiffAs as, std::vector<double> per, const AlignedRuns& aligned)
    : as_(as), per_(std::move(per)), aligned_(aligned) {
  for (const AlignedSide& side : aligned.sides) {
    several_runs_ = several_runs_ || side.runs.size() > 1;
    for (const AlignedRun& run : side.runs) {
      knows_samples_ = knows_samples_ && run.samples > 0;
    }
  }
}

double Measuring::value(size_t side, size_t run_number, const Cost& cost) const {
  const AlignedRun& run = aligned_.sides[side].runs[run_number];
  switch (as_) {
    case DiffAs::kShare:
      return run.whole.weight == 0 ? 0 : weight_of(cost) / weight_of(run.whole);
    case DiffAs::kRun:
      return weight_of(cost) / run.scale / per_[side];
    case DiffAs::kSecond:
      return run.seconds == 0 ? 0 : weight_of(cost) / run.scale / run.seconds / per_[side];
  }
  return 0;
}

std::vector<double> Measuring::values(size_t side, std::span<const Cost> costs) const {
  std::vector<double> result;
  for (size_t run = 0; run < costs.size(); ++run) {
    result.push_back(value(side, run, costs[run]));
  }
  return result;
}

double Measuring::typical(size_t side, std::span<const Cost> costs) const {
  return costs.empty() ? 0 : trimmed_mean(values(side, costs));
}

double Measuring::typical(size_t side, Measured measure, size_t row) const {
  const std::vector<AlignedRun>& runs = aligned_.sides[side].runs;
  std::vector<double> of_runs;
  for (size_t run = 0; run < runs.size(); ++run) {
    of_runs.push_back(value(side, run, runs[run].costs(measure)[row]));
  }
  return trimmed_mean(of_runs);
}

double Measuring::mean(size_t side, Measured measure, size_t row) const {
  const std::vector<AlignedRun>& runs = aligned_.sides[side].runs;
  double sum = 0;
  for (size_t run = 0; run < runs.size(); ++run) {
    sum += value(side, run, runs[run].costs(measure)[row]);
  }
  return sum / static_cast<double>(runs.size());
}

double Measuring::samples(size_t side, std::span<const Cost> costs) const {
  double sum = 0;
  for (size_t i = 0; i < costs.size(); ++i) {
    const AlignedRun& run = aligned_.sides[side].runs[i];
    sum += run.whole.weight == 0 ? 0 : run.samples * weight_of(costs[i]) / weight_of(run.whole);
  }
  return sum;
}

Sampled Measuring::sampled(size_t side, const Quantity& quantity) const {
  const AlignedRun& run = aligned_.sides[side].runs[0];
  Cost cost = quantity.costs[side][0];
  double count = samples(side, quantity.costs[side]);
  double effect = 1;
  Sampled result;
  if (side < quantity.clustering.size() && !run.blocks.empty()) {
    const Clustering& clustering = quantity.clustering[side];
    effect = as_ == DiffAs::kShare
                 ? clustering.share_effect(weight_of(cost) / weight_of(run.whole), run.blocks)
                 : clustering.count_effect(run.blocks);
    result.degrees = static_cast<double>(run.blocks.size() - 1);
  }
  // Rao and Scott 1992: divide the number of clustered samples by the design effect.
  result.count = count / effect;
  result.samples = as_ == DiffAs::kShare ? run.samples / effect : 0;
  result.unit = value(side, 0, run.whole) / run.samples * effect;
  return result;
}

double Measuring::share(const Quantity& quantity, size_t side) const {
  double weight = 0;
  double whole = 0;
  for (size_t run = 0; run < quantity.costs[side].size(); ++run) {
    weight += weight_of(quantity.costs[side][run]);
    // The number of samples that a filter retains is random, so what it retained of a run is a
    // share, not all of it.
    const AlignedRun& of = aligned_.sides[side].runs[run];
    whole += weight_of(of.whole) / (as_ == DiffAs::kShare ? 1 : of.retained);
  }
  return whole > 0 ? weight / whole : 0;
}

double Measuring::noise(size_t side, double typical_value, double share_of_run) const {
  double sum = 0;
  const std::vector<AlignedRun>& runs = aligned_.sides[side].runs;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].samples <= 0) {
      return 0;
    }
    double unit = value(side, i, runs[i].whole) / runs[i].samples;
    sum += typical_value * (1 - share_of_run) * unit;
  }
  return sum / static_cast<double>(runs.size());
}

Difference Measuring::compare(const Quantity& quantity, size_t side) const {
  if (!several_runs_) {
    if (!knows_samples_) {
      double change = typical(side, quantity.costs[side]) - typical(0, quantity.costs[0]);
      return {.change = change, .low = change, .high = change};
    }
    return compare_sampled(sampled(0, quantity), sampled(side, quantity));
  }
  std::vector<double> before = values(0, quantity.costs[0]);
  std::vector<double> after = values(side, quantity.costs[side]);
  if (before.size() == 1 && after.size() == 1) {  // only another side has several
    return compare_sampled(sampled(0, quantity), sampled(side, quantity));
  }
  double middle = (trimmed_mean(before) + trimmed_mean(after)) / 2;
  return compare_runs({.values = before, .noise = noise(0, middle, share(quantity, 0))},
                      {.values = after, .noise = noise(side, middle, share(quantity, side))});
}

Difference Measuring::compare_with_itself(const Quantity& quantity, size_t side) const {
  const std::vector<Cost>& costs = quantity.costs[side];
  if (costs.size() == 1) {
    Sampled one = sampled(side, quantity);
    return compare_sampled(one, one);
  }
  std::vector<double> of_runs = values(side, costs);
  Runs runs{.values = of_runs, .noise = noise(side, trimmed_mean(of_runs), share(quantity, side))};
  return compare_runs(runs, runs);
}

Measuring::Quantity row_quantity(const AlignedRuns& aligned, Measured measure, size_t row) {
  Measuring::Quantity quantity;
  for (const AlignedSide& side : aligned.sides) {
    std::vector<Cost>& costs = quantity.costs.emplace_back();
    for (const AlignedRun& run : side.runs) {
      costs.push_back(run.costs(measure)[row]);
    }
    const std::vector<Clustering>& clustering = side.runs[0].clustering;
    quantity.clustering.push_back(row < clustering.size() ? clustering[row] : Clustering());
  }
  return quantity;
}

Measuring::Quantity whole_quantity(const AlignedRuns& aligned) {
  Measuring::Quantity quantity;
  for (const AlignedSide& side : aligned.sides) {
    std::vector<Cost>& costs = quantity.costs.emplace_back();
    for (const AlignedRun& run : side.runs) {
      costs.push_back(run.whole);
    }
    quantity.clustering.push_back(side.runs[0].whole_clustering);
  }
  return quantity;
}

namespace {

Verdict direction(double change) {
  return change > 0 ? Verdict::kMore : change < 0 ? Verdict::kLess : Verdict::kNoEvidence;
}

// Collects the comparisons and corrects them together.
class Judge {
 public:
  Judge(const Measuring& measuring, bool exact) : measuring_(measuring), exact_(exact) {}

  // `judged` must not move until finish().
  void add(const Measuring::Quantity& quantity, size_t side, Judged& judged) {
    double samples =
        measuring_.samples(0, quantity.costs[0]) + measuring_.samples(side, quantity.costs[side]);
    if (samples <= 0 && measuring_.knows_samples()) {
      return;
    }
    judged.difference = measuring_.compare(quantity, side);
    if (exact_) {
      judged.verdict = direction(judged.difference.change);
    } else if (measuring_.knows_samples() ? samples >= kLeastSamples
                                          : measuring_.has_several_runs()) {
      judged.tested = true;
      tested_.push_back(&judged);
    }
  }

  // Returns the number of comparisons.
  size_t finish() {
    std::vector<double> probabilities;
    for (const Judged* judged : tested_) {
      probabilities.push_back(judged->difference.probability);
    }
    std::vector<double> corrected = holm(probabilities);
    for (size_t i = 0; i < tested_.size(); ++i) {
      tested_[i]->corrected = corrected[i];
      tested_[i]->verdict =
          corrected[i] < kLevel ? direction(tested_[i]->difference.change) : Verdict::kNoEvidence;
    }
    return tested_.size();
  }

 private:
  const Measuring& measuring_;
  bool exact_;
  std::vector<Judged*> tested_;
};

}  // namespace

Judgement judge(const AlignedRuns& aligned,
                const Measuring& measuring,
                Measured measure,
                bool exact) {
  Judgement judgement;
  size_t others = aligned.sides.size() - 1;
  judgement.sides.resize(others, std::vector<Judged>(aligned.rows()));
  judgement.whole.resize(measuring.as() == DiffAs::kShare ? 0 : others);
  Judge judge(measuring, exact);
  for (size_t row = 0; row < aligned.rows(); ++row) {
    Measuring::Quantity quantity = row_quantity(aligned, measure, row);
    for (size_t side = 1; side <= others; ++side) {
      judge.add(quantity, side, judgement.sides[side - 1][row]);
    }
  }
  for (size_t side = 1; side <= judgement.whole.size(); ++side) {
    judge.add(whole_quantity(aligned), side, judgement.whole[side - 1]);
  }
  judgement.comparisons = judge.finish();
  return judgement;
}

}  // namespace wick
