// SPDX-License-Identifier: Apache-2.0
#include "truth/phases/phases.h"

namespace truth {

const Phase* const kPhases[] = {
    &kCalibrate,          &kThreePaths,  &kInlinedChains,   &kTailCalls,      &kDeepRecursion,
    &kSharedLibrary,      &kThroughPlt,  &kOpenedAndClosed, &kSignalHandlers, &kExceptionCleanup,
    &kLibraryCallbacks,   &kTimeReads,   &kSystemCalls,     &kNamedThreads,   &kBriefThreads,
    &kAlternatingThreads, &kForkedChild, &kExecutedChild,   &kGeneratedCode,
};
const int kPhaseCount = sizeof kPhases / sizeof kPhases[0];

int first_row_of(const Phase& phase) {
  int first = 0;
  for (const Phase* each : kPhases) {
    if (each == &phase) {
      break;
    }
    first += each->row_count();
  }
  return first;
}

}  // namespace truth
