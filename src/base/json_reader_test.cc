// SPDX-License-Identifier: Apache-2.0
// RapidJSON (base/json.h) is the oracle: both must read the same values from generated texts, in
// blocks of every size, and agree on what is not JSON.
#include "base/json_reader.h"

#include <random>

#include <gtest/gtest.h>

#include "base/json.h"

namespace wick {
namespace {

class SmallBlocks : public ByteSource {
 public:
  SmallBlocks(std::string text, size_t size) : text_(std::move(text)), size_(size) {}
  Result<Bytes> next() override {
    // Each block is a copy, so that a sanitizer sees the use of an old one.
    block_ = std::make_unique<std::string>(text_.substr(std::min(at_, text_.size()), size_));
    at_ += block_->size();
    return as_bytes(*block_);
  }

 private:
  std::string text_;
  std::unique_ptr<std::string> block_;
  size_t size_;
  size_t at_ = 0;
};

std::string number_text(double number) {
  return fmt::format("{}", number + 0.0);  // the oracle reads -0 as 0
}

// One line for each token, so that the outputs of both readers can be compared.
std::string tokens(JsonReader& json) {
  constexpr std::string_view kNames = "{}[]ksn10x.!";
  std::string lines;
  for (JsonToken token = json.next(); token < JsonToken::kEnd; token = json.next()) {
    lines += kNames[static_cast<size_t>(token)];
    if (token == JsonToken::kKey || token == JsonToken::kString) {
      lines += json.text();
    } else if (token == JsonToken::kNumber) {
      lines += number_text(json.as_double().value_or(NAN));
    }
    lines += '\n';
  }
  return lines + json.error();
}

std::string tokens_of(std::string_view text) {
  JsonReader json(text);
  return tokens(json);
}

void append_tokens(const Json& value, std::string& lines) {
  switch (value.kind) {
    case Json::Kind::kNull:
      lines += "x\n";
      break;
    case Json::Kind::kBoolean:
      lines += value.truth ? "1\n" : "0\n";
      break;
    case Json::Kind::kNumber:
      lines += "n" + number_text(value.number) + "\n";
      break;
    case Json::Kind::kText:
      lines += "s" + value.text + "\n";
      break;
    default:
      bool is_object = value.is(Json::Kind::kObject);
      lines += is_object ? "{\n" : "[\n";
      for (size_t i = 0; i < value.items.size(); ++i) {
        lines += is_object ? "k" + value.keys[i] + "\n" : "";
        append_tokens(value.items[i], lines);
      }
      lines += is_object ? "}\n" : "]\n";
  }
}

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}
  std::string value(int depth) {
    size_t kind = pick(depth > 0 ? 8 : 6);
    if (kind >= 6) {
      std::string text = kind == 6 ? "[" : "{";
      for (size_t i = 0, count = pick(5); i < count; ++i) {
        text += (i > 0 ? "," : "") + blank();
        text += (kind == 7 ? string() + blank() + ":" : "") + value(depth - 1) + blank();
      }
      return text + (kind == 6 ? "]" : "}");
    }
    static const char* const kWords[] = {"true", "false", "null"};
    return kind < 3 ? kWords[kind] : kind == 3 ? number() : string();
  }

 private:
  size_t pick(size_t below) { return random_() % below; }
  std::string blank() { return std::string(pick(3), " \n\t\r"[pick(4)]); }
  std::string number() {
    static const char* const kTails[] = {"", "", ".25", "e3", "E-2", ".5e+1"};
    return (pick(2) ? "-" : "") + std::to_string(random_() >> pick(32)) + kTails[pick(6)];
  }
  std::string string() {
    static const char* const kPieces[] = {
        "a", "main", "\\n", "\\\"", "\\\\", "\\u00e9", "\xC3\xA9", "\\ud83d\\ude00", "[{", "/"};
    std::string text = "\"";
    for (size_t i = pick(12); i > 0; --i) {
      text += kPieces[pick(10)];
    }
    return text + "\"";
  }
  std::mt19937 random_;
};

