// SPDX-License-Identifier: Apache-2.0
// Makes the tables of a comparison. diff.h lists their columns, and scripts depend on the names.
#pragma once

#include "analyze/diff/diff.h"

namespace wick {

struct Compared {
  const AlignedRuns& aligned;
  const Measuring& measuring;
  const Measuring& shares;  // the same in shares
  const Judgement& judgement;
  const DiffOptions& options;
  std::string_view unit;

  // The words of the verdicts on rows, and on the whole program.
  VerdictOn on_rows() const {
    return options.as == DiffAs::kShare ? VerdictOn::kShare : on_whole();
  }
  VerdictOn on_whole() const { return unit == "bytes" ? VerdictOn::kSize : VerdictOn::kTime; }
};

// The rows to list, in order.
std::vector<uint32_t> listed_rows(const Compared& compared);
Table diff_table(const Compared& compared, const std::vector<uint32_t>& rows);
// The whole program, side by side; only for costs.
Table whole_table(const Compared& compared);
Table sides_table(std::span<const Side> sides, const AlignedRuns& aligned);

}  // namespace wick
