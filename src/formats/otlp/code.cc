// SPDX-License-Identifier: Apache-2.0
#include "formats/otlp/code.h"

#include <algorithm>
#include <array>

#include "formats/otlp/otlp.h"

namespace wick::otlp {
namespace {

struct FrameType {
  std::string_view name;
  Language language;
};
// The values of profile.frame.type, besides "native" and "kernel".
constexpr auto kFrameTypes = std::to_array<FrameType>({{"cpython", Language::kPython},
                                                       {"jvm", Language::kJava},
                                                       {"v8js", Language::kJavaScript},
                                                       {"ruby", Language::kRuby},
                                                       {"php", Language::kPhp},
                                                       {"phpjit", Language::kPhp},
                                                       {"perl", Language::kPerl},
                                                       {"dotnet", Language::kDotNet},
                                                       {"beam", Language::kErlang},
                                                       {"go", Language::kGo},
                                                       {"rust", Language::kRust},
                                                       {"luajit", Language::kLua}});

uint32_t small_number(uint64_t value) {
  return value > UINT32_MAX ? 0 : static_cast<uint32_t>(value);
}

}  // namespace

Code::Code(const Dictionary& dictionary, ProfileBuilder& builder, size_t bytes)
    : dictionary_(dictionary),
      builder_(builder),
      locations_(dictionary.location_count()),
      stacks_(dictionary.stack_count()),
      frames_left_(kFramesOfAnyInput + kFramesPerByte * bytes) {}

std::optional<StackId> Code::stack(uint64_t row) {
  if (row == 0 || row >= stacks_.size()) {
    static_cast<void>(dictionary_.stack(row));  // counts the reference
    return kEmptyStack;
  }
  StackId& known = stacks_[static_cast<size_t>(row)];
  if (known.valid()) {
    return known;
  }
  numbers_.clear();
  for (ProtoReader fields(dictionary_.stack(row)); fields.next();) {
    if (fields.field() == 1) {
      append_numbers(fields, numbers_);
    }
  }
  StackId stack = kEmptyStack;
  for (size_t at = numbers_.size(); at-- > 0;) {
    const std::vector<FrameId>& frames = frames_of(numbers_[at]);
    if (frames.size() > frames_left_) {
      return std::nullopt;
    }
    frames_left_ -= frames.size();
    for (FrameId frame : frames) {
      stack = builder_.stack(stack, frame);
    }
  }
  known = stack;
  return stack;
}

const std::vector<FrameId>& Code::frames_of(uint64_t row) {
  static const std::vector<FrameId> kNone;
  if (row >= locations_.size() || row == 0) {
    static_cast<void>(dictionary_.location(row));
    return kNone;
  }
  LocationFrames& known = locations_[static_cast<size_t>(row)];
  if (!known.is_made) {
    known.frames = convert(dictionary_.location(row));
    known.is_made = true;
  }
  return known.frames;
}

std::vector<FrameId> Code::convert(const StoredLocation& location) {
  const StoredMapping& mapping = dictionary_.mapping(location.mapping);
  Frame frame{.address = location.address};
  bool is_mapped = mapping.start != 0 && location.address >= mapping.start &&
                   (mapping.limit <= mapping.start || location.address < mapping.limit);
  if (location.mapping != 0) {
    frame.module = module_of(mapping, !is_mapped);
  }
  if (is_mapped) {
    frame.address = location.address - mapping.start + mapping.offset;
  }
  take_type(location, frame);
  if (location.lines.empty()) {
    return {builder_.frame(frame)};
  }
  std::vector<FrameId> frames;
  for (size_t at = location.lines.size(); at-- > 0;) {
    Frame made = with_line(frame, location.lines[at]);
    made.flags =
        at + 1 == location.lines.size() ? made.flags : static_cast<uint8_t>(made.flags | kInlined);
    frames.push_back(builder_.frame(made));
  }
  return frames;
}

ModuleId Code::module_of(const StoredMapping& mapping, bool is_linked) {
  std::string build_id;
  for (uint64_t row : mapping.attributes) {
    const StoredAttribute& attribute = dictionary_.attribute(row);
    if (attribute.key == kBuildId || (attribute.key == kOtherBuildId && build_id.empty())) {
      build_id = attribute.value.text;
    }
  }
  return builder_.module(
      {.path = builder_.string(dictionary_.text(mapping.file)),
       .build_id = builder_.string(build_id),
       .address_kind = is_linked ? AddressKind::kLinked : AddressKind::kFileOffset});
}

Frame Code::with_line(Frame frame, const StoredLine& line) {
  const StoredFunction& function = dictionary_.function(line.function);
  std::string_view name = dictionary_.text(function.name);
  std::string_view linkage = dictionary_.text(function.linkage_name);
  if (name.empty()) {
    name = linkage;
  }
  if (!name.empty()) {
    frame.function = builder_.function(
        {.name = builder_.string(name),
         .linkage_name = builder_.string(linkage == name ? std::string_view() : linkage),
         .module = frame.module,
         .file = builder_.string(dictionary_.text(function.file)),
         .line = small_number(function.line)});
  }
  frame.line = small_number(line.line);
  frame.column = small_number(line.column);
  return frame;
}

void Code::take_type(const StoredLocation& location, Frame& frame) const {
  for (uint64_t row : location.attributes) {
    const StoredAttribute& attribute = dictionary_.attribute(row);
    if (attribute.key != kFrameType) {
      continue;
    }
    frame.mode = attribute.value.text == "kernel" ? Mode::kKernel : Mode::kUser;
    auto type = std::ranges::find(kFrameTypes, attribute.value.text, &FrameType::name);
    frame.language = type == kFrameTypes.end() ? Language::kUnknown : type->language;
  }
}

}  // namespace wick::otlp
