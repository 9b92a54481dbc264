// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "formats/firefox/categories.h"
#include "formats/firefox/firefox.h"
#include "formats/firefox/profile_writer.h"
#include "profile/names.h"

namespace wick::firefox {
namespace {

// The id of a library for symbol servers: the first 16 bytes of the build id as a GUID, and an age.
std::string breakpad_id(std::string_view build_id) {
  std::string id(build_id.substr(0, 32));
  id.resize(32, '0');
  auto reverse = [&](size_t first, size_t bytes) {
    std::string turned;
    for (size_t byte = bytes; byte-- > 0;) {
      turned += id.substr(first + 2 * byte, 2);
    }
    id.replace(first, 2 * bytes, turned);
  };
  reverse(0, 4);
  reverse(8, 2);
  reverse(12, 2);
  std::ranges::transform(
      id, id.begin(), [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c; });
  return id + "0";
}

}  // namespace

void Writer::write_meta() {
  int64_t wall = kNoTime;
  for (const Source& source : profile_.sources) {
    wall = wall == kNoTime ? source.wall_clock_ns : wall;
  }
  json_.key("meta");
  json_.begin_object();
  json_.key("interval");
  write_ms(json_, interval_ns());
  json_.key("startTime");
  int64_t epoch = 0;
  bool fits = wall != kNoTime && !__builtin_add_overflow(wall, start_ns_, &epoch) && epoch >= 0;
  write_ms(json_, fits ? epoch : 0);
  json_.field("processType", uint64_t{0});
  json_.field("product", "wick");
  json_.field("importedFrom", "wick");
  json_.field("stackwalk", uint64_t{1});
  json_.field("debug", false);
  json_.field("version", uint64_t{24});
  json_.field("preprocessedProfileVersion", uint64_t{kWrittenVersion});
  json_.field("symbolicated", true);
  json_.field("usesOnlyOneStackType", true);
  json_.field("sourceCodeIsNotOnSearchfox", true);
  json_.key("sampleUnits");
  json_.raw(R"({"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"})");
  write_event();
  write_categories();
  write_schemas();
  write_extra();
  json_.end_object();
}

void Writer::write_event() {
  Event first = event();
  json_.key("wickEvent");
  json_.begin_object();
  json_.field("name", profile_.strings[first.name]);
  json_.field("unit", profile_.strings[first.unit]);
  json_.field("kind", static_cast<uint64_t>(first.kind));
  json_.field("period", first.period);
  json_.field("frequency", first.frequency);
  json_.end_object();
}

void Writer::write_categories() {
  json_.key("categories");
  json_.begin_array();
  for (const WrittenCategory& category : kCategories) {
    json_.begin_object();
    json_.field("name", category.name);
    json_.field("color", category.color);
    write_column(json_, "subcategories", kSubcategories.size(), [&](size_t row) {
      json_.value(kSubcategories[row]);
    });
    json_.end_object();
  }
  json_.end_array();
}

// Each type of marker has a schema with the keys of its labels, else the viewer does not show them.
void Writer::write_schemas() {
  std::map<std::string_view, std::set<StringId>> types;
  auto add = [&](std::string_view type, LabelSetId set) {
    std::set<StringId>& keys = types[type];
    for (LabelId label : labels_of(profile_, set)) {
      keys.insert(profile_.labels[label].key);
    }
  };
  for (const Span& span : profile_.spans) {
    add(name_of(span.kind), span.labels);
  }
  for (const Mark& mark : profile_.marks) {
    add(mark_type(mark), mark.labels);
  }
  json_.key("markerSchema");
  json_.begin_array();
  for (const auto& [type, keys] : types) {
    write_schema(type, keys);
  }
  json_.end_array();
}

void Writer::write_schema(std::string_view type, const std::set<StringId>& keys) {
  json_.begin_object();
  json_.field("name", type);
  json_.key("display");
  json_.raw(R"(["marker-chart","marker-table","timeline-overview"])");
  json_.key("fields");
  json_.begin_array();
  for (StringId key : keys) {
    json_.begin_object();
    json_.field("key", profile_.strings[key]);
    json_.field("label", profile_.strings[key]);
    json_.field("format", "string");
    json_.end_object();
  }
  json_.end_array();
  json_.end_object();
}

void Writer::write_extra() {
  auto entry = [&](std::string_view label, std::string_view value) {
    json_.begin_object();
    json_.field("label", label);
    json_.field("format", "string");
    json_.field("value", value);
    json_.end_object();
  };
  json_.key("extra");
  json_.begin_array();
  json_.begin_object();
  json_.field("label", "wick");
  json_.key("entries");
  json_.begin_array();
  for (const Fact& fact : profile_.facts) {
    entry(profile_.strings[fact.key], profile_.strings[fact.value]);
  }
  for (const Loss& loss : profile_.losses) {
    entry(loss.severity == LossClass::kNotice ? "notice" : "lost",
          fmt::format(
              "{} {}: {}", loss.count, profile_.strings[loss.what], profile_.strings[loss.reason]));
  }
  json_.end_array();
  json_.end_object();
  json_.end_array();
}

void Writer::write_libs() {
  json_.key("libs");
  json_.begin_array();
  for (ModuleId id : tables_.libs()) {
    const Module& module = profile_.modules[id];
    std::string_view build_id = profile_.strings[module.build_id];
    std::string_view name = module_name(profile_, id);
    std::string_view path = profile_.strings[module.path];
    json_.begin_object();
    json_.field("arch", "");
    json_.field("name", name);
    json_.field("path", path);
    json_.field("debugName", name);
    json_.field("debugPath", path);
    json_.field("breakpadId", std::string_view(breakpad_id(build_id)));
    json_.key("codeId");
    if (build_id.empty()) {
      json_.raw("null");
    } else {
      json_.value(build_id);
    }
    json_.end_object();
  }
  json_.end_array();
}

void Writer::write_strings() {
  const StringTable& table = strings_.table();
  json_.key("shared");
  json_.begin_object();
  write_column(json_, "stringArray", table.size(), [&](size_t row) {
    json_.value(table[StringId{static_cast<uint32_t>(row)}]);
  });
  json_.end_object();
}

}  // namespace wick::firefox
