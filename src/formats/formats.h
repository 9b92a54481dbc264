// SPDX-License-Identifier: Apache-2.0
// The family of formats: files that contain profiles. Each format is one row in formats.cc and one
// folder with its reader, its writer and the description of its layout.
//
// Files are recognised by content (JSON by json_shape.h). A null function in a row means that the
// format does not support the operation.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/flags.h"
#include "base/input.h"
#include "base/output.h"
#include "base/result.h"
#include "formats/properties.h"
#include "profile/profile.h"

namespace wick {

class EventSink;

// What all files of a syntax look like. An input can have the shape of two formats of one syntax.
enum class Syntax : uint8_t { kOwn, kJson, kProtobuf };

struct Format {
  std::string_view name;       // "folded"; the argument of --to and --format
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
  bool writes_one_event = false;  // it cannot store several, except for before and after
  bool spells_stacks = false;     // it lists the frames of every stack; others store a tree
  PropertySet retains = {};       // what the writer stores beyond stacks and weights
  int64_t finest_ns = 1;          // the writer rounds weights in time to multiples of this
  bool is_time_only = false;      // other weights become times
  // Whether the flags make the writer count samples instead of adding up weights.
  bool (*counts_samples)(const Profile& profile, const FlagValues& flags) = nullptr;

  std::string_view more_extensions = {};  // of its files, separated by blanks: ".pb .prof"
  std::string_view versions_read = {};    // "24 to 75"; empty if the format has no versions
  std::string_view version_written = {};
  Syntax syntax = Syntax::kOwn;
  bool is_usually_gzip = false;  // its tools expect packed files

  // Each CPU has its own file: an empty file is a CPU without samples, and files of different CPUs
  // are one run.
  bool is_file_per_cpu = false;
  // A flag that only makes sense for this format: an input that it is given for is not recognised
  // but taken as this one.
  std::string_view implied_by = {};
  bool has_sizes = false;  // bytes of a program, not samples of its time
};

std::span<const Format> all_formats();
const Format* find_format(std::string_view name);

// The format of the input. The error says what the input seems to be instead.
Result<const Format*> recognise(const Input& input);
// A sentence if the input has the shape of other formats, too; else empty.
std::string tie_text(const Input& input, const Format& chosen);

}  // namespace wick
