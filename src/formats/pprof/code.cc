// SPDX-License-Identifier: Apache-2.0
// A location is converted once, outermost line first (convert()). Its mapping decides the module,
// the address and the mode of all its frames; its lines decide functions, lines and columns. Rows
// that refer to rows that do not exist become unknown, and are counted (report()).
#include "formats/pprof/code.h"

#include <fmt/format.h>

#include "base/path.h"
#include "symbolize/demangle.h"
#include "symbolize/runtime_code.h"

namespace wick::pprof {
namespace {

// A mapping of the whole address space: the addresses are those of the file itself.
bool is_whole_space(const Mapping& mapping) {
  return mapping.start == 0 && mapping.offset == 0 &&
         (mapping.limit == 0 || mapping.limit == UINT64_MAX);
}

bool is_kernel_path(std::string_view path) {
  return path.starts_with("[kernel") || path.ends_with(".ko") ||
         path.find(".ko.") != std::string_view::npos;
}

uint32_t small_number(int64_t number) {
  return number > 0 && number <= UINT32_MAX ? static_cast<uint32_t>(number) : 0;
}

// wick's names for code without a symbol: "libc.so.6+0x1234".
bool is_made_up(std::string_view name, std::string_view module_path) {
  std::string_view file = file_name_of(module_path);
  return !file.empty() && name.starts_with(file) && name.substr(file.size()).starts_with("+0x");
}

// The name without its parameters, as pprof compares it with patterns.
std::string_view without_parameters(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  constexpr std::string_view kCall = "operator()";
  name.remove_prefix(name.starts_with('.') ? 1U : 0U);
  for (size_t at = 0; at < name.size(); ++at) {
    std::string_view rest = name.substr(at);
    if (rest.starts_with(kAnonymous)) {
      at += kAnonymous.size() - 1;
    } else if (rest.starts_with(kCall)) {
      at += kCall.size() - 1;
    } else if (name[at] == '(') {
      return name.substr(0, at);
    }
  }
  return name;
}

}  // namespace

Code::Code(const Message& message, ProfileBuilder& builder)
    : message_(message), builder_(builder), known_(message.locations.size()) {
  compile_drop();
}

void Code::compile_drop() {
  std::string_view drop = message_.text(message_.drop_frames);
  std::string_view keep = message_.text(message_.keep_frames);
  if (drop.empty()) {
    return;
  }
  Result<Pattern> compiled = Pattern::compile(fmt::format("^(?:{})$", drop));
  Result<Pattern> kept = Pattern::compile(fmt::format("^(?:{})$", keep));
  if (!compiled || !kept) {
    builder_.add_loss({.reason = "the pattern of the frames to drop is not a regular expression: "
                                 "no frames are dropped",
                       .what = "",
                       .count = 0,
                       .severity = LossClass::kNotice});
    return;
  }
  drop_ = *std::move(compiled);
  if (!keep.empty()) {
    keep_ = *std::move(kept);
  }
  builder_.add_fact("dropped frames", drop);
}

ProcessId Code::add_process(SourceId source) {
  if (message_.mappings.empty() && message_.duration_ns <= 0) {
    return {};
  }
  Process process{.source = source};
  if (!message_.mappings.empty()) {
    std::string_view path = message_.text(message_.mappings.front().file);
    process.name = builder_.string(file_name_of(path));
  }
  if (message_.duration_ns > 0) {
    process.begin_ns = 0;
    process.end_ns = message_.duration_ns;
  }
  ProcessId id = builder_.process(process);
  for (const Mapping& mapping : message_.mappings) {
    ModuleId module = module_of(mapping);
    if (module.valid() && !is_whole_space(mapping)) {
      bool is_kernel = is_kernel_path(message_.text(mapping.file));
      builder_.add_mapping({.process = is_kernel ? ProcessId() : id,
                            .module = module,
                            .start = mapping.start,
                            .end = mapping.limit,
                            .file_offset = mapping.offset});
    }
  }
  return id;
}

ModuleId Code::module_of(const Mapping& mapping) {
  std::string_view path = message_.text(mapping.file);
  std::string_view build_id = message_.text(mapping.build_id);
  if (path.empty() && build_id.empty()) {
    return {};
  }
  return builder_.module(
      {.path = builder_.string(path),
       .build_id = builder_.string(build_id),
       .address_kind = is_whole_space(mapping) ? AddressKind::kLinked : AddressKind::kFileOffset});
}

uint64_t Code::address_in(const Mapping& mapping, uint64_t address) {
  if (is_whole_space(mapping) || address == 0) {
    return address;
  }
  bool has_limit = mapping.limit > mapping.start;
  if (address < mapping.start || (has_limit && address >= mapping.limit)) {
    ++outside_;
    return 0;
  }
  return address - mapping.start + mapping.offset;
}

FunctionId Code::function_of(uint64_t id, ModuleId module, std::string_view path) {
  uint32_t row = message_.function_rows.find(id);
  if (row == RowIds::kNone) {
    missing_functions_ += id == 0 ? 0U : 1U;
    return {};
  }
  const Function& function = message_.functions[row];
  std::string_view linkage = message_.text(function.linkage_name);
  std::string_view name = message_.text(function.name);
  name = name.empty() ? linkage : name;
  if (name.empty()) {
    return {};
  }
  std::string shown(name);
  if (linkage.empty() || linkage == name) {
    linkage = name;
    shown = demangled(name);
  }
  uint8_t flags = is_made_up(shown, path) ? kMadeUpName : 0;
  return builder_.function(
      {.name = builder_.string(shown),
       .linkage_name = linkage == shown ? StringId() : builder_.string(linkage),
       .module = module,
       .file = builder_.string(message_.text(function.file)),
       .line = small_number(function.start_line),
       .flags = flags});
}

Frame Code::frame_at(const Location& location) {
  Frame frame;
  uint32_t row = message_.mapping_rows.find(location.mapping);
  if (row == RowIds::kNone) {
    missing_mappings_ += location.mapping == 0 ? 0U : 1U;
    frame.address = location.address;
    return frame;
  }
  const Mapping& mapping = message_.mappings[row];
  frame.module = module_of(mapping);
  if (!frame.module.valid()) {
    frame.address = location.address;
    return frame;
  }
  std::string_view path = message_.text(mapping.file);
  frame.address = address_in(mapping, location.address);
  frame.mode = is_kernel_path(path) ? Mode::kKernel : Mode::kUser;
  frame.flags = pid_of_perf_map(path) ? kJit : 0;
  return frame;
}

std::string_view Code::path_of(const Location& location) const {
  uint32_t row = message_.mapping_rows.find(location.mapping);
  return row == RowIds::kNone ? std::string_view() : message_.text(message_.mappings[row].file);
}

Frame Code::with_line(Frame frame, const Line& line, std::string_view path) {
  frame.function = function_of(line.function, frame.module, path);
  frame.line = frame.function.valid() ? small_number(line.line) : 0;
  frame.column = frame.line == 0 ? 0 : small_number(line.column);
  return frame;
}

bool Code::is_dropped(const Line& line) const {
  uint32_t row = message_.function_rows.find(line.function);
  if (!drop_ || row == RowIds::kNone) {
    return false;
  }
  std::string shown = demangled(message_.text(message_.functions[row].name));
  std::string_view name = without_parameters(shown);
  return !name.empty() && drop_->matches(name) && !(keep_ && keep_->matches(name));
}

Code::Known Code::convert(const Location& location) {
  Known known{.first = static_cast<uint32_t>(frames_.size())};
  std::span<const Line> lines(message_.lines.data() + location.first_line, location.line_count);
  for (size_t at = lines.size(); at-- > 0 && drop_;) {
    if (is_dropped(lines[at])) {
      bool is_outermost = at + 1 == lines.size();
      known.drop = is_outermost ? Drop::kLocation : Drop::kBeneath;
      lines = is_outermost ? lines : lines.subspan(at + 1);
      break;
    }
  }
  Frame frame = frame_at(location);
  if (lines.empty()) {
    frames_.push_back(builder_.frame(frame));
  }
  for (size_t at = lines.size(); at-- > 0;) {
    frames_.push_back(builder_.frame(with_line(frame, lines[at], path_of(location))));
    frame.flags |= kInlined;
  }
  known.count = static_cast<uint32_t>(frames_.size() - known.first);
  return known;
}

LocationFrames Code::frames_of(uint64_t location_id) {
  uint32_t row = message_.location_rows.find(location_id);
  if (row == RowIds::kNone) {
    unknown_ = unknown_.valid() ? unknown_ : builder_.frame({});
    return {.frames = std::span(&unknown_, 1)};
  }
  Known& known = known_[row];
  if (known.count == 0) {
    known = convert(message_.locations[row]);
  }
  return {.frames = std::span(frames_).subspan(known.first, known.count), .drop = known.drop};
}

void Code::report() {
  auto add = [&](std::string_view reason, std::string_view what, uint64_t count) {
    if (count > 0) {
      builder_.add_loss({.reason = reason, .what = what, .count = count});
    }
  };
  const Damage& damage = message_.damage;
  add("damaged: they have bytes that are not fields", "rows of tables", damage.bad_rows);
  add("without an id of their own: the first with an id counts",
      "rows of tables",
      damage.repeated_ids);
  add("of another type than the format defines", "fields", damage.wrong_kinds);
  add("refer to a string that does not exist", "names", damage.bad_texts);
  add("refer to a function that does not exist", "location lines", missing_functions_);
  add("refer to a mapping that does not exist", "locations", missing_mappings_);
  if (outside_ > 0) {
    builder_.add_loss({.reason = "have an address outside of their mapping: it is not used",
                       .what = "locations",
                       .count = outside_,
                       .severity = LossClass::kNotice});
  }
}

}  // namespace wick::pprof
