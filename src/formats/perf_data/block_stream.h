// SPDX-License-Identifier: Apache-2.0
// A stream of records that arrives in pieces of any size. It is copied into blocks and scanned as
// it arrives. A record that crosses the end of a block moves to the start of the next one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <zstd.h>

#include "base/bytes.h"
#include "formats/perf_data/scanner.h"

namespace wick::perf_data {

class BlockStream {
 public:
  BlockStream(Reading& reading, bool nested) : reading_(reading), scanner_(reading, nested) {}
  ~BlockStream();
  BlockStream(const BlockStream&) = delete;
  BlockStream& operator=(const BlockStream&) = delete;

  // The memory for the next bytes of the stream; never empty.
  std::span<std::byte> space();
  // The caller has written `size` bytes to space().
  void commit(size_t size);
  void finish();

  uint64_t newest() const { return scanner_.newest(); }
  // How many bytes since the last record. More than 0 only while searching after damage.
  uint64_t damaged_bytes() const { return scanner_.damaged_bytes(); }
  // No more records follow.
  bool ended() const { return scanner_.ended(); }

 private:
  void start_block();
  void scan(bool last);

  Reading& reading_;
  Scanner scanner_;
  Block* block_ = nullptr;
  size_t filled_ = 0;   // of the block
  size_t scanned_ = 0;  // of the block
  uint64_t block_start_ = 0;
};

// Unpacks COMPRESSED records. Together they are one zstd stream, and its content is one stream of
// records: a record may start in one piece and end in the next. The output goes straight into
// blocks, so a compression bomb fills no memory. Unreasonable expansion is refused anyway, because
// of the time it takes.
class Unpacker {
 public:
  explicit Unpacker(Reading& reading);
  void feed(Bytes packed);
  void finish();
  uint64_t newest() const { return records_.newest(); }

 private:
  struct FreeStream {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  void lose(Bytes packed);

  Reading& reading_;
  std::unique_ptr<ZSTD_DStream, FreeStream> zstd_;
  BlockStream records_;
  uint64_t packed_bytes_ = 0;
  uint64_t plain_bytes_ = 0;
};

}  // namespace wick::perf_data
