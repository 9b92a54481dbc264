#include "formats/perf_data/mapped_lane.h"

#include <algorithm>

namespace wick::perf_data {

MappedLane::MappedLane(
    Reading& reading, Bytes file, uint64_t begin, uint64_t end, const MappedFile* mapped)
    : reading_(reading),
      scanner_(reading, false),
      file_(file),
      at_(std::min<uint64_t>(begin, file.size())),
      end_(std::clamp<uint64_t>(end, at_, file.size())),
      mapped_(mapped) {
  reading.add_window(*this);
}

void MappedLane::scan_slice() {
  horizon_ = scanner_.newest();
  uint64_t begin = at_;
  at_ += scanner_.scan(
      {.bytes = file_.subspan(at_, end_ - at_), .offset = at_, .enough = kSliceBytes, .last = true},
      *this);
  touch(begin, at_);
  scanned_since_ += at_ - begin;
  if (scanned_since_ > kWindowBytes) {
    give_back();
  }
  if (done()) {
    scanner_.finish();
  }
  reading_.keep_bounds();
}

void MappedLane::touch(uint64_t begin, uint64_t end) {
  first_touched_ = std::min(first_touched_, begin);
  last_touched_ = std::max(last_touched_, end);
}

void MappedLane::passed(const std::byte* begin, const std::byte* end) {
  touch(static_cast<uint64_t>(begin - file_.data()), static_cast<uint64_t>(end - file_.data()));
}

void MappedLane::give_back() {
  if (mapped_ != nullptr && first_touched_ < last_touched_) {
    mapped_->forget(first_touched_, last_touched_);
  }
  first_touched_ = UINT64_MAX;
  last_touched_ = 0;
  scanned_since_ = 0;
}

}  // namespace wick::perf_data
