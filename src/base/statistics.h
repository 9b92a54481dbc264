// Statistics for comparing measurements: intervals, differences, corrections, and how much must be
// measured. Pure functions on numbers; docs/statistics.md tells the methods, their sources and what
// they assume.
//
//     one run a side       a share (or a count) of samples each side; sampling is the only spread
//     several runs a side  one number a run; the spread between runs decides
//
// A difference is after minus before. Its interval is for this one comparison; whoever makes many
// corrects their probabilities together (holm).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace wick {

inline constexpr double kLevel = 0.05;  // evidence is what chance gives less often than this
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

struct Interval {
  double low = 0;
  double high = 1;
};

// Of at least one value.
double mean(std::span<const double> values);
double median(std::vector<double> values);

// Several runs of the same thing, one number each: what is typical, and how sure that is.
struct RunSummary {
  size_t runs = 0;
  double median = 0;
  double least = 0;
  double most = 0;
  double deviation = 0;  // standard deviation between the runs; not a number for one run
  double low = 0;        // 95 % interval of the median; not numbers for one run
  double high = 0;
};
// Of at least one value. From six runs on the interval is that of order statistics, which assumes
// nothing about how runs vary; fewer cannot give one, and Student's for the mean is taken, widened
// to hold the median.
RunSummary summarise_runs(std::span<const double> values);

// How sure a share is. A sampled profile is a poll: a share of n samples comes with a 95 %
// interval. Wilson's score interval: unlike the textbook "p +- 1.96 sqrt(p(1-p)/n)" it never leaves
// 0..1, is not empty at 0 samples, and keeps its promise for small shares, which is where most
// functions are. `samples` may be fractional: the effective number of equally weighted samples.
Interval share_interval(double share, double samples);

// `count` samples out of `samples`, each worth `unit` of what is compared. Numbers may be
// fractional (effective samples).
struct Sampled {
  double count = 0;
  double samples = 0;    // 0: a count of its own, no share of anything
  double unit = 1;       // value of one sample: 1 / samples for a share
  double degrees = 1e9;  // how well the clustering behind count is known
  double value() const { return count * unit; }
};

struct Difference {
  double change = 0;
  double low = 0;  // 95 % interval of the change
  double high = 0;
  double probability = 1;  // of a change as large as this one, or larger, where there is none
  double error = 0;        // standard error of the change: what a plan for more is made from
  double degrees = 1e9;    // of freedom of that error, for Student's t
};

// One run a side.
Difference compare_sampled(const Sampled& before, const Sampled& after);

// Several runs a side, one number each. `noise` is the variance that sampling alone gives a run's
// number: the spread between a few runs may come out smaller than that by luck, and is then not
// believed. A side of one run borrows the other's spread.
struct Runs {
  std::span<const double> values;
  double noise = 0;
};
Difference compare_runs(const Runs& before, const Runs& after);

// Probabilities of several comparisons, corrected so that the chance that any of them is below a
// limit by accident is at most that limit (Holm 1979).
std::vector<double> holm(std::span<const double> probabilities);

// How much clustered samples are worth. Counts of one thing in consecutive blocks of a recording
// vary more than independent samples would when samples come in bursts; the design effect is that
// ratio, 1 or more. Fed block by block, sparse: blocks without any are left out.
class Clustering {
 public:
  // `block` never falls; `all` are the counts of everything, by block.
  void add(uint32_t block, double count, std::span<const double> all);
  // Closes the last block.
  void finish(std::span<const double> all);

  // For a share of all samples, and for a count of its own.
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
  double squares_ = 0;   // of the steps from block to block
  double products_ = 0;  // of its steps and those of everything
};

// What a plan assumes: the share of wanted findings that are found, and the chance of a false one
// among all comparisons.
struct PlanFor {
  double power = 0.8;
  double level = 0.05;
  double comparisons = 1;
};
// The smallest change that a comparison with the error of this one finds.
double detectable_change(const Difference& measured, const PlanFor& plan);
// How many times as much must be measured, on both sides, until `change` is found. More of it makes
// the error smaller, and better known: its degrees grow as that many times to the power `growth` (1
// for runs, 0.5 for the blocks of one run).
double times_as_much(const Difference& measured, double change, const PlanFor& plan, double growth);

}  // namespace wick
