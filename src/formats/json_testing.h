// SPDX-License-Identifier: Apache-2.0
// Damages JSON files for tests of readers: a damaged file must give an error of one sentence, or a
// valid profile.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "formats/formats.h"
#include "profile/dump.h"
#include "profile/validate.h"

namespace wick::testing {

inline Result<Profile> read_json(std::string_view format, std::string_view text) {
  const Format* row = find_format(format);
  Input input = Input::from_text("file.json", std::string(text));
  FlagValues flags;
  flags.declare(row->read_flags);
  return row->read_profile(input, flags);
}

// The canonical dump, or the error.
inline std::string dump_json(std::string_view format, std::string_view text) {
  Result<Profile> profile = read_json(format, text);
  return profile ? dump(*profile) : profile.error().message + "\n";
}

inline std::string write_json(std::string_view format, const Profile& profile) {
  const Format* row = find_format(format);
  FlagValues flags;
  flags.declare(row->write_flags);
  std::string text;
  Output out = Output::to_text(text);
  Result<> result = row->write_profile(profile, flags, out);
  return result ? text : result.error().message;
}

inline void expect_error_or_valid(std::string_view format, std::string_view text) {
  Result<Profile> profile = read_json(format, text);
  if (profile) {
    Result<> valid = validate(*profile);
    EXPECT_TRUE(valid.has_value()) << valid.error().message << " in " << text;
    (void)dump(*profile);
  } else {
    EXPECT_TRUE(profile.error().message.ends_with('.')) << profile.error().message;
  }
}

// Cuts the file after each byte.
inline void expect_every_cut_is_read(std::string_view format, std::string_view text) {
  for (size_t size = 0; size < text.size(); ++size) {
    expect_error_or_valid(format, text.substr(0, size));
  }
}

// The end of the number or word (true, null) at this position; 0 if there is none.
inline size_t scalar_end(std::string_view text, size_t at) {
  constexpr std::string_view kLetters = "-+.0123456789abcdefghijklmnopqrstuvwxyzE";
  bool begins = at > 0 && std::string_view("[:,").find(text[at - 1]) != std::string_view::npos;
  size_t end = text.find_first_not_of(kLetters, at);
  return begins && end != at && end != std::string_view::npos ? end : 0;
}

// Replaces each number and word by values of other types and sizes.
inline void expect_every_value_is_read(std::string_view format, std::string_view text) {
  constexpr std::array<std::string_view, 10> kValues = {"null",
                                                        "-7",
                                                        "99",
                                                        "2147483647",
                                                        "9223372036854775807",
                                                        "-1e300",
                                                        "0.5",
                                                        "\"x\\u0000\xff\"",
                                                        "[[{}]]",
                                                        "{\"a\":[1]}"};
  for (size_t at = 1; at < text.size(); ++at) {
    size_t end = scalar_end(text, at);
    for (std::string_view value : kValues) {
      if (end != 0) {
        std::string damaged(text.substr(0, at));
        damaged += value;
        damaged += text.substr(end);
        expect_error_or_valid(format, damaged);
      }
    }
  }
}

}  // namespace wick::testing
