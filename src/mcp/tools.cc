// SPDX-License-Identifier: Apache-2.0
// Tools and their arguments, both from the rows of flags.
//
//     all_tools()        analyses, without those whose usual view is a picture
//     write_schema()     a flag's kind decides the type of its property
//     read_arguments()   the same kinds, backwards; accepts what assistants write in practice: a
//                        number as text, one text instead of a list, "_" instead of "-"
#include "mcp/tools.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "answer/answer.h"
#include "base/escape.h"
#include "base/flag_check.h"
#include "base/spelling.h"
#include "profile/filter.h"
#include "views/numbers.h"
#include "views/views.h"

namespace wick::mcp {
namespace {

constexpr std::string_view kProfile = "profile";
constexpr std::string_view kBefore = "before";
constexpr std::string_view kAfter = "after";
constexpr std::string_view kFunction = "function";
constexpr std::string_view kLimit = "limit";

// What an assistant gets without asking: a picture has room for more points than an answer.
struct ShortFallback {
  std::string_view flag;
  std::string_view value;
};
constexpr std::array kShortFallbacks = {ShortFallback{"points", "10"},
                                        ShortFallback{"threads", "5"}};

bool is_picture(const Analysis& analysis) {
  return !find_view(analysis.view)->own_file.empty();
}

void append(std::vector<Flag>& flags, std::span<const Flag> more) {
  for (const Flag& flag : more) {
    bool is_new = std::ranges::find(flags, flag.name, &Flag::name) == flags.end();
    if (is_new && flag.kind != FlagKind::kPath) {
      flags.push_back(flag);
    }
  }
}

Tool tool_of(const Analysis& analysis) {
  Tool tool{.name = analysis.name,
            .help = analysis.help,
            .subject = analysis.compare != nullptr ? Subject::kComparison : Subject::kProfile,
            .analysis = &analysis};
  append(tool.flags, analysis.flags);
  for (const ShortFallback& fallback : kShortFallbacks) {
    auto flag = std::ranges::find(tool.flags, fallback.flag, &Flag::name);
    if (flag != tool.flags.end()) {
      flag->fallback = fallback.value;
    }
  }
  append(tool.flags, filter_flags());
  if (analysis.compare == nullptr) {
    append(tool.flags, name_flags());
  }
  return tool;
}

// The properties that are not flags.
struct Property {
  std::string_view name;
  bool is_required = false;
  bool is_list = false;  // one text, or several
  std::string_view help = {};
};

std::vector<Property> properties_of(const Tool& tool) {
  constexpr std::string_view kFile = "a file as `profiles` lists it; default: the newest one";
  constexpr std::string_view kRuns = "a file as `profiles` lists it; several are runs of one side";
  std::vector<Property> properties;
  if (tool.subject == Subject::kProfile) {
    properties.push_back({.name = kProfile, .help = kFile});
  } else if (tool.subject == Subject::kComparison) {
    properties.push_back({.name = kBefore, .is_required = true, .is_list = true, .help = kRuns});
    properties.push_back({.name = kAfter, .is_required = true, .is_list = true, .help = kRuns});
  }
  if (tool.analysis != nullptr && !tool.analysis->argument.empty()) {
    properties.push_back({.name = kFunction,
                          .is_required = !tool.analysis->argument_optional,
                          .help = "a function: its name, a part of it, or a regular expression"});
  }
  return properties;
}

void write_type(const Flag& flag, JsonWriter& json) {
  bool is_open = flag.value.contains(':');
  switch (flag.kind) {
    case FlagKind::kSwitch:
      json.field("type", "boolean");
      return;
    case FlagKind::kInteger:
    case FlagKind::kNumber:
      json.field("type", flag.kind == FlagKind::kInteger ? "integer" : "number");
      json.field("minimum", int64_t{0});
      return;
    case FlagKind::kTexts:
      json.field("type", "array");
      json.key("items");
      json.begin_object();
      json.field("type", "string");
      json.end_object();
      return;
    case FlagKind::kChoice:
      json.field("type", "string");
      if (!is_open) {
        json.key("enum");
        json.begin_array();
        for (std::string_view rest = flag.value; !rest.empty();) {
          std::string_view choice = rest.substr(0, rest.find('|'));
          json.value(choice);
          rest.remove_prefix(std::min(rest.size(), choice.size() + 1));
        }
        json.end_array();
      }
      return;
    default:
      json.field("type", "string");
  }
}

std::string description(const Flag& flag) {
  std::string text(flag.help);
  if (flag.kind == FlagKind::kFileText) {
    text += "; here: the text of the file itself";
  } else if (flag.kind == FlagKind::kText || flag.kind == FlagKind::kTexts ||
             (flag.kind == FlagKind::kChoice && flag.value.contains(':'))) {
    text += fmt::format(" ({})", flag.value);
  }
  return text + (flag.fallback.empty() ? "" : fmt::format("; default {}", flag.fallback));
}

void write_property(const Property& property, JsonWriter& json) {
  json.key(property.name);
  json.begin_object();
  if (property.is_list) {
    json.key("type");
    json.begin_array();
    json.value("string");
    json.value("array");
    json.end_array();
    json.key("items");
    json.begin_object();
    json.field("type", "string");
    json.end_object();
  } else {
    json.field("type", "string");
  }
  json.field("description", property.help);
  json.end_object();
}

// ---- Reading the arguments ----------------------------------------------------------------------

Result<std::string> text_of(std::string_view name, const Json& value) {
  switch (value.kind) {
    case Json::Kind::kText:
      return value.text;
    case Json::Kind::kNumber:
      return plain_number(value.number);
    case Json::Kind::kBoolean:
      return value.truth ? "true" : "false";
    default:
      return fail("\"{}\" takes a text or a number.", terminal_text(name));
  }
}

Result<std::vector<std::string>> texts_of(std::string_view name, const Json& value) {
  if (!value.is(Json::Kind::kArray)) {
    return std::vector<std::string>{TRY(text_of(name, value))};
  }
  std::vector<std::string> texts;
  for (const Json& item : value.items) {
    texts.push_back(TRY(text_of(name, item)));
  }
  return texts;
}

Result<> set_flag(const Flag& flag, const Json& value, FlagValues& flags) {
  if (flag.kind == FlagKind::kTexts) {
    for (std::string& text : TRY(texts_of(flag.name, value))) {
      flags.add(flag.name, std::move(text));
    }
    return {};
  }
  std::string text = TRY(text_of(flag.name, value));
  if (flag.kind == FlagKind::kSwitch) {
    if (text != "true" && text != "false") {
      return fail("\"{}\" is true or false.", flag.name);
    }
    if (text == "true") {
      flags.set(flag.name, "");
    }
    return {};
  }
  TRY(check_flag_value(flag, text));
  std::string path =
      flag.kind == FlagKind::kFileText ? fmt::format("the argument {}", flag.name) : std::string();
  flags.set(flag.name, std::move(text), std::move(path));
  return {};
}

Result<bool> set_property(const Tool& tool,
                          std::string_view name,
                          const Json& value,
                          Arguments& arguments) {
  std::vector<Property> properties = properties_of(tool);
  bool is_known =
      name == kLimit || std::ranges::find(properties, name, &Property::name) != properties.end();
  if (!is_known) {
    return false;
  }
  if (name == kFunction) {
    arguments.function = TRY(text_of(name, value));
  } else if (name == kLimit) {
    constexpr Flag kRow = {"limit", '\0', FlagKind::kInteger, "N", "20", "rows"};
    std::string text = TRY(text_of(name, value));
    TRY(check_flag_value(kRow, text));
    FlagValues one;
    one.declare({&kRow, 1});
    one.set("limit", text);
    arguments.limit = one.integer("limit");
  } else {
    std::vector<std::string>& paths = name == kProfile  ? arguments.profile
                                      : name == kBefore ? arguments.before
                                                        : arguments.after;
    paths = TRY(texts_of(name, value));
  }
  return true;
}

std::unexpected<Error> unknown_argument(const Tool& tool, std::string_view name) {
  std::vector<std::string> known = {std::string(kLimit)};
  for (const Property& property : properties_of(tool)) {
    known.emplace_back(property.name);
  }
  for (const Flag& flag : tool.flags) {
    known.emplace_back(flag.name);
  }
  std::string near = nearest_spelling(name, known);
  return fail(
      "`{}` has no argument \"{}\"; {}",
      tool.name,
      short_terminal_text(name),
      near.empty() ? "tools/list shows its arguments." : fmt::format("did you mean \"{}\"?", near));
}

FlagValues declared_flags(const Tool& tool) {
  FlagValues flags;
  flags.declare(filter_flags());
  flags.declare(name_flags());
  if (tool.analysis != nullptr) {
    flags.declare(tool.analysis->flags);
  }
  return flags;
}

}  // namespace

const std::vector<Tool>& all_tools() {
  static const std::vector<Tool> kTools = [] {
    std::vector<Tool> tools = {
        {.name = "profiles",
         .help = "the profiles that wick may read, newest first",
         .subject = Subject::kAllFiles},
        {.name = "info", .help = "describe a profile: format, events, time, threads, stacks, loss"},
    };
    for (const Analysis& analysis : all_analyses()) {
      if (!is_picture(analysis)) {
        tools.push_back(tool_of(analysis));
      }
    }
    return tools;
  }();
  return kTools;
}

const Tool* find_tool(std::string_view name) {
  auto found = std::ranges::find(all_tools(), name, &Tool::name);
  return found == all_tools().end() ? nullptr : &*found;
}

Result<Arguments> read_arguments(const Tool& tool, const Json& given) {
  Arguments arguments{.flags = declared_flags(tool)};
  for (const ShortFallback& fallback : kShortFallbacks) {
    if (std::ranges::find(tool.flags, fallback.flag, &Flag::name) != tool.flags.end()) {
      arguments.flags.set(fallback.flag, std::string(fallback.value));
    }
  }
  for (size_t i = 0; i < given.keys.size(); ++i) {
    std::string name = given.keys[i];
    std::ranges::replace(name, '_', '-');
    const Json& value = given.items[i];
    if (value.is(Json::Kind::kNull)) {
      continue;
    }
    auto flag = std::ranges::find(tool.flags, name, &Flag::name);
    if (flag != tool.flags.end()) {
      TRY(set_flag(*flag, value, arguments.flags));
    } else if (!TRY(set_property(tool, name, value, arguments))) {
      return unknown_argument(tool, given.keys[i]);
    }
  }
  for (const Property& property : properties_of(tool)) {
    const Json* value = given.find(property.name);
    if (property.is_required && (value == nullptr || value->is(Json::Kind::kNull))) {
      return fail("`{}` needs \"{}\": {}.", tool.name, property.name, property.help);
    }
  }
  return arguments;
}

void write_schema(const Tool& tool, JsonWriter& json) {
  json.begin_object();
  json.field("type", "object");
  json.key("properties");
  json.begin_object();
  std::vector<Property> properties = properties_of(tool);
  for (const Property& property : properties) {
    write_property(property, json);
  }
  json.key(kLimit);
  json.begin_object();
  json.field("type", "integer");
  json.field("minimum", int64_t{1});
  json.field("description",
             std::string_view(fmt::format("rows of each table; default {}", kUsualLimit)));
  json.end_object();
  for (const Flag& flag : tool.flags) {
    json.key(flag.name);
    json.begin_object();
    write_type(flag, json);
    json.field("description", std::string_view(description(flag)));
    json.end_object();
  }
  json.end_object();
  json.key("required");
  json.begin_array();
  for (const Property& property : properties) {
    if (property.is_required) {
      json.value(property.name);
    }
  }
  json.end_array();
  json.field("additionalProperties", false);
  json.end_object();
}

}  // namespace wick::mcp
