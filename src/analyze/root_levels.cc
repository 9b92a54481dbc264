// SPDX-License-Identifier: Apache-2.0
#include "analyze/root_levels.h"

#include <map>

#include <fmt/format.h>

#include "profile/map_stacks.h"
#include "profile/names.h"

namespace wick {
namespace {

std::string process_level(const Profile& profile, ThreadId thread) {
  ProcessId process = thread.valid() ? profile.threads[thread].process : ProcessId();
  std::string_view name = process.valid() ? profile.strings[profile.processes[process].name] : "";
  return fmt::format("process {}", name.empty() ? process_name(profile, process) : name);
}

std::string thread_level(const Profile& profile, ThreadId thread) {
  std::string_view name = thread.valid() ? profile.strings[profile.threads[thread].name] : "";
  return fmt::format("thread {}", name.empty() ? thread_name(profile, thread) : name);
}

}  // namespace

Result<Profile> with_roots(const Profile& profile,
                           const RootGroups& groups,
                           std::string_view advice,
                           size_t most_stacks) {
  Profile split = profile;
  StringInterner strings(std::move(split.strings));
  StackVersions versions(profile.stacks);
  std::map<std::string, FrameId> frames;     // by name
  std::vector<StackId> roots(groups.count);  // by group, made when the first sample needs it
  auto root_of = [&](size_t group) {
    if (roots[group].valid()) {
      return roots[group];
    }
    StackId root = kEmptyStack;
    for (const std::string& name : groups.names(group)) {
      FrameId& frame = frames[name];
      if (!frame.valid()) {
        FunctionId function = split.functions.push_back({.name = strings.intern(name)});
        frame = split.frames.push_back({.function = function});
      }
      root = versions.stacks().intern(root, frame);
    }
    return roots[group] = root;
  };
  auto moved = [&](StackId stack, size_t group) {
    StackId root = root_of(group);
    auto start_of = [&](StackId at) { return at == kEmptyStack ? root : StackId(); };
    return versions.copy(stack, group, start_of, [](FrameId frame) { return frame; });
  };
  Column<StackId> stacks(kEmptyStack);
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    stacks.push_back(moved(profile.samples.stack[row], groups.of_sample(row)));
    if (versions.size() > most_stacks) {
      return fail("{}", advice);
    }
  }
  for (Span& span : split.spans) {
    size_t group = groups.of_span(span);
    span.stack = moved(span.stack, group);
    span.waker_stack = moved(span.waker_stack, group);
  }
  split.strings = strings.release();
  split.samples.stack = std::move(stacks);
  split.stacks = versions.stacks().release();
  return split;
}

Result<Profile> with_threads_at_root(const Profile& profile,
                                     RootLevels levels,
                                     size_t most_stacks) {
  std::map<std::vector<std::string>, size_t> numbers;
  std::vector<std::vector<std::string>> names;
  std::vector<size_t> group_of(profile.threads.size() + 1);  // by thread; the last one: no thread
  for (size_t row = 0; row < group_of.size(); ++row) {
    ThreadId thread = row < profile.threads.size() ? ThreadId::from_index(row) : ThreadId();
    std::vector<std::string> levels_of_it = {process_level(profile, thread)};
    if (levels == RootLevels::kProcessAndThread) {
      levels_of_it.push_back(thread_level(profile, thread));
    }
    auto [known, is_new] = numbers.try_emplace(levels_of_it, names.size());
    if (is_new) {
      names.push_back(std::move(levels_of_it));
    }
    group_of[row] = known->second;
  }
  auto of_thread = [&](ThreadId thread) {
    return group_of[thread.valid() ? thread.index() : profile.threads.size()];
  };
  return with_roots(
      profile,
      {.count = names.size(),
       .of_sample = [&](size_t row) { return of_thread(profile.samples.thread[row]); },
       .of_span = [&](const Span& span) { return of_thread(span.thread); },
       .names = [&](size_t group) { return names[group]; }},
      "There are too many threads for all their stacks; choose some with --thread or --process.",
      most_stacks);
}

}  // namespace wick
