// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_data/mapped_lane.h"

#include <algorithm>

namespace wick::perf_data {
namespace {

// If the page cache stores a file in huge pages, releasing whole ones costs almost nothing.
// Releasing a part of one costs as much as all of its small pages.
constexpr uint64_t kHugePage = 2 << 20;

uint64_t whole_pages(uint64_t offset) {
  return offset & ~(kHugePage - 1);
}

}  // namespace

MappedLane::MappedLane(Reading& reading,
                       Bytes file,
                       uint64_t begin,
                       uint64_t end,
                       const MappedFile* mapped,
                       Pager& pager)
    : reading_(reading),
      pager_(pager),
      scanner_(reading, false),
      file_(file),
      at_(std::min<uint64_t>(begin, file.size())),
      end_(std::clamp<uint64_t>(end, at_, file.size())),
      mapped_(mapped),
      ahead_(at_) {
  reading.add_window(*this);
}

// A small file is read before a thread would have started.
void MappedLane::read_ahead() {
  bool worth_it = mapped_ != nullptr && end_ - at_ > kAheadBytes;
  while (worth_it && ahead_ < at_ + kAheadBytes) {
    uint64_t begin = std::max(ahead_, at_);
    ahead_ = std::min<uint64_t>(begin + kAheadStep, end_);
    pager_.read_ahead(*mapped_, begin, ahead_);
  }
}

void MappedLane::scan_slice() {
  read_ahead();
  horizon_ = scanner_.newest();
  uint64_t begin = at_;
  at_ += scanner_.scan(
      {.bytes = file_.subspan(at_, end_ - at_), .offset = at_, .enough = kSliceBytes, .last = true},
      *this);
  retained_bytes_ += at_ - begin;
  if (retained_bytes_ > kMaxRetainedBytes && mapped_ != nullptr) {
    retained_bytes_ -= at_ - begin;
    pager_.forget(*mapped_, whole_pages(begin), whole_pages(at_));
  }
  if (done()) {
    scanner_.finish();
  }
  reading_.keep_bounds();
}

void MappedLane::passed(const std::byte* begin, const std::byte* end) {
  Range range = {static_cast<uint64_t>(begin - file_.data()),
                 static_cast<uint64_t>(end - file_.data())};
  retained_bytes_ -= std::min(retained_bytes_, range.end - range.begin);
  auto before = std::ranges::find(delivered_, range.begin, &Range::end);
  if (before != delivered_.end()) {
    before->end = range.end;
  } else if (delivered_.size() < kMaxRanges) {
    delivered_.push_back(range);
  } else {
    Range& all = delivered_.back();
    all = {std::min(all.begin, range.begin), std::max(all.end, range.end)};
  }
}

void MappedLane::give_back() {
  std::swap(delivered_, delivered_before_);
  for (Range& range : delivered_) {
    uint64_t end = range.end == end_ ? end_ : whole_pages(range.end);
    if (mapped_ != nullptr) {
      pager_.forget(*mapped_, whole_pages(range.begin), end);
    }
    range.begin = std::max(range.begin, end);
  }
  std::erase_if(delivered_, [](const Range& range) { return range.begin >= range.end; });
}

}  // namespace wick::perf_data
