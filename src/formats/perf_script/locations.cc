// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_script/locations.h"

namespace wick::perf_script {
namespace {

// A smaller address may be an offset in a file, or the link address of a program that is not
// position independent. Libraries and position-independent programs are loaded above it.
constexpr uint64_t kFirstLoadedAddress = uint64_t{1} << 32;

bool is_unknown(std::string_view name) {
  return name.empty() || name == "[unknown]";
}

}  // namespace

LocationId Locations::add(const LineHash& line, const FrameLine& frame) {
  // perf prints the offset of an inlined frame relative to the function around it.
  Location location{.address = frame.address,
                    .start = frame.inlined ? 0 : frame.start,
                    .fixed = frame.simpleperf};
  if (!frame.module.empty()) {
    location.module = builder_.module({.path = builder_.string(frame.module)});
  }
  location.mode = mode_of(frame.module, frame.address);
  location.flags = frame.inlined ? kInlined : is_jit(frame.module) ? kJit : 0;
  if (!is_unknown(frame.name) || frame.module.empty()) {
    location.name = builder_.string(frame.name);  // "" stays the bare address
  } else if (frame.address >= kFirstLoadedAddress && !frame.module_offset) {
    location.name = builder_.string(module_label(frame.module));
  }
  LocationId id = push(location);
  by_line_.add(line, id);
  return id;
}

LocationId Locations::add_with_source(LocationId id,
                                      const LineHash& line,
                                      const SourceLine& source) {
  Location location = rows_[id];
  if (!source.file.empty()) {
    location.file = builder_.string(source.file);
    location.line = source.line;
  }
  if (source.inlined) {
    location.flags = kInlined;
    location.start = 0;
  }
  LocationId with = push(location);
  by_source_.add(with_location(line, id), with);
  return with;
}

LocationId Locations::push(const Location& location) {
  bool inlined = (location.flags & kInlined) != 0;
  bool waits = inlined && !location.module.valid();
  frames_.push_back(
      {.sampled = waits ? FrameId() : make_frame(location, location.module, location.mode, true),
       .caller = {},
       .kernel = is_kernel(location.mode),
       .inlined = inlined});
  return rows_.push_back(location);
}

FrameId Locations::make_caller(LocationId id) {
  const Location& location = rows_[id];
  return frames_[id].caller = make_frame(location, location.module, location.mode, false);
}

FrameId Locations::frame_inside(LocationId id, LocationId host, bool sampled) {
  Location& location = rows_[id];
  bool known =
      location.inside.valid() && location.host == host && location.inside_sampled == sampled;
  if (!known) {
    location.inside = host.valid()
                          ? make_frame(location, rows_[host].module, rows_[host].mode, sampled)
                          : make_frame(location, ModuleId(), location.mode, sampled);
    location.host = host;
    location.inside_sampled = sampled;
  }
  return location.inside;
}

// A caller that is printed as the first byte of a function stays there. The real caller is the
// function before it, but the text names this one.
uint64_t Locations::before_return(const Location& location, Mode mode) const {
  bool stays = location.fixed || location.address == 0 || location.address == location.start;
  return stays ? 0 : is_kernel(mode) ? kernel_return_ : user_return_;
}

FrameId Locations::make_frame(const Location& location, ModuleId module, Mode mode, bool sampled) {
  FunctionId function;
  if (!location.name.empty()) {
    function = builder_.function({.name = location.name,
                                  .module = module,
                                  .file = location.file,
                                  .address = location.start});
  }
  return builder_.frame(
      {.function = function,
       .module = module,
       .address = location.address - (sampled ? 0 : before_return(location, mode)),
       .line = location.line,
       .mode = mode,
       .flags = location.flags});
}

}  // namespace wick::perf_script
