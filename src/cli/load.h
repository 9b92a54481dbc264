// From words on the command line to one profile: which files, which format, read, merged, filtered.
#pragma once

#include <string>
#include <vector>

#include "base/flags.h"
#include "base/result.h"
#include "formats/formats.h"
#include "pipeline/naming.h"
#include "profile/filter.h"
#include "symbolize/module_files.h"

namespace wick {

// -i, --format, where to look for files and names, and what the readers of all formats take.
std::vector<Flag> input_flags();

// Where the flags say that recorded files and debug files are.
FileSearch file_search(const FlagValues& flags);

// The files to read: the words and -i; without any, the newest of ./profile.wick and ./perf.data
// (told on stderr).
Result<std::vector<std::string>> choose_inputs(const std::vector<std::string>& words,
                                               const FlagValues& flags);

struct Loaded {
  Profile profile;
  std::vector<std::string> notes;
  std::vector<const Format*> formats;  // one for each input
  uint64_t stored_bytes = 0;
  double lost_share = 0;  // of the input, 1 when nobody can know
  double kept = 1;        // share of the weight that the filters left
};

// Where the flags say that files and names are looked for.
NameSources name_sources(const FlagValues& flags);

// What happens to profiles that have their names already, where the flags say where names are.
enum class FinishedNames : uint8_t { kFromNamedSources, kAsTheyAre };

Result<Loaded> load(const std::vector<std::string>& paths,
                    const FlagValues& flags,
                    FinishedNames finished = FinishedNames::kFromNamedSources);

// Applies the filter flags; notes tell what was left out, `kept` how much stayed.
Result<> filter_run(Loaded& loaded, const FlagValues& flags, KeepEvents keep_events);
// The same, and a note tells how much stayed.
Result<> filter_loaded(Loaded& loaded, const FlagValues& flags, KeepEvents keep_events);

}  // namespace wick
