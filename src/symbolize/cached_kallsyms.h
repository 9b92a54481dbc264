// SPDX-License-Identifier: Apache-2.0
// The kernel's list of functions, cached in a file between runs.
//
// The kernel prints /proc/kallsyms again for every reader, and sorting it takes as long again:
// together longer than reading a recording of 500 MB. The list stays the same until the next boot,
// or until a module is loaded or removed. So wick caches it as text that needs no further work:
//
//     # wick kallsyms N EDITION TEXT          the boot and modules it is for; address of _text
//     ffffffff81000000 00000040 startup_64    address, size, name; ascending
//
// A lookup is a binary search in the mapped text. A file with another format gives no names, or
// wrong ones, but is never read outside of its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/mapped_file.h"
#include "symbolize/text_symbols.h"

namespace wick {

class CachedKallsyms {
 public:
  // None if there is no such file, or if it has another edition.
  static std::optional<CachedKallsyms> open(const std::string& path, std::string_view edition);
  // Failing to write the file is harmless: the list is made again. Addresses of the kernel are
  // secret, so only this user can read the file.
  static void save(const std::string& path, std::string_view edition, const TextSymbols& list);

  // Names are borrowed from the file.
  std::optional<NamedRange> find(uint64_t address) const;
  uint64_t kernel_text() const { return kernel_text_; }

 private:
  MappedFile file_;
  std::string_view lines_;
  uint64_t kernel_text_ = 0;
};

}  // namespace wick
