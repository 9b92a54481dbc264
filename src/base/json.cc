// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <limits>

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "base/parse_number.h"

namespace wick {
namespace {

// Receives RapidJSON's events. Open arrays and objects form a stack of values; each one moves into
// its parent when it closes, so that there is never a pointer into a growing vector.
class TreeBuilder {
 public:
  bool Null() { return add({}); }
  bool Bool(bool truth) { return add({.kind = Json::Kind::kBoolean, .truth = truth}); }
  bool Int(int number) { return add_number(number); }
  bool Uint(unsigned number) { return add_number(number); }
  bool Int64(int64_t number) { return add_number(static_cast<double>(number)); }
  bool Uint64(uint64_t number) { return add_number(static_cast<double>(number)); }
  bool Double(double number) { return add_number(number); }
  bool RawNumber(const char* /*text*/, rapidjson::SizeType /*size*/, bool /*copy*/) {
    return false;
  }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return add({.kind = Json::Kind::kText, .text = std::string(text, size)});
  }
  bool StartObject() { return open(Json::Kind::kObject); }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    open_.back().keys.emplace_back(text, size);
    return true;
  }
  bool EndObject(rapidjson::SizeType /*members*/) { return close(); }
  bool StartArray() { return open(Json::Kind::kArray); }
  bool EndArray(rapidjson::SizeType /*items*/) { return close(); }

  Json take() { return std::move(root_); }

 private:
  bool add_number(double number) { return add({.kind = Json::Kind::kNumber, .number = number}); }
  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else {
      open_.back().items.push_back(std::move(value));
    }
    return true;
  }
  bool open(Json::Kind kind) {
    open_.push_back({.kind = kind});
    return open_.size() <= kMaxJsonDepth;
  }
  bool close() {
    Json value = std::move(open_.back());
    open_.pop_back();
    return add(std::move(value));
  }

  std::vector<Json> open_;
  Json root_;
};

}  // namespace

const Json* Json::find(std::string_view key) const {
  for (size_t i = keys.size(); i > 0; --i) {
    if (keys[i - 1] == key) {
      return &items[i - 1];
    }
  }
  return nullptr;
}

const Json* Json::at(std::string_view path) const {
  const Json* value = this;
  while (value != nullptr && !path.empty()) {
    std::string_view step = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), step.size() + 1));
    if (value->is(Kind::kArray)) {
      std::optional<size_t> position = parse_number<size_t>(step);
      value = position && *position < value->items.size() ? &value->items[*position] : nullptr;
    } else {
      value = value->find(step);
    }
  }
  return value;
}

double Json::number_at(std::string_view key, double fallback) const {
  const Json* value = find(key);
  return value != nullptr && value->is(Kind::kNumber) ? value->number : fallback;
}

std::string_view Json::text_at(std::string_view key) const {
  const Json* value = find(key);
  return value != nullptr && value->is(Kind::kText) ? std::string_view(value->text)
                                                    : std::string_view();
}

Result<Json> parse_json(std::string_view text) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  TreeBuilder builder;
  rapidjson::ParseResult parsed = reader.Parse < rapidjson::kParseIterativeFlag |
                                  rapidjson::kParseFullPrecisionFlag > (stream, builder);
  if (parsed.IsError()) {
    return fail("This is not valid JSON from byte {} on: {}",
                parsed.Offset(),
                parsed.Code() == rapidjson::kParseErrorTermination
                    ? "it is nested too deeply."
                    : rapidjson::GetParseError_En(parsed.Code()));
  }
  return builder.take();
}

}  // namespace wick
