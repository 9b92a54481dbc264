// SPDX-License-Identifier: Apache-2.0
// The frames of a text, each parsed once.
//
// A place is the content of one frame line, with the source line after it if there is one. Most
// places become a frame immediately. An inlined frame has no module in the text: it is part of the
// function on the next line with a module, and becomes a frame when that module is known.
//
// If callers are printed by their return addresses (callers.h), the same line is another frame for
// a caller than for the sampled instruction: its address is one byte less.
#pragma once

#include <vector>

#include "formats/perf_script/frame_line.h"
#include "formats/perf_script/line_cache.h"
#include "profile/builder.h"

namespace wick::perf_script {

using PlaceId = Id<struct PlaceTag>;

class Places {
 public:
  explicit Places(ProfileBuilder& builder) : builder_(builder) {}

  // The place of a frame line that was seen before; none if it is new.
  PlaceId find(const LineHash& line) const { return by_line_.find(line); }
  PlaceId add(const LineHash& line, const FrameLine& frame);
  // The place together with the source line after it; none if this combination is new.
  PlaceId find_with_source(PlaceId place, const LineHash& line) const {
    return by_source_.find(with_place(line, place));
  }
  PlaceId add_with_source(PlaceId id, const LineHash& line, const SourceLine& source);

  struct Frames {
    FrameId sampled;  // none while the place waits for the module of a later line
    FrameId caller;   // none until it is made
    bool kernel = false;
    bool inlined = false;
  };
  const Frames& frames(PlaceId place) const { return frames_[place]; }
  FrameId make_caller(PlaceId place);
  bool waits(PlaceId place) const { return !frames_[place].sampled.valid(); }
  bool has_module(PlaceId place) const { return rows_[place].module.valid(); }
  // The frame of a waiting place, in the module of `host`; without a module if `host` is none.
  FrameId frame_inside(PlaceId id, PlaceId host, bool sampled);

  // From now on, callers in user code, or all callers, are treated as addresses inside calls.
  void user_callers_are_in_calls() { user_return_ = 0; }
  void all_callers_are_in_calls() { user_return_ = kernel_return_ = 0; }

 private:
  struct Place {
    StringId name;
    StringId file;
    uint64_t address = 0;
    uint64_t start = 0;
    ModuleId module;
    uint32_t line = 0;
    Mode mode = Mode::kUnknown;
    uint8_t flags = 0;
    bool fixed = false;  // the text names it by its address, which is the same for a caller
    PlaceId host;        // argument of the last frame_inside
    FrameId inside;      // its result
    bool inside_sampled = false;
  };

  static LineHash with_place(const LineHash& line, PlaceId place) {
    return {hash_mix(line.a, place.value), line.b};
  }
  FrameId make_frame(const Place& place, ModuleId module, Mode mode, bool sampled);
  // The distance from the printed address of a caller back into its call.
  uint64_t before_return(const Place& place, Mode mode) const;
  PlaceId push(const Place& place);

  ProfileBuilder& builder_;
  IdVector<PlaceId, Place> rows_;
  IdVector<PlaceId, Frames> frames_;
  LineCache<PlaceId> by_line_;
  LineCache<PlaceId> by_source_;  // by place and source line
  uint64_t user_return_ = 1;
  uint64_t kernel_return_ = 1;
};

}  // namespace wick::perf_script
