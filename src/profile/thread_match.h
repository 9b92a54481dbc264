// Which samples --thread, --process and --host select, by the thread that each belongs to.
//
// A thread may have had several names. A pattern selects its samples from the time when a name
// matched; a number selects them all. What else belongs to the thread stays if any name matches.
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
  // `text` is a number or a pattern. Errors say that the pattern, or the profile, does not allow
  // it.
  static Result<ThreadMatch> of_threads(const Profile& profile, std::string_view text);
  static Result<ThreadMatch> of_processes(const Profile& profile, std::string_view text);
  static Result<ThreadMatch> of_hosts(const Profile& profile, std::string_view text);

  bool matches(ThreadId thread, int64_t time_ns) const;
  // By thread: whether it matches at any time.
  const std::vector<bool>& threads() const { return threads_; }
  // By source, of hosts: whether it matches. Otherwise empty.
  const std::vector<bool>& sources() const { return sources_; }

 private:
  using NameChange = std::pair<int64_t, bool>;  // from when, whether the name matches

  std::vector<bool> threads_;
  std::vector<bool> sources_;
  // Of threads that had several names: in order of time.
  std::unordered_map<uint32_t, std::vector<NameChange>> changes_;
};

}  // namespace wick
