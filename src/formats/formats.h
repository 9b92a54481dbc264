// The family of formats: files that hold profiles. One row each in formats.cc; a format is one
// folder that holds its reader, its writer and the one description of its layout.
//
// Files are recognised by content. A row with a null function cannot do that thing.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/flags.h"
#include "base/input.h"
#include "base/output.h"
#include "base/result.h"
#include "profile/profile.h"

namespace wick {

class EventSink;

struct Format {
  std::string_view name;       // "folded"; what --to and --format take
  std::string_view extension;  // ".folded"
  std::string_view help;       // one line

  // True when the first bytes of an input look like this format.
  bool (*sniff)(Bytes head);
  // Finished profiles (folded, pprof) are read to a profile, recordings (perf.data) to events.
  std::span<const Flag> read_flags;
  Result<Profile> (*read_profile)(Input& input, const FlagValues& flags);
  Result<> (*read_events)(Input& input, const FlagValues& flags, EventSink& sink);

  std::span<const Flag> write_flags;
  Result<> (*write_profile)(const Profile& profile, const FlagValues& flags, Output& out);
  bool writes_one_event = false;  // it has no place for several, except for before and after
};

std::span<const Format> all_formats();
const Format* find_format(std::string_view name);

// The format of the input, or a sentence that says what it seems to be instead.
Result<const Format*> recognise(const Input& input);

}  // namespace wick
