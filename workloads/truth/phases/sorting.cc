// SPDX-License-Identifier: Apache-2.0
// Callbacks from inside a library of the distribution: qsort calls back from libc, which has no
// frame pointers and no symbols for its internal functions; std::sort is a template, so its frames
// are the program's own, inlined or not, as the compiler decides.
#include <algorithm>
#include <cstdlib>

#include "truth/phases/phases.h"

namespace truth {
namespace {

constexpr int kElements = 32;
constexpr Steps kComparisons = 120;  // about the number of either sort for kElements

Steps steps_per_comparison = 0;
int elements[kElements];

void shuffle() {
  for (int at = 0; at < kElements; ++at) {
    elements[at] = (at * 19 + 5) % kElements;
  }
}

}  // namespace

TRUTH_LEAF(qsort_leaf)
TRUTH_LEAF(std_sort_leaf)

WORKLOAD_FUNCTION int compare_elements(const void* left, const void* right) {
  sink = qsort_leaf(steps_per_comparison);
  return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}

WORKLOAD_FUNCTION bool comes_before(int left, int right) {
  sink = std_sort_leaf(steps_per_comparison);
  return left < right;
}

WORKLOAD_FUNCTION uint32_t sort_by_libc(Steps steps) {
  shuffle();
  steps_per_comparison = steps / kComparisons;
  qsort(elements, kElements, sizeof elements[0], compare_elements);
  return static_cast<uint32_t>(elements[0]);
}

WORKLOAD_FUNCTION uint32_t sort_by_template(Steps steps) {
  shuffle();
  steps_per_comparison = steps / kComparisons;
  std::sort(elements, elements + kElements, comes_before);
  return static_cast<uint32_t>(elements[0]);
}

namespace {

constexpr Row kRows[] = {
    {.path = "main > library_callbacks > sort_by_libc > compare_elements > qsort_leaf",
     .weight = 50,
     .chunk = sort_by_libc},
    {.path = "main > library_callbacks > sort_by_template > comes_before > std_sort_leaf",
     .weight = 50,
     .chunk = sort_by_template},
};

}  // namespace

WORKLOAD_FUNCTION void library_callbacks(PhaseRun& run) {
  run.spend();
  TRUTH_STAY();
}

const Phase kLibraryCallbacks = {
    "sort", "callbacks from qsort in libc and from std::sort", nullptr, kRows, library_callbacks};

}  // namespace truth
