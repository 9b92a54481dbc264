// SPDX-License-Identifier: Apache-2.0
#include "runtimes/frame_list_copy.h"

#include <functional>
#include <map>

#include <gtest/gtest.h>

namespace wick {
namespace {

using FrameList = StackFindings::FrameList;

constexpr uint64_t kHead = 0x100;
constexpr uint64_t kOuter = 0x108;
constexpr size_t kMaxNodes = 100;

// Words by address; others are not mapped.
class Words : public InterpreterMemory {
 public:
  size_t read_some(uint64_t address, std::span<std::byte> out) override {
    if (address == kHead && on_start) {
      on_start();
    }
    size_t done = 0;
    for (; done + sizeof(uint64_t) <= out.size(); done += sizeof(uint64_t)) {
      auto word = words.find(address + done);
      if (word == words.end()) {
        break;
      }
      std::memcpy(out.data() + done, &word->second, sizeof(uint64_t));
    }
    return done;
  }
  // A node of two words: the next one, and its code, of one word.
  void node(uint64_t address, uint64_t next, uint64_t code) {
    words[address] = next;
    words[address + 8] = code;
    words[code] = code + 1;
  }

  std::map<uint64_t, uint64_t> words;
  std::function<void()> on_start;  // a copy starts
};

FrameList description() {
  return {.tid = 1, .head = kHead, .next = 0, .node_bytes = 16, .code = 8, .code_bytes = 8};
}

std::vector<uint64_t> addresses(const FrameListCopy& copy) {
  std::vector<uint64_t> result;
  for (const CopiedFrameList::Node& node : copy.nodes) {
    result.push_back(node.address);
  }
  return result;
}

TEST(FrameListCopy, FollowsTheNodes) {
  Words memory;
  memory.words[kHead] = 0x200;
  memory.node(0x200, 0x300, 0x1000);
  memory.node(0x300, 0, 0x2000);
  memory.words[0x400] = 7;
  FrameList list = description();
  list.words = {0x400, 0x500};
  FrameListCopy copy = copy_frame_list(memory, list, kMaxNodes);
  EXPECT_TRUE(copy.is_known);
  EXPECT_FALSE(copy.is_cut);
  EXPECT_EQ(addresses(copy), (std::vector<uint64_t>{0x200, 0x300}));
  EXPECT_EQ(copy.nodes[0].code[0], std::byte{1});
  EXPECT_EQ(copy.words, (std::array<uint64_t, 3>{7, 0, 0}));
  EXPECT_EQ(copy.list().nodes.size(), 2U);
}

TEST(FrameListCopy, EndsWhereMemoryDoes) {
  Words memory;
  FrameList list = description();
  EXPECT_FALSE(copy_frame_list(memory, list, kMaxNodes).is_known);
  memory.words[kHead] = 0;
  EXPECT_TRUE(copy_frame_list(memory, list, kMaxNodes).is_known);
  memory.words[kHead] = 0x200;
  EXPECT_TRUE(copy_frame_list(memory, list, kMaxNodes).is_cut);
  memory.node(0x200, 0x200, 0x1000);
  FrameListCopy copy = copy_frame_list(memory, list, kMaxNodes);
  EXPECT_TRUE(copy.is_cut);
  EXPECT_EQ(copy.nodes.size(), 1U);
}

TEST(FrameListCopy, ASecondListFollows) {
  Words memory;
  memory.words[kHead] = 0x200;
  memory.words[kOuter] = 0x300;
  memory.node(0x200, 0, 0x1000);
  memory.node(0x300, 0, 0x2000);
  FrameList list = description();
  list.outer = kOuter;
  EXPECT_EQ(addresses(copy_frame_list(memory, list, kMaxNodes)),
            (std::vector<uint64_t>{0x200, 0x300}));
  memory.words[kHead] = 0;
  EXPECT_EQ(addresses(copy_frame_list(memory, list, kMaxNodes)), (std::vector<uint64_t>{0x300}));
}

TEST(FrameListCopy, IsSteadyIfTheThreadWaits) {
  Words memory;
  memory.words[kHead] = 0x200;
  memory.node(0x200, 0, 0x1000);
  int copies = 0;
  memory.on_start = [&] { ++copies; };
  EXPECT_TRUE(copy_steady_frame_list(memory, description(), kMaxNodes, 2).is_steady);
  EXPECT_EQ(copies, 2);
  EXPECT_FALSE(copy_frame_list(memory, description(), kMaxNodes).is_steady);
}

TEST(FrameListCopy, IsNotSteadyWhileFunctionsAreCalled) {
  Words memory;
  memory.words[kHead] = 0x200;
  int copies = 0;
  memory.on_start = [&] {
    ++copies;
    memory.node(0x200, 0, 0x1000 * static_cast<uint64_t>(copies));  // another function each time
  };
  FrameListCopy copy = copy_steady_frame_list(memory, description(), kMaxNodes, 2);
  EXPECT_FALSE(copy.is_steady);
  EXPECT_EQ(copy.nodes.size(), 1U);
  EXPECT_EQ(copies, 4);
  // The same wrong turn twice.
  memory.on_start = nullptr;
  memory.node(0x200, 0x300, 0x1000);
  EXPECT_FALSE(copy_steady_frame_list(memory, description(), kMaxNodes, 2).is_steady);
}

TEST(FrameListCopy, IsReadAgainUntilAnotherFunctionRuns) {
  Words memory;
  memory.words[kHead] = 0x200;
  memory.node(0x200, 0x300, 0x1000);
  memory.node(0x300, 0, 0x2000);
  for (uint64_t address : {0x200U, 0x300U}) {
    memory.words[address + 16] = 1;  // where the function is
  }
  FrameList list = description();
  list.node_bytes = 24;
  FrameListCopy copy = copy_frame_list(memory, list, kMaxNodes);
  memory.words[0x210] = 2;
  std::optional<CopiedFrameList::Node> innermost = read_again(memory, list, copy);
  ASSERT_TRUE(innermost);
  EXPECT_EQ(innermost->node[16], std::byte{2});
  EXPECT_EQ(innermost->code, copy.nodes[0].code);
  memory.words[0x310] = 2;  // the caller goes on
  EXPECT_FALSE(read_again(memory, list, copy));
  memory.words[0x310] = 1;
  memory.words[0x208] = 0x3000;
  EXPECT_FALSE(read_again(memory, list, copy));
  memory.words[0x208] = 0x1000;
  EXPECT_TRUE(read_again(memory, list, copy));
  memory.words[kHead] = 0x300;
  EXPECT_FALSE(read_again(memory, list, copy));
  memory.words.erase(kHead);
  EXPECT_FALSE(read_again(memory, list, copy));
}

}  // namespace
}  // namespace wick
