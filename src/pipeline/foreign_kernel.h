// SPDX-License-Identifier: Apache-2.0
// Names for the kernel of another system. They come from symbols that the user gives: the kernel's
// ELF file, or the output of `nm -CS` for it.
//
// A recording does not say whether these symbols are of the recorded kernel, and names of another
// build look like names. So wick judges the symbols by the samples: by the share that is inside any
// function, and by the return addresses that follow a call.
#pragma once

#include <cstdint>
#include <string_view>

#include "pipeline/symbol_file.h"
#include "profile/profile.h"

namespace wick {

// The module of frames that another system's kernel sampled (formats/redox). Only
// NameOptions::symbols can name them. wick finds functions by address and size. An address between
// two functions gets the name of the one before it, with kBeyondEnd, so that users do not mistake
// it for that function.
inline constexpr std::string_view kForeignKernel = "[redox]";
inline constexpr std::string_view kBeyondEnd = " (beyond its end)";

class ForeignKernel {
 public:
  // Both must outlive it.
  ForeignKernel(Profile& profile, StringInterner& strings) : profile_(profile), strings_(strings) {}

  // Moves bare kernel addresses of text formats, which have other modules or none, to this module:
  // with --symbols the user has said that they belong to it.
  void adopt_frames();
  // If the symbols look like those of another kernel, adds this as the first notice of the profile.
  void judge_symbols(const SymbolFile& symbols);

 private:
  bool is_foreign(const Frame& frame) const;
  bool has_sure_name(const Frame& frame) const;
  void add_notice(std::string_view reason,
                  std::string_view what,
                  uint64_t count,
                  std::string_view detail);

  Profile& profile_;
  StringInterner& strings_;
};

}  // namespace wick
