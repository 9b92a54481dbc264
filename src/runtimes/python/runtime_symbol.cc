// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/runtime_symbol.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <elf.h>

#include "elf/symbol_reader.h"
#include "runtimes/memory_words.h"
#include "runtimes/python/debug_offsets.h"

namespace wick::python {
namespace {

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

// Text such as "3.10.13", between two NULs. Unknown if there are several versions.
Version version_in_text(const ElfImage& image, const Version& expected) {
  constexpr std::string_view kStart(
      "\0"
      "3.",
      3);
  std::string_view text = as_text(image.section(".rodata"));
  std::set<std::pair<uint32_t, uint32_t>> found;
  for (size_t at = text.find(kStart); at != std::string_view::npos;
       at = text.find(kStart, at + 1)) {
    uint32_t minor = 0;
    uint32_t micro = 0;
    const char* begin = text.data() + at + kStart.size();
    const char* end = text.data() + text.size();
    auto first = std::from_chars(begin, end, minor);
    if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.') {
      continue;
    }
    auto second = std::from_chars(first.ptr + 1, end, micro);
    bool is_whole = second.ec == std::errc{} && second.ptr != end && *second.ptr == '\0';
    bool is_wanted =
        Version{3, minor, {}}.is_supported() && (!expected.is_known() || minor == expected.minor);
    if (is_whole && is_wanted) {
      found.emplace(minor, micro);
    }
  }
  return found.size() == 1 ? Version{3, found.begin()->first, found.begin()->second} : expected;
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
