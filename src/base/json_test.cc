// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(Json, ReadsEveryKindOfValue) {
  Result<Json> json =
      parse_json(R"({"a":{"b":[1,-2.5e3,"x\u00e9"]},"t":true,"n":null,"big":1e17})");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->at("a.b.1")->number, -2500);
  EXPECT_EQ(json->at("a.b.2")->text, "x\xC3\xA9");
  EXPECT_TRUE(json->find("t")->truth);
  EXPECT_TRUE(json->find("n")->is(Json::Kind::kNull));
  EXPECT_EQ(json->number_at("big", 0), 1e17);
  EXPECT_EQ(json->number_at("t", 7), 7) << "true is not a number";
}

TEST(Json, PathsThatLeadNowhereAreNull) {
  Result<Json> json = parse_json(R"({"a":[1],"b":2})");
  for (const char* path : {"c", "a.1", "a.x", "a.-1", "b.0", "b.c"}) {
    EXPECT_EQ(json->at(path), nullptr) << path;
  }
}

TEST(Json, OfEqualKeysTheLastCounts) {
  EXPECT_EQ(parse_json(R"({"a":1,"a":2})")->number_at("a", 0), 2);
}

TEST(Json, RefusesWhatIsNone) {
  for (const char* text : {"", "{", "{\"a\":}", "[1,]", "nan", "1 2", "\"\\x\"", "{\"a\":1"}) {
    EXPECT_FALSE(parse_json(text)) << text;
  }
}

TEST(Json, DepthIsBounded) {
  EXPECT_TRUE(parse_json(std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']')));
  Result<Json> deep = parse_json(std::string(1'000'000, '['));
  ASSERT_FALSE(deep);
  EXPECT_NE(deep.error().message.find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace wick
