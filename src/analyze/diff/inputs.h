// SPDX-License-Identifier: Apache-2.0
// Checks which inputs can be compared, and starts the report of a comparison. Sides without
// samples and events that do not fit together are Errors, so the later steps need no checks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/diff/diff.h"

namespace wick {

// "function", "module" ..., or the key of the label.
std::string by_text(const DiffOptions& options);
// Sets `by` and `label`. An Error when no run has the label.
Result<> parse_by(std::string_view word, std::span<const Side> sides, DiffOptions& options);

// The unit of a profile's samples. The profile must have samples.
std::string unit_of(const Profile& profile);

// An Error for a run without samples.
Result<> check_samples(std::span<const Side> sides);
// Different events can be compared only if both measure CPU time, and then as shares.
Result<> check_events(std::span<const Side> sides, DiffAs as, std::vector<std::string>& notes);
Result<> check_seconds(const AlignedRuns& aligned, DiffAs as);

std::vector<double> per_side(const DiffOptions& options, size_t sides);
// Includes the losses of all runs.
Report start_comparison(std::span<const Side> sides, std::string title);
// The options must outlive the returned value.
AlignOptions align_options(const DiffOptions& options, bool one_run);

}  // namespace wick
