// SPDX-License-Identifier: Apache-2.0
// The flat table: the cost of each function, or of any other property of a sample or frame.
//
//     self    samples in which the row was the leaf: time spent in it
//     total   samples in which the row was anywhere in the stack: with its callees. If the input
//             states the totals of functions beside its stacks (TotalCorrection), those
//
// A recursive function counts once in a stack, so a total never exceeds the whole. Selfs add up to
// the whole. Rows by thread, process, host, CPU or label have no order in the stack: self and total
// are the same there, and only the total is shown.
#pragma once

#include <optional>
#include <string_view>

#include "analyze/analyses.h"
#include "analyze/areas.h"
#include "analyze/summary.h"

namespace wick {

enum class FlatBy {
  kFunction,
  kModule,
  kThread,
  kProcess,
  kHost,
  kCpu,
  kLine,
  kOffset,
  kFunctionOffset,
  kMode,
  kLanguage,
  kLabel,
};

enum class FlatSort { kSelf, kTotal, kName };

struct FlatOptions {
  FlatBy by = FlatBy::kFunction;
  std::string label = {};  // the key, for kLabel
  FlatSort sort = FlatSort::kSelf;
  double min_share = 0;    // rows with a smaller share (self and total) are counted, not listed
  double per = 0;          // operations of the run; 0 if not given
  AreaOptions areas = {};  // if there are any: adds a table of them
  Evidence evidence = Evidence::kSamples;
};

Report flat(const Profile& profile, const FlatOptions& options);

std::span<const Flag> flat_flags();
Result<Report> run_flat(const Profile& profile, std::string_view argument, const FlagValues& flags);

}  // namespace wick
