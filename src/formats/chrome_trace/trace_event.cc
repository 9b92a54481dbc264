// SPDX-License-Identifier: Apache-2.0
// Reads one event with a loop over its keys. Every value is read with the type that it should have;
// another type is skipped and counted, so that the reader is always at the next key.
#include "formats/chrome_trace/trace_event.h"

#include <cmath>

#include "base/parse_number.h"
#include "formats/anonymous_function.h"

namespace wick::chrome_trace {
namespace {

// 73 years: many tracers count from 1970. Differences of ends and begins fit into 64 bits.
constexpr int64_t kMaxNs = int64_t{1} << 61;

// Up to three digits of a fraction; the next ones are less than a nanosecond.
int64_t nanoseconds_of(std::string_view digits) {
  int64_t ns = 0;
  for (size_t i = 0; i < 3; ++i) {
    ns = ns * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  }
  return ns;
}

}  // namespace

std::optional<int64_t> parse_microseconds(std::string_view text) {
  size_t dot = text.find('.');
  std::string_view fraction = dot == std::string_view::npos ? "" : text.substr(dot + 1);
  bool is_plain = fraction.find_first_not_of("0123456789") == std::string_view::npos;
  std::optional<int64_t> whole = parse_number<int64_t>(text.substr(0, dot));
  if (whole && is_plain && *whole > -kMaxNs / 1000 && *whole < kMaxNs / 1000) {
    int64_t ns = nanoseconds_of(fraction);
    return *whole * 1000 + (text.starts_with('-') ? -ns : ns);
  }
  std::optional<double> number = parse_number<double>(text);
  bool fits = number && *number * 1000 > -static_cast<double>(kMaxNs) &&
              *number * 1000 < static_cast<double>(kMaxNs);
  return fits ? std::optional<int64_t>(std::llround(*number * 1000)) : std::nullopt;
}

void EventParser::read(TraceEvent& event) {
  std::vector<Argument> arguments = std::move(event.arguments);
  arguments.clear();
  event = TraceEvent{.arguments = std::move(arguments)};
  while (json_.next_key()) {
    std::string_view key = json_.text();
    if (read_times(event, key) || read_identity(event, key)) {
      continue;
    }
    if (key == "args" && begin(JsonToken::kBeginObject)) {
      read_arguments(event, 0);
    } else if (json_.is(JsonToken::kKey)) {
      json_.skip();
    }
  }
}

bool EventParser::read_times(TraceEvent& event, std::string_view key) {
  if (key == "ts") {
    event.time_ns = microseconds().value_or(kNoTime);
  } else if (key == "dur" || (key == "tdur" && event.duration_ns < 0)) {
    event.duration_ns = microseconds().value_or(-1);
  } else if (key == "weight") {
    event.weight = integer().value_or(-1);
  } else if (key == "count") {
    event.count = integer().value_or(-1);
  } else if (key == "cpu") {
    event.cpu = integer().value_or(-1);
  } else {
    return false;
  }
  return true;
}

bool EventParser::read_identity(TraceEvent& event, std::string_view key) {
  if (key == "ph" || key == "s") {
    char& letter = key == "ph" ? event.phase : event.scope;
    json_.next();
    bool is_letter = json_.is(JsonToken::kString) && json_.text().size() == 1;
    letter = is_letter ? json_.text()[0] : letter;
    json_.skip();
  } else if (key == "name") {
    event.name = text();
  } else if (key == "cat") {
    event.category = text();
  } else if (key == "pid") {
    event.pid = task();
  } else if (key == "tid") {
    event.tid = task();
  } else if (key == "id" || key == "id2") {
    read_id(event.id);
  } else if (key == "sf") {
    read_id(event.frame);
  } else {
    return false;
  }
  return true;
}

// A text, a number, or {"local": text} or {"global": text}.
void EventParser::read_id(std::string& id) {
  json_.next();
  if (json_.is(JsonToken::kBeginObject)) {
    while (json_.next_key()) {
      id = json_.text();
      json_.next();
      id += json_.is(JsonToken::kString) ? json_.text() : std::string_view();
      json_.skip();
    }
  } else if (json_.is(JsonToken::kString) || json_.is(JsonToken::kNumber)) {
    id = json_.text();
  } else {
    wrong_value();
  }
}

// Chrome has most values one level deeper, in "data".
void EventParser::read_arguments(TraceEvent& event, int depth) {
  while (json_.next_key()) {
    std::string_view key = json_.text();
    if (depth > 0 && read_part(event.part, key)) {
      continue;
    }
    bool is_data = depth == 0 && (key == "data" || key == "beginData" || key == "endData");
    StringId id = builder_.string(key.substr(0, kMaxArgumentBytes));
    json_.next();
    if (is_data && json_.is(JsonToken::kBeginObject)) {
      read_arguments(event, depth + 1);
    } else if (event.arguments.size() < kMaxArguments) {
      read_argument(event, id);
    } else {
      json_.skip();
    }
  }
}

void EventParser::read_argument(TraceEvent& event, StringId key) {
  Argument argument{.key = key};
  if (json_.is(JsonToken::kNumber)) {
    std::optional<int64_t> whole = json_.as_int64();
    argument.number = whole.value_or(0);
    argument.value = json_.as_double().value_or(std::nan(""));
    argument.is_number = true;
    argument.is_whole = whole.has_value();
    argument.text = whole ? std::string_view() : json_.text();
  } else if (json_.is(JsonToken::kString)) {
    argument.text = json_.text().substr(0, kMaxArgumentBytes);
  } else if (json_.is(JsonToken::kTrue) || json_.is(JsonToken::kFalse)) {
    argument.text = json_.is(JsonToken::kTrue) ? "true" : "false";
  } else {
    json_.skip();
    return;
  }
  event.arguments.push_back(std::move(argument));
}

bool EventParser::read_part(ProfilePart& part, std::string_view key) {
  if (key == "cpuProfile") {
    read_cpu_profile(part);
  } else if (key == "timeDeltas") {
    read_integers(part.deltas_us);
  } else if (key == "startTime") {
    part.start_ns = microseconds();
  } else {
    return false;
  }
  return true;
}

void EventParser::read_cpu_profile(ProfilePart& part) {
  if (!begin(JsonToken::kBeginObject)) {
    return;
  }
  while (json_.next_key()) {
    std::string_view key = json_.text();
    if (key == "nodes") {
      read_nodes(part);
    } else if (key == "samples") {
      read_integers(part.samples);
    } else if (key == "timeDeltas") {
      read_integers(part.deltas_us);
    } else if (key == "startTime") {
      part.start_ns = microseconds();
    } else {
      json_.skip();
    }
  }
}

void EventParser::read_nodes(ProfilePart& part) {
  if (!begin(JsonToken::kBeginArray)) {
    return;
  }
  while (json_.next_item()) {
    if (json_.is(JsonToken::kBeginObject)) {
      read_node(part);
    } else {
      wrong_value();
    }
  }
}

void EventParser::read_node(ProfilePart& part) {
  ProfilePart::Node node;
  std::vector<int64_t> children;
  while (json_.next_key()) {
    std::string_view key = json_.text();
    if (key == "id") {
      node.id = integer().value_or(0);
    } else if (key == "parent") {
      node.parent = integer().value_or(-1);
    } else if (key == "callFrame") {
      node.frame = read_call_frame();
    } else if (key == "children") {
      read_integers(children);
    } else {
      json_.skip();
    }
  }
  for (int64_t child : children) {
    part.children.emplace_back(node.id, child);
  }
  part.nodes.push_back(node);
}

// Lines and columns count from 0 in V8's profiles, and -1 is unknown.
FrameId EventParser::read_call_frame() {
  Function function;
  Frame frame{.language = Language::kJavaScript};
  if (!begin(JsonToken::kBeginObject)) {
    return {};
  }
  auto one_based = [](std::optional<int64_t> number) {
    bool fits = number && *number >= 0 && *number < INT32_MAX;
    return fits ? static_cast<uint32_t>(*number) + 1 : 0;
  };
  while (json_.next_key()) {
    std::string_view key = json_.text();
    if (key == "functionName") {
      function.name = text();
    } else if (key == "url") {
      function.file = text();
    } else if (key == "lineNumber") {
      function.line = one_based(integer());
    } else if (key == "columnNumber") {
      frame.column = one_based(integer());
    } else {
      json_.skip();
    }
  }
  if (function.name.empty()) {
    function.name =
        builder_.string(anonymous_function(builder_.text(function.file), function.line));
  }
  std::string_view name = builder_.text(function.name);
  if (function.file.empty() && name.starts_with('(')) {
    frame.language = Language::kUnknown;
  }
  if (name == "(root)") {
    return {};
  }
  frame.line = function.line;
  frame.function = builder_.function(function);
  return builder_.frame(frame);
}

void EventParser::read_integers(std::vector<int64_t>& numbers) {
  if (!begin(JsonToken::kBeginArray)) {
    return;
  }
  while (json_.next_item()) {
    std::optional<int64_t> number = json_.as_int64();
    if (!number) {
      wrong_value();
    }
    numbers.push_back(number.value_or(0));
  }
}

bool EventParser::begin(JsonToken bracket) {
  if (json_.next() == bracket) {
    return true;
  }
  if (!json_.is(JsonToken::kNull)) {
    wrong_value();
  }
  return false;
}

StringId EventParser::text() {
  json_.next();
  if (json_.is(JsonToken::kString) || json_.is(JsonToken::kNumber)) {
    return builder_.string(json_.text());
  }
  if (!json_.is(JsonToken::kNull)) {
    wrong_value();
  }
  return {};
}

TaskNumber EventParser::task() {
  json_.next();
  if (std::optional<int64_t> number = json_.as_int64(); number && *number >= kNoTask) {
    return *number;
  }
  if (json_.is(JsonToken::kString)) {
    return tracks_.number_of_text(json_.text());
  }
  if (!json_.is(JsonToken::kNull)) {
    wrong_value();
  }
  return kNoTask;
}

std::optional<int64_t> EventParser::integer() {
  json_.next();
  if (json_.is(JsonToken::kString)) {
    return parse_number<int64_t>(json_.text());
  }
  std::optional<int64_t> number = json_.as_int64();
  if (!number && !json_.is(JsonToken::kNull)) {
    wrong_value();
  }
  return number;
}

std::optional<int64_t> EventParser::microseconds() {
  json_.next();
  if (json_.is(JsonToken::kString) || json_.is(JsonToken::kNumber)) {
    return parse_microseconds(json_.text());
  }
  if (!json_.is(JsonToken::kNull)) {
    wrong_value();
  }
  return std::nullopt;
}

void EventParser::wrong_value() {
  if (!json_.failed()) {
    json_.skip();
    ++damage_.values;
  }
}

}  // namespace wick::chrome_trace
