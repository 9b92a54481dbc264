// SPDX-License-Identifier: Apache-2.0
// Lists of sizes on the command line: "8x128M,16x64M,4K" is eight times 128 MiB, sixteen times 64
// MiB and once 4 KiB. The number before the x is a count, or a weight, depending on the flag.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace buffer_pool {

struct SizeRow {
  int count = 1;
  size_t size = 0;
};
using SizeList = std::vector<SizeRow>;

// The self-check needs 16 bytes of every buffer.
inline constexpr size_t kSmallestSize = 16;
inline constexpr size_t kLargestSize = size_t{1} << 30U;

// None if the text is not such a list, or if a size is out of the bounds above. An empty text is an
// empty list.
std::optional<SizeList> parse_sizes(std::string_view text);

}  // namespace buffer_pool
