// The frames of a text, each taken apart once.
//
// A place is what one frame line says, with the source line after it if there is one. Most places
// are a frame at once. An inlined one prints no module: it is part of the function on the next line
// that has one, and becomes a frame when that module is known.
//
// The same line means another frame for a caller than for the instruction that ran, where callers
// are printed by their return addresses (callers.h): a byte before it.
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

  // The place of a frame line that was seen before; none when it is new.
  PlaceId find(const LineHash& line) const { return by_line_.find(line); }
  PlaceId add(const LineHash& line, const FrameLine& frame);
  // The place with what the source line after it says; none when the two are new together.
  PlaceId find_with_source(PlaceId place, const LineHash& line) const {
    return by_source_.find(with_place(line, place));
  }
  PlaceId add_with_source(PlaceId id, const LineHash& line, const SourceLine& source);

  struct Frames {
    FrameId sampled;  // none while the place waits for the module of another
    FrameId caller;   // none until it is made
    bool kernel = false;
    bool inlined = false;
  };
  const Frames& frames(PlaceId place) const { return frames_[place]; }
  FrameId make_caller(PlaceId place);
  bool waits(PlaceId place) const { return !frames_[place].sampled.valid(); }
  bool has_module(PlaceId place) const { return rows_[place].module.valid(); }
  // The frame of a waiting place, in the module of `host`; in none when that is none.
  FrameId frame_inside(PlaceId id, PlaceId host, bool sampled);

  // From now on callers of user code, or all, are taken for addresses inside of calls.
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
    bool fixed = false;  // the address is what the text calls the place: the same for a caller
    PlaceId host;        // of the last frame_inside
    FrameId inside;      // what it was
    bool inside_sampled = false;
  };

  static LineHash with_place(const LineHash& line, PlaceId place) {
    return {hash_mix(line.a, place.value), line.b};
  }
  FrameId make_frame(const Place& place, ModuleId module, Mode mode, bool sampled);
  // How far a caller's call lies before what is printed.
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
