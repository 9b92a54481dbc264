// SPDX-License-Identifier: Apache-2.0
// The table of the sources of names, and the code that all lists share.
#include <array>

#include "pipeline/name_source.h"

namespace wick {
namespace {

constexpr std::array kRows = {
    NameSourceRow{"debuginfod", make_debuginfod_source},  // first: it fetches files for the others
    NameSourceRow{"symbol file", make_symbol_file_source},
    NameSourceRow{"jitdump", make_jit_dump_source},
    NameSourceRow{"perf map", make_perf_map_source},
    NameSourceRow{"kernel image", make_kernel_image_source},
    NameSourceRow{"kernel module", make_kernel_module_source},
    NameSourceRow{"kallsyms", make_kallsyms_source},
    NameSourceRow{"ELF file", make_elf_source},
};

bool covers(const NamedRange& function, uint64_t address) {
  return function.start <= address &&
         (function.size == 0 || address - function.start < function.size);
}

}  // namespace

std::span<const NameSourceRow> name_source_rows() {
  return kRows;
}

std::vector<uint64_t> without_names(std::span<const uint64_t> addresses,
                                    const NameAnswers& answers) {
  std::vector<bool> is_named(addresses.size());
  std::vector<uint32_t> chain;
  for (const AddressView& view : answers.views) {
    auto address_of = [&](uint64_t address) { return address + answers.base; };
    for_each_match(addresses,
                   view.entries,
                   address_of,
                   [&](const uint64_t& address, const AddressEntry& entry) {
                     view.frames_of(entry, chain);
                     is_named[static_cast<size_t>(&address - addresses.data())] =
                         !chain.empty() && view.frames[chain[0]].function != AddressFrame::kNone;
                   });
  }
  std::vector<uint64_t> unnamed;
  for (size_t row = 0; row < addresses.size(); ++row) {
    if (!is_named[row]) {
      unnamed.push_back(addresses[row]);
    }
  }
  return unnamed;
}

void ListedNames::find(std::span<const uint64_t> addresses) {
  for (uint64_t address : addresses) {
    std::optional<NamedCode> code = name_of(address);
    if (code && covers(code->function, address)) {
      table_.add_listed(address, *code);
    } else if (code) {
      ++lies_;
    }
  }
}

void ListedNames::report(NameNotes& notes, NameFiles& /*files*/) const {
  if (lies_ > 0) {
    notes.add("a source gave names for addresses outside their functions; they are not used",
              path_);
  }
}

}  // namespace wick
