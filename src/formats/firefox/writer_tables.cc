// SPDX-License-Identifier: Apache-2.0
#include "formats/firefox/writer_tables.h"

#include <algorithm>

#include "formats/firefox/categories.h"
#include "profile/names.h"

namespace wick::firefox {

void write_index(JsonWriter& json, int64_t number) {
  if (number < 0) {
    json.raw("null");
  } else {
    write_integer(json, number);
  }
}

ThreadTables::ThreadTables(const Profile& profile, WrittenStrings& strings)
    : profile_(profile),
      strings_(strings),
      libs_(profile.modules.size()),
      stacks_(profile.stacks.size()),
      frames_(profile.frames.size()),
      modules_(profile.modules.size()),
      symbols_(profile.functions.size()) {}

void ThreadTables::forget() {
  stacks_.forget();
  frames_.forget();
  modules_.forget();
  symbols_.forget();
  details_.clear();
  funcs_.clear();
  func_index_.clear();
}

void ThreadTables::use(const std::vector<StackId>& stacks) {
  forget();
  // First mark all stacks and their parents, then number them so that parents come first.
  for (StackId stack : stacks) {
    for (; stack != kEmptyStack && !stacks_.contains(stack);
         stack = profile_.stacks.parent(stack)) {
      stacks_.add(stack);
    }
  }
  std::vector<StackId> ordered = stacks_.ids();
  std::ranges::sort(ordered);
  stacks_.forget();
  for (StackId stack : ordered) {
    stacks_.add(stack);
    add_frame(stack);
  }
}

void ThreadTables::add_frame(StackId stack) {
  FrameId id = profile_.stacks.frame(stack);
  if (frames_.contains(id)) {
    return;
  }
  const Frame& frame = profile_.frames[id];
  FrameDetails details{.func = func_of(id)};
  StackId parent = profile_.stacks.parent(stack);
  bool is_inlined = (frame.flags & kInlined) != 0;
  if (is_inlined && parent != kEmptyStack) {
    const FrameDetails& outer = details_[frames_.of(profile_.stacks.frame(parent))];
    details.inline_depth = outer.inline_depth + 1;
    details.symbol = outer.symbol;
  } else if (is_inlined) {
    details.inline_depth = 1;
  } else if (frame.function.valid() && frame.module.valid() &&
             profile_.functions[frame.function].address != 0) {
    details.symbol = symbols_.add(frame.function);
  }
  if (frame.module.valid()) {
    modules_.add(frame.module);
    libs_.add(frame.module);
  }
  frames_.add(id);
  details_.push_back(details);
}

uint32_t ThreadTables::func_of(FrameId id) {
  const Frame& frame = profile_.frames[id];
  uint64_t key = frame.function.valid()
                     ? uint64_t{frame.function.value} << 32 | line_file(profile_, frame).value
                     : uint64_t{UINT32_MAX} << 32 | id.value;
  auto [known, is_new] = func_index_.try_emplace(key, static_cast<uint32_t>(funcs_.size()));
  if (is_new) {
    funcs_.push_back({frame.function, id});
  }
  return known->second;
}

// An address without a name is written as the viewer expects it from an unsymbolicated profile.
std::string ThreadTables::func_name(const Func& func) const {
  const Frame& frame = profile_.frames[func.frame];
  bool is_address = !func.function.valid() && frame.module.valid() && frame.address != 0;
  return is_address ? fmt::format("{:#x}", frame.address) : frame_name(profile_, func.frame);
}

void ThreadTables::write(JsonWriter& json) {
  json.key("stackTable");
  json.begin_object();
  const std::vector<StackId>& stacks = stacks_.ids();
  json.field("length", uint64_t{stacks.size()});
  write_column(json, "frame", stacks.size(), [&](size_t row) {
    write_integer(json, frames_.of(profile_.stacks.frame(stacks[row])));
  });
  write_column(json, "prefix", stacks.size(), [&](size_t row) {
    write_index(json, number_of(profile_.stacks.parent(stacks[row])));
  });
  json.end_object();
  write_frames(json);
  write_funcs(json);
  write_resources(json);
  write_symbols(json);
}

void ThreadTables::write_frames(JsonWriter& json) const {
  const std::vector<FrameId>& ids = frames_.ids();
  auto column = [&](std::string_view name, auto value) {
    write_column(json, name, ids.size(), [&](size_t row) {
      write_index(json, value(profile_.frames[ids[row]], details_[row]));
    });
  };
  json.key("frameTable");
  json.begin_object();
  json.field("length", uint64_t{ids.size()});
  write_column(json, "address", ids.size(), [&](size_t row) {
    const Frame& frame = profile_.frames[ids[row]];
    bool has_address =
        frame.address != 0 && frame.module.valid() && frame.address <= uint64_t{INT64_MAX};
    write_integer(json, has_address ? static_cast<int64_t>(frame.address) : -1);
  });
  column("inlineDepth", [](const Frame&, auto& details) { return int64_t{details.inline_depth}; });
  column("category", [](const Frame& frame, auto&) { return category_of(frame); });
  column("subcategory", [](const Frame& frame, auto&) { return subcategory_of(frame.flags); });
  column("func", [](const Frame&, auto& details) { return int64_t{details.func}; });
  column("nativeSymbol", [](const Frame&, auto& details) {
    return details.symbol == kNoSymbol ? -1 : int64_t{details.symbol};
  });
  column("innerWindowID", [](const Frame&, auto&) { return int64_t{0}; });
  column("line", [](const Frame& frame, auto&) { return int64_t{frame.line} - (frame.line == 0); });
  column("column",
         [](const Frame& frame, auto&) { return int64_t{frame.column} - (frame.column == 0); });
  json.end_object();
}

void ThreadTables::write_funcs(JsonWriter& json) {
  auto column = [&](std::string_view name, auto write) {
    write_column(json, name, funcs_.size(), [&](size_t row) {
      const Func& func = funcs_[row];
      write(func, profile_.frames[func.frame]);
    });
  };
  auto declared_line = [&](const Func& func) {
    uint32_t line = func.function.valid() ? profile_.functions[func.function].line : 0;
    return int64_t{line} - (line == 0);
  };
  json.key("funcTable");
  json.begin_object();
  json.field("length", uint64_t{funcs_.size()});
  column("name", [&](const Func& func, const Frame&) {
    write_integer(json, strings_.add(func_name(func)));
  });
  column("isJS", [&](const Func&, const Frame& frame) {
    json.value(frame.language == Language::kJavaScript);
  });
  column("relevantForJS", [&](const Func&, const Frame&) { json.value(false); });
  column("resource", [&](const Func&, const Frame& frame) {
    write_integer(json, frame.module.valid() ? int64_t{modules_.of(frame.module)} : -1);
  });
  column("fileName", [&](const Func&, const Frame& frame) {
    std::string_view file = profile_.strings[line_file(profile_, frame)];
    write_index(json, file.empty() ? -1 : int64_t{strings_.add(file)});
  });
  column("lineNumber",
         [&](const Func& func, const Frame&) { write_index(json, declared_line(func)); });
  column("columnNumber", [&](const Func&, const Frame&) { json.raw("null"); });
  json.end_object();
}

void ThreadTables::write_resources(JsonWriter& json) {
  const std::vector<ModuleId>& ids = modules_.ids();
  json.key("resourceTable");
  json.begin_object();
  json.field("length", uint64_t{ids.size()});
  write_column(
      json, "lib", ids.size(), [&](size_t row) { write_integer(json, libs_.of(ids[row])); });
  write_column(json, "name", ids.size(), [&](size_t row) {
    write_integer(json, strings_.add(module_name(profile_, ids[row])));
  });
  write_column(json, "host", ids.size(), [&](size_t) { json.raw("null"); });
  write_column(json, "type", ids.size(), [&](size_t) { write_integer(json, 1); });
  json.end_object();
}

void ThreadTables::write_symbols(JsonWriter& json) {
  const std::vector<FunctionId>& ids = symbols_.ids();
  json.key("nativeSymbols");
  json.begin_object();
  json.field("length", uint64_t{ids.size()});
  write_column(json, "libIndex", ids.size(), [&](size_t row) {
    ModuleId module = profile_.functions[ids[row]].module;
    write_integer(json, module.valid() ? int64_t{libs_.add(module)} : 0);
  });
  write_column(json, "address", ids.size(), [&](size_t row) {
    write_integer(json, static_cast<int64_t>(profile_.functions[ids[row]].address));
  });
  write_column(json, "name", ids.size(), [&](size_t row) {
    write_integer(json, strings_.add(function_name(profile_, ids[row])));
  });
  write_column(json, "functionSize", ids.size(), [&](size_t) { json.raw("null"); });
  json.end_object();
}

}  // namespace wick::firefox
