// SPDX-License-Identifier: Apache-2.0
// The part of the page's header for each run: title, facts, losses, notes, the sums of its events,
// its CPUs, and the number of its rows in each table. These are the values that a merged profile no
// longer contains.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "profile/profile.h"
#include "viewer/page_tables.h"

namespace wick {

struct PageLoss {
  std::string reason;
  std::string what;
  std::string detail;
  uint64_t count = 0;
  bool is_data_loss = false;
};

struct RunHead {
  std::string title;
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<PageLoss> losses;
  RunRows rows;
  int64_t end_ns = 0;  // time of its last sample
  bool has_time = false;
  size_t repeats = 1;  // how many runs it adds up
};

RunHead head_of(const Profile& profile, std::string title, std::vector<std::string> notes);

// Writes the member "runs".
void write_runs(JsonWriter& json, const Profile& merged, const std::vector<RunHead>& runs);

}  // namespace wick
