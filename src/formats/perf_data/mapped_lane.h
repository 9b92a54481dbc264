// SPDX-License-Identifier: Apache-2.0
// Records in a mapped file. They are scanned a slice at a time and stay in the mapping until they
// are due. Pages are released some time after their records were delivered, so that a large file
// needs little memory. If many scanned records are waiting, pages are released earlier: a page that
// is needed again is simply mapped again, at the same cost as the first time (a third of reading a
// DWARF recording, if all of it is mapped twice).
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/mapped_file.h"
#include "base/pager.h"
#include "formats/perf_data/reading.h"
#include "formats/perf_data/scanner.h"

namespace wick::perf_data {

class MappedLane : public RunHome, public Window {
 public:
  // Records from `begin` to `end` of the file. If `mapped` is null, no pages are released.
  MappedLane(Reading& reading,
             Bytes file,
             uint64_t begin,
             uint64_t end,
             const MappedFile* mapped,
             Pager& pager);

  bool done() const { return at_ == end_; }
  uint64_t position() const { return at_; }
  void scan_slice();

  // No later record of this lane should be older than this: the newest time of the slice before the
  // last, as with rounds (order.h).
  uint64_t horizon() const { return done() ? UINT64_MAX : horizon_; }

  void passed(const std::byte* begin, const std::byte* end) override;
  void run_opened() override {}
  void run_finished() override {}
  void give_back() override;

 private:
  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  static constexpr size_t kSliceBytes = 2 << 20;
  static constexpr size_t kAheadBytes = 8 << 20;
  static constexpr size_t kAheadStep = 4 << 20;
  static constexpr size_t kMaxRetainedBytes = 20 << 20;
  static constexpr size_t kMaxRanges = 64;

  void read_ahead();

  Reading& reading_;
  Pager& pager_;
  Scanner scanner_;
  Bytes file_;
  uint64_t at_;
  uint64_t end_;
  const MappedFile* mapped_;
  uint64_t horizon_ = 0;
  uint64_t ahead_;               // pages up to here are being mapped
  uint64_t retained_bytes_ = 0;  // scanned, not delivered, and still mapped
  // Delivered since the last give_back(), and between the two before that; one range for each run.
  std::vector<Range> delivered_;
  std::vector<Range> delivered_before_;
};

}  // namespace wick::perf_data
