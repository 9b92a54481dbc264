// The frames of a text, each taken apart once.
//
// A place is what one frame line says, with the source line after it if there is one. Most places
// are a frame at once. An inlined one prints no module: it is part of the function on the next line
// that has one, and becomes a frame when that module is known.
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
  PlaceId find(const LineHash& line) const {
    const PlaceId* known = by_line_.find(line);
    return known == nullptr ? PlaceId() : *known;
  }
  PlaceId add(const LineHash& line, const FrameLine& frame);
  // The place with what the source line after it says.
  PlaceId with_source(PlaceId place, std::string_view source_text, const SourceLine& source);

  // None while the place waits for the module of another.
  FrameId frame(PlaceId place) const { return rows_[place].frame; }
  bool has_module(PlaceId place) const { return rows_[place].module.valid(); }
  // The frame of a waiting place, in the module of `host`; in none when that is none.
  FrameId frame_inside(PlaceId place, PlaceId host);

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
    FrameId frame;
    PlaceId host;  // of the last frame_inside
    FrameId inside;
  };

  FrameId make_frame(const Place& place, ModuleId module, Mode mode);
  PlaceId push(Place place);

  ProfileBuilder& builder_;
  IdVector<PlaceId, Place> rows_;
  LineCache<PlaceId> by_line_;
  LineCache<PlaceId> by_source_;  // by place and source line
};

}  // namespace wick::perf_script
