// SPDX-License-Identifier: Apache-2.0
// The native format of wick: reads and writes .wick files (layout.h describes them).
//
// read() returns the profile that was written, or a valid profile with losses that say what is
// missing and why, for a file that was truncated anywhere or has any byte changed. It returns an
// error only if there is nothing to show: an empty file, another format, or a newer version of this
// one.
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