TEST(JsonReader, AgreesWithTheOracleInBlocksOfEverySize) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::string text = Generator(seed).value(5);
    Result<Json> oracle = parse_json(text);
    ASSERT_TRUE(oracle) << text;
    std::string expected;
    append_tokens(*oracle, expected);
    EXPECT_EQ(tokens_of(text), expected) << text;
    for (size_t size : {1U, 2U, 3U, 7U, 64U}) {
      SmallBlocks blocks(text, size);
      JsonReader json(blocks);
      EXPECT_EQ(tokens(json), expected) << size << ": " << text;
      EXPECT_EQ(json.offset(), text.size());
    }
  }
}

TEST(JsonReader, ChangedTextsAreRefusedWhereTheOracleRefusesThem) {
  std::mt19937 random(7);
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::string text = Generator(seed).value(4);
    text[random() % text.size()] = "{}[],:\"\\0e-.t "[random() % 14];
    Result<Json> oracle = parse_json(text);
    JsonReader json(text);
    std::string seen = tokens(json);
    // A surrogate without its partner, and a number beyond doubles, are accepted.
    bool accepts_more = seen.find("\xEF\xBF\xBD") != seen.npos || seen.find("nan") != seen.npos;
    EXPECT_TRUE(json.failed() == !oracle || accepts_more) << text << "\n" << seen;
  }
}

TEST(JsonReader, TextCutAtEveryByteIsCut) {
  std::string text = R"( {"a\n":[1,-2.5e3,"x\u00e9",{}],"t":true,"f":[false,null,[]]})";
  for (size_t size = 0; size < text.size(); ++size) {
    for (size_t block : {1U, 100U}) {
      SmallBlocks blocks(text.substr(0, size), block);
      JsonReader json(blocks);
      tokens(json);
      EXPECT_TRUE(json.failed()) << size;
      EXPECT_TRUE(json.is_cut()) << size << json.error();
      EXPECT_EQ(json.error(), fmt::format("The JSON ends too early, at byte {}.", size));
    }
  }
}

TEST(JsonReader, TheTokensBeforeTheCutAreDelivered) {
  EXPECT_EQ(tokens_of("[1,2,34"), "[\nn1\nn2\nThe JSON ends too early, at byte 7.")
      << "34 may lack digits";
}

TEST(JsonReader, WrongTextIsNotCut) {
  for (const char* text : {"{\"a\":}",
                           "[1,]",
                           "nan",
                           "1 2",
                           "\"\\x\"",
                           "{1:2}",
                           "[1 2]",
                           "[01]",
                           "[}",
                           "{\"a\" 1}",
                           "[+1]",
                           "[1.]",
                           "[.5]",
                           "[tru]",
                           "{,}",
                           "\"\\u12g4\""}) {
    JsonReader json{std::string_view(text)};
    tokens(json);
    EXPECT_TRUE(json.failed()) << text;
    EXPECT_FALSE(json.is_cut()) << text;
  }
  JsonReader json(R"({"a": 1, b})");
  tokens(json);
  EXPECT_EQ(json.error(), "This is not valid JSON from byte 9 on: a key is missing.");
}

TEST(JsonReader, LargeNumbersStayExact) {
  JsonReader json("[9007199254740993,-9223372036854775808,18446744073709551615,1e3,2.5,1e999,-1]");
  json.next();
  json.next();
  EXPECT_EQ(json.as_int64(), 9007199254740993);
  EXPECT_EQ(json.text(), "9007199254740993");
  EXPECT_EQ(json.read_int64(), INT64_MIN);
  EXPECT_EQ(json.read_int64(), std::nullopt);
  EXPECT_EQ(json.as_uint64(), UINT64_MAX);
  EXPECT_EQ(json.read_int64(), 1000);
  EXPECT_EQ(json.read_int64(), std::nullopt);
  EXPECT_EQ(json.as_double(), 2.5);
  EXPECT_EQ(json.read_double(), std::nullopt) << "1e999 is not finite";
  EXPECT_EQ(json.read_double(), -1);
  EXPECT_EQ(json.as_uint64(), std::nullopt);
}

