// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/runtime_symbol.h"

#include <algorithm>
#include <charconv>

#include <elf.h>

#include "elf/symbol_reader.h"
#include "runtimes/memory_words.h"
#include "runtimes/python/debug_offsets.h"

namespace wick::python {
namespace {

constexpr std::string_view kMajor = "3.";

// A quick look at the names of a table, which may have a million rows.
bool mentions(const ElfImage& image, std::string_view table, std::string_view name) {
  const ElfSection* symbols = image.find_section(table);
  if (symbols == nullptr || symbols->link >= image.sections().size()) {
    return false;
  }
  return as_text(image.contents(image.sections()[symbols->link])).contains(name);
}

std::optional<uint64_t> defined_symbol(const ElfImage& image, std::string_view name) {
  for (std::string_view table : {".dynsym", ".symtab"}) {
    if (!mentions(image, table, name)) {
      continue;
    }
    SymbolReader symbols(image, table);
    for (size_t i = 0; i < symbols.size(); ++i) {
      RawSymbol symbol = symbols[i];
      if (symbol.type == STT_OBJECT && symbol.section != SHN_UNDEF &&
          symbols.name(symbol) == name) {
        return symbol.value;
      }
    }
  }
  return {};
}

std::optional<uint64_t> description_in(const ElfImage& image, const ElfSegment& segment) {
  Bytes data = image.bytes_at(segment.address);
  std::string_view text = as_text(data.first(std::min<size_t>(data.size(), segment.file_size)));
  for (size_t at = text.find(kDebugCookie); at != std::string_view::npos;
       at = text.find(kDebugCookie, at + 1)) {
    if (at % sizeof(uint64_t) == 0 && version_of_debug_offsets(data.subspan(at)).is_known()) {
      return segment.address + at;
    }
  }
  return {};
}

std::optional<uint64_t> find_description(const ElfImage& image) {
  for (const ElfSegment& segment : image.segments()) {
    if (!segment.writable) {
      continue;
    }
    if (auto address = description_in(image, segment)) {
      return address;
    }
  }
  return {};
}

std::optional<uint64_t> runtime_address(const ElfImage& image) {
  if (auto symbol = defined_symbol(image, "_PyRuntime")) {
    return symbol;
  }
  const ElfSection* section = image.find_section(".PyRuntime");
  return section != nullptr ? std::optional(section->address) : find_description(image);
}

// "3.10.13", up to a NUL. Unknown if it is another text.
Version version_at(std::string_view text) {
  Version version = {.major = 3, .micro = 0};
  const char* end = text.data() + text.size();
  auto minor = std::from_chars(text.data() + kMajor.size(), end, version.minor);
  if (minor.ec != std::errc{} || minor.ptr == end || *minor.ptr != '.') {
    return {};
  }
  auto micro = std::from_chars(minor.ptr + 1, end, *version.micro);
  bool is_whole = micro.ec == std::errc{} && micro.ptr != end && *micro.ptr == '\0';
  return is_whole ? version : Version{};
}

// The version among the constants. Linkers join a text with the end of a longer one
// ("/usr/lib/3.10.13"), so it need not start after a NUL. Unknown if there are several.
Version version_in_text(const ElfImage& image, const Version& expected) {
  constexpr std::string_view kNumber = "0123456789.";
  std::string_view text = as_text(image.section(".rodata"));
  Version found = expected;
  for (size_t at = text.find(kMajor); at != std::string_view::npos;
       at = text.find(kMajor, at + 1)) {
    Version version = version_at(text.substr(at));
    bool is_part = at > 0 && kNumber.contains(text[at - 1]);
    bool is_wanted = !expected.is_known() || version.minor == expected.minor;
    if (is_part || !version.is_supported() || !is_wanted || version == found) {
      continue;
    }
    if (found.micro) {
      return expected;
    }
    found = version;
  }
  return found;
}

Version version_of(const ElfImage& image, std::string_view path, uint64_t runtime) {
  if (auto symbol = defined_symbol(image, "Py_Version")) {
    Version version = Version::from_hex(number_at<uint64_t>(image.bytes_at(*symbol), 0));
    if (version.is_known()) {
      return version;
    }
  }
  Version described = version_of_debug_offsets(image.bytes_at(runtime));
  return described.is_known() ? described : version_in_text(image, Version::from_file_name(path));
}

}  // namespace

std::optional<RuntimeSymbol> find_runtime(const ElfImage& image, std::string_view path) {
  bool is_loaded = image.type() == ElfType::kProgram || image.type() == ElfType::kShared;
  std::optional<uint64_t> address =
      is_loaded && image.is_64() ? runtime_address(image) : std::nullopt;
  if (!address) {
    return {};
  }
  return RuntimeSymbol{*address, version_of(image, path, *address)};
}

}  // namespace wick::python
