// Records in a mapped file. They are scanned a slice at a time and stay where they are until their
// turn comes; pages behind are given back, so that a large file needs little memory. A page that is
// needed again is simply read again.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/mapped_file.h"
#include "formats/perf_data/reading.h"
#include "formats/perf_data/scanner.h"

namespace wick::perf_data {

class MappedLane : public RunHome, public Window {
 public:
  // Records from `begin` to `end` of the file. `mapped` may be null: then nothing is given back.
  MappedLane(Reading& reading, Bytes file, uint64_t begin, uint64_t end, const MappedFile* mapped);

  bool done() const { return at_ == end_; }
  uint64_t position() const { return at_; }
  void scan_slice();

  // No record of this lane that is still to come should be older than this: the newest time of the
  // slice before the last, as with rounds (order.h).
  uint64_t horizon() const { return done() ? UINT64_MAX : horizon_; }

  void passed(const std::byte* begin, const std::byte* end) override;
  void run_opened() override {}
  void run_finished() override {}
  void give_back() override;

 private:
  static constexpr size_t kSliceBytes = 1 << 20;
  static constexpr size_t kWindowBytes = 4 << 20;

  void touch(uint64_t begin, uint64_t end);

  Reading& reading_;
  Scanner scanner_;
  Bytes file_;
  uint64_t at_;
  uint64_t end_;
  const MappedFile* mapped_;
  uint64_t horizon_ = 0;
  // Pages that may be in memory.
  uint64_t first_touched_ = UINT64_MAX;
  uint64_t last_touched_ = 0;
  uint64_t scanned_since_ = 0;
};

}  // namespace wick::perf_data
