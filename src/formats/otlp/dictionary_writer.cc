// SPDX-License-Identifier: Apache-2.0
#include "formats/otlp/dictionary_writer.h"

#include "base/processor.h"
#include "base/utf8.h"
#include "formats/otlp/otlp.h"

namespace wick::otlp {
namespace {

constexpr uint64_t kFileStart = 0x1000'0000;
constexpr uint64_t kFileLimit = uint64_t{1} << 46U;

bool is_inlined_into(const Frame& inner, const Frame& outer) {
  return (inner.flags & kInlined) != 0 && inner.function.valid() && outer.function.valid() &&
         inner.module == outer.module && inner.address == outer.address;
}

std::string_view frame_type(const Frame& frame) {
  if (is_kernel(frame.mode)) {
    return "kernel";
  }
  switch (frame.language) {
    case Language::kPython:
      return "cpython";
    case Language::kJava:
      return "jvm";
    case Language::kJavaScript:
      return "v8js";
    case Language::kRuby:
      return "ruby";
    case Language::kPhp:
      return "php";
    case Language::kPerl:
      return "perl";
    case Language::kDotNet:
      return "dotnet";
    case Language::kErlang:
      return "beam";
    case Language::kLua:
      return "luajit";
    default:
      return frame.mode == Mode::kUser ? "native" : "";
  }
}

}  // namespace

uint64_t DictionaryWriter::Rows::number(const ProtoWriter& row) {
  auto [known, is_new] = known_.try_emplace(row.bytes(), rows_.size());
  if (is_new) {
    rows_.push_back(&known->first);
  }
  return known->second;
}

void DictionaryWriter::Rows::write(uint32_t field, ProtoWriter& out) const {
  for (const std::string* row : rows_) {
    out.message(field, *row);
  }
}

DictionaryWriter::DictionaryWriter(const Profile& profile)
    : profile_(profile), stack_rows_(profile.stacks.size(), 0) {}

uint64_t DictionaryWriter::string(std::string_view text) {
  return strings_.intern(valid_utf8(text)).value;
}

uint64_t DictionaryWriter::stack(StackId stack) {
  if (stack == kEmptyStack || stack_rows_[stack.index()] != 0) {
    return stack_rows_[stack.index()];
  }
  std::vector<uint64_t> rows;
  std::vector<FrameId> frames;
  for (StackId at = stack; at != kEmptyStack; at = profile_.stacks.parent(at)) {
    frames.push_back(profile_.stacks.frame(at));
    StackId parent = profile_.stacks.parent(at);
    if (parent == kEmptyStack || !is_inlined_into(profile_.frames[frames.back()],
                                                  profile_.frames[profile_.stacks.frame(parent)])) {
      rows.push_back(location(frames));
      frames.clear();
    }
  }
  ProtoWriter row;
  row.numbers(1, rows);
  stack_rows_[stack.index()] = stacks_.number(row);
  return stack_rows_[stack.index()];
}

uint64_t DictionaryWriter::location(const std::vector<FrameId>& frames) {
  uint64_t& known = location_rows_[frames];
  if (known != 0) {
    return known;
  }
  const Frame& innermost = profile_.frames[frames.front()];
  ProtoWriter row;
  row.number(1, mapping(innermost.module));
  row.number(2, is_offset(innermost.module) ? kFileStart + innermost.address : innermost.address);
  for (FrameId id : frames) {
    const Frame& frame = profile_.frames[id];
    if (frame.function.valid()) {
      ProtoWriter line;
      line.number(1, function(frame));
      line.number(2, frame.line);
      line.number(3, frame.column);
      row.message(3, line);
    }
  }
  if (std::string_view type = frame_type(innermost); !type.empty()) {
    uint64_t attributes[] = {text_attribute(kFrameType, type)};
    row.numbers(4, attributes);
  }
  known = locations_.number(row);
  return known;
}

// An address in a file is written as one of a mapping, since other addresses are as linked.
bool DictionaryWriter::is_offset(ModuleId id) const {
  return id.valid() && profile_.modules[id].address_kind == AddressKind::kFileOffset;
}

uint64_t DictionaryWriter::mapping(ModuleId id) {
  if (!id.valid()) {
    return 0;
  }
  const Module& module = profile_.modules[id];
  ProtoWriter row;
  if (is_offset(id)) {
    row.number(1, kFileStart);
    row.number(2, kFileLimit);
  }
  row.number(4, string(profile_.strings[module.path]));
  if (std::string_view build_id = profile_.strings[module.build_id]; !build_id.empty()) {
    uint64_t attributes[] = {text_attribute(kBuildId, build_id)};
    row.numbers(5, attributes);
  }
  return mappings_.number(row);
}

uint64_t DictionaryWriter::function(const Frame& frame) {
  const Function& function = profile_.functions[frame.function];
  bool is_own_file = frame.file.empty();
  ProtoWriter row;
  row.number(1, string(profile_.strings[function.name]));
  row.number(2, string(profile_.strings[function.linkage_name]));
  row.number(3, string(profile_.strings[is_own_file ? function.file : frame.file]));
  row.number(4, is_own_file ? function.line : 0);
  return functions_.number(row);
}

uint64_t DictionaryWriter::text_attribute(std::string_view key, std::string_view text) {
  ProtoWriter value;
  value.message(1, valid_utf8(text));
  return attribute(key, value, {});
}

uint64_t DictionaryWriter::number_attribute(std::string_view key,
                                            int64_t number,
                                            std::string_view unit) {
  ProtoWriter value;
  value.always_number(3, static_cast<uint64_t>(number));
  return attribute(key, value, unit);
}

uint64_t DictionaryWriter::attribute(std::string_view key,
                                     const ProtoWriter& value,
                                     std::string_view unit) {
  ProtoWriter row;
  row.number(1, string(key));
  row.message(2, value);
  row.number(3, string(unit));
  return attributes_.number(row);
}

ProtoWriter DictionaryWriter::finish() {
  ProtoWriter out;
  mappings_.write(1, out);
  locations_.write(2, out);
  functions_.write(3, out);
  out.message(4, ProtoWriter());
  for (uint32_t row = 0; row < strings_.table().size(); ++row) {
    out.message(5, strings_.table()[StringId{row}]);
  }
  attributes_.write(6, out);
  stacks_.write(7, out);
  return out;
}

}  // namespace wick::otlp
