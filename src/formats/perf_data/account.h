// What was in the recording, record by record, and what of it could not be used. Everything is
// counted once; facts and losses are told to the sink at the end, in a fixed order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/perf_data/layout.h"
#include "stream/event.h"

namespace wick::perf_data {

class Account {
 public:
  void count_record(uint32_t type) {
    if (type < kPlausibleTypes) [[likely]] {
      ++records_[type];
    } else if (type >= kFirstSimpleperfRecord && type <= kLastSimpleperfRecord) {
      ++simpleperf_records_[type - kFirstSimpleperfRecord];
    }
  }
  void count_feature(uint32_t feature, uint64_t bytes, bool used) {
    features_.push_back({feature, bytes, used});
  }

  // `reason` and `what` must be literals: losses of one reason add up, and the first detail is
  // kept. `count` 0: nobody can know how many.
  struct Loss {
    std::string_view reason;
    std::string_view what = "records";
    uint64_t count = 1;
    std::string detail = {};
    bool notice = false;
  };
  void lose(Loss loss);

  void tell(EventSink& sink) const;

 private:
  struct FeatureRow {
    uint32_t feature;
    uint64_t bytes;
    bool used;
  };
  static constexpr size_t kSimpleperfTypes = kLastSimpleperfRecord - kFirstSimpleperfRecord + 1;

  std::array<uint64_t, kPlausibleTypes> records_ = {};
  std::array<uint64_t, kSimpleperfTypes> simpleperf_records_ = {};
  std::vector<FeatureRow> features_;
  std::vector<Loss> losses_;
};

}  // namespace wick::perf_data
