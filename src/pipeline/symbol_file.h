// SPDX-License-Identifier: Apache-2.0
// The symbols of a kernel that is not this machine's, from the file that --symbols names: an ELF
// file, or what nm -CS prints of one.
//
// Nothing in a recording of such a kernel says which build it was of, and names of another build
// are nonsense that looks like names. Two things tell: addresses that no symbol covers, and, where
// the code is there, return addresses that do not follow a call.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "elf/symbols.h"
#include "symbolize/module_files.h"
#include "symbolize/text_symbols.h"

namespace wick {

class SymbolFile {
 public:
  static Result<SymbolFile> open(const std::string& path);

  std::optional<NamedRange> find(uint64_t address) const;
  // The function before an address that lies in none, when it is near.
  std::optional<NamedRange> find_before(uint64_t address) const;
  // Null when it is text.
  const OpenedFile* elf() const { return elf_.get(); }
  // Whether the instruction before a return address is a call; none when there is no code there.
  std::optional<bool> follows_call(uint64_t return_address) const;

 private:
  std::unique_ptr<OpenedFile> elf_;
  SymbolTable symbols_;
  TextSymbols text_;
};

}  // namespace wick
