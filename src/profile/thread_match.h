// SPDX-License-Identifier: Apache-2.0
// The samples that --thread, --process and --host select, by the thread of each sample.
//
// A thread may have had several names. A pattern selects the samples taken while the thread had a
// matching name; a number selects all of them. Other rows of the thread stay if any of its names
// matches.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

class ThreadMatch {
 public:
  // `text` is a number or a pattern. Errors say what is wrong with the pattern, or what the profile
  // lacks.
  static Result<ThreadMatch> of_threads(const Profile& profile, std::string_view text);
  static Result<ThreadMatch> of_processes(const Profile& profile, std::string_view text);
  static Result<ThreadMatch> of_hosts(const Profile& profile, std::string_view text);

  bool matches(ThreadId thread, int64_t time_ns) const;
  // By thread: whether it matches at any time.
  const std::vector<bool>& threads() const { return threads_; }
  // By source, for of_hosts(): whether it matches. Otherwise empty.
  const std::vector<bool>& sources() const { return sources_; }

 private:
  using NameChange = std::pair<int64_t, bool>;  // start time, and whether the name matches

  std::vector<bool> threads_;
  std::vector<bool> sources_;
  // Of threads that had several names, in order of time.
  std::unordered_map<uint32_t, std::vector<NameChange>> changes_;
};

}  // namespace wick
