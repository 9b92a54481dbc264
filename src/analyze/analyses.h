// SPDX-License-Identifier: Apache-2.0
// The family of analyses: questions about a profile. Each analysis is one row in analyses.cc and
// one folder. It is a pure function: no files, no printing, the same answer for the same input.
// Each row is also a verb (cli/commands/analysis.cc, or cli/commands/diff.cc for comparisons).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flags.h"
#include "base/result.h"
#include "profile/code.h"
#include "profile/profile.h"
#include "profile/shown_frames.h"
#include "report/report.h"

namespace wick {

// One side of a comparison: a run of the program, or several.
struct Side {
  std::string name;           // the name of the file
  std::vector<Profile> runs;  // each filtered, with one event
  // By run, the share of its cost that the filters retained; empty: all of it.
  std::vector<double> retained = {};
};

// An analysis is about one profile, or about two or more sides.
struct Analysis {
  std::string_view name;      // the verb
  std::string_view help;      // one line
  std::string_view example;   // a command line that shows it
  std::string_view argument;  // name of its argument besides the input ("FUNCTION"), or empty
  bool argument_optional = false;
  bool argument_names_files = false;  // it can also be a source file
  std::string_view view;              // the default view
  std::string_view page;              // the view for -o NAME.html, if there is one
  // wick searches this machine for the files of modules without names, and the report lists them.
  bool lists_missing_names = false;
  // If much of the self time has no names, a note says what would name it.
  bool notes_unnamed_time = false;
  bool compares_events = false;  // gets all events of the profile
  // It reads branch stacks: the profile gets the code between their branches, where it lacks it.
  bool needs_code_blocks = false;
  // What stacks show without --stacks.
  ShownFrames usual_frames = ShownFrames::kMixed;
  bool takes_pairs = false;  // understands a before/after pair of events; else one event is picked
  std::span<const Flag> flags;
  // `argument` is empty if the user gave none. The profile is filtered and has one event.
  Result<Report> (*run)(const Profile& profile,
                        std::string_view argument,
                        const FlagValues& flags) = nullptr;
  // Compares all other sides with the first.
  Result<Report> (*compare)(std::span<const Side> sides, const FlagValues& flags) = nullptr;
  // Instead of `run`, for analyses that need the code.
  Result<Report> (*run_on_code)(const Profile& profile,
                                std::string_view argument,
                                const FlagValues& flags,
                                CodeSource& code) = nullptr;
};

std::span<const Analysis> all_analyses();

}  // namespace wick
