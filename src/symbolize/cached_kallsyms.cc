// SPDX-License-Identifier: Apache-2.0
#include "symbolize/cached_kallsyms.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/output.h"

namespace wick {
namespace {

constexpr size_t kAddressDigits = 16;
constexpr size_t kSizeDigits = 8;
constexpr size_t kNameBegin = kAddressDigits + 1 + kSizeDigits + 1;

// Increases if the format of the file changes, or the choice among several names (TextSymbols).
constexpr int kForm = 2;

std::string title(std::string_view edition) {
  return fmt::format("# wick kallsyms {} {} ", kForm, edition);
}

uint64_t hex(std::string_view digits) {
  uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

// The line that contains this byte, without its newline.
std::string_view line_around(std::string_view text, size_t at) {
  size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

std::optional<CachedKallsyms> CachedKallsyms::open(const std::string& path,
                                                   std::string_view edition) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) {
    return {};
  }
  std::string_view text = as_text(file->bytes());
  std::string_view first = text.substr(0, text.find('\n'));
  std::string expected = title(edition);
  if (!first.starts_with(expected) || first.size() == text.size()) {
    return {};
  }
  CachedKallsyms cached;
  cached.kernel_text_ = hex(first.substr(expected.size()));
  cached.lines_ = text.substr(first.size() + 1);
  cached.file_ = std::move(*file);
  return cached;
}

void CachedKallsyms::save(const std::string& path,
                          std::string_view edition,
                          const TextSymbols& list) {
  size_t slash = path.rfind('/');
  ::mkdir(path.substr(0, path.rfind('/', slash - 1)).c_str(), 0700);
  ::mkdir(path.substr(0, slash).c_str(), 0700);
  Result<Output> out = Output::to_path(path, {.is_private = true});
  if (!out) {
    return;
  }
  out->print("{}{:x}\n", title(edition), list.kernel_text());
  for (size_t i = 0; i < list.size(); ++i) {
    NamedRange symbol = list[i];
    if (!symbol.name.empty()) {
      uint64_t size = std::min<uint64_t>(symbol.size, UINT32_MAX);
      out->print("{:016x} {:08x} {}\n", symbol.start, size, symbol.name);
    }
  }
  (void)out->finish();
}

std::optional<NamedRange> CachedKallsyms::find(uint64_t address) const {
  // The last line that starts at the address or before it is in [begin, end).
  std::string_view best;
  size_t begin = 0;
  size_t end = lines_.size();
  while (begin < end) {
    std::string_view line = line_around(lines_, begin + (end - begin) / 2);
    auto line_begin = static_cast<size_t>(line.data() - lines_.data());
    if (hex(line.substr(0, kAddressDigits)) <= address) {
      best = line;
      begin = line_begin + line.size() + 1;
    } else {
      end = line_begin;
    }
  }
  if (best.size() <= kNameBegin) {
    return {};
  }
  NamedRange found = {.start = hex(best.substr(0, kAddressDigits)),
                      .size = hex(best.substr(kAddressDigits + 1, kSizeDigits)),
                      .name = best.substr(kNameBegin)};
  return address - found.start < found.size ? std::optional(found) : std::nullopt;
}

}  // namespace wick
