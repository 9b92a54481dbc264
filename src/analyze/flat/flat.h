// The flat table: where the time goes, by function or by anything else a sample or frame is known
// by.
//
//     self    samples in which the row was the leaf: time spent in it
//     total   samples in which the row was anywhere in the stack: with what it called
//
// A function that calls itself counts once in a stack, so a total never exceeds the whole. Selfs
// add up to the whole. Rows by thread, process, host, CPU or label have no stack order: there self
// and total are the same, and only the total is shown.
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
  kLabel,
};

enum class FlatSort { kSelf, kTotal, kName };

struct FlatOptions {
  FlatBy by = FlatBy::kFunction;
  std::string label = {};  // the key, for kLabel
  FlatSort sort = FlatSort::kSelf;
  double min_share = 0;          // rows below this share (self and total) are counted, not listed
  double per = 0;                // operations the run did; 0 for none
  std::vector<Area> areas = {};  // adds a table of named areas
  Evidence evidence = Evidence::kSamples;
};

Report flat(const Profile& profile, const FlatOptions& options);

std::span<const Flag> flat_flags();
Result<Report> run_flat(const Profile& profile, std::string_view argument, const FlagValues& flags);

}  // namespace wick
