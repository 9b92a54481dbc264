// SPDX-License-Identifier: Apache-2.0
// Statistics for comparing measurements: intervals, differences, corrections, and how much data a
// comparison needs. Pure functions on numbers; docs/statistics.md describes the methods, their
// sources and their assumptions.
//
//     one run a side       a share (or a count) of samples each side; sampling is the only spread
//     several runs a side  one number a run; the spread between runs decides
//
// A difference is after minus before. Its interval is valid for a single comparison. A caller that
// makes many comparisons must correct their probabilities together (holm).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace wick {

inline constexpr double kLevel = 0.05;  // chance gives evidence less often than this
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

struct Interval {
  double low = 0;
  double high = 1;
};

// Both need at least one value.
double mean(std::span<const double> values);
double median(std::vector<double> values);

// Several runs of the same program, one number each: the typical value and its uncertainty.
struct RunSummary {
  size_t runs = 0;
  double median = 0;
  double least = 0;
  double most = 0;
  double deviation = 0;  // standard deviation between the runs; not a number for one run
  double low = 0;        // 95 % interval of the median; not numbers for one run
  double high = 0;
};
// Needs at least one value. From six runs on the interval comes from order statistics, which assume
// nothing about how runs vary. Fewer runs cannot give such an interval; they get Student's for the
// mean, widened to include the median.
RunSummary summarise_runs(std::span<const double> values);

// The uncertainty of a share. A sampled profile is a poll: a share of n samples has a 95 %
// interval. This is Wilson's score interval. Unlike the textbook "p +- 1.96 sqrt(p(1-p)/n)" it
// stays within 0..1, is not empty at 0 samples, and covers as promised for small shares, which most
// functions have. `samples` may be fractional: the effective number of equally weighted samples.
Interval share_interval(double share, double samples);
// The uncertainty of an amount that `count` samples represent, as a number of samples. A cost in
// seconds is such an amount, also after filters: the number of samples that a filter retains is as
// random as that of a function, so the share of the retained samples says nothing about it. This is
// the score interval of a Poisson count; `count` may be fractional.
Interval count_interval(double count);

// `count` samples out of `samples`, each worth `unit` of the compared quantity. Numbers may be
// fractional (effective samples).
struct Sampled {
  double count = 0;
  double samples = 0;    // 0: `count` is not a share of anything
  double unit = 1;       // value of one sample: 1 / samples for a share
  double degrees = 1e9;  // how well the clustering in count is known
  double value() const { return count * unit; }
};

struct Difference {
  double change = 0;
  double low = 0;  // 95 % interval of the change
  double high = 0;
  double probability = 1;  // of a change at least as large as this one if there is none
  double error = 0;        // standard error of the change; plans start from it
  double degrees = 1e9;    // degrees of freedom of that error, for Student's t
};

// Compares one run on each side.
Difference compare_sampled(const Sampled& before, const Sampled& after);

// The mean without the fifth that is smallest and the fifth that is largest, so that one disturbed
// run among five cannot decide. Fewer than five values have nothing to leave out: all of them
// count. Of at least one value.
double trimmed_mean(std::span<const double> values);

// Several runs on each side that were not made in turns, one number each. The change is that of the
// trimmed means. Its interval and probability are Yuen's (1974) for two samples, with
// Satterthwaite's degrees of freedom, but at most those of sides that vary alike. With fewer than
// five runs on each side nothing is trimmed: then it is Welch's test. `noise` is the variance that
// sampling alone gives to a run's number: the spread between a few runs may be smaller than that by
// luck, and `noise` is then used instead. A side of one run borrows the other side's spread.
struct Runs {
  std::span<const double> values;
  double noise = 0;
};
Difference compare_runs(const Runs& before, const Runs& after);

// Pairs of runs that were made in turns, one difference (after minus before) a pair. The change is
// their trimmed mean; its interval and probability are Yuen's (1974), with a standard error that is
// 1/n larger, so that it has its level from five pairs on. Fewer than five pairs have nothing to
// trim: then it is Student's. `noise` is as in Runs, but of a difference. Of at least one
// difference; one alone has no interval (not numbers) and is not evidence. docs/decisions/0016 says
// why not another test.
Difference compare_pairs(std::span<const double> differences, double noise = 0);
// The pairs whose differences the change is the mean of, in order.
std::vector<size_t> pairs_that_count(std::span<const double> differences);

// By value: whether it is far from the others, by a quarter or more, and by more than eight times
// their usual distance from the median (the scaled median of the distances, which a few such values
// do not change). Of a distance of a factor of two or more, five times are enough: on a busy
// machine, where all values vary, these are the values that matter. Distances are ratios, so values
// of zero or less are never far. With fewer than three values none is.
std::vector<bool> far_from_others(std::span<const double> values);

// Corrects the probabilities of several comparisons, so that the chance that any of them is below a
// limit by accident is at most that limit (Holm 1979).
std::vector<double> holm(std::span<const double> probabilities);

// How many independent samples clustered samples are worth. If samples come in bursts, the counts
// of one thing in consecutive blocks of a recording vary more than those of independent samples.
// The design effect is that ratio, 1 or more. Add the blocks in order; skip blocks that have none.
class Clustering {
 public:
  // `block` never decreases; `all` has the counts of all samples, by block.
  void add(uint32_t block, double count, std::span<const double> all);
  // Closes the last block.
  void finish(std::span<const double> all);

  // The design effect for a share of all samples, and for a count that is not a share.
  double share_effect(double share, std::span<const double> all) const;
  double count_effect(std::span<const double> all) const;

 private:
  void close(std::span<const double> all);
  void add_step(double step, double all_step);

  static constexpr uint32_t kNoBlock = UINT32_MAX;
  uint32_t block_ = kNoBlock;
  double count_ = 0;     // in that block
  double previous_ = 0;  // in the block before
  double total_ = 0;
  double squares_ = 0;   // sum of squared steps from block to block
  double products_ = 0;  // sum of products of these steps and the steps of all samples
};

// Assumptions of a plan: the probability of finding a real change, and the probability of a false
// one among all comparisons.
struct PlanFor {
  double power = 0.8;
  double level = 0.05;
  double comparisons = 1;
};
// The smallest change that a comparison with this error can detect.
double detectable_change(const Difference& measured, const PlanFor& plan);
// How many times as long one run of each side must be until `change` is detected. More samples make
// the error smaller, and better known: its degrees, which come from the blocks of the run, grow as
// the square root of this factor.
double times_as_long(const Difference& measured, double change, const PlanFor& plan);
// How many runs each side needs until compare_runs detects `change`. `measured` is from `runs` of
// them, at least two. From five on the trimmed ends cost power, which this number includes.
double runs_needed(const Difference& measured, size_t runs, double change, const PlanFor& plan);

}  // namespace wick
