// SPDX-License-Identifier: Apache-2.0
// All phases. A new one is a file in this folder, a line in this file and a line in phases.cc.
#pragma once

#include "truth/phase.h"

namespace truth {

extern const Phase kCalibrate;
extern const Phase kThreePaths;
extern const Phase kInlinedChains;
extern const Phase kTailCalls;
extern const Phase kDeepRecursion;
extern const Phase kSharedLibrary;
extern const Phase kThroughPlt;
extern const Phase kOpenedAndClosed;
extern const Phase kSignalHandlers;
extern const Phase kExceptionCleanup;
extern const Phase kLibraryCallbacks;
extern const Phase kTimeReads;
extern const Phase kSystemCalls;
extern const Phase kNamedThreads;
extern const Phase kBriefThreads;
extern const Phase kAlternatingThreads;
extern const Phase kForkedChild;
extern const Phase kExecutedChild;
extern const Phase kGeneratedCode;

// In the order in which they run, calibration first. Row numbers continue from phase to phase.
extern const Phase* const kPhases[];
extern const int kPhaseCount;

// The number of a phase's first row.
int first_row_of(const Phase& phase);

// The work of the exec phase's child, in the new process.
void executed_child(PhaseRun& run);

}  // namespace truth
