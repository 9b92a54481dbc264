// SPDX-License-Identifier: Apache-2.0
#include "pipeline/symbol_file.h"

#include <algorithm>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/input.h"
#include "base/path.h"
#include "base/whole_input.h"

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

uint8_t byte_at(Bytes code, size_t index) {
  return static_cast<uint8_t>(code[index]);
}

// "kernel.elf", "dd=target/dd", "/bin/dd=target/dd". A file may have '=' in its name.
GivenSymbols split_given(const std::string& value) {
  size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0 || ::access(value.c_str(), F_OK) == 0) {
    return {.module = std::string(kForeignKernel), .path = value};
  }
  std::string_view name = file_name_of(std::string_view(value).substr(0, equals));
  return {.module = name.starts_with('[') ? std::string(name) : fmt::format("[{}]", name),
          .path = value.substr(equals + 1)};
}

Result<> check_file(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    return fail_usage("--symbols: cannot open {}: {}.", terminal_text(path), std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail_usage("--symbols: {} is not a regular file.", terminal_text(path));
  }
  TRY(SymbolFile::open(path));
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
    TRY(check_file(given.path));
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

std::optional<bool> SymbolFile::follows_call(uint64_t return_address) const {
  constexpr size_t kLongest = 7;
  if (elf_ == nullptr || elf_->image.machine() != Architecture::kX86_64) {
    return std::nullopt;
  }
  Bytes code = elf_->image.bytes_at(return_address - kLongest);
  if (code.size() < kLongest) {
    return std::nullopt;
  }
  if (byte_at(code, kLongest - 5) == 0xE8) {
    return true;  // call rel32
  }
  if (byte_at(code, kLongest - 2) == 0x0F && byte_at(code, kLongest - 1) == 0x05) {
    return true;  // syscall: the kernel's frames are on top of this one
  }
  for (size_t length = 2; length <= kLongest; ++length) {  // call r/m64: FF /2
    size_t at = kLongest - length;
    if (byte_at(code, at) == 0xFF && (byte_at(code, at + 1) & 0x38) == 0x10) {
      return true;
    }
  }
  return false;
}

}  // namespace wick
