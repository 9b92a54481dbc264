// SPDX-License-Identifier: Apache-2.0
// For tests: a profile with threads, CPUs, times and events, which folded text does not have.
#pragma once

#include <string_view>

#include "profile/builder.h"

namespace wick::testing {

class TimedProfile {
 public:
  TimedProfile() {
    cycles_ = builder.event({.name = builder.string("cycles"), .unit = builder.string("cycles")});
    faults_ = builder.event({.name = builder.string("faults"), .unit = builder.string("faults")});
    ProcessId server = builder.process({.pid = 10, .name = builder.string("server")});
    ProcessId client = builder.process({.pid = 20, .name = builder.string("client")});
    worker_ = builder.thread({.tid = 11, .process = server, .name = builder.string("worker")});
    client_ = builder.thread({.tid = 20, .process = client, .name = builder.string("client")});
  }

  FrameId frame(std::string_view name, Mode mode = Mode::kUser) {
    return builder.frame(
        {.function = builder.function({.name = builder.string(name)}), .mode = mode});
  }
  StackId stack(std::initializer_list<std::string_view> names) {
    StackId stack = kEmptyStack;
    for (std::string_view name : names) {
      bool kernel = name.starts_with("sys_");
      stack = builder.stack(stack, frame(name, kernel ? Mode::kKernel : Mode::kUser));
    }
    return stack;
  }
  Sample sample(int64_t time_ns,
                std::initializer_list<std::string_view> names,
                int64_t weight = 1) {
    return {.time_ns = time_ns,
            .weight = weight,
            .stack = stack(names),
            .thread = worker_,
            .event = cycles_,
            .cpu = 0};
  }

  ThreadId worker() const { return worker_; }
  ThreadId client() const { return client_; }
  EventId faults() const { return faults_; }

  ProfileBuilder builder;

 private:
  EventId cycles_;
  EventId faults_;
  ThreadId worker_;
  ThreadId client_;
};

}  // namespace wick::testing
