// SPDX-License-Identifier: Apache-2.0
// The stages of the stream that base/input.h builds: a stage takes bytes from the one before it,
// which it owns, and returns them changed (unpacked, transcoded) or unchanged. `plain` says whether
// the bytes of the stream are still the bytes of the file.
#pragma once

#include <memory>
#include <string>

#include "base/input.h"

namespace wick {

std::unique_ptr<ByteSource> text_source(std::string text);

// Reads a file descriptor and closes it at the end (0 stays open); reports progress if `progress`
// is set.
std::unique_ptr<ByteSource> descriptor_source(int descriptor, uint64_t size, Progress* progress);

// Checks the first bytes and adds the unpacking stage that they need, if any; sets `plain` to false
// if it adds one.
Result<std::unique_ptr<ByteSource>> unpacked(std::unique_ptr<ByteSource> packed, bool& plain);

// UTF-16 with a byte order mark becomes UTF-8; a UTF-8 mark is dropped; both set `plain` to false.
// Anything else passes unchanged.
Result<std::unique_ptr<ByteSource>> transcoded(std::unique_ptr<ByteSource> raw, bool& plain);

}  // namespace wick
