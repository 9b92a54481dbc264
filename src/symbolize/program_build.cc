// SPDX-License-Identifier: Apache-2.0
#include "symbolize/program_build.h"

#include <elf.h>

#include "elf/symbol_reader.h"
#include "symbolize/module_dwarf.h"

namespace wick {
namespace {

std::optional<uint64_t> address_of_main(const ElfImage& image) {
  SymbolReader symbols(image, ".symtab");
  for (size_t row = 0; row < symbols.size(); ++row) {
    RawSymbol symbol = symbols[row];
    if (symbol.section != SHN_UNDEF && symbol.type == STT_FUNC && symbols.name(symbol) == "main") {
      return symbol.value;
    }
  }
  return {};
}

}  // namespace

CodeBuild build_of_program(const FileSearch& search, const std::string& path) {
  ModuleFiles files = find_module_files(search, path, "");
  if (files.binary == nullptr) {
    return {};
  }
  CodeBuild build;
  ModuleDwarf dwarf(search, ModuleDwarf::Source::of(files));
  std::optional<uint64_t> main = address_of_main(files.binary->image);
  if (!main && files.debug != nullptr) {
    main = address_of_main(files.debug->image);
  }
  uint32_t unit = main && !dwarf.empty() ? dwarf.info()->unit_of(*main) : DwarfInfo::kNoUnit;
  if (unit != DwarfInfo::kNoUnit) {
    build = code_build(dwarf.info()->find_in_unit(unit, {&*main, 1}, false).build, path);
  }
  bool is_checked = is_checked_python(files.binary->image, path);
  return is_checked ? with_python_checks(std::move(build)) : build;
}

}  // namespace wick
