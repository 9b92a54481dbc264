// SPDX-License-Identifier: Apache-2.0
#include "viewer/packed_code.h"

#include <map>

#include "base/escape.h"
#include "viewer/page_text.h"

namespace wick {
namespace {

// Tabs are layout in code; elsewhere terminal_text escapes them as control characters.
std::string with_spaces(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '\t') {
      result.append(8 - result.size() % 8, ' ');
    } else {
      result.push_back(c);
    }
  }
  return result;
}

void write_source(JsonWriter& json, const PageCode& code) {
  json.key("source");
  if (code.lines.empty()) {
    json.raw("null");
    return;
  }
  json.begin_object();
  write_text(json, "file", code.file);
  json.field("firstLine", uint64_t{code.first_line});
  json.key("lines");
  json.begin_array();
  for (const std::string& line : code.lines) {
    json.value(std::string_view(terminal_text(with_spaces(line))));
  }
  json.end_array();
  json.end_object();
}

void write_instructions(JsonWriter& json, const PageCode& code) {
  json.key("code");
  if (code.instructions.empty()) {
    json.raw("null");
    return;
  }
  json.begin_object();
  json.field("address", std::string_view(fmt::format("{:#x}", code.address)));
  json.key("instructions");
  json.begin_array();
  for (const PageInstruction& instruction : code.instructions) {
    json.begin_object();
    json.field("offset", instruction.offset);
    write_text(json, "text", with_spaces(instruction.text));
    json.field("line", uint64_t{instruction.line});
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace

FunctionKey key_of(const Profile& profile, FunctionId id) {
  const Function& function = profile.functions[id];
  std::string_view module =
      function.module.valid() ? profile.strings[profile.modules[function.module].path] : "";
  return {std::string(profile.strings[function.name]), std::string(module)};
}

void write_code(JsonWriter& json, const Profile& merged, const std::vector<CodeOfRun>& codes) {
  std::map<FunctionKey, size_t> rows;
  for (size_t row = merged.functions.size(); row-- > 0 && !codes.empty();) {
    rows[key_of(merged, FunctionId::from_index(row))] = row;
  }
  json.key("annotations");
  json.begin_array();
  for (const CodeOfRun& named : codes) {
    json.begin_object();
    json.field("run", uint64_t{named.run});
    json.field("frameFunction", uint64_t{rows[named.function]});
    write_text(json, "note", named.code.note);
    write_source(json, named.code);
    write_instructions(json, named.code);
    json.end_object();
  }
  json.end_array();
}

}  // namespace wick
