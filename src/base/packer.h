// SPDX-License-Identifier: Apache-2.0
// Packs a stream of bytes with gzip or zstd. The same bytes give the same packed bytes: no time and
// no file name is stored.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace wick {

enum class Packing : uint8_t { kNone, kGzip, kZstd };

// The packing that the end of a path asks for (".gz", ".zst"); removes that end.
Packing take_packing(std::string_view& path);

class Packer {
 public:
  virtual ~Packer() = default;
  // Appends packed bytes to `out`. After the call with `is_last` the stream is complete.
  virtual void add(std::string_view bytes, bool is_last, std::string& out) = 0;
};

// Null for kNone.
std::unique_ptr<Packer> make_packer(Packing packing);

}  // namespace wick
