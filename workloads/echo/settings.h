// SPDX-License-Identifier: Apache-2.0
// The settings of one run: the flags of the command line, checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace echo {

enum class Operation { kYield, kSleep, kFutex, kSocket };
enum class Form { kThreads, kCoroutines };

struct Settings {
  Operation operation = Operation::kSocket;
  int tasks = 2;  // two for each pair of futex and socket
  int64_t sleep_ns = 100'000;
  int64_t access_bytes = 0;
  int64_t access_stride = 64;
  double duration_s = 1;   // 0: until a signal
  int64_t iterations = 0;  // of each task; 0: until the duration ends
  std::string cpus = "one";
  bool spread = false;

  bool works_in_pairs() const {
    return operation == Operation::kFutex || operation == Operation::kSocket;
  }
  bool ends_by_time() const { return iterations == 0 && duration_s > 0; }
};

inline const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::kYield:
      return "yield";
    case Operation::kSleep:
      return "sleep";
    case Operation::kFutex:
      return "futex";
    case Operation::kSocket:
      return "socket";
  }
  return "";
}

inline const char* name_of(Form form) {
  return form == Form::kThreads ? "threads" : "coroutines";
}

// "first-0" and "second-0" are the two tasks of pair 0; tasks without a partner are "yield-0",
// "yield-1".
inline std::string task_name(const Settings& settings, int task) {
  if (!settings.works_in_pairs()) {
    return std::string(name_of(settings.operation)) + "-" + std::to_string(task);
  }
  return (task % 2 == 0 ? "first-" : "second-") + std::to_string(task / 2);
}

}  // namespace echo
