// SPDX-License-Identifier: Apache-2.0
// The task of a sample, by the names of functions: Rust and C++ have no list of tasks that a recorder
// could read, but their compilers make functions of them. The outermost one in a stack is the task:
//
//     Rust   tokio::..::poll > <app::Pool as core::future::future::Future>::poll   app::Pool
//            tokio::..::poll > app::serve::{{closure}}                             app::serve
//     C++    run_loop > serve(serve(int)::_Z5servei.Frame*) [clone .actor]         serve
//
// A closure of Rust may be any, so it is a task only below a function that polls. Futures of the
// runtimes and of the standard library contain those of the program, and are not the task.
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"

namespace wick {

// What a function is, by its name.
struct PolledName {
  std::string task;       // empty: it is not the body of a future or coroutine
  bool polls = false;     // it runs futures
  bool is_clear = false;  // it is a task wherever it is
};
PolledName polled_name(std::string_view function);

// Adds the label "task" to the samples without one. Stacks must still have the frames of runtimes.
void name_polled_tasks(Profile& profile);

}  // namespace wick
