// SPDX-License-Identifier: Apache-2.0
// The kernel of another system: its addresses get their names from symbols that the user gives, a
// kernel's ELF file or what `nm -CS` prints of it.
//
// Nothing in a recording tells whether these are the symbols of that kernel, and names of another
// build look like names. So they are judged by what they explain: the share of samples that lie in
// a function at all, and the return addresses that follow a call.
#pragma once

#include <cstdint>
#include <string_view>

#include "pipeline/symbol_file.h"
#include "profile/profile.h"

namespace wick {

// The module of frames that another system's kernel sampled (formats/redox): only
// NameSources::symbols can name them, an ELF file or what nm -CS prints of it. Functions are found
// by address and size. An address between two functions is named after the one before it, with
// kBeyondEnd, so that it cannot be taken for that function.
inline constexpr std::string_view kForeignKernel = "[redox]";
inline constexpr std::string_view kBeyondEnd = " (beyond its end)";

class ForeignKernel {
 public:
  // Both must outlive it.
  ForeignKernel(Profile& profile, StringInterner& strings) : profile_(profile), strings_(strings) {}

  // Texts have bare kernel addresses under other module names, or none: the user has said whose
  // they are.
  void claim_frames();
  // Symbols that look like those of another kernel are the first notice of the profile.
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