TEST(JsonReader, AcceptsWhatProfilersWrite) {
  EXPECT_EQ(tokens_of("[NaN,-Infinity,Infinity]"), "[\nnnan\nnnan\nnnan\n]\n");
  EXPECT_EQ(tokens_of("\"a\tb\xFF\""), "sa\tb\xFF\n") << "bytes stay unchanged";
  EXPECT_EQ(tokens_of(R"("\ud800x\udc00")"), "s\xEF\xBF\xBDx\xEF\xBF\xBD\n");
  EXPECT_EQ(tokens_of(R"("\u0000")"), std::string("s\0\n", 3));
}

TEST(JsonReader, SkipPassesOneValue) {
  std::string text = R"({"a":{"x":[1,"]}\"",{}]},"b":"long","c":[[1],[2]],"d":7})";
  for (size_t size : {1U, 5U, 1000U}) {
    SmallBlocks blocks(text, size);
    JsonReader json(blocks);
    ASSERT_EQ(json.next(), JsonToken::kBeginObject);
    std::string keys;
    while (json.next_key()) {
      std::string key(json.text());
      keys += key;
      if (key == "c") {
        EXPECT_EQ(json.next(), JsonToken::kBeginArray);
        EXPECT_TRUE(json.next_item());
      }
      if (key == "d") {
        EXPECT_EQ(json.read_int64(), 7);
      } else {
        json.skip();
      }
      if (keys.back() == 'c') {
        EXPECT_TRUE(json.next_item());
        json.skip();
        EXPECT_FALSE(json.next_item());
      }
    }
    EXPECT_EQ(keys, "abcd");
    EXPECT_EQ(json.next(), JsonToken::kEnd) << json.error();
  }
}

TEST(JsonReader, ValuesOfAnotherTypeAreSkipped) {
  JsonReader json(R"([[1,2],"7",{"a":1},null,5,"x"])");
  json.next();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(json.read_int64(), std::nullopt);
  }
  EXPECT_EQ(json.read_text(), std::nullopt);
  EXPECT_EQ(json.read_text(), "x");
  EXPECT_FALSE(json.next_item());
  EXPECT_FALSE(json.failed());
}

TEST(JsonReader, DepthCostsOneBit) {
  std::string deep(1'000'000, '[');
  JsonReader json(deep);
  tokens(json);
  EXPECT_TRUE(json.is_cut());
  EXPECT_EQ(json.depth(), deep.size());
  std::string closed = "[" + deep + std::string(deep.size(), ']') + ",1]";
  JsonReader skipping(closed);
  skipping.next();
  skipping.next();
  skipping.skip();
  EXPECT_EQ(skipping.read_int64(), 1);
  std::string too_deep(JsonReader::kMaxDepth + 1, '[');
  EXPECT_TRUE(tokens_of(too_deep).ends_with("it is nested too deeply."));
}

TEST(JsonReader, LongTextsAreBoundedUnlessSkipped) {
  std::string text = "[\"" + std::string(JsonReader::kMaxTextBytes + (4 << 20), 'x') + "\",1]";
  SmallBlocks blocks(text, 1 << 20);
  JsonReader json(blocks);
  json.next();
  EXPECT_EQ(json.next(), JsonToken::kError);
  EXPECT_TRUE(json.error().ends_with("a text is longer than 64 MiB.")) << json.error();
  SmallBlocks again(std::move(text), 1 << 20);
  JsonReader skipping(again);
  EXPECT_EQ(skipping.next(), JsonToken::kBeginArray);
  skipping.skip();
  EXPECT_EQ(skipping.next(), JsonToken::kEnd) << skipping.error();
}

}  // namespace
}  // namespace wick
