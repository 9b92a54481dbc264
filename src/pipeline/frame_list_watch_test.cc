// SPDX-License-Identifier: Apache-2.0
#include "pipeline/frame_list_watch.h"

#include <atomic>
#include <cstring>
#include <map>

#include <gtest/gtest.h>

namespace wick {
namespace {

using FrameList = StackFindings::FrameList;

constexpr int32_t kTid = 12;
constexpr FrameList kList = {
    .tid = kTid, .head = 0x100, .next = 0, .node_bytes = 16, .code = 8, .code_bytes = 8};

// Words by address; others are not mapped.
class Words : public ProcessMemory {
 public:
  size_t read_some(int32_t /*pid*/, uint64_t address, std::span<std::byte> out) override {
    std::lock_guard lock(mutex_);
    size_t done = 0;
    for (; done + sizeof(uint64_t) <= out.size(); done += sizeof(uint64_t)) {
      auto word = words_.find(address + done);
      if (word == words_.end()) {
        break;
      }
      std::memcpy(out.data() + done, &word->second, sizeof(uint64_t));
    }
    return done;
  }
  // Which code runs, in the only node.
  void run(uint64_t code) {
    std::lock_guard lock(mutex_);
    words_ = {{0x100, 0x200}, {0x200, 0}, {0x208, code}, {code, code}};
  }

 private:
  std::mutex mutex_;
  std::map<uint64_t, uint64_t> words_;
};

int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

uint64_t code_of(const FrameListWatch::Found& found) {
  uint64_t code = 0;
  if (found.copy.nodes.size() == 1) {
    std::memcpy(&code, found.copy.nodes[0].node.data() + 8, sizeof code);
  }
  return code;
}

// As soon as there is a reading after this time.
FrameListWatch::Found list_at(FrameListWatch& watch, int64_t time_ns) {
  for (;;) {
    watch.watch(1, kList);
    FrameListWatch::Found found = watch.at(kTid, time_ns);
    if (found.copy.is_known) {
      return found;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(FrameListWatch, ReadsAgainAndAgain) {
  Words memory;
  memory.run(0x1000);
  std::atomic<int> changes = 0;
  FrameListWatch watch(memory, [&](int32_t, const CopiedFrameList&) { ++changes; });
  EXPECT_FALSE(watch.at(kTid, now_ns()).copy.is_known);
  FrameListWatch::Found first = list_at(watch, now_ns());
  EXPECT_FALSE(first.is_held) << "nothing was read before";
  FrameListWatch::Found later;
  int64_t before = 0;
  for (int attempt = 0; attempt < 1000 && !later.is_held; ++attempt) {  // other programs may run
    before = now_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    later = list_at(watch, before);
  }
  EXPECT_TRUE(later.is_held);
  EXPECT_TRUE(later.copy.is_steady);
  EXPECT_EQ(code_of(later), 0x1000U);
  EXPECT_EQ(changes, 1);
  memory.run(0x2000);
  int64_t after = now_ns();
  FrameListWatch::Found other = list_at(watch, after);
  EXPECT_EQ(code_of(other), 0x2000U);
  EXPECT_FALSE(other.is_held);
  EXPECT_EQ(changes, 2);
  EXPECT_EQ(code_of(watch.at(kTid, before)), 0x1000U);
  EXPECT_FALSE(watch.at(kTid + 1, before).copy.is_known);
}

TEST(FrameListWatch, AProcessThatHasGoneHasNoList) {
  Words memory;
  FrameListWatch watch(memory, [](int32_t, const CopiedFrameList&) {});
  watch.watch(1, kList);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(watch.at(kTid, now_ns()).copy.is_known);
}

}  // namespace
}  // namespace wick
