// SPDX-License-Identifier: Apache-2.0
// Names for the kernel of another system and its programs. They come from symbols that the user
// gives: ELF files, or the output of `nm -CS` for them.
//
// A recording does not say whether these symbols are of the recorded kernel, and names of another
// build look like names. So wick judges the symbols by the samples: by the share that is inside any
// function, and by the return addresses that follow a call.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pipeline/load_address.h"
#include "pipeline/symbol_file.h"
#include "profile/profile.h"

namespace wick {

// wick finds functions by address and size. An address between two functions gets the name of the
// one before it, with kBeyondEnd, so that users do not mistake it for that function.
inline constexpr std::string_view kBeyondEnd = " (beyond its end)";

class ForeignKernel {
 public:
  // Both must outlive it.
  ForeignKernel(Profile& profile, StringInterner& strings) : profile_(profile), strings_(strings) {}

  // Moves bare kernel addresses of text formats, which have other modules or none, to this module:
  // with --symbols the user has said that they belong to it.
  void adopt_frames();
  // Converts the addresses of a program that was loaded anywhere to those of its file.
  void relocate(const GivenSymbols& given, const SymbolFile& symbols);
  // If the symbols of this module look like those of another build, adds an alarm to the profile.
  void judge_symbols(std::string_view module, const SymbolFile& symbols);

 private:
  // How well symbols agree with the frames of a module.
  struct Agreement {
    uint64_t samples = 0;  // with their innermost frame in the module
    uint64_t unnamed_samples = 0;
    uint64_t frames = 0;
    uint64_t unnamed_frames = 0;
    uint64_t returns = 0;  // return addresses whose code is available
    uint64_t after_calls = 0;
  };
  Agreement agreement(std::string_view module, const SymbolFile& symbols) const;
  std::vector<uint64_t> returns_of(std::string_view module) const;
  void note_load_address(std::string_view module, const LoadAddress& found);
  bool is_of(std::string_view module, const Frame& frame) const;
  bool has_sure_name(const Frame& frame) const;
  // As the first row, unless the profile has it from an earlier naming.
  void add_row(const Loss& loss);

  Profile& profile_;
  StringInterner& strings_;
};

}  // namespace wick
