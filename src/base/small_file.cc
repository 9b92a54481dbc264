// SPDX-License-Identifier: Apache-2.0
#include "base/small_file.h"

#include <algorithm>
#include <array>

#include <fcntl.h>
#include <unistd.h>

#include "base/descriptor.h"

namespace wick {

std::string read_text(const std::string& path, size_t most, size_t begin) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 65536> buffer;
  bool is_there =
      file.valid() && (begin == 0 || ::lseek(file.get(), static_cast<off_t>(begin), SEEK_SET) >= 0);
  while (is_there && text.size() < most) {
    ssize_t got = ::read(file.get(), buffer.data(), std::min(buffer.size(), most - text.size()));
    if (got <= 0) {
      break;
    }
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  return text;
}

}  // namespace wick
