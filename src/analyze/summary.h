// SPDX-License-Identifier: Apache-2.0
// The common part of all reports: totals, losses, intervals, and the columns with costs. All
// analyses use it, so a cost has the same unit, share and interval in each of them.
#pragma once

#include <string>
#include <vector>

#include "base/statistics.h"
#include "profile/profile.h"
#include "profile/stack_costs.h"
#include "report/columns.h"
#include "report/report.h"

namespace wick {

// Converts costs of one profile to numbers of its report.
class Measure {
 public:
  Measure(const Profile& profile, const StackCosts& costs);

  double weight(int64_t raw) const { return static_cast<double>(raw) / scale_; }
  double share(int64_t raw) const { return total_ == 0 ? 0 : static_cast<double>(raw) / total_; }
  // False when the input does not say how many samples there were.
  bool has_intervals() const { return samples_ > 0; }
  Interval interval(int64_t raw) const { return share_interval(share(raw), samples_); }
  // Of the cost itself. Filters make it no more certain, although the share of what they retained
  // may be 100 %.
  Interval weight_interval(int64_t raw) const;

 private:
  double scale_;
  double total_;
  double samples_;
};

// The nature of a profile's weights.
enum class Evidence : uint8_t {
  kSamples,  // a random selection: numbers have a count of samples and an interval
  kExact,    // counted completely, such as the bytes of a file: no count and no interval
};

// The loss table as text, without alarms.
std::vector<LossLine> loss_lines(const Profile& profile);

// Whole sentences that say which names or numbers are probably wrong.
std::vector<std::string> alarms(const Profile& profile);

// A report with everything but its sections.
Report start_report(const Profile& profile,
                    const StackCosts& costs,
                    std::string title,
                    Evidence evidence = Evidence::kSamples);

// Columns of `costs`, in their order. "self" gives self, or self_share with its interval.
ReportColumn weight_column(const Measure& measure,
                           const std::string& name,
                           ColumnRole role,
                           const std::vector<Cost>& costs);
ReportColumn share_column(const Measure& measure,
                          const std::string& name,
                          ColumnRole role,
                          const std::vector<Cost>& costs);
ReportColumn samples_column(const std::vector<Cost>& costs);

}  // namespace wick
