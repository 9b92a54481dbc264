// SPDX-License-Identifier: Apache-2.0
// Turns paths into one profile. It recognises the formats, sends recordings through the pipeline,
// merges several inputs, and reports how much was lost.
//
//     acquire::Acquired acquired = TRY(acquire::read({"profile.wick"}));
//     use(acquired.profile);          // valid, with names; profile/profile.h shows how to read it
//
//     acquire::read({"perf.data"}, {.stitches = true})   // a recording of perf, stacks completed
//     acquire::read({"a.folded", "b.folded"})            // two files as one profile
//
// All input is untrusted. Damage inside a file is counted in the losses of the profile; an input
// that cannot be read at all is an Error with a sentence for people. This folder does not print:
// notes come with the result, and progress goes to `Options::progress`. Profiles that have no names
// yet (a recording that was cut short) get them from `Options::names`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/flags.h"
#include "base/progress.h"
#include "base/result.h"
#include "formats/formats.h"
#include "pipeline/naming.h"

namespace wick::acquire {

struct Options {
  std::string format = {};  // a name in `all_formats()`; empty: each input is recognised
  NameOptions names = usual_names();
  bool renames = false;   // name profiles again that have names, with lines, from `names`
  bool stitches = false;  // complete truncated stacks of recordings
  // The flags of the readers (Format::read_flags); null for none.
  const FlagValues* read_flags = nullptr;
  // Reports how far an input has been read; may be empty.
  std::function<std::unique_ptr<Progress>(const std::string& path)> progress = {};
};

struct Acquired {
  Profile profile;
  std::vector<std::string> notes;      // sentences about the inputs
  std::vector<std::string> unused;     // the sentences among them about --symbols without use
  std::vector<const Format*> formats;  // one for each input
  uint64_t stored_bytes = 0;
  double lost_share = 0;  // of the input; 1 if unknown
};

Result<Acquired> read(const std::vector<std::string>& paths, const Options& options = {});

// The newer of ./profile.wick and ./perf.data; nothing if neither exists.
std::optional<std::string> newest_recording();

// Whether two paths name one regular file.
bool is_same_file(const std::string& a, const std::string& b);

// The runs that the files are, in their order. Neighbours that are each of a different CPU are one
// run together; every other file is a run of its own.
Result<std::vector<std::vector<std::string>>> runs_of(const std::vector<std::string>& paths,
                                                      const Options& options = {});

}  // namespace wick::acquire
