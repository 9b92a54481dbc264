// SPDX-License-Identifier: Apache-2.0
// Copies a stream into a file that can be mapped: for recordings that must be read from both ends
// and arrive through a pipe or compressed. The file has no name and disappears with the mapping.
#pragma once

#include <string>

#include "base/input.h"
#include "base/mapped_file.h"
#include "base/result.h"

namespace wick::perf_data {

struct Spooled {
  MappedFile file;
  std::string error;  // why the stream ended early; empty if it did not
};

Result<Spooled> spool(Input& input);

}  // namespace wick::perf_data
