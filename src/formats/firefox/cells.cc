// SPDX-License-Identifier: Apache-2.0
// Reads every value with the type of its column. A value of another type is skipped to its end and
// counted, so that the reader is always at the next value.
#include "formats/firefox/cells.h"

#include <charconv>

namespace wick::firefox {

// What a marker's data says beside its fields.
struct MarkerData {
  StringId type = {};
  StringId interval = {};
  int32_t stack = kNone;
  double start = kNoNumber;
  double end = kNoNumber;
  size_t fields = 0;
};

bool CellReader::begin(JsonToken bracket) {
  if (json_.next() == bracket) {
    return true;
  }
  if (!json_.is(JsonToken::kNull)) {
    wrong_value();
  }
  return false;
}

void CellReader::wrong_value() {
  if (!json_.failed()) {
    json_.skip();
    ++wrong_values_;
  }
}

int32_t CellReader::integer() {
  switch (json_.token()) {
    case JsonToken::kNull:
    case JsonToken::kFalse:
      return json_.is(JsonToken::kNull) ? kNone : 0;
    case JsonToken::kTrue:
      return 1;
    case JsonToken::kNumber:
      if (std::optional<int64_t> number = json_.as_int64();
          number && *number >= kNone && *number <= std::numeric_limits<int32_t>::max()) {
        return static_cast<int32_t>(*number);
      }
      [[fallthrough]];
    default:
      wrong_value();
      return kNone;
  }
}

int64_t CellReader::address() {
  if (json_.is(JsonToken::kNull)) {
    return kNone;
  }
  if (std::optional<int64_t> number = json_.as_int64(); number && *number >= kNone) {
    return *number;
  }
  wrong_value();
  return kNone;
}

double CellReader::number() {
  if (json_.is(JsonToken::kNull)) {
    return kNoNumber;
  }
  if (std::optional<double> number = json_.as_double()) {
    return *number;
  }
  wrong_value();
  return kNoNumber;
}

StringId CellReader::text() {
  if (json_.is(JsonToken::kString)) {
    return builder_.string(json_.text());
  }
  if (!json_.is(JsonToken::kNull)) {
    wrong_value();
  }
  return {};
}

int64_t CellReader::leading_number() {
  if (!json_.is(JsonToken::kNumber) && !json_.is(JsonToken::kString)) {
    text();
    return -1;
  }
  int64_t number = -1;
  std::string_view text = json_.text();
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool CellReader::read_part(std::span<const ColumnTarget> targets) {
  std::string_view key = json_.text();
  if (key == "schema") {
    read_schema(targets);
    return true;
  }
  if (key == "data" && !schema_.empty()) {
    read_rows();
    return true;
  }
  for (const ColumnTarget& target : targets) {
    if (target.name == key) {
      read_column(target);
      return true;
    }
  }
  return false;
}

void CellReader::read_schema(std::span<const ColumnTarget> targets) {
  if (!begin_object()) {
    return;
  }
  while (json_.next_key()) {
    const ColumnTarget* known = nullptr;
    for (const ColumnTarget& target : targets) {
      known = target.name == json_.text() ? &target : known;
    }
    json_.next();
    auto index = static_cast<size_t>(integer());  // kNone becomes too large
    if (known == nullptr || index >= kMaxSchemaColumns) {
      continue;
    }
    schema_.resize(std::max(schema_.size(), index + 1));
    schema_[index] = known;
    clear(*known);
  }
}

void CellReader::read_rows() {
  if (!begin_array()) {
    return;
  }
  while (json_.next_item()) {
    if (json_.is(JsonToken::kBeginArray)) {
      read_row();
    } else {
      wrong_value();
    }
  }
}

void CellReader::read_row() {
  size_t index = 0;
  for (; json_.next_item(); ++index) {
    if (index < schema_.size() && schema_[index] != nullptr) {
      read_cell(*schema_[index]);
    } else {
      json_.skip();
    }
  }
  for (; index < schema_.size(); ++index) {
    if (schema_[index] != nullptr) {
      push_null(*schema_[index]);
    }
  }
}

void CellReader::read_column(const ColumnTarget& target) {
  clear(target);
  if (!begin_array()) {
    return;
  }
  while (json_.next_item()) {
    read_cell(target);
  }
}

void CellReader::read_cell(const ColumnTarget& target) {
  if (Ints* const* ints = std::get_if<Ints*>(&target.column)) {
    (*ints)->push_back(integer());
  } else if (Longs* const* longs = std::get_if<Longs*>(&target.column)) {
    (*longs)->push_back(address());
  } else if (Numbers* const* numbers = std::get_if<Numbers*>(&target.column)) {
    (*numbers)->push_back(number());
  } else if (Texts* const* texts = std::get_if<Texts*>(&target.column)) {
    (*texts)->push_back(text());
  } else {
    read_marker(*std::get<MarkerTable*>(target.column));
  }
}

void CellReader::clear(const ColumnTarget& target) {
  std::visit(
      [](auto* column) {
        if constexpr (std::is_same_v<decltype(column), MarkerTable*>) {
          column->type = {};
          column->stack = {};
          column->interval = {};
          column->data_start = {};
          column->data_end = {};
          column->fields.clear();
        } else {
          *column = {};
        }
      },
      target.column);
}

void CellReader::push_null(const ColumnTarget& target) {
  if (Ints* const* ints = std::get_if<Ints*>(&target.column)) {
    (*ints)->push_back(kNone);
  } else if (Longs* const* longs = std::get_if<Longs*>(&target.column)) {
    (*longs)->push_back(kNone);
  } else if (Numbers* const* numbers = std::get_if<Numbers*>(&target.column)) {
    (*numbers)->push_back(kNoNumber);
  } else if (Texts* const* texts = std::get_if<Texts*>(&target.column)) {
    (*texts)->push_back({});
  } else {
    MarkerTable& markers = *std::get<MarkerTable*>(target.column);
    markers.type.push_back({});
    markers.stack.push_back(kNone);
    markers.interval.push_back({});
    markers.data_start.push_back(kNoNumber);
    markers.data_end.push_back(kNoNumber);
  }
}

void CellReader::read_marker(MarkerTable& markers) {
  MarkerData data;
  if (json_.is(JsonToken::kBeginObject)) {
    while (json_.next_key()) {
      read_marker_field(markers, data);
    }
  } else if (!json_.is(JsonToken::kNull)) {
    wrong_value();
  }
  markers.type.push_back(data.type);
  markers.stack.push_back(data.stack);
  markers.interval.push_back(data.interval);
  markers.data_start.push_back(data.start);
  markers.data_end.push_back(data.end);
}

void CellReader::read_marker_field(MarkerTable& markers, MarkerData& data) {
  StringId key = builder_.string(json_.text());
  std::string_view name = builder_.text(key);
  bool is_stack = name == "cause" || name == "stack";
  if (name == "type" || name == "interval") {
    StringId& value = name == "type" ? data.type : data.interval;
    json_.next();
    value = text();
  } else if (name == "startTime" || name == "endTime") {
    double& value = name == "startTime" ? data.start : data.end;
    json_.next();
    value = number();
  } else if (json_.next() == JsonToken::kBeginObject && is_stack) {
    read_marker_stack(data.stack);
  } else if (json_.is(JsonToken::kNumber) && is_stack) {
    data.stack = integer();
  } else if (++data.fields <= kMaxMarkerFields) {
    add_field(markers, key);
  } else {
    json_.skip();
  }
}

// {time, stack} in processed profiles; in Gecko profiles a thread whose one sample has the stack.
void CellReader::read_marker_stack(int32_t& stack) {
  while (json_.next_key()) {
    if (json_.text() == "stack") {
      json_.next();
      stack = integer();
    } else if (json_.text() == "samples") {
      Ints column;
      std::vector<const ColumnTarget*> outer = std::exchange(schema_, {});
      const ColumnTarget target{"stack", &column};
      read_table({&target, 1});
      schema_ = std::move(outer);
      stack = at(column, 0);
    } else {
      json_.skip();
    }
  }
}

// A number with a fraction is a text: labels have whole numbers.
void CellReader::add_field(MarkerTable& markers, StringId key) {
  auto marker = static_cast<uint32_t>(markers.type.size());
  if (std::optional<int64_t> number = json_.as_int64()) {
    markers.fields.push_back({marker, key, {}, *number, true});
  } else if (json_.is(JsonToken::kString) || json_.is(JsonToken::kNumber)) {
    markers.fields.push_back({marker, key, builder_.string(json_.text()), 0, false});
  } else if (json_.is(JsonToken::kTrue) || json_.is(JsonToken::kFalse)) {
    StringId text = builder_.string(json_.is(JsonToken::kTrue) ? "true" : "false");
    markers.fields.push_back({marker, key, text, 0, false});
  } else {
    json_.skip();
  }
}

}  // namespace wick::firefox
