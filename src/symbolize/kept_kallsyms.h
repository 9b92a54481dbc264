// The kernel's list of functions, kept in a file between runs.
//
// The kernel prints /proc/kallsyms anew for every reader, and sorting it takes as long again:
// together longer than reading a recording of 500 MB. The list stays the same until the next boot,
// or until a module comes or goes, so it is kept as text that needs no work at all:
//
//     # wick kallsyms N EDITION TEXT          the boot and modules it is for; where _text stands
//     ffffffff81000000 00000040 startup_64    address, size, name; ascending
//
// Looking up is bisecting the mapped text. A file that is not quite like this has no names in it,
// or wrong ones; it is never read outside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/mapped_file.h"
#include "symbolize/text_symbols.h"

namespace wick {

class KeptKallsyms {
 public:
  // Nothing when there is no such file, or it is of another edition.
  static std::optional<KeptKallsyms> open(const std::string& path, std::string_view edition);
  // Failing to keep the list is no harm: it is made again. Addresses are the kernel's secret, so
  // the file is for this user alone.
  static void keep(const std::string& path, std::string_view edition, const TextSymbols& list);

  // Names are borrowed from the file.
  std::optional<NamedRange> find(uint64_t address) const;
  uint64_t kernel_text() const { return kernel_text_; }

 private:
  MappedFile file_;
  std::string_view lines_;
  uint64_t kernel_text_ = 0;
};

}  // namespace wick
