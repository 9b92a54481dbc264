// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_script/places.h"

namespace wick::perf_script {
namespace {

// A smaller address may be an offset in a file, or the link address of a program that is not
// position independent. Libraries and position-independent programs are loaded above it.
constexpr uint64_t kFirstLoadedAddress = uint64_t{1} << 32;

bool is_unknown(std::string_view name) {
  return name.empty() || name == "[unknown]";
}

}  // namespace

PlaceId Places::add(const LineHash& line, const FrameLine& frame) {
  // perf prints the offset of an inlined frame relative to the function around it.
  Place place{.address = frame.address,
              .start = frame.inlined ? 0 : frame.start,
              .fixed = frame.simpleperf};
  if (!frame.module.empty()) {
    place.module = builder_.module({.path = builder_.string(frame.module)});
  }
  place.mode = mode_of(frame.module, frame.address);
  place.flags = frame.inlined ? kInlined : is_jit(frame.module) ? kJit : 0;
  if (!is_unknown(frame.name) || frame.module.empty()) {
    place.name = builder_.string(frame.name);  // "" stays the bare address
  } else if (frame.address >= kFirstLoadedAddress && !frame.module_offset) {
    place.name = builder_.string(module_label(frame.module));
  }
  PlaceId id = push(place);
  by_line_.add(line, id);
  return id;
}

PlaceId Places::add_with_source(PlaceId id, const LineHash& line, const SourceLine& source) {
  Place place = rows_[id];
  if (!source.file.empty()) {
    place.file = builder_.string(source.file);
    place.line = source.line;
  }
  if (source.inlined) {
    place.flags = kInlined;
    place.start = 0;
  }
  PlaceId with = push(place);
  by_source_.add(with_place(line, id), with);
  return with;
}

PlaceId Places::push(const Place& place) {
  bool inlined = (place.flags & kInlined) != 0;
  bool waits = inlined && !place.module.valid();
  frames_.push_back(
      {.sampled = waits ? FrameId() : make_frame(place, place.module, place.mode, true),
       .caller = {},
       .kernel = is_kernel(place.mode),
       .inlined = inlined});
  return rows_.push_back(place);
}

FrameId Places::make_caller(PlaceId id) {
  const Place& place = rows_[id];
  return frames_[id].caller = make_frame(place, place.module, place.mode, false);
}

FrameId Places::frame_inside(PlaceId id, PlaceId host, bool sampled) {
  Place& place = rows_[id];
  bool known = place.inside.valid() && place.host == host && place.inside_sampled == sampled;
  if (!known) {
    place.inside = host.valid() ? make_frame(place, rows_[host].module, rows_[host].mode, sampled)
                                : make_frame(place, ModuleId(), place.mode, sampled);
    place.host = host;
    place.inside_sampled = sampled;
  }
  return place.inside;
}

// A caller that is printed as the first byte of a function stays there. The real caller is the
// function before it, but the text names this one.
uint64_t Places::before_return(const Place& place, Mode mode) const {
  bool stays = place.fixed || place.address == 0 || place.address == place.start;
  return stays ? 0 : is_kernel(mode) ? kernel_return_ : user_return_;
}

FrameId Places::make_frame(const Place& place, ModuleId module, Mode mode, bool sampled) {
  FunctionId function;
  if (!place.name.empty()) {
    function = builder_.function(
        {.name = place.name, .module = module, .file = place.file, .address = place.start});
  }
  return builder_.frame({.function = function,
                         .module = module,
                         .address = place.address - (sampled ? 0 : before_return(place, mode)),
                         .line = place.line,
                         .mode = mode,
                         .flags = place.flags});
}

}  // namespace wick::perf_script
