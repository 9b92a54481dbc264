// SPDX-License-Identifier: Apache-2.0
#include "base/protobuf.h"

#include <vector>

#include <gtest/gtest.h>

namespace wick {
namespace {

std::vector<uint64_t> numbers_of(const ProtoReader& field, bool& ok) {
  std::vector<uint64_t> values;
  ProtoNumbers numbers(field);
  while (numbers.next()) {
    values.push_back(numbers.value());
  }
  ok = numbers.ok();
  return values;
}

TEST(Protobuf, WhatIsWrittenIsRead) {
  ProtoWriter inner;
  inner.text(1, "name");
  ProtoWriter writer;
  writer.number(1, 300);
  writer.number(2, 0);  // omitted
  writer.always_number(3, 0);
  writer.signed_number(4, -1);
  writer.real(5, 0.5);
  writer.message(536870911, inner);
  writer.numbers(7, std::vector<uint64_t>{1, 127, 128, UINT64_MAX});
  ProtoReader reader(as_bytes(writer.bytes()));
  ASSERT_TRUE(reader.next() && reader.is(1, ProtoKind::kNumber));
  EXPECT_EQ(reader.number(), 300U);
  ASSERT_TRUE(reader.next() && reader.field() == 3);
  ASSERT_TRUE(reader.next() && reader.field() == 4);
  EXPECT_EQ(reader.signed_number(), -1);
  ASSERT_TRUE(reader.next() && reader.is(5, ProtoKind::kFixed64));
  EXPECT_EQ(std::bit_cast<double>(reader.number()), 0.5);
  ASSERT_TRUE(reader.next() && reader.is(536870911, ProtoKind::kBytes));
  EXPECT_EQ(as_text(reader.bytes()), "\x0a\x04name");
  ASSERT_TRUE(reader.next());
  bool ok = false;
  EXPECT_EQ(numbers_of(reader, ok), (std::vector<uint64_t>{1, 127, 128, UINT64_MAX}));
  EXPECT_TRUE(ok);
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.ok());
}

TEST(Protobuf, DamageStopsTheReader) {
  using std::string_view_literals::operator""sv;
  for (std::string_view bytes : {"\x0a\x05"
                                 "abc"sv,           // a length that lies
                                 "\x08"sv,          // a key without its value
                                 "\x00\x01"sv,      // field 0
                                 "\x0b"sv,          // a group
                                 "\x0d\x01\x02"sv,  // 4 bytes, 2 of them there
                                 "\x09\x01"sv,      // 8 bytes
                                 "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"sv,  // 65 bits
                                 "\xff\xff\xff\xff\x7f\x01"sv}) {  // a field beyond 2^29
    ProtoReader reader(as_bytes(bytes));
    EXPECT_FALSE(reader.next());
    EXPECT_FALSE(reader.ok());
    EXPECT_EQ(reader.remaining(), bytes.size());
    EXPECT_FALSE(reader.next());
  }
}

TEST(Protobuf, ListsMayBePackedOrNotAndDamaged) {
  bool ok = false;
  ProtoReader single(as_bytes("\x08\x07"));
  ASSERT_TRUE(single.next());
  EXPECT_EQ(numbers_of(single, ok), std::vector<uint64_t>{7});
  EXPECT_TRUE(ok);
  ProtoReader cut(as_bytes(std::string_view("\x0a\x02\x07\x80", 4)));
  ASSERT_TRUE(cut.next());
  EXPECT_EQ(numbers_of(cut, ok), std::vector<uint64_t>{7});
  EXPECT_FALSE(ok);
  ProtoReader other(as_bytes(std::string_view("\x0d\x01\x01\x01\x01", 5)));
  ASSERT_TRUE(other.next());
  EXPECT_EQ(numbers_of(other, ok), std::vector<uint64_t>());
  EXPECT_FALSE(ok);
}

}  // namespace
}  // namespace wick
