// SPDX-License-Identifier: Apache-2.0
// Addresses as input, text as output.
#include "symbolize/address_listing.h"

#include <gtest/gtest.h>

#include "elf/dwarf_testing.h"
#include "tests/support/files.h"

namespace wick {
namespace {

class AddressListingTest : public ::testing::Test {
 protected:
  AddressListingTest() {
    testing::write_file(scratch_.file("program"), testing::inlined_program(4).elf());
  }
  std::string listed(const std::vector<uint64_t>& asked, bool addresses = false) {
    std::string text;
    Output out = Output::to_text(text);
    Result<AddressSummary> done = list_addresses(
        {.path = scratch_.file("program"), .search = {}, .cache = cache_, .addresses = addresses},
        asked,
        out);
    EXPECT_TRUE(done);
    EXPECT_TRUE(out.finish());
    return text;
  }

  testing::ScratchDir scratch_;
  FileCache cache_;
};

TEST_F(AddressListingTest, ReturnsTheInnermostFirst) {
  std::string text = listed({0x1024});
  size_t leaf = text.find("shared_name\n");
  size_t outer = text.find("outer\n");
  EXPECT_EQ(leaf, 0U) << text;
  EXPECT_NE(outer, std::string::npos) << text;
  EXPECT_NE(text.find(":50\n"), std::string::npos) << text;
  EXPECT_NE(text.find(":200\n"), std::string::npos) << text;
}

TEST_F(AddressListingTest, AnswersComeInTheOrderOfTheQuestions) {
  std::string high = listed({0x1024}, true);
  std::string low = listed({0x1004}, true);
  std::string nowhere = listed({0x999999}, true);
  EXPECT_EQ(nowhere, "0x999999\n??\n??:0\n");
  EXPECT_NE(high, low);
  EXPECT_EQ(listed({0x1024, 0x999999, 0x1004, 0x1024}, true), high + nowhere + low + high);
}

TEST_F(AddressListingTest, ColumnsStandBehindTheLines) {
  std::string text;
  Output out = Output::to_text(text);
  ASSERT_TRUE(list_addresses(
      {.path = scratch_.file("program"), .search = {}, .cache = cache_, .columns = true},
      std::vector<uint64_t>{0x1024, 0x999999},
      out));
  ASSERT_TRUE(out.finish());
  EXPECT_EQ(text,
            "shared_name\n/src/inc/b.h:50:2\nmiddle\n/src/inc/b.h:30:0\nouter\n/src/a.c:200:7\n"
            "??\n??:0:0\n");
}

TEST_F(AddressListingTest, LinesAloneComeWithoutNames) {
  std::string text;
  Output out = Output::to_text(text);
  Result<AddressSummary> found = list_addresses(
      {.path = scratch_.file("program"), .search = {}, .cache = cache_, .lines_only = true},
      std::vector<uint64_t>{0x1024, 0x999999},
      out);
  ASSERT_TRUE(found);
  ASSERT_TRUE(out.finish());
  EXPECT_EQ(text, "/src/inc/b.h:50\n/src/inc/b.h:30\n/src/a.c:200\n??:0\n");
  EXPECT_EQ(found->named, 0U);  // names were not requested
  EXPECT_EQ(found->with_lines, 1U);
}

// More answers than fit into one batch.
TEST_F(AddressListingTest, ManyAnswersAreAllThere) {
  std::string one = listed({0x1024}) + listed({0x1004});
  std::vector<uint64_t> asked;
  std::string expected;
  for (int i = 0; i < 9000; ++i) {
    asked.insert(asked.end(), {0x1024, 0x1004});
    expected += one;
  }
  EXPECT_EQ(listed(asked), expected);
}

TEST_F(AddressListingTest, TheSummaryCountsEachAddressOnce) {
  std::string text;
  Output out = Output::to_text(text);
  std::vector<uint64_t> asked = {0x1024, 0x1004, 0x1024, 0x999999};
  Result<AddressSummary> found =
      list_addresses({.path = scratch_.file("program"), .search = {}, .cache = cache_}, asked, out);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->addresses, 3U);
  EXPECT_EQ(found->named, 2U);
  EXPECT_EQ(found->with_lines, 2U);
  EXPECT_EQ(found->cached, 0U);
}

TEST_F(AddressListingTest, AMissingFileIsReported) {
  std::string text;
  Output out = Output::to_text(text);
  Result<AddressSummary> done =
      list_addresses({.path = scratch_.file("absent"), .search = {}, .cache = cache_}, {}, out);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("absent does not exist"), std::string::npos);
}

TEST(ReadAddresses, TakesHexadecimalWordsAndNothingElse) {
  std::vector<uint64_t> addresses;
  EXPECT_TRUE(read_addresses(" 0x10\n20\r\n\t0XfF ", addresses));
  EXPECT_EQ(addresses, (std::vector<uint64_t>{0x10, 0x20, 0xff}));
  for (const char* wrong : {"main", "0x", "12g", "-1", "11112222333344445"}) {
    EXPECT_FALSE(read_addresses(wrong, addresses)) << wrong;
  }
  EXPECT_TRUE(
      read_addresses("10\n20\nzz\n", addresses).error().message.starts_with("Line 3: zz is"));
}

}  // namespace
}  // namespace wick
