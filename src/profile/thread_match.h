// SPDX-License-Identifier: Apache-2.0
// The samples that --thread, --process and --host select, by the thread of each sample.
//
// A thread can have several names over time. A pattern selects the samples during which the thread
// had a matching name; a number selects all of them. Other rows of the thread remain if any of its
// names matches.
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
  // `text` is a number or a pattern. An Error says why the pattern is wrong, or that the profile
  // has no threads, processes or hosts.
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
  // For threads with several names, in order of time.
  std::unordered_map<uint32_t, std::vector<NameChange>> changes_;
};

}  // namespace wick
