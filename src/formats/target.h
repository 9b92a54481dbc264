// SPDX-License-Identifier: Apache-2.0
// The format and the packing of a file to write, from its name or from the user's choice, and what
// of a profile that format cannot hold.
#pragma once

#include <string>
#include <string_view>

#include "base/packer.h"
#include "base/result.h"
#include "formats/formats.h"

namespace wick {

struct ConvertTarget {
  const Format* format = nullptr;
  Packing packing = Packing::kNone;
};

// `name` is the format that the user chose; empty: the end of the path decides, and of several ends
// that fit the longest (".speedscope.json" before ".json"). ".gz" and ".zst" pack.
Result<ConvertTarget> choose_target(std::string_view name, std::string_view path);

// A sentence about what the format cannot hold of the profile; empty if it holds everything.
// `events` is the number of events before the user's filters left one.
std::string unretained_text(const Format& format,
                            const Profile& profile,
                            const FlagValues& flags,
                            size_t events);

// An error if the format lists the frames of every stack and that makes billions of a small profile:
// 100,000 stacks of up to 100,000 frames are a tree of 100,000 frames.
Result<> check_spelled_stacks(const Format& format, const Profile& profile);

}  // namespace wick
