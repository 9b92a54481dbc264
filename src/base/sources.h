// The stages that base/input.h strings together. Each owns the stage before it.
#pragma once

#include <memory>
#include <string>

#include "base/input.h"

namespace wick {

std::unique_ptr<ByteSource> text_source(std::string text);

// Reads a file descriptor, which it closes (0 stays open), and reports progress when `progress` is
// set.
std::unique_ptr<ByteSource> descriptor_source(int descriptor, uint64_t size, Progress* progress);

// Looks at the first block and adds the unpacking stage that it needs, if any; then `plain` becomes
// false.
Result<std::unique_ptr<ByteSource>> unpacked(std::unique_ptr<ByteSource> packed, bool& plain);

// UTF-16 with a byte order mark becomes UTF-8; a UTF-8 mark is dropped; anything else passes
// unchanged, and leaves `plain` as it is.
Result<std::unique_ptr<ByteSource>> transcoded(std::unique_ptr<ByteSource> raw, bool& plain);

}  // namespace wick
