// SPDX-License-Identifier: Apache-2.0
// The interned rows of one sequence of packets: each text, mapping, frame and stack is written once,
// before the first packet that refers to it.
//
// take() returns the rows that were added since the last call, as fields of an InternedData.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/protobuf.h"
#include "base/string_table.h"
#include "profile/profile.h"

namespace wick::perfetto {

class Interned {
 public:
  explicit Interned(const Profile& profile)
      : profile_(profile),
        modules_(profile.modules.size()),
        frames_(profile.frames.size()),
        stacks_(profile.stacks.size()) {}

  // The id of a stack; 0 for the empty one.
  uint64_t stack(StackId stack);
  ProtoWriter take();

 private:
  // The fields of InternedData with texts.
  enum Text : uint32_t { kFunctionName = 5, kBuildId = 16, kPath = 17, kSourceFile = 18 };

  uint64_t text(Text field, std::string_view text);
  uint64_t mapping(ModuleId module);
  uint64_t frame(FrameId id);

  const Profile& profile_;
  std::array<StringInterner, 4> texts_;
  std::vector<bool> modules_;
  std::vector<bool> frames_;
  std::vector<bool> stacks_;
  std::vector<uint64_t> ids_;
  ProtoWriter fresh_;
};

}  // namespace wick::perfetto
