// SPDX-License-Identifier: Apache-2.0
#include "profile/thread_match.h"

#include <algorithm>

#include "base/parse_number.h"
#include "base/pattern.h"
#include "profile/names.h"

namespace wick {
namespace {

bool is_number(int64_t number, std::string_view text) {
  return parse_number<int64_t>(text) == number;
}

Result<> check_threads(const Profile& profile, std::string_view flag) {
  if (profile.threads.empty()) {
    return fail("--{} cannot be used: this input does not say which thread a sample belongs to.",
                flag);
  }
  return {};
}

}  // namespace

Result<ThreadMatch> ThreadMatch::of_threads(const Profile& profile, std::string_view text) {
  TRY(check_threads(profile, "thread"));
  Pattern pattern = TRY(Pattern::compile(text));
  ThreadMatch match;
  std::vector<bool> by_number;
  for (const Thread& thread : profile.threads) {
    by_number.push_back(is_number(thread.tid, text));
    match.threads_.push_back(by_number.back() || pattern.matches(profile.strings[thread.name]));
  }
  for (const ThreadName& name : profile.thread_names) {
    if (name.thread.valid() && !by_number[name.thread.index()]) {
      bool matches = pattern.matches(profile.strings[name.name]);
      match.changes_[name.thread.value].emplace_back(name.time_ns, matches);
    }
  }
  for (auto& [thread, changes] : match.changes_) {
    std::ranges::stable_sort(changes, {}, &NameChange::first);
    match.threads_[thread] = std::ranges::any_of(changes, &NameChange::second);
  }
  return match;
}

Result<ThreadMatch> ThreadMatch::of_processes(const Profile& profile, std::string_view text) {
  TRY(check_threads(profile, "process"));
  Pattern pattern = TRY(Pattern::compile(text));
  ThreadMatch match;
  for (const Thread& thread : profile.threads) {
    const Process* process = thread.process.valid() ? &profile.processes[thread.process] : nullptr;
    match.threads_.push_back(
        process != nullptr &&
        (is_number(process->pid, text) || pattern.matches(profile.strings[process->name])));
  }
  return match;
}

Result<ThreadMatch> ThreadMatch::of_hosts(const Profile& profile, std::string_view text) {
  if (profile.sources.empty()) {
    return fail("--host cannot be used: this input does not say which machine it comes from.");
  }
  Pattern pattern = TRY(Pattern::compile(text));
  ThreadMatch match;
  for (size_t row = 0; row < profile.sources.size(); ++row) {
    SourceId id = SourceId::from_index(row);
    match.sources_.push_back(pattern.matches(profile.strings[profile.sources[id].host]) ||
                             pattern.matches(source_name(profile, id)));
  }
  for (size_t row = 0; row < profile.threads.size(); ++row) {
    SourceId source = source_of(profile, ThreadId::from_index(row));
    match.threads_.push_back(source.valid() && match.sources_[source.index()]);
  }
  return match;
}

bool ThreadMatch::matches(ThreadId thread, int64_t time_ns) const {
  if (!thread.valid() || !threads_[thread.index()]) {
    return false;
  }
  auto found = changes_.find(thread.value);
  if (found == changes_.end()) {
    return true;
  }
  const std::vector<NameChange>& changes = found->second;
  auto later = std::ranges::upper_bound(changes, time_ns, {}, &NameChange::first);
  return later == changes.begin() ? changes.front().second : std::prev(later)->second;
}

}  // namespace wick
