// SPDX-License-Identifier: Apache-2.0
#include "unwind/expression.h"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "elf/testing.h"

namespace wick {
namespace {

using testing::sleb;
using testing::uleb;

// rsp = 0x1000, rip = 0x200b; each address below 0x2000 contains that address plus 1.
class Frame : public ExpressionContext {
 public:
  std::optional<uint64_t> register_value(uint64_t number) const override {
    return number == 7    ? std::optional<uint64_t>(0x1000)
           : number == 16 ? std::optional<uint64_t>(0x200b)
                          : std::nullopt;
  }
  std::optional<uint64_t> memory(uint64_t address, size_t /*size*/) const override {
    return address < 0x2000 ? std::optional(address + 1) : std::nullopt;
  }
};

std::optional<uint64_t> value(const std::string& expression,
                              std::optional<uint64_t> initial = std::nullopt,
                              uint8_t size = 8) {
  return evaluate_expression(as_bytes(expression), initial, size, Frame());
}
std::string lit(int number) {
  return std::string(1, static_cast<char>(0x30 + number));
}
std::string breg(int number, int64_t offset) {
  return std::string(1, static_cast<char>(0x70 + number)) + sleb(offset);
}
std::string op(int code) {
  return std::string(1, static_cast<char>(code));
}

TEST(Expression, PltStub) {
  // rsp + 8 + ((rip & 15) >= 11) * 8, as GNU ld writes it
  std::string plt = breg(7, 8) + breg(16, 0) + lit(15) + op(0x1A) + lit(11) + op(0x2A) + lit(3) +
                    op(0x24) + op(0x22);
  EXPECT_EQ(value(plt), 0x1010U);
}

TEST(Expression, Arithmetic) {
  EXPECT_EQ(value(lit(7) + lit(2) + op(0x1B)), 3U);                                    // div
  EXPECT_EQ(value(op(0x09) + "\xF9" + lit(2) + op(0x1B)), static_cast<uint64_t>(-3));  // -7 / 2
  EXPECT_EQ(value(lit(7) + lit(2) + op(0x1D)), 1U);                                    // mod
  EXPECT_EQ(value(lit(7) + lit(2) + op(0x1C)), 5U);                                    // minus
  EXPECT_EQ(value(lit(7) + op(0x1F) + op(0x19)), 7U);                                  // abs(neg)
  EXPECT_EQ(value(lit(1) + op(0x20)), ~uint64_t{1});                                   // not
  EXPECT_EQ(value(lit(6) + lit(3) + op(0x21)), 7U);                                    // or
  EXPECT_EQ(value(lit(6) + lit(3) + op(0x27)), 5U);                                    // xor
  EXPECT_EQ(value(lit(6) + lit(3) + op(0x1E)), 18U);                                   // mul
  EXPECT_EQ(value(lit(6) + op(0x23) + uleb(1000)), 1006U);  // plus_uconst
  EXPECT_EQ(value(op(0x11) + sleb(-16) + lit(2) + op(0x26)), static_cast<uint64_t>(-4));  // shra
  EXPECT_EQ(value(lit(1) + op(0x08) + "\x7F" + op(0x24)), 0U);  // a shift by more than 63
}

TEST(Expression, StackOperations) {
  EXPECT_EQ(value(lit(1) + lit(2) + op(0x12) + op(0x22)), 4U);              // dup
  EXPECT_EQ(value(lit(1) + lit(2) + op(0x13)), 1U);                         // drop
  EXPECT_EQ(value(lit(5) + lit(2) + op(0x14)), 5U);                         // over
  EXPECT_EQ(value(lit(5) + lit(2) + op(0x15) + std::string(1, '\1')), 5U);  // pick 1
  EXPECT_EQ(value(lit(5) + lit(2) + op(0x16)), 5U);                         // swap
  EXPECT_EQ(value(lit(1) + lit(2) + lit(3) + op(0x17)), 2U);                // rot: 3 1 2
  EXPECT_EQ(value(lit(1) + lit(2) + lit(3) + op(0x17) + op(0x13)), 1U);
  EXPECT_EQ(value(lit(1) + lit(2) + lit(3) + op(0x17) + op(0x13) + op(0x13)), 3U);
}

TEST(Expression, MemoryAndInitialValue) {
  EXPECT_EQ(value(breg(7, 16) + op(0x06)), 0x1011U);
  EXPECT_EQ(value(op(0x06), 0x500), 0x501U);
  EXPECT_EQ(value("", 0x500), 0x500U);
  EXPECT_EQ(value(op(0x94) + std::string(1, '\4'), 0x500), 0x501U);
  EXPECT_EQ(value(op(0x06), 0x3000), std::nullopt);
}

TEST(Expression, Branches) {
  std::string skip_over_two = op(0x2F) + std::string("\x02\x00", 2) + lit(9) + lit(9);
  EXPECT_EQ(value(lit(5) + skip_over_two), 5U);
  std::string branch = op(0x28) + std::string("\x01\x00", 2);
  EXPECT_EQ(value(lit(5) + lit(1) + branch + lit(7) + lit(6)), 6U);
  EXPECT_EQ(value(lit(5) + lit(0) + branch + lit(7)), 7U);
}

TEST(Expression, ThirtyTwoBits) {
  EXPECT_EQ(value(lit(0) + lit(1) + op(0x1C), std::nullopt, 4), 0xFFFF'FFFFU);
  EXPECT_EQ(value(lit(0) + lit(1) + op(0x1C) + lit(0) + op(0x2D), std::nullopt, 4), 1U);  // -1 < 0
}

TEST(Expression, HostileOnesFailAndEnd) {
  EXPECT_EQ(value(""), std::nullopt);
  EXPECT_EQ(value(op(0x22)), std::nullopt);                    // nothing to add
  EXPECT_EQ(value(lit(1) + lit(0) + op(0x1B)), std::nullopt);  // by zero
  EXPECT_EQ(value(lit(1) + lit(0) + op(0x1D)), std::nullopt);
  EXPECT_EQ(value(op(0x2F) + std::string("\xFD\xFF", 2)), std::nullopt);  // jumps to itself
  EXPECT_EQ(value(op(0x2F) + std::string("\x00\x80", 2)), std::nullopt);  // before the start
  EXPECT_EQ(value(op(0x2F) + std::string("\xFF\x7F", 2)), std::nullopt);  // after the end
  EXPECT_EQ(value(breg(3, 0)), std::nullopt);                             // unknown register
  EXPECT_EQ(value(op(0xE0)), std::nullopt);                               // unknown operation
  std::string many;
  for (int i = 0; i < 1000; ++i) {
    many += lit(1);
  }
  EXPECT_EQ(value(many), std::nullopt);
  std::string lowest = op(0x11) + sleb(INT64_MIN) + op(0x11) + sleb(-1) + op(0x1B);
  EXPECT_EQ(value(lowest), uint64_t{1} << 63);
}

TEST(Expression, AnyBytesEnd) {
  const std::set<int> without_meaning = {0x00, 0x01, 0x02, 0x04, 0x05, 0x07};
  constexpr int kLastOfDwarf5 = 0xA9;
  int known = 0;
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      std::optional<uint64_t> result =
          value(lit(3) + op(first) + op(second) + op(second) + op(first), 0x100);
      if (without_meaning.contains(first) || first > kLastOfDwarf5) {
        EXPECT_FALSE(result) << first << " " << second;
      }
      known += result ? 1 : 0;
    }
  }
  EXPECT_GT(known, 256) << "literals alone are more";
  constexpr int kNop = 0x96;
  EXPECT_EQ(value(lit(3) + op(kNop) + op(kNop) + op(kNop) + op(kNop), 0x100), 3U);
}

}  // namespace
}  // namespace wick
