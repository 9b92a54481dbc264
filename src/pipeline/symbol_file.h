// SPDX-License-Identifier: Apache-2.0
// The symbols of a kernel of another machine, from the file of --symbols: an ELF file, or the
// output of `nm -CS` for one.
//
// A recording of such a kernel does not say its build, and names of another build are wrong but
// look like names. Two signs reveal them: addresses that no symbol covers, and, if the code is
// available, return addresses that do not follow a call.
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
  // The function before an address that is in no function, if it is near.
  std::optional<NamedRange> find_before(uint64_t address) const;
  // Null for text.
  const OpenedFile* elf() const { return elf_.get(); }
  // Whether the instruction before a return address is a call; none if there is no code.
  std::optional<bool> follows_call(uint64_t return_address) const;

 private:
  std::unique_ptr<OpenedFile> elf_;
  SymbolTable symbols_;
  TextSymbols text_;
};

}  // namespace wick
