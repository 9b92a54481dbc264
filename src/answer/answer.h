// SPDX-License-Identifier: Apache-2.0
// From a profile that acquire has read to the report that a user sees:
//
//     filter_loaded()   removes the samples that the filter flags exclude
//     answer()          filters, shortens names if asked, runs the analysis, and adds the sentences
//                       that only this machine's files and the inputs allow
//     info_report()     what a file contains, before any analysis
//
// The verbs and `wick mcp` ask through these functions, so both give the same numbers, notes and
// loss. This folder does not print, and it does not choose files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "acquire/acquire.h"
#include "analyze/analyses.h"
#include "base/flags.h"
#include "base/result.h"
#include "pipeline/naming.h"
#include "profile/filter.h"
#include "profile/shown_frames.h"
#include "report/report.h"

namespace wick {

// Flags of every analysis about the names in its report.
std::span<const Flag> name_flags();

// Applies the filter flags. Notes list the removed samples and the share that remains. Returns
// sentences about patterns that match nothing. `frames` is what stacks show without --stacks.
Result<std::vector<std::string>> filter_loaded(acquire::Acquired& loaded,
                                               const FlagValues& flags,
                                               KeepEvents keep_events,
                                               ShownFrames frames = ShownFrames::kMixed);

// Which files of this machine an answer may use besides the inputs.
struct AnswerFiles {
  NameOptions names;
  // Asked before a source file is opened; empty: every file may be shown.
  std::function<bool(const std::string& path)> may_show_source = {};
};

struct Question {
  const Analysis& analysis;  // of one profile
  std::string argument;      // empty if the user gave none
  const FlagValues& flags;   // of the analysis, the filters and the names
};

// `paths` are the inputs of `loaded`.
Result<Report> answer(const Question& question,
                      const std::vector<std::string>& paths,
                      acquire::Acquired loaded,
                      const AnswerFiles& files);

Report info_report(const acquire::Acquired& loaded, std::string title);

}  // namespace wick
