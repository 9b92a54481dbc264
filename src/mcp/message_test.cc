// SPDX-License-Identifier: Apache-2.0
#include "mcp/message.h"

#include <gtest/gtest.h>

namespace wick::mcp {
namespace {

Message only(std::string_view line) {
  Messages messages = read_messages(line);
  EXPECT_FALSE(messages.is_batch);
  EXPECT_EQ(messages.all.size(), 1U);
  return messages.all.at(0);
}

TEST(Message, ARequestHasItsIdAsTheClientWroteIt) {
  for (std::string_view id : {"7", "-1", "9007199254740993", "1.5", "\"a\"", "\"\""}) {
    Message message = only(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"ping"}})", id));
    EXPECT_EQ(message.kind, Message::Kind::kRequest) << id;
    EXPECT_EQ(message.id, id);
    EXPECT_EQ(message.method, "ping");
    EXPECT_TRUE(message.params.is(Json::Kind::kObject));
  }
}

TEST(Message, AnIdOfAnotherTypeIsInvalid) {
  for (std::string_view id : {"null", "true", "[1]", R"({"a":1})"}) {
    Message message = only(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"ping"}})", id));
    EXPECT_EQ(message.kind, Message::Kind::kInvalid) << id;
    EXPECT_EQ(message.code, kInvalidRequest);
    EXPECT_EQ(message.id, "null");
  }
}

TEST(Message, WithoutAnIdItIsANotification) {
  Message message = only(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(message.kind, Message::Kind::kNotification);
}

TEST(Message, AResponseIsNoRequest) {
  EXPECT_EQ(only(R"({"jsonrpc":"2.0","id":1,"result":{}})").kind, Message::Kind::kResponse);
  EXPECT_EQ(only(R"({"jsonrpc":"2.0","id":1,"error":{"code":1}})").kind, Message::Kind::kResponse);
}

TEST(Message, WhatIsNotAMessageSaysWhy) {
  struct Case {
    std::string line;
    int code;
  };
  const std::vector<Case> cases = {
      {"hello", kParseError},
      {R"({"jsonrpc":"2.0")", kParseError},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping"} x)", kParseError},
      {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}", kParseError},
      {"7", kInvalidRequest},
      {R"({"id":1,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})", kInvalidParams},
      {"[]", kInvalidRequest},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"})", kParseError},
      {std::string(200'000, '['), kParseError},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":)" + std::string(200'000, '{'),
       kParseError},
  };
  for (const Case& one : cases) {
    Messages messages = read_messages(one.line);
    ASSERT_FALSE(messages.all.empty()) << one.line.substr(0, 80);
    EXPECT_EQ(messages.all[0].kind, Message::Kind::kInvalid) << one.line.substr(0, 80);
    EXPECT_EQ(messages.all[0].code, one.code) << one.line.substr(0, 80);
    EXPECT_FALSE(messages.all[0].error.empty());
  }
}

TEST(Message, ABatchHasAMessageForEachItem) {
  Messages batch = read_messages(
      R"( [ {"jsonrpc":"2.0","id":12345678901234567890,"method":"ping","params":{"a":"],["}} , 7,
          {"jsonrpc":"2.0","method":"notifications/cancelled"}])");
  EXPECT_TRUE(batch.is_batch);
  ASSERT_EQ(batch.all.size(), 3U);
  EXPECT_EQ(batch.all[0].id, "12345678901234567890");
  EXPECT_EQ(batch.all[0].params.text_at("a"), "],[");
  EXPECT_EQ(batch.all[1].code, kInvalidRequest);
  EXPECT_EQ(batch.all[2].kind, Message::Kind::kNotification);
}

TEST(Message, ABatchIsLimited) {
  std::string line = "[7";
  for (size_t i = 0; i < kLargestBatch; ++i) {
    line += ",7";
  }
  Messages messages = read_messages(line + "]");
  EXPECT_FALSE(messages.is_batch);
  ASSERT_EQ(messages.all.size(), 1U);
  EXPECT_EQ(messages.all[0].code, kInvalidRequest);
}

TEST(Message, ABlankLineIsNothing) {
  EXPECT_TRUE(read_messages("").all.empty());
  EXPECT_TRUE(read_messages(" \t\r").all.empty());
}

}  // namespace
}  // namespace wick::mcp
