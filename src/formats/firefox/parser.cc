// SPDX-License-Identifier: Apache-2.0
// One function for each object of the file: a loop over its keys that reads the known ones and skips
// the others. The nesting of the functions is the nesting of the format, so it is bounded.
#include "formats/firefox/parser.h"

#include <array>

namespace wick::firefox {
namespace {

// A build id is a code id in lower-case hex. The ids of other systems are not build ids.
bool is_build_id(std::string_view text) {
  auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return !text.empty() && text.size() % 2 == 0 && std::ranges::all_of(text, is_hex);
}

}  // namespace

RawProfile Parser::run() {
  if (json_.next() == JsonToken::kBeginObject) {
    read_profile(0, 0);
  }
  return std::move(raw_);
}

void Parser::read_profile(size_t process, size_t depth) {
  while (json_.next_key()) {
    if (!read_profile_part(process, depth)) {
      json_.skip();
    }
  }
}

bool Parser::read_profile_part(size_t process, size_t depth) {
  std::string_view key = json_.text();
  if (key == "meta") {
    read_meta(process);
  } else if (key == "libs") {
    read_libs(raw_.processes[process].libs);
  } else if (key == "shared") {
    read_shared();
  } else if (key == "threads") {
    read_threads(process);
  } else if (key == "counters") {
    read_counters(process);
  } else if (key == "processes") {
    read_processes(depth + 1);
  } else if (key == "profile" && depth == 0) {
    if (cells_.begin_object()) {
      read_profile(process, depth + 1);  // the developer tools' envelope
    }
  } else {
    return false;
  }
  return true;
}

void Parser::read_processes(size_t depth) {
  if (!cells_.begin_array()) {
    return;
  }
  while (json_.next_item()) {
    if (json_.is(JsonToken::kBeginObject) && depth <= kMaxProcessDepth) {
      raw_.processes.emplace_back();
      read_profile(raw_.processes.size() - 1, depth);
    } else {
      json_.skip();
      ++skipped_processes_;
    }
  }
}

void Parser::read_libs(std::vector<Library>& libs) {
  libs.clear();
  if (!cells_.begin_array()) {
    return;
  }
  while (json_.next_item()) {
    libs.emplace_back();
    if (cells_.is_object()) {
      read_lib(libs.back());
    }
  }
}

void Parser::read_lib(Library& lib) {
  while (json_.next_key()) {
    std::string_view key = json_.text();
    if (key == "path" || (key == "name" && lib.path.empty())) {
      if (StringId text = text_value(); !text.empty()) {
        lib.path = text;
      }
    } else if (key == "codeId") {
      json_.next();
      bool is_known = json_.is(JsonToken::kString) && is_build_id(json_.text());
      StringId text = cells_.text();
      lib.build_id = is_known ? text : StringId();
    } else if (key == "start" || key == "end" || key == "offset") {
      uint64_t& value = key == "start" ? lib.start : key == "end" ? lib.end : lib.offset;
      value = static_cast<uint64_t>(std::max<int64_t>(0, integer_value()));
    } else {
      json_.skip();
    }
  }
}

void Parser::read_strings(std::vector<StringId>& strings) {
  strings.clear();
  if (!cells_.begin_array()) {
    return;
  }
  while (json_.next_item()) {
    strings.push_back(cells_.text());
  }
}

bool Parser::read_code_table(CodeTables& code) {
  std::string_view key = json_.text();
  if (key == "stringArray" || key == "stringTable") {
    read_strings(code.strings);
  } else if (key == "stackTable") {
    StackTable& table = code.stacks;
    cells_.read_table(std::array<ColumnTarget, 3>{{{"frame", &table.frame},
                                                   {"prefix", &table.prefix},
                                                   {"prefixOffset", &table.prefix_offset}}});
  } else if (key == "frameTable") {
    FrameTable& table = code.frames;
    cells_.read_table(std::array<ColumnTarget, 12>{{{"func", &table.func},
                                                    {"address", &table.address},
                                                    {"inlineDepth", &table.inline_depth},
                                                    {"category", &table.category},
                                                    {"subcategory", &table.subcategory},
                                                    {"nativeSymbol", &table.native_symbol},
                                                    {"line", &table.line},
                                                    {"column", &table.column},
                                                    {"implementation", &table.implementation},
                                                    {"lib", &table.lib},
                                                    {"flags", &table.flags},
                                                    {"location", &table.location}}});
  } else if (key == "funcTable") {
    FuncTable& table = code.funcs;
    cells_.read_table(std::array<ColumnTarget, 8>{{{"name", &table.name},
                                                   {"isJS", &table.is_js},
                                                   {"resource", &table.resource},
                                                   {"fileName", &table.file_name},
                                                   {"source", &table.source},
                                                   {"lineNumber", &table.line},
                                                   {"flags", &table.flags},
                                                   {"address", &table.address}}});
  } else if (key == "resourceTable") {
    cells_.read_table(std::array<ColumnTarget, 2>{
        {{"lib", &code.resources.lib}, {"type", &code.resources.type}}});
  } else if (key == "nativeSymbols") {
    NativeSymbols& table = code.symbols;
    cells_.read_table(std::array<ColumnTarget, 3>{
        {{"libIndex", &table.lib}, {"address", &table.address}, {"name", &table.name}}});
  } else if (key == "sources") {
    const ColumnTarget target{"filename", &code.source_files};
    cells_.read_table({&target, 1});
  } else {
    return false;
  }
  return true;
}

void Parser::read_shared() {
  if (!cells_.begin_object()) {
    return;
  }
  while (json_.next_key()) {
    if (!read_code_table(raw_.shared)) {
      json_.skip();
    }
  }
}

void Parser::read_threads(size_t process) {
  if (!cells_.begin_array()) {
    return;
  }
  while (json_.next_item()) {
    if (cells_.is_object()) {
      read_thread(process);
    }
  }
}

void Parser::read_thread(size_t process) {
  RawThread& thread = raw_.threads.emplace_back();
  thread.process = process;
  while (json_.next_key()) {
    if (!read_thread_value(thread) && !read_thread_table(thread)) {
      json_.skip();
    }
  }
}

bool Parser::read_thread_value(RawThread& thread) {
  std::string_view key = json_.text();
  if (key == "name" || key == "processName") {
    StringId& text = key == "name" ? thread.name : thread.process_name;
    text = text_value();
  } else if (key == "pid" || key == "tid") {
    int64_t& number = key == "pid" ? thread.pid : thread.tid;
    json_.next();
    number = cells_.leading_number();
  } else if (key == "wickThread") {
    thread.is_thread = json_.next() != JsonToken::kFalse;
    json_.skip();
  } else if (key == "registerTime") {
    thread.register_time = number_value();
  } else if (key == "unregisterTime") {
    thread.unregister_time = number_value();
  } else if (key == "processStartupTime") {
    thread.process_start = number_value();
  } else if (key == "processShutdownTime") {
    thread.process_end = number_value();
  } else {
    return false;
  }
  return true;
}

bool Parser::read_thread_table(RawThread& thread) {
  std::string_view key = json_.text();
  if (key == "samples") {
    read_samples(thread.samples);
  } else if (key == "jsAllocations") {
    read_samples(thread.js_allocations);
  } else if (key == "nativeAllocations") {
    read_samples(thread.native_allocations);
  } else if (key == "markers") {
    read_markers(thread.markers);
  } else if (key == "libs") {
    read_libs(thread.libs);
  } else {
    return read_code_table(thread.code);
  }
  return true;
}

void Parser::read_samples(SampleTable& samples) {
  cells_.read_table(std::array<ColumnTarget, 7>{{{"stack", &samples.stack},
                                                 {"time", &samples.time},
                                                 {"timeDeltas", &samples.time_delta},
                                                 {"weight", &samples.weight},
                                                 {"duration", &samples.weight},
                                                 {"threadCPUDelta", &samples.cpu_delta},
                                                 {"count", &samples.count}}},
                    [&](std::string_view key) {
                      if (key != "weightType") {
                        return false;
                      }
                      samples.weight_type = text_value();
                      return true;
                    });
}

void Parser::read_markers(MarkerTable& markers) {
  cells_.read_table(std::array<ColumnTarget, 7>{{{"name", &markers.name},
                                                 {"startTime", &markers.start},
                                                 {"endTime", &markers.end},
                                                 {"time", &markers.time},
                                                 {"phase", &markers.phase},
                                                 {"category", &markers.category},
                                                 {"data", &markers}}});
}

void Parser::read_counters(size_t process) {
  if (!cells_.begin_array()) {
    return;
  }
  while (json_.next_item()) {
    if (cells_.is_object()) {
      raw_.counters.emplace_back();
      raw_.counters.back().process = process;
      read_counter(raw_.counters.back());
    }
  }
}

void Parser::read_counter(RawCounter& counter) {
  while (json_.next_key()) {
    std::string_view key = json_.text();
    if (key == "name") {
      counter.name = text_value();
    } else if (key == "category") {
      counter.category = text_value();
    } else if (key == "pid") {
      json_.next();
      counter.pid = cells_.leading_number();
    } else if (key == "samples") {
      read_counter_samples(counter);
    } else if (key == "sampleGroups" || key == "sample_groups") {
      read_counter_groups(counter);
    } else if (key == "display") {
      cells_.read_table({}, [&](std::string_view part) {
        bool is_unit = part == "unit";
        StringId& text = is_unit ? counter.unit : counter.graph_type;
        return (is_unit || part == "graphType") && (text = text_value(), true);
      });
    } else {
      json_.skip();
    }
  }
}

// A list of groups, or one group; each has samples. Only the first one was ever used.
void Parser::read_counter_groups(RawCounter& counter) {
  if (json_.next() != JsonToken::kBeginArray) {
    read_counter_group(counter);
    return;
  }
  for (bool is_first = true; json_.next_item(); is_first = false) {
    if (is_first) {
      read_counter_group(counter);
    } else {
      json_.skip();
    }
  }
}

void Parser::read_counter_group(RawCounter& counter) {
  if (!json_.is(JsonToken::kBeginObject)) {
    json_.skip();
    return;
  }
  while (json_.next_key()) {
    if (json_.text() == "samples") {
      read_counter_samples(counter);
    } else {
      json_.skip();
    }
  }
}

void Parser::read_counter_samples(RawCounter& counter) {
  cells_.read_table(std::array<ColumnTarget, 3>{
      {{"time", &counter.time}, {"timeDeltas", &counter.time_delta}, {"count", &counter.count}}});
}

}  // namespace wick::firefox
