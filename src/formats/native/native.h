// The native format of wick: reads and writes .wick files (layout.h says what they look like).
//
// read() gives the profile that was written, or a valid profile with losses that say what is
// missing and why: cut anywhere, with any byte changed. It gives an error only when there is
// nothing to show: an empty file, another format, or a newer version of this one.
#pragma once

#include "base/flags.h"
#include "base/input.h"
#include "base/output.h"
#include "base/result.h"
#include "profile/profile.h"

namespace wick::native {

bool sniff(Bytes head);
Result<Profile> read(Input& input, const FlagValues& flags);
Result<> write(const Profile& profile, const FlagValues& flags, Output& out);

}  // namespace wick::native
