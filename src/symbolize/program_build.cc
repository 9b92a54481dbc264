// SPDX-License-Identifier: Apache-2.0
// Finds main() and looks at the unit that it is in. Where the compiler records no options, the
// variables of functions are the proof (code_build.h), and a short main() has too few of them. So
// all functions of the unit count, up to a limit.
#include "symbolize/program_build.h"

#include <algorithm>
#include <vector>

#include <elf.h>

#include "elf/symbol_reader.h"
#include "symbolize/module_dwarf.h"

namespace wick {
namespace {

constexpr size_t kMaxFunctions = 500;  // of a unit, to look at

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The rest of the text after a name with its length: "5hello4main" becomes "4main". Empty if there
// is none.
std::string_view after_name(std::string_view text) {
  size_t length = 0;
  size_t digits = 0;
  while (digits < std::min<size_t>(text.size(), 4) && is_digit(text[digits])) {
    length = 10 * length + static_cast<size_t>(text[digits++] - '0');
  }
  return digits == 0 || digits + length > text.size() ? "" : text.substr(digits + length);
}

// crate::main of Rust, in both of its manglings: "_ZN5hello4main17h0123456789abcdefE" and
// "_RNvCs1a2b3c_5hello4main".
bool is_rust_main(std::string_view name) {
  if (name.starts_with("_ZN")) {
    return after_name(name.substr(3)).starts_with("4main17h");
  }
  return name.starts_with("_RNvC") && name.ends_with("4main");
}

struct Functions {
  std::optional<uint64_t> main;
  std::vector<uint64_t> addresses;  // of all functions, ascending and unique
};

Functions functions_in(const ElfImage& image) {
  Functions functions;
  MainKind found = MainKind::kNone;
  SymbolReader symbols(image, ".symtab");
  for (size_t row = 0; row < symbols.size(); ++row) {
    RawSymbol symbol = symbols[row];
    if (symbol.section == SHN_UNDEF || symbol.type != STT_FUNC) {
      continue;
    }
    functions.addresses.push_back(symbol.value);
    if (MainKind kind = main_kind(symbols.name(symbol)); kind > found) {
      found = kind;
      functions.main = symbol.value;
    }
  }
  std::ranges::sort(functions.addresses);
  auto again = std::ranges::unique(functions.addresses);
  functions.addresses.erase(again.begin(), again.end());
  return functions;
}

// main() first, then others of its unit.
std::vector<uint64_t> functions_of_unit(const DwarfInfo& info,
                                        uint32_t unit,
                                        const Functions& functions) {
  std::vector<uint64_t> result = {*functions.main};
  for (uint64_t address : functions.addresses) {
    if (result.size() < kMaxFunctions && address != *functions.main &&
        info.unit_of(address) == unit) {
      result.push_back(address);
    }
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace

MainKind main_kind(std::string_view symbol) {
  if (symbol == "main.main" || is_rust_main(symbol)) {
    return MainKind::kOfLanguage;
  }
  return symbol == "main" ? MainKind::kOfC : MainKind::kNone;
}

CodeBuild build_of_program(const FileSearch& search, const std::string& path) {
  ModuleFiles files = find_module_files(search, path, "");
  if (files.binary == nullptr) {
    return {};
  }
  CodeBuild build;
  ModuleDwarf dwarf(search, ModuleDwarf::Source::of(files));
  Functions functions = functions_in(files.binary->image);
  if (!functions.main && files.debug != nullptr) {
    functions = functions_in(files.debug->image);
  }
  uint32_t unit = functions.main && !dwarf.empty() ? dwarf.info()->unit_of(*functions.main)
                                                   : DwarfInfo::kNoUnit;
  if (unit != DwarfInfo::kNoUnit) {
    std::vector<uint64_t> addresses = functions_of_unit(*dwarf.info(), unit, functions);
    build = code_build(dwarf.info()->find_in_unit(unit, addresses, false).build, path);
  }
  bool is_checked = is_checked_python(files.binary->image, path);
  return is_checked ? with_python_checks(std::move(build)) : build;
}

}  // namespace wick
