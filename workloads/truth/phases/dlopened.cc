// SPDX-License-Identifier: Apache-2.0
// Two libraries that are opened with dlopen, called and closed again, in turn. The loader maps the
// second at the address of the first, so one address means different functions at different times.
#include <dlfcn.h>

#include "truth/ledger.h"
#include "truth/phases/phases.h"

namespace truth {
namespace {

constexpr Row kRows[] = {
    {.path = "main > opened_and_closed > call_opened > opened_a_entry > opened_a_leaf",
     .weight = 60,
     .module = "libtruth_opened_a.so"},
    {.path = "main > opened_and_closed > call_opened > opened_b_entry > opened_b_leaf",
     .weight = 40,
     .module = "libtruth_opened_b.so"},
    {.path = "main > opened_and_closed > open_library", .mode = Mode::kEither, .any_leaf = true},
    {.path = "main > opened_and_closed > close_library", .mode = Mode::kEither, .any_leaf = true},
};

#ifdef TRUTH_STATIC

constexpr const char* kRefused = "a static program cannot open libraries while it runs";
void opened_and_closed(PhaseRun&) {}

}  // namespace

#else

constexpr const char* kRefused = nullptr;
constexpr int64_t kChunkNs = 3'000'000;

struct Opened {
  void* handle = nullptr;
  Chunk entry = nullptr;
};

// The address of the last library, to see that the next one reuses it.
const void* last_base = nullptr;
int last_which = -1;

void note_address(PhaseRun& run, const Opened& library, int which) {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(library.entry), &info);
  run.ledger().library_opens += 1;
  if (which != last_which && info.dli_fbase == last_base) {
    run.ledger().library_opens_in_same_place += 1;
  }
  last_base = info.dli_fbase;
  last_which = which;
}

}  // namespace

WORKLOAD_FUNCTION Opened open_library(int which) {
  Opened library;
  library.handle = dlopen(which == 0 ? "libtruth_opened_a.so" : "libtruth_opened_b.so", RTLD_NOW);
  if (library.handle != nullptr) {
    void* entry = dlsym(library.handle, which == 0 ? "opened_a_entry" : "opened_b_entry");
    library.entry = reinterpret_cast<Chunk>(entry);
  }
  if (library.entry == nullptr) {
    stop("The libraries libtruth_opened_a.so and libtruth_opened_b.so cannot be opened",
         "keep them beside the program as they were built");
  }
  return library;
}

WORKLOAD_FUNCTION void close_library(const Opened& library) {
  dlclose(library.handle);
  TRUTH_STAY();
}

WORKLOAD_FUNCTION void call_opened(PhaseRun& run, int which, const Opened& library, Steps steps) {
  run.measure(which, library.entry, steps);
  TRUTH_STAY();
}

WORKLOAD_FUNCTION void opened_and_closed(PhaseRun& run) {
  Random random(1);
  constexpr int kOpening = 2;
  constexpr int kClosing = 3;
  auto missing = [&](int row) { return run.budget_of(row) - run.charged(row); };
  for (int which = 0; missing(0) > 0 || missing(1) > 0; which = 1 - which) {
    // The two take turns, with chunks proportional to their weights; the last ones are shorter.
    int64_t length = random.around(kChunkNs) * kRows[which].weight / 50;
    int64_t start = run.now();
    Opened library = open_library(which);
    note_address(run, library, which);
    run.charge(kOpening, run.now() - start);
    call_opened(
        run, which, library, run.steps_for(length < missing(which) ? length : missing(which)));
    start = run.now();
    close_library(library);
    run.charge(kClosing, run.now() - start);
  }
}

#endif

const Phase kOpenedAndClosed = {"dlopen",
                                "two libraries opened and closed in turn, at one address",
                                kRefused,
                                kRows,
                                opened_and_closed};

}  // namespace truth
