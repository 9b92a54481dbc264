// SPDX-License-Identifier: Apache-2.0
// web/test/timeline.wick has everything that a profile can have over time and that no other format
// writes: nested spans with stacks, waits with wakers, a counter with bounds. The tests of the page
// and of the verbs read it. UPDATE_GOLDEN=1 writes it again.
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <gtest/gtest.h>

#include "formats/native/testing.h"
#include "tests/support/files.h"

namespace wick::native {
namespace {

constexpr int64_t kMs = 1'000'000;

class MadeUp {
 public:
  MadeUp() {
    builder_.event(
        {.name = text("cpu-clock"), .unit = text("nanoseconds"), .kind = Quantity::kCpuTime});
    ProcessId process = builder_.process({.pid = 7, .name = text("server")});
    threads_ = {builder_.thread({.tid = 7, .process = process, .name = text("main")}),
                builder_.thread({.tid = 8, .process = process, .name = text("worker")})};
  }

  // The main thread serves requests; the worker waits for it and is woken each time.
  Profile finish() {
    for (int64_t ms = 1; ms <= 200; ++ms) {
      sample(ms, 0, {"main", "serve", "parse"});
      if (ms % 20 >= 10) {
        sample(ms, 1, {"thread", "work", "hash"});
      }
    }
    for (int64_t i = 0; i < 10; ++i) {
      request(20 * i, i);
      wait(20 * i, i);
      counter(20 * i, i);
    }
    return builder_.finish();
  }

 private:
  StringId text(std::string_view text) { return builder_.string(text); }

  StackId stack(std::initializer_list<std::string_view> names) {
    StackId stack = kEmptyStack;
    for (std::string_view name : names) {
      stack = builder_.stack(stack,
                             builder_.frame({.function = builder_.function({.name = text(name)})}));
    }
    return stack;
  }

  void sample(int64_t ms, size_t thread, std::initializer_list<std::string_view> names) {
    builder_.add_sample({.time_ns = ms * kMs,
                         .weight = kMs,
                         .stack = stack(names),
                         .thread = threads_[thread],
                         .cpu = static_cast<uint16_t>(thread)});
  }

  Span span(int64_t begin, int64_t end, size_t thread, const char* name) {
    return {.begin_ns = begin * kMs,
            .end_ns = end * kMs,
            .thread = threads_[thread],
            .name = text(name)};
  }

  void request(int64_t begin, int64_t number) {
    Span outer = span(begin, begin + 18, 0, number % 3 == 0 ? "<b>upload</b>" : "request");
    outer.stack = stack({"main", "serve"});
    SpanId parent = builder_.add_span(outer);
    Span inner = span(begin + 2, begin + 9, 0, "parse");
    inner.stack = stack({"main", "serve", "parse"});
    inner.parent = parent;
    builder_.add_span(inner);
  }

  void wait(int64_t begin, int64_t number) {
    Span wait = span(begin, begin + 9, 1, number % 2 == 0 ? "queue mutex" : "socket");
    wait.kind = SpanKind::kOffCpu;
    wait.stack = stack({"thread", "work", "pthread_mutex_lock"});
    wait.waker = threads_[0];
    wait.waker_stack = stack({"main", "serve", "unlock"});
    builder_.add_span(wait);
  }

  void counter(int64_t ms, int64_t number) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    SeriesId ipc = builder_.series({.name = text("IPC"), .unit = text("instructions/cycle")});
    double value = number == 4 ? kUnknown : 2 + std::sin(static_cast<double>(number));
    builder_.add_counter({.time_ns = ms * kMs,
                          .series = ipc,
                          .value = value,
                          .low = value - 0.5,
                          .high = value + 0.5});
    builder_.add_mark({.time_ns = ms * kMs + 1,
                       .name = text("second 2"),
                       .value = 21 + static_cast<double>(number),
                       .has_value = true});
  }

  ProfileBuilder builder_;
  std::array<ThreadId, 2> threads_;
};

TEST(OverTime, TheFileOfTheTestsOfTracksHasEverything) {
  std::string path = testing::source_path("web/test/timeline.wick");
  Profile expected = MadeUp().finish();
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    testing::write_file(path, write(expected));
  }
  Result<Profile> stored = read(testing::read_file(path));
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(exact_text(*stored), exact_text(expected)) << "UPDATE_GOLDEN=1 writes it again";
}

}  // namespace
}  // namespace wick::native
