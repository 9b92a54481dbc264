// SPDX-License-Identifier: Apache-2.0
#include "profile/polled_tasks.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace wick {
namespace {

constexpr std::array<std::string_view, 14> kMachinery = {"core::",
                                                         "std::",
                                                         "alloc::",
                                                         "tokio::",
                                                         "futures::",
                                                         "futures_util::",
                                                         "futures_core::",
                                                         "futures_executor::",
                                                         "async_std::",
                                                         "async_task::",
                                                         "async_executor::",
                                                         "async_io::",
                                                         "smol::",
                                                         "actix_rt::"};

bool is_machinery(std::string_view path) {
  path.remove_prefix(path.find_first_not_of("<&") == std::string_view::npos
                         ? path.size()
                         : path.find_first_not_of("<&"));
  for (std::string_view word : {"mut ", "dyn "}) {
    path.remove_prefix(path.starts_with(word) ? word.size() : 0);
  }
  return path.empty() || std::ranges::any_of(kMachinery, [&](std::string_view prefix) {
           return path.starts_with(prefix);
         });
}

// "::h0123456789abcdef"
std::string_view without_hash(std::string_view name) {
  constexpr size_t kBytes = 19;
  bool has_hash =
      name.size() > kBytes && name.substr(name.size() - kBytes).starts_with("::h") &&
      name.substr(name.size() - 16).find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return has_hash ? name.substr(0, name.size() - kBytes) : name;
}

// The function whose body a closure is; empty if it is none.
std::string_view function_of_closure(std::string_view name) {
  std::string_view rest = name;
  while (true) {
    size_t last = rest.rfind("::");
    std::string_view part = last == std::string_view::npos ? "" : rest.substr(last + 2);
    bool is_closure = part == "{{closure}}" || part.starts_with("{closure#") ||
                      part.starts_with("{async_") || part.starts_with("{{async_");
    if (!is_closure) {
      return rest.size() == name.size() ? std::string_view() : rest;
    }
    rest = rest.substr(0, last);
  }
}

// "serve(serve(int)::_Z5servei.Frame*) [clone .actor]", or "serve(int) [clone .resume]".
std::string_view coroutine_of(std::string_view name) {
  std::string_view rest = name;
  for (std::string_view word : {"actor", "resume", "destroy", "cleanup"}) {
    for (std::string_view form : {" [clone .", "."}) {
      std::string ending = std::string(form) + std::string(word) + (form == "." ? "" : "]");
      if (name.ends_with(ending)) {
        rest = name.substr(0, name.size() - ending.size());
        rest = form == "." && word != "actor" && !rest.starts_with("_Z") ? name : rest;
      }
    }
  }
  if (rest.size() == name.size()) {
    return {};
  }
  int depth = 0;
  for (size_t i = 0; i < rest.size(); ++i) {
    depth += rest[i] == '<' ? 1 : rest[i] == '>' ? -1 : 0;
    if (rest[i] == '(' && depth == 0 && i > 0) {
      return rest.substr(0, i);
    }
  }
  return rest;
}

}  // namespace

PolledName polled_name(std::string_view function) {
  if (std::string_view coroutine = coroutine_of(function); !coroutine.empty()) {
    return {.task = std::string(coroutine), .is_clear = true};
  }
  std::string_view name = without_hash(function);
  for (std::string_view future :
       {" as core::future::future::Future>::poll", " as core::future::Future>::poll"}) {
    if (name.starts_with('<') && name.ends_with(future)) {
      std::string_view type = name.substr(1, name.size() - 1 - future.size());
      return {.task = is_machinery(type) ? "" : std::string(type),
              .polls = true,
              .is_clear = !is_machinery(type)};
    }
  }
  if (is_machinery(name)) {
    return {.polls = name.find("::poll") != std::string_view::npos ||
                     name.find("::block_on") != std::string_view::npos};
  }
  return {.task = std::string(function_of_closure(name))};
}

void name_polled_tasks(Profile& profile) {
  std::vector<PolledName> functions;
  for (const Function& function : profile.functions) {
    functions.push_back(polled_name(profile.strings[function.name]));
  }
  // By stack: whether it polls, and the function that is its task.
  std::vector<bool> polls(profile.stacks.size());
  std::vector<FunctionId> tasks(profile.stacks.size());
  for (size_t row = 1; row < tasks.size(); ++row) {
    StackId stack = StackId::from_index(row);
    StackId above = profile.stacks.parent(stack);
    FunctionId function = profile.frames[profile.stacks.frame(stack)].function;
    tasks[row] = tasks[above.index()];
    polls[row] = polls[above.index()];
    if (!function.valid() || tasks[row].valid()) {
      continue;
    }
    const PolledName& name = functions[function.index()];
    if (!name.task.empty() && (name.is_clear || polls[row])) {
      tasks[row] = function;
    }
    polls[row] = polls[row] || name.polls;
  }
  if (std::ranges::none_of(tasks, [](FunctionId task) { return task.valid(); })) {
    return;
  }

  std::vector<bool> has_task(profile.label_sets.size());
  for (size_t row = 1; row < has_task.size(); ++row) {
    LabelSetId set = LabelSetId::from_index(row);
    StringId key = profile.labels[profile.label_sets.label(set)].key;
    has_task[row] =
        profile.strings[key] == "task" || has_task[profile.label_sets.parent(set).index()];
  }
  StringId key = profile.strings.append("task");
  std::map<std::string, LabelId, std::less<>> labels;
  std::map<std::pair<uint32_t, uint32_t>, LabelSetId> sets;  // by old set and label
  auto changed = decltype(profile.samples.labels)(kNoLabels);
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    FunctionId task = tasks[profile.samples.stack[row].index()];
    LabelSetId old = profile.samples.labels[row];
    if (!task.valid() || has_task[old.index()]) {
      changed.push_back(old);
      continue;
    }
    const std::string& name = functions[task.index()].task;
    LabelId& label = labels[name];
    if (!label.valid()) {
      label = profile.labels.push_back({.key = key, .text = profile.strings.append(name)});
    }
    LabelSetId& set = sets[{old.value, label.value}];
    if (!set.valid() || set == kNoLabels) {
      set = profile.label_sets.append(old, label);
    }
    changed.push_back(set);
  }
  profile.samples.labels = std::move(changed);
}

}  // namespace wick
