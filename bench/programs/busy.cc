// SPDX-License-Identifier: Apache-2.0
// Programs to record whose correct profile is known; at the end they print the CPU time that they
// used.
//
//     busy threads COUNT SECONDS   COUNT threads that all compute; first prints how much a second,
//                                  and how much in a second of CPU time
//     busy pit SECONDS             calls 1,000 deep, 250 KB of stack: more than the kernel copies
//     busy leaf SECONDS            a leaf without a frame, and its caller, which does nothing else:
//                                  frame pointers lead from the leaf past its caller
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/resource.h>

#define OUT_OF_LINE __attribute__((noipa))

namespace {

constexpr int kPitDepth = 1000;
constexpr int kFrameBytes = 200;

double cpu_seconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * time.tv_usec;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

OUT_OF_LINE unsigned bench_leaf(unsigned value) {
  for (int i = 0; i < 20'000; i++) {
    value = value * 1664525 + 1013904223;
  }
  return value;
}

OUT_OF_LINE unsigned bench_caller(unsigned value) {
  return bench_leaf(value) + 1;
}

OUT_OF_LINE unsigned bench_pit(unsigned value, int depth) {
  volatile char room[kFrameBytes];
  room[0] = static_cast<char>(value);
  unsigned result = 0;
  if (depth > 1) {
    result = bench_pit(value, depth - 1);
  } else {
    for (int i = 0; i < 500; i++) {
      result += bench_leaf(value);
    }
  }
  return result + static_cast<unsigned>(room[0]);
}

int main(int count, char** words) {
  std::string_view what = count > 1 ? words[1] : "";
  unsigned value = 1;
  if (what == "threads" && count > 3) {
    std::atomic<bool> stop = false;
    std::atomic<unsigned long> done = 0;
    std::vector<std::thread> threads;
    for (int i = std::atoi(words[2]); i > 0; i--) {
      threads.emplace_back([&] {
        for (unsigned own = 1; !stop; ++done) {
          own = bench_caller(own);
        }
      });
    }
    // Measures after all threads have started, and divides by the real elapsed time: among so many
    // threads this one waits for its turn, sometimes for a tenth of the time.
    using Seconds = std::chrono::duration<double>;
    std::this_thread::sleep_for(Seconds(0.5));
    auto began = std::chrono::steady_clock::now();
    double cpu_before = cpu_seconds();
    unsigned long before = done;
    std::this_thread::sleep_for(Seconds(std::atof(words[3])));
    auto work = static_cast<double>(done - before);
    double cpu_rate = work / (cpu_seconds() - cpu_before);
    double rate = work / Seconds(std::chrono::steady_clock::now() - began).count();
    stop = true;
    for (std::thread& thread : threads) {
      thread.join();
    }
    std::printf("%.0f %.0f ", rate, cpu_rate);
  } else if ((what == "pit" || what == "leaf") && count > 2) {
    double end = std::atof(words[2]);
    while (cpu_seconds() < end) {
      value = what == "pit" ? bench_pit(value, kPitDepth) : bench_caller(value);
    }
  } else {
    std::fputs("usage: busy threads COUNT SECONDS | pit SECONDS | leaf SECONDS\n", stderr);
    return 2;
  }
  std::printf("%.3f\n", cpu_seconds());
  return value == 0 ? 1 : 0;
}
