// SPDX-License-Identifier: Apache-2.0
// Which CPython a file contains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wick::python {

struct Version {
  uint32_t major = 0;  // 0: unknown
  uint32_t minor = 0;
  std::optional<uint32_t> micro;
  bool operator==(const Version&) const = default;

  // 0x030B02F0 is 3.11.2: a byte each, the last one says how finished it is. Unknown if the number
  // is not a version of CPython.
  static Version from_hex(uint64_t hex);
  // As the program or library is called: "python3.9", "libpython3.10.so.1.0".
  static Version from_file_name(std::string_view path);
  // "3.11.2", or whatever of it is known.
  std::string text() const;

  bool is_known() const { return major != 0; }
  bool is_supported() const { return major == 3 && minor >= 8 && minor <= 14; }
};

}  // namespace wick::python
