// SPDX-License-Identifier: Apache-2.0
// The description of its structs that CPython has at the start of _PyRuntime, since 3.13.
//
//     "xdebugpy"  version  free_threaded  { size  offset  offset ... }  { size  offset ... } ...
//
// All are numbers of 64 bits. There is one group for each struct: its size, then the offsets of some
// fields. Which groups and fields there are depends on the minor version, so an unknown version is
// an error. The numbers come from the memory of a process, which may lie: an offset outside of its
// struct, or a struct that the recorder would not copy whole, is an error.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "runtimes/python/layout.h"

namespace wick::python {

inline constexpr std::string_view kDebugCookie = "xdebugpy";
inline constexpr size_t kDebugOffsetsBytes = 1024;  // enough for all versions

// The version that the description is of; unknown if it is not one.
Version version_of_debug_offsets(Bytes description);
Result<Layout> layout_from_debug_offsets(Bytes description, const Version& version);

}  // namespace wick::python
