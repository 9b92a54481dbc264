// SPDX-License-Identifier: Apache-2.0
#include "kernel_records/order.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "kernel_records/testing.h"
#include "stream/sinks.h"

namespace wick::kernel_records {
namespace {

// Records of 24 bytes: header, time, number.
class OrderTest : public ::testing::Test, public RecordTaker, public RunHome {
 protected:
  OrderTest() : recording_(sink_, ByteOrder::kLittle), order_(recording_, *this) {
    EventAttr attr;
    attr.sample_type = kSampleTime;
    recording_.add_event(attr);
  }

  // Writes records one after another; a time of 0 is a record without a time.
  void write(const std::vector<uint64_t>& times) {
    for (uint64_t time : times) {
      testing::Out body(ByteOrder::kLittle);
      bytes_ += testing::make_record(
          ByteOrder::kLittle, kSample, 0, body.u64(time).u64(written_++).bytes());
    }
  }
  // Adds the records from `first` up to `end`.
  void add(size_t first, size_t end) {
    Bytes bytes = as_bytes(bytes_);
    for (size_t i = first; i < end; ++i) {
      const std::byte* record = bytes.data() + i * kRecord;
      uint64_t time = load<uint64_t>(record + 8, ByteOrder::kLittle);
      if (time != 0) {
        order_.add({record, {.type = kSample, .size = kRecord}}, time, *this);
      }
    }
  }
  std::vector<uint64_t> taken() { return std::exchange(taken_, {}); }

  void take(const Record& record, uint64_t time) override {
    taken_.push_back(time);
    numbers_.push_back(load<uint64_t>(record.at + 16, ByteOrder::kLittle));
  }
  void pause() override {}
  void passed(const std::byte* begin, const std::byte* end) override {
    passed_ += static_cast<size_t>(end - begin);
  }
  void run_opened() override { ++open_runs_; }
  void run_finished() override { --open_runs_; }

  static constexpr size_t kRecord = 24;
  IgnoringSink sink_;
  Recording recording_;
  Order order_;
  std::string bytes_;
  uint64_t written_ = 0;
  std::vector<uint64_t> taken_;
  std::vector<uint64_t> numbers_;
  size_t passed_ = 0;
  int open_runs_ = 0;
};

using Times = std::vector<uint64_t>;

TEST_F(OrderTest, ARoundReleasesWhatTheRoundBeforeHadSeen) {
  write({1, 5, 9, 2, 6, 3, 10, 7, 20});
  add(0, 5);
  order_.finish_round();
  EXPECT_EQ(taken(), Times());
  add(5, 7);
  order_.finish_round();
  EXPECT_EQ(taken(), Times({1, 2, 3, 5, 6, 9}));
  add(7, 9);
  order_.finish_round();
  EXPECT_EQ(taken(), Times({7, 10}));
  order_.flush_all();
  EXPECT_EQ(taken(), Times({20}));
  EXPECT_EQ(order_.late_records(), 1U);  // 7 came after 9 had been delivered
  EXPECT_EQ(open_runs_, 0);
  EXPECT_EQ(passed_, bytes_.size());
}

TEST_F(OrderTest, EqualTimesKeepTheOrderOfTheFile) {
  write({5, 5, 4, 5, 5, 4, 5});
  add(0, 7);
  order_.flush_all();
  EXPECT_EQ(taken(), Times({4, 4, 5, 5, 5, 5, 5}));
  EXPECT_EQ(numbers_, Times({2, 5, 0, 1, 3, 4, 6}));
}

TEST_F(OrderTest, RecordsWithoutATimeArePassedOver) {
  write({1, 0, 2, 0, 0, 3, 0});
  add(0, 7);
  order_.flush_all();
  EXPECT_EQ(taken(), Times({1, 2, 3}));
}

TEST_F(OrderTest, WhatIsInOrderIsOneRun) {
  Times times(10000);
  for (size_t i = 0; i < times.size(); ++i) {
    times[i] = i + 1;
  }
  write(times);
  add(0, times.size());
  order_.close();
  EXPECT_EQ(order_.runs(), 1U);
  order_.flush(5000);
  EXPECT_EQ(taken().size(), 5000U);
  order_.flush_all();
  EXPECT_EQ(taken().size(), 5000U);
}

TEST_F(OrderTest, AnyDisorderIsSortedAndStable) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    size_t count = random() % 300;
    size_t first = written_;
    Times times(count);
    std::ranges::generate(times, [&] { return 1 + random() % (1 + random() % 100); });
    bytes_.clear();
    numbers_.clear();
    write(times);
    add(0, count);
    order_.flush(random() % 100);
    order_.flush_all();
    std::vector<size_t> expected(count);
    for (size_t i = 0; i < count; ++i) {
      expected[i] = i;
    }
    std::ranges::stable_sort(expected, {}, [&](size_t i) { return times[i]; });
    ASSERT_EQ(numbers_.size(), count);
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(numbers_[i], first + expected[i]);
    }
    taken();
  }
}

// Another program can change a file between scanning and delivery.
TEST_F(OrderTest, BytesThatChangeMeanwhileEndTheRun) {
  write({1, 2, 3, 4});
  add(0, 4);
  bytes_[kRecord + 6] = 0;  // the second record's size
  order_.flush_all();
  EXPECT_EQ(taken(), Times({1}));
  EXPECT_EQ(order_.broken_runs(), 1U);

  write({1, 2, 3});
  add(4, 7);
  bytes_[5 * kRecord + 7] = 0x7F;  // larger than the rest
  order_.flush_all();
  EXPECT_EQ(taken(), Times({1}));
  EXPECT_EQ(order_.broken_runs(), 2U);
  EXPECT_EQ(open_runs_, 0);
}

}  // namespace
}  // namespace wick::kernel_records
