// SPDX-License-Identifier: Apache-2.0
// Locations as frames: modules, addresses, functions, lines and inlined functions.
//
// Each location is converted when the first sample refers to it, so unused rows of the tables cost
// nothing. Frames that the message drops are removed here (pprof.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/pattern.h"
#include "formats/pprof/message.h"
#include "profile/builder.h"

namespace wick::pprof {

// What a sample does at a location whose function the message drops.
enum class Drop : uint8_t {
  kNothing,
  kLocation,  // the location and what it calls
  kBeneath,   // what the location calls; its dropped lines are already removed
};

struct LocationFrames {
  std::span<const FrameId> frames;  // outermost first; borrowed until the next call
  Drop drop = Drop::kNothing;
};

class Code {
 public:
  Code(const Message& message, ProfileBuilder& builder);

  // Adds the mappings, and the process that has them; none if there is nothing to say about it.
  ProcessId add_process(SourceId source);
  // The frames of a location. One frame without a name if it does not exist.
  LocationFrames frames_of(uint64_t location_id);

  // Reports what was wrong with the tables.
  void report();

 private:
  struct Known {
    uint32_t first = 0;
    uint32_t count = 0;  // 0: not converted yet
    Drop drop = Drop::kNothing;
  };

  ModuleId module_of(const Mapping& mapping);
  uint64_t address_in(const Mapping& mapping, uint64_t address);
  Known convert(const Location& location);
  Frame frame_at(const Location& location);
  Frame with_line(Frame frame, const Line& line, std::string_view path);
  FunctionId function_of(uint64_t id, ModuleId module, std::string_view path);
  std::string_view path_of(const Location& location) const;
  bool is_dropped(const Line& line) const;
  void compile_drop();

  const Message& message_;
  ProfileBuilder& builder_;
  std::optional<Pattern> drop_;
  std::optional<Pattern> keep_;
  std::vector<Known> known_;  // by row of the locations
  std::vector<FrameId> frames_;
  FrameId unknown_;
  uint64_t missing_functions_ = 0;
  uint64_t missing_mappings_ = 0;
  uint64_t outside_ = 0;  // addresses
};

}  // namespace wick::pprof
