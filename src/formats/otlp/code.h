// SPDX-License-Identifier: Apache-2.0
// Stacks and locations of an OTLP dictionary as stacks and frames of a profile. Each location and
// each stack is converted once, when a sample first refers to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/otlp/message.h"
#include "profile/builder.h"

namespace wick::otlp {

class Code {
 public:
  // `bytes`: the size of the message, which bounds the frames.
  Code(const Dictionary& dictionary, ProfileBuilder& builder, size_t bytes);

  // None if the stacks so far have more frames than the message allows.
  std::optional<StackId> stack(uint64_t row);

 private:
  static constexpr uint64_t kFramesOfAnyInput = 1 << 22;
  static constexpr uint64_t kFramesPerByte = 16;

  struct LocationFrames {
    std::vector<FrameId> frames;  // outermost first
    bool is_made = false;
  };

  const std::vector<FrameId>& frames_of(uint64_t location);
  std::vector<FrameId> convert(const StoredLocation& location);
  ModuleId module_of(const StoredMapping& mapping, bool is_linked);
  Frame with_line(Frame frame, const StoredLine& line);
  void take_type(const StoredLocation& location, Frame& frame) const;

  const Dictionary& dictionary_;
  ProfileBuilder& builder_;
  std::vector<LocationFrames> locations_;  // by row
  std::vector<StackId> stacks_;            // by row; none: not made yet
  std::vector<uint64_t> numbers_;
  uint64_t frames_left_;
};

}  // namespace wick::otlp
