// SPDX-License-Identifier: Apache-2.0
// For tests of this folder: texts to profiles and back.
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "formats/perf_script/perf_script.h"
#include "profile/dump.h"
#include "profile/validate.h"

namespace wick::perf_script {

inline Result<Profile> read_text(std::string_view text, std::string_view compat = "") {
  FlagValues flags;
  flags.declare(read_flags());
  if (!compat.empty()) {
    flags.set("compat", std::string(compat));
  }
  Input input = Input::from_text("test.perf.txt", std::string(text));
  Result<Profile> profile = read(input, flags);
  if (profile) {
    Result<> valid = validate(*profile);
    EXPECT_TRUE(valid) << valid.error().message;
  }
  return profile;
}

inline std::string dump_of(std::string_view text) {
  Result<Profile> profile = read_text(text);
  return profile ? dump(*profile) : "error " + profile.error().message + "\n";
}

inline std::string write_as(std::string_view format, const Profile& profile) {
  const Format* target = find_format(format);
  FlagValues flags;
  flags.declare(target->write_flags);
  std::string text;
  Output out = Output::to_text(text);
  Result<> written = target->write_profile(profile, flags, out);
  EXPECT_TRUE(written) << written.error().message;
  return text;
}

inline std::string folded(std::string_view text, std::string_view compat = "") {
  Result<Profile> profile = read_text(text, compat);
  return profile ? write_as("folded", *profile) : "error " + profile.error().message + "\n";
}

}  // namespace wick::perf_script
