// SPDX-License-Identifier: Apache-2.0
#include "pipeline/symbol_file.h"

#include <algorithm>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/input.h"
#include "base/parse_number.h"
#include "base/path.h"
#include "base/whole_input.h"
#include "unwind/call_site.h"

namespace wick {
namespace {

constexpr uint64_t kNear = 0x10000;

// The index of the last symbol that starts at the address or before; size() if there is none.
size_t index_before(const SymbolTable& symbols, uint64_t address) {
  size_t low = 0;
  size_t high = symbols.size();
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (symbols[middle].address <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == 0 ? symbols.size() : low - 1;
}

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

// Takes "@0x5555..." off the end of a path.
std::optional<uint64_t> take_load_address(std::string& path) {
  size_t at = path.rfind("@0x");
  if (at == std::string::npos || exists(path)) {
    return {};
  }
  std::optional<uint64_t> address = parse_hex(std::string_view(path).substr(at + 3));
  path.resize(address ? at : path.size());
  return address;
}

// "kernel.elf", "dd=target/dd", "/bin/dd=target/dd@0x400000". A file may have '=' in its name.
GivenSymbols split_given(const std::string& value) {
  size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0 || exists(value)) {
    return {.module = std::string(kForeignKernel), .path = value};
  }
  std::string_view name = file_name_of(std::string_view(value).substr(0, equals));
  GivenSymbols given{
      .module = name.starts_with('[') ? std::string(name) : fmt::format("[{}]", name),
      .path = value.substr(equals + 1)};
  given.load_address = take_load_address(given.path);
  return given;
}

Result<> check_file(const GivenSymbols& given) {
  const std::string& path = given.path;
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    return fail_usage("--symbols: cannot open {}: {}.", terminal_text(path), std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail_usage("--symbols: {} is not a regular file.", terminal_text(path));
  }
  SymbolFile file = TRY(SymbolFile::open(path));
  if (given.load_address && file.elf() != nullptr && !file.is_relocatable()) {
    return fail_usage("--symbols: {} is linked to fixed addresses, so it was not loaded at {:#x}.",
                      terminal_text(path),
                      *given.load_address);
  }
  return {};
}

}  // namespace

Result<std::vector<GivenSymbols>> parse_given_symbols(const std::vector<std::string>& values) {
  std::vector<GivenSymbols> all;
  for (const std::string& value : values) {
    GivenSymbols given = split_given(value);
    if (std::ranges::find(all, given.module, &GivenSymbols::module) != all.end()) {
      return fail_usage(
          "--symbols: there are two files for {}; the file of a program is NAME=FILE.",
          given.module == kForeignKernel ? "the kernel" : terminal_text(given.module));
    }
    TRY(check_file(given));
    all.push_back(std::move(given));
  }
  return all;
}

bool is_foreign_program(const Profile& profile, std::string_view module) {
  bool is_in_brackets = module.starts_with('[') && module.ends_with(']');
  return is_in_brackets && module != kForeignKernel &&
         std::ranges::any_of(profile.modules, [&](const Module& other) {
           return profile.strings[other.path] == kForeignKernel;
         });
}

const GivenSymbols* find_given(const NameOptions& options, std::string_view module) {
  auto found = std::ranges::find(options.symbols, module, &GivenSymbols::module);
  return found == options.symbols.end() ? nullptr : &*found;
}

Result<SymbolFile> SymbolFile::open(const std::string& path) {
  SymbolFile file;
  file.elf_ = open_elf(path);
  if (file.elf_ != nullptr) {
    file.symbols_ = SymbolTable::from(file.elf_->image);
    if (file.symbols_.size() == 0) {
      return fail("--symbols: {} has no symbols; use the file before it was stripped.",
                  terminal_text(path));
    }
    return file;
  }
  Input input = TRY(Input::open(path, nullptr));
  WholeInput whole(input);
  file.text_ = TextSymbols::from_nm(std::string(whole.text()));
  if (file.text_.empty()) {
    return fail("--symbols: {} is neither an ELF file nor output of `nm -CS FILE`.",
                terminal_text(path));
  }
  return file;
}

std::optional<NamedRange> SymbolFile::find(uint64_t address) const {
  if (elf_ == nullptr) {
    return text_.find(address);
  }
  std::optional<Symbol> symbol = symbols_.find(address);
  return symbol ? std::optional(NamedRange{symbol->address, symbol->size, symbol->name})
                : std::nullopt;
}

std::optional<NamedRange> SymbolFile::find_before(uint64_t address) const {
  std::optional<NamedRange> found;
  if (elf_ == nullptr) {
    found = text_.find_before(address);
  } else if (size_t index = index_before(symbols_, address); index < symbols_.size()) {
    Symbol symbol = symbols_[index];
    found = NamedRange{symbol.address, symbol.size, symbol.name};
  }
  return found && address - found->start - found->size < kNear ? found : std::nullopt;
}

bool SymbolFile::is_relocatable() const {
  return elf_ != nullptr && elf_->image.type() == ElfType::kShared;
}

bool SymbolFile::covers(uint64_t linked) const {
  if (elf_ == nullptr) {
    NamedRange last = text_[text_.size() - 1];
    return linked >= text_[0].start && linked < last.start + std::max<uint64_t>(last.size, kNear);
  }
  return std::ranges::any_of(elf_->image.segments(), [&](const ElfSegment& segment) {
    return linked - segment.address < segment.memory_size;
  });
}

std::optional<bool> SymbolFile::follows_call(uint64_t return_address) const {
  std::optional<UnwindArch> arch =
      elf_ == nullptr ? std::nullopt : unwind_arch_of(elf_->image.machine());
  Bytes code = arch ? elf_->image.bytes_at(return_address - kLongestCall) : Bytes();
  if (code.size() < kLongestCall) {
    return std::nullopt;
  }
  code = code.first(kLongestCall);
  // After a system call, the kernel's frames are on top of this one.
  return call_before(*arch, code, return_address).kind != CallSite::Kind::kNone ||
         is_system_call_before(*arch, code.last(kLongestSystemCall));
}

}  // namespace wick
