// SPDX-License-Identifier: Apache-2.0
// Runs a program to its end in a directory: builds, git. It has no input, and its output goes to
// stderr, because stdout is for the result. If wick is killed, the program and all that it started
// end, too.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "experiment/measured_run.h"
#include "record/held_signals.h"

namespace wick {

// Returns its status as a shell reports it: 127 if it could not be run, 128 + n for a signal.
int run_and_wait(const std::vector<std::string>& command, const std::string& directory = "");

// A build: a line for the shell. Its processes get the signals that `signals` holds, and end with
// it if one of them asks wick to end.
Result<MeasuredRun> run_build(const std::string& line,
                              const std::string& directory,
                              record::HeldSignals& signals);

// As run_and_wait, but returns the standard output of the program; it reads wick's input. A signal
// that asks wick to end is passed on, unless the terminal has sent it to the program, too; then the
// status is 128 + that signal, however the program ended.
int run_for_output(const std::vector<std::string>& command, std::string& output);

// The standard output of the program without the last newline; an Error if it fails.
Result<std::string> output_of(const std::vector<std::string>& command);

}  // namespace wick
