// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/version.h"

#include <charconv>

#include <fmt/format.h>

namespace wick::python {
namespace {

constexpr uint64_t kLargestMinor = 99;

}  // namespace

Version Version::from_hex(uint64_t hex) {
  auto byte = [&](unsigned shift) { return static_cast<uint32_t>(hex >> shift & 0xFF); };
  if (hex > UINT32_MAX || byte(24) != 3 || byte(16) > kLargestMinor) {
    return {};
  }
  return {.major = 3, .minor = byte(16), .micro = byte(8)};
}

Version Version::from_file_name(std::string_view path) {
  constexpr std::string_view kStart = "python3.";
  std::string_view name = path.substr(path.rfind('/') + 1);
  size_t at = name.find(kStart);
  if (at == std::string_view::npos) {
    return {};
  }
  std::string_view digits = name.substr(at + kStart.size());
  Version version = {.major = 3};
  auto end = std::from_chars(digits.data(), digits.data() + digits.size(), version.minor);
  return end.ec == std::errc{} && version.minor <= kLargestMinor ? version : Version{};
}

std::string Version::text() const {
  if (!is_known()) {
    return "of an unknown version";
  }
  return micro ? fmt::format("{}.{}.{}", major, minor, *micro) : fmt::format("{}.{}", major, minor);
}

}  // namespace wick::python
