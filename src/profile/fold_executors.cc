// SPDX-License-Identifier: Apache-2.0
#include "profile/fold_executors.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include <fmt/format.h>

#include "profile/map_stacks.h"
#include "profile/names.h"

namespace wick {
namespace {

// Only the machinery: what a program asks a runtime for (a socket, a timer) stays visible. A
// program's own futures stay visible, too: "<app::Request as core::future::future::Future>::poll".
constexpr std::string_view kExecutors = R"(
tokio       = ^<?tokio::(runtime|task|park|coop|loom|macros|sync::oneshot::Inner|util::(wake|once_cell|atomic_cell|trace))\b
async-std   = ^<?(async_std::(task|rt)|async_executor|async_task|async_io::(driver|reactor)|async_global_executor|blocking|smol|pollster)\b
futures     = ^<?futures(_util|_core|_executor|_task)?::(future|stream|task|executor|local_pool|thread_pool|unfold_state)\b
std::future = ^<?(core|std)::future::|^<(core|alloc|std)::[^ ]* as core::future::(future::Future|into_future::IntoFuture)>::
actix       = ^<?actix_(rt|server::worker|http::h1::dispatcher)\b
boost.asio  = ^(void |auto |std::size_t |unsigned long )?(boost::)?asio::(detail|execution|io_context|io_service|executor|any_|thread_pool|strand|dispatch|post|defer|co_spawn|awaitable|async_result)
folly       = ^(void |auto )?folly::(coro::(detail|Task|ViaCoroutine)|futures::detail|Executor|EventBase|IOThreadPool|CPUThreadPool|ThreadPoolExecutor|detail::function)
seastar     = ^(void |auto )?seastar::(reactor|smp|task|continuation|internal|future|noncopyable_function|app_template)
coroutine   = ^(void )?std::(__n4861::|__1::)?(experimental::)?coroutine_handle<.*::resume
libuv       = ^uv__|^uv_run$
libevent    = ^event_(base_loop|base_dispatch|process_active.*)$|^ev_(run|invoke_pending)$
asyncio     = ^py::.*[/]asyncio/[a-z_]*\.py
kotlin      = ^kotlinx[./]coroutines[./]|^kotlin[./]coroutines[./]
)";

constexpr std::string_view kGlue = R"(
rust = ^<?(std::panicking|std::panic|core::panic|std::thread::local|core::ops::function|std::sys::backtrace|std::sys_common::backtrace)\b|^<(alloc|core)::[^ ]* as core::ops::function::
c++  = ^(void |auto )?std::(function<|_Function_handler|_Function_base|__invoke|invoke|__1::__invoke|__1::__function|bind|_Bind|forward|move_only_function)
)";

// What a frame is: nothing, glue, or a frame of the executor with this number.
constexpr size_t kOther = SIZE_MAX;
constexpr size_t kGlueFrame = SIZE_MAX - 1;

size_t role_of(std::string_view name, const FoldRules& rules) {
  auto matches = [&](const NamedPattern& rule) { return rule.pattern.matches(name); };
  auto executor = std::ranges::find_if(rules.executors, matches);
  if (executor != rules.executors.end()) {
    return static_cast<size_t>(executor - rules.executors.begin());
  }
  return std::ranges::any_of(rules.glue, matches) ? kGlueFrame : kOther;
}

// The role of each frame. Frames share functions, so each function is matched once.
std::vector<size_t> roles_of(const Profile& profile, const FoldRules& rules) {
  std::vector<size_t> functions(profile.functions.size());
  for (size_t row = 0; row < functions.size(); ++row) {
    functions[row] =
        role_of(profile.strings[profile.functions[FunctionId::from_index(row)].name], rules);
  }
  std::vector<size_t> roles(profile.frames.size(), kOther);
  for (size_t row = 0; row < roles.size(); ++row) {
    FunctionId function = profile.frames[FrameId::from_index(row)].function;
    roles[row] = function.valid() ? functions[function.index()] : kOther;
  }
  return roles;
}

}  // namespace

Result<FoldRules> fold_rules(std::string_view more, std::string_view path) {
  FoldRules rules;
  if (!path.empty() || !more.empty()) {
    rules.executors = TRY(parse_named_patterns(more, path, "an executor"));
  }
  std::ranges::move(TRY(parse_named_patterns(kExecutors, "the built-in list", "an executor")),
                    std::back_inserter(rules.executors));
  rules.glue = TRY(parse_named_patterns(kGlue, "the built-in list", "glue"));
  return rules;
}

void fold_executors(Profile& profile, const FoldRules& rules) {
  std::vector<size_t> roles = roles_of(profile, rules);
  std::map<std::string, FrameId> folded;  // by name
  auto frame_of = [&](size_t rule) {
    FrameId& frame = folded[rules.executors[rule].name];
    if (!frame.valid()) {
      StringId name = profile.strings.append(fmt::format("[{}]", rules.executors[rule].name));
      frame = profile.frames.push_back({.function = profile.functions.push_back({.name = name})});
    }
    return frame;
  };
  std::vector<bool> in_run(profile.stacks.size());  // whether a stack ends in a folded frame
  map_stacks(profile, [&](StackInterner& stacks, StackId parent, StackId old) {
    size_t role = roles[profile.stacks.frame(old).index()];
    bool follows = in_run[profile.stacks.parent(old).index()];
    bool folds = role != kOther && (role != kGlueFrame || follows);
    in_run[old.index()] = folds;
    if (!folds) {
      return stacks.intern(parent, profile.stacks.frame(old));
    }
    return follows ? parent : stacks.intern(parent, frame_of(role));
  });
}

}  // namespace wick
