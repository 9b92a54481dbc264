// SPDX-License-Identifier: Apache-2.0
// The frames of a text, each parsed once.
//
// A location is the content of one frame line, with the source line after it if there is one. Most
// locations become a frame immediately. An inlined frame has no module in the text: it is part of
// the function on the next line with a module, and becomes a frame when that module is known.
//
// If callers are printed by their return addresses (callers.h), the same line is another frame for
// a caller than for the sampled instruction: its address is one byte less.
#pragma once

#include <vector>

#include "formats/perf_script/frame_line.h"
#include "formats/perf_script/line_cache.h"
#include "profile/builder.h"

namespace wick::perf_script {

using LocationId = Id<struct LocationTag>;

class Locations {
 public:
  explicit Locations(ProfileBuilder& builder) : builder_(builder) {}

  // The location of a frame line that was seen before; none if it is new.
  LocationId find(const LineHash& line) const { return by_line_.find(line); }
  LocationId add(const LineHash& line, const FrameLine& frame);
  // The location together with the source line after it; none if this combination is new.
  LocationId find_with_source(LocationId location, const LineHash& line) const {
    return by_source_.find(with_location(line, location));
  }
  LocationId add_with_source(LocationId id, const LineHash& line, const SourceLine& source);

  struct Frames {
    FrameId sampled;  // none while the location waits for the module of a later line
    FrameId caller;   // none until it is made
    bool kernel = false;
    bool inlined = false;
  };
  const Frames& frames(LocationId location) const { return frames_[location]; }
  FrameId make_caller(LocationId id);
  bool waits(LocationId location) const { return !frames_[location].sampled.valid(); }
  bool has_module(LocationId location) const { return rows_[location].module.valid(); }
  // The frame of a waiting location, in the module of `host`; without a module if `host` is none.
  FrameId frame_inside(LocationId id, LocationId host, bool sampled);

  // From now on, callers in user code, or all callers, are treated as addresses inside calls.
  void user_callers_are_in_calls() { user_return_ = 0; }
  void all_callers_are_in_calls() { user_return_ = kernel_return_ = 0; }

 private:
  struct Location {
    StringId name;
    StringId file;
    uint64_t address = 0;
    uint64_t start = 0;
    ModuleId module;
    uint32_t line = 0;
    Mode mode = Mode::kUnknown;
    uint8_t flags = 0;
    bool fixed = false;  // the text names it by its address, which is the same for a caller
    LocationId host;     // argument of the last frame_inside
    FrameId inside;      // its result
    bool inside_sampled = false;
  };

  static LineHash with_location(const LineHash& line, LocationId location) {
    return {hash_mix(line.a, location.value), line.b};
  }
  FrameId make_frame(const Location& location, ModuleId module, Mode mode, bool sampled);
  // The distance from the printed address of a caller back into its call.
  uint64_t before_return(const Location& location, Mode mode) const;
  LocationId push(const Location& location);

  ProfileBuilder& builder_;
  IdVector<LocationId, Location> rows_;
  IdVector<LocationId, Frames> frames_;
  LineCache<LocationId> by_line_;
  LineCache<LocationId> by_source_;  // by location and source line
  uint64_t user_return_ = 1;
  uint64_t kernel_return_ = 1;
};

}  // namespace wick::perf_script
