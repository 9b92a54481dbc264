// SPDX-License-Identifier: Apache-2.0
// Flags and words to one profile: what acquire/acquire.h is asked for, and what the filters leave.
#pragma once

#include <string>
#include <vector>

#include "acquire/acquire.h"
#include "base/flags.h"
#include "base/result.h"
#include "profile/filter.h"
#include "symbolize/module_files.h"

namespace wick {

// -i, --format, where to look for files and names, and what the readers of all formats take.
std::vector<Flag> input_flags();

// Where the flags say that recorded files and debug files are.
FileSearch file_search(const FlagValues& flags);

// The files to read: the words and -i; without any, the newest of ./profile.wick and ./perf.data
// (reported on stderr).
Result<std::vector<std::string>> choose_inputs(const std::vector<std::string>& words,
                                               const FlagValues& flags);

using Loaded = acquire::Acquired;

// Where the flags say that files and names are looked for.
NameSources name_sources(const FlagValues& flags);

// Whether profiles that have their names already get them again, where flags name the sources.
enum class FinishedNames : uint8_t { kFromNamedSources, kAsTheyAre };

Result<Loaded> load(const std::vector<std::string>& paths,
                    const FlagValues& flags,
                    FinishedNames finished = FinishedNames::kFromNamedSources);

// What the flags ask acquire for. An Error where they name files that cannot be opened.
Result<acquire::Options> input_options(const FlagValues& flags,
                                       FinishedNames finished = FinishedNames::kFromNamedSources);

// Applies the filter flags; notes say what was left out and how much stayed.
Result<> filter_loaded(Loaded& loaded, const FlagValues& flags, KeepEvents keep_events);

}  // namespace wick
