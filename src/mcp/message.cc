// SPDX-License-Identifier: Apache-2.0
#include "mcp/message.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/json_reader.h"
#include "base/utf8.h"

namespace wick::mcp {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view without_blanks(std::string_view text) {
  size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos
             ? ""
             : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

Message invalid(int code, std::string sentence, std::string id = "null") {
  return {.id = std::move(id), .code = code, .error = std::move(sentence)};
}

// The id as the client wrote it; empty if the message has none. `text` is a JSON object.
std::string id_of(std::string_view text) {
  std::string id;
  JsonReader json(text);
  json.next();
  while (json.next_key()) {
    bool is_id = json.text() == "id";
    json.next();
    if (!is_id) {
      json.skip();
    } else if (json.is(JsonToken::kNumber)) {
      id = json.text();
    } else if (json.is(JsonToken::kString)) {
      id = fmt::format("\"{}\"", json_text(json.text()));
    } else {
      id = "null";
      json.skip();
    }
  }
  return id;
}

Message read_message(std::string_view text) {
  Result<Json> parsed = parse_json(text);
  if (!parsed) {
    return invalid(kParseError, parsed.error().message);
  }
  const Json& json = *parsed;
  if (!json.is(Json::Kind::kObject)) {
    return invalid(kInvalidRequest, "A message is a JSON object.");
  }
  std::string id = id_of(text);
  if (id == "null") {
    return invalid(kInvalidRequest, "The id of a request is a number or a string.");
  }
  if (json.text_at("jsonrpc") != "2.0") {
    return invalid(
        kInvalidRequest, "A message has \"jsonrpc\": \"2.0\".", id.empty() ? "null" : id);
  }
  const Json* method = json.find("method");
  bool is_response =
      method == nullptr && (json.find("result") != nullptr || json.find("error") != nullptr);
  if (is_response) {
    return {.kind = Message::Kind::kResponse};
  }
  if (method == nullptr || !method->is(Json::Kind::kText)) {
    return invalid(kInvalidRequest,
                   "A request has a \"method\", which is a string.",
                   id.empty() ? "null" : id);
  }
  const Json* params = json.find("params");
  bool has_params = params != nullptr && !params->is(Json::Kind::kNull);
  if (has_params && !params->is(Json::Kind::kObject) && !id.empty()) {
    return invalid(kInvalidParams, "\"params\" is an object with named members.", id);
  }
  return {.kind = id.empty() ? Message::Kind::kNotification : Message::Kind::kRequest,
          .id = id,
          .method = method->text,
          .params = has_params ? *params : Json{.kind = Json::Kind::kObject}};
}

// The text of each item of a JSON array.
Messages read_batch(std::string_view text) {
  Messages batch{.all = {}, .is_batch = true};
  JsonReader json(text);
  json.next();
  for (uint64_t begin = json.offset(); json.next_item(); begin = json.offset()) {
    if (batch.all.size() == kLargestBatch) {
      return {.all = {invalid(kInvalidRequest,
                              fmt::format("A batch has at most {} messages.", kLargestBatch))}};
    }
    json.skip();
    std::string_view item = without_blanks(text.substr(begin, json.offset() - begin));
    item.remove_prefix(item.starts_with(',') ? 1 : 0);
    batch.all.push_back(read_message(item));
  }
  if (json.failed()) {
    return {.all = {invalid(kParseError, fmt::format("This line is not JSON: {}", json.error()))}};
  }
  if (batch.all.empty()) {
    return {.all = {invalid(kInvalidRequest, "A batch has at least one message.")}};
  }
  return batch;
}

}  // namespace

Messages read_messages(std::string_view line) {
  std::string_view text = without_blanks(line);
  if (text.empty()) {
    return {};
  }
  if (text.size() > kLongestMessage) {
    return {.all = {invalid(kInvalidRequest,
                            fmt::format("A message has at most {} MiB.", kLongestMessage >> 20U))}};
  }
  if (valid_utf8(text) != text) {
    return {.all = {invalid(kParseError, "This line is not UTF-8.")}};
  }
  return text.starts_with('[') ? read_batch(text) : Messages{.all = {read_message(text)}};
}

}  // namespace wick::mcp
