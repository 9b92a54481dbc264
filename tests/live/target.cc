// SPDX-License-Identifier: Apache-2.0
// The program that the live test records: threads that come and go, a library that is loaded and
// unloaded, a child, and a child that executes another program, all in about a second and a half.
//
//     live_target LIBRARY      runs all of it; LIBRARY is live_library
//     live_target --executed   what the second child executes
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
volatile uint64_t result;

uint64_t compute(uint64_t rounds) {
  uint64_t value = 1;
  for (uint64_t i = 0; i < rounds; ++i) {
    value = value * 6364136223846793005U + i;
  }
  return value;
}

}  // namespace

// The test finds each function by its name; deep stacks are longer than a short copy.
#define SEEN extern "C" __attribute__((noinline, noclone))

SEEN void busy_until(Clock::time_point end) {
  while (Clock::now() < end) {
    result = compute(20'000);
  }
}

SEEN void live_in_thread(int depth, Clock::time_point end) {
  volatile char room[512];
  room[0] = static_cast<char>(depth);
  if (depth == 0) {
    busy_until(end);
  } else {
    live_in_thread(depth - 1, end);
  }
  result = static_cast<uint64_t>(room[0]);
}

SEEN void live_in_child(Clock::time_point end) {
  busy_until(end);
  result = 1;
}

SEEN void live_after_exec(Clock::time_point end) {
  busy_until(end);
  result = 2;
}

namespace {

Clock::time_point in(int milliseconds) {
  return Clock::now() + std::chrono::milliseconds(milliseconds);
}

void run_threads() {
  for (int round = 0; round < 3; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([i] { live_in_thread(50 * i, in(150)); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
}

bool run_library(const char* path) {
  for (int round = 0; round < 3; ++round) {
    void* library = ::dlopen(path, RTLD_NOW);
    if (library == nullptr) {
      return false;
    }
    auto* work = reinterpret_cast<void (*)(int)>(::dlsym(library, "live_in_library"));
    work(100);
    ::dlclose(library);
  }
  return true;
}

bool run_child(bool executes) {
  pid_t child = ::fork();
  if (child == 0) {
    if (executes) {
      ::execl("/proc/self/exe", "live_target", "--executed", nullptr);
      ::_exit(1);
    }
    live_in_child(in(200));
    ::_exit(0);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    return 2;
  }
  if (std::string_view(argv[1]) == "--executed") {
    live_after_exec(in(200));
    return 0;
  }
  run_threads();
  return run_library(argv[1]) && run_child(false) && run_child(true) ? 0 : 1;
}
