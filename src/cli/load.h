// SPDX-License-Identifier: Apache-2.0
// Turns the input flags and the words of a command line into one profile:
//
//     1. choose_inputs   the files to read
//     2. load            acquire/acquire.h reads them, adds names and merges them
//
// wick checks all paths in flags before it reads a profile.
#pragma once

#include <string>
#include <vector>

#include "acquire/acquire.h"
#include "base/flags.h"
#include "base/result.h"
#include "symbolize/module_files.h"

namespace wick {

// -i, --format, the flags that say where files and names are, and the flags of all readers.
std::vector<Flag> input_flags();

// The directories of recorded files and debug files.
FileSearch file_search(const FlagValues& flags);

// The files to read: the words and -i. If there are none: the newer of ./profile.wick and
// ./perf.data, which a line on stderr names.
Result<std::vector<std::string>> choose_inputs(const std::vector<std::string>& words,
                                               const FlagValues& flags);

using Loaded = acquire::Acquired;

// The sources in which wick looks for names. An Error if the symbols of another system are not
// readable.
Result<NameOptions> name_sources(const FlagValues& flags);

// Profiles that already have names: get names again from the sources in flags, or retain theirs.
enum class FinishedNames : uint8_t { kFromNamedSources, kAsTheyAre };

Result<Loaded> load(const std::vector<std::string>& paths,
                    const FlagValues& flags,
                    FinishedNames finished = FinishedNames::kFromNamedSources);

// What the recording contains and no verb uses yet, a sentence each. An answer has them among its
// losses; where there is no answer, they may say why.
std::vector<std::string> unused_content(const Profile& profile);

// The options for acquire. An Error if a path in the flags cannot be opened.
Result<acquire::Options> input_options(const FlagValues& flags,
                                       FinishedNames finished = FinishedNames::kFromNamedSources);

}  // namespace wick
