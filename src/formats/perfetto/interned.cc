// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/interned.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/utf8.h"
#include "profile/names.h"

namespace wick::perfetto {
namespace {

enum FrameKind : uint64_t { kNative = 1, kKernel = 2, kInterpreted = 3, kGenerated = 4 };

uint64_t kind_of(const Frame& frame) {
  if (is_kernel(frame.mode)) {
    return kKernel;
  }
  if (is_interpreted(frame.origin)) {
    return kInterpreted;
  }
  return (frame.flags & kJit) != 0 ? kGenerated : kNative;
}

}  // namespace

uint64_t Interned::text(Text field, std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  size_t table = field == kFunctionName ? 0 : field - kBuildId + 1;
  StringInterner& known = texts_[table];
  size_t before = known.table().size();
  uint64_t id = known.intern(text).value;  // 0 is the empty text, so ids begin at 1
  if (known.table().size() != before) {
    ProtoWriter row;
    row.number(1, id);
    row.text(2, text);
    fresh_.message(field, row);
  }
  return id;
}

uint64_t Interned::mapping(ModuleId module) {
  uint64_t id = uint64_t{module.value} + 1;
  if (!modules_[module.index()]) {
    modules_[module.index()] = true;
    const Module& known = profile_.modules[module];
    ProtoWriter row;
    row.number(1, id);
    row.number(2, text(kBuildId, bytes_of_hex(profile_.strings[known.build_id])));
    row.number(5, UINT64_MAX);
    row.number(7, text(kPath, valid_utf8(profile_.strings[known.path])));
    fresh_.message(19, row);
  }
  return id;
}

uint64_t Interned::frame(FrameId id) {
  if (!frames_[id.index()]) {
    frames_[id.index()] = true;
    const Frame& frame = profile_.frames[id];
    ProtoWriter row;
    row.number(1, uint64_t{id.value} + 1);
    row.number(2, text(kFunctionName, valid_utf8(frame_name(profile_, id))));
    if (frame.module.valid()) {
      row.number(3, mapping(frame.module));
      row.always_number(4, frame.address);
    }
    row.number(5, text(kSourceFile, valid_utf8(profile_.strings[line_file(profile_, frame)])));
    row.number(6, frame.line);
    row.number(7, kind_of(frame));
    fresh_.message(6, row);
  }
  return uint64_t{id.value} + 1;
}

uint64_t Interned::stack(StackId stack) {
  if (stack != kEmptyStack && !stacks_[stack.index()]) {
    stacks_[stack.index()] = true;
    ids_.clear();
    for (StackId at = stack; at != kEmptyStack; at = profile_.stacks.parent(at)) {
      ids_.push_back(frame(profile_.stacks.frame(at)));
    }
    std::ranges::reverse(ids_);
    ProtoWriter row;
    row.number(1, stack.value);
    for (uint64_t id : ids_) {
      row.number(2, id);  // not packed: the format is of protobuf 2
    }
    fresh_.message(7, row);
  }
  return stack.value;
}

ProtoWriter Interned::take() {
  ProtoWriter rows = std::move(fresh_);
  fresh_ = {};
  return rows;
}

}  // namespace wick::perfetto
