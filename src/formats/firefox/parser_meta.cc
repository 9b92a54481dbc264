// SPDX-License-Identifier: Apache-2.0
// Reads "meta": versions, categories, and the schemas of markers.
#include "formats/firefox/parser.h"

namespace wick::firefox {
namespace {

constexpr size_t kMaxSubcategories = 1 << 16;

}  // namespace

void Parser::read_meta(size_t process) {
  if (!cells_.begin_object()) {
    return;
  }
  bool is_first = process == 0;
  while (json_.next_key()) {
    std::string_view key = json_.text();
    if (key == "startTime") {
      raw_.processes[process].start_time = number_value();
    } else if (key == "categories") {
      read_categories(raw_.processes[process]);
    } else if (key == "product" && is_first) {
      raw_.product = text_value();
    } else if (key == "markerSchema" && is_first) {
      read_marker_schemas();
    } else if (key == "sampleUnits") {
      cells_.read_table({}, [&](std::string_view unit) {
        return unit == "threadCPUDelta" && (raw_.cpu_unit = text_value(), true);
      });
    } else if (key == "wickEvent" && is_first) {
      read_event();
    } else if (!is_first || !read_meta_number()) {
      json_.skip();
    }
  }
}

bool Parser::read_meta_number() {
  std::string_view key = json_.text();
  if (key == "preprocessedProfileVersion") {
    raw_.version = integer_value();
  } else if (key == "version") {
    raw_.gecko = integer_value();
  } else if (key == "interval") {
    raw_.interval = number_value();
  } else {
    return false;
  }
  return true;
}

void Parser::read_categories(RawProcess& process) {
  process.categories.clear();
  if (!cells_.begin_array()) {
    return;
  }
  while (json_.next_item()) {
    process.categories.emplace_back();
    if (cells_.is_object()) {
      read_category(process);
    }
  }
}

void Parser::read_category(RawProcess& process) {
  RawCategory& category = process.categories.back();
  while (json_.next_key()) {
    if (json_.text() == "name") {
      category.name = text_value();
    } else if (json_.text() == "subcategories" && process.categories.size() < kMaxSubcategories) {
      read_strings(category.subcategories);
    } else {
      json_.skip();
    }
  }
}

void Parser::read_event() {
  if (!cells_.begin_object()) {
    return;
  }
  RawEvent& event = raw_.event;
  while (json_.next_key()) {
    std::string_view key = json_.text();
    if (key == "name") {
      event.name = text_value();
    } else if (key == "unit") {
      event.unit = text_value();
    } else if (key == "kind") {
      event.kind = integer_value();
    } else if (key == "period") {
      event.period = integer_value();
    } else if (key == "frequency") {
      event.frequency = integer_value();
    } else {
      json_.skip();
    }
  }
}

void Parser::read_marker_schemas() {
  if (!cells_.begin_array()) {
    return;
  }
  while (json_.next_item()) {
    if (cells_.is_object()) {
      read_marker_schema();
    }
  }
}

void Parser::read_marker_schema() {
  StringId type;
  std::vector<StringId> fields;
  while (json_.next_key()) {
    if (json_.text() == "name") {
      type = text_value();
    } else if (json_.text() == "fields" || json_.text() == "data") {
      read_schema_fields(fields);
    } else {
      json_.skip();
    }
  }
  for (StringId field : fields) {
    raw_.string_fields.emplace_back(type, field);
  }
}

void Parser::read_schema_fields(std::vector<StringId>& fields) {
  if (!cells_.begin_array()) {
    return;
  }
  while (json_.next_item()) {
    if (!cells_.is_object()) {
      continue;
    }
    StringId key;
    bool is_string_index = false;
    while (json_.next_key()) {
      if (json_.text() == "key") {
        key = text_value();
      } else if (json_.text() == "format" && json_.next() == JsonToken::kString) {
        std::string_view format = json_.text();
        is_string_index = format == "unique-string" || format.ends_with("flow-id");
      } else {
        json_.skip();
      }
    }
    if (is_string_index) {
      fields.push_back(key);
    }
  }
}

}  // namespace wick::firefox
