// SPDX-License-Identifier: Apache-2.0
// Properties of the machines of two sides that make the same work cost differently. Recordings store
// them as facts (capture/facts.cc), sweeps with their results.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/diff/diff.h"

namespace wick {

// "The mitigations of processor vulnerabilities differ: meltdown (PTI before, none after) ...", from
// the texts of record/mitigations.h. Empty if they are equal, or one is unknown (empty).
std::string mitigation_change(std::string_view before, std::string_view after);

// Adds a note if the first run of a side has other mitigations than the first run of the first side.
void add_machine_notes(std::span<const Side> sides, std::vector<std::string>& notes);

}  // namespace wick
