// SPDX-License-Identifier: Apache-2.0
// The symbols of a kernel of another system, or of one of its programs, from a file of --symbols: an
// ELF file, or the output of `nm -CS` for one.
//
//     --symbols FILE                 the kernel
//     --symbols NAME=FILE            the program that the recording calls NAME
//     --symbols NAME=FILE@ADDRESS    which can run at any address, and was loaded at this one
//
// A recording of such a system does not say the builds, and names of another build are wrong but
// look like names. Two signs reveal them: addresses that no symbol covers, and, if the code is
// available, return addresses that do not follow a call.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/symbols.h"
#include "pipeline/name_options.h"
#include "profile/profile.h"
#include "symbolize/module_files.h"
#include "symbolize/text_symbols.h"

namespace wick {

// The module of frames that another system's kernel sampled (formats/redox). Only
// NameOptions::symbols can name them.
inline constexpr std::string_view kForeignKernel = "[redox]";

// The values of --symbols. An Error if a file cannot be read or has no symbols, or if two files are
// given for the same code.
Result<std::vector<GivenSymbols>> parse_given_symbols(const std::vector<std::string>& values);
// Whether the module is a program of another system: such a profile has that system's kernel, too.
bool is_foreign_program(const Profile& profile, std::string_view module);
// Null if none are given for the module.
const GivenSymbols* find_given(const NameOptions& options, std::string_view module);

class SymbolFile {
 public:
  static Result<SymbolFile> open(const std::string& path);

  std::optional<NamedRange> find(uint64_t address) const;
  // The function before an address that is in no function, if it is near.
  std::optional<NamedRange> find_before(uint64_t address) const;
  // Null for text.
  const OpenedFile* elf() const { return elf_.get(); }
  // Whether the file is linked to run at any address, so that its symbols do not say where it ran
  // (load_address.h).
  bool is_relocatable() const;
  // Whether an address as linked is in the program.
  bool covers(uint64_t linked) const;
  // Whether the instruction before a return address is a call, or enters the kernel; none without
  // code.
  std::optional<bool> follows_call(uint64_t return_address) const;

 private:
  std::unique_ptr<OpenedFile> elf_;
  SymbolTable symbols_;
  TextSymbols text_;
};

}  // namespace wick
