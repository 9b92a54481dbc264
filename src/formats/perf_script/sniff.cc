// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>

#include "base/input.h"
#include "base/lines.h"
#include "formats/perf_script/callers.h"
#include "formats/perf_script/event_line.h"
#include "formats/perf_script/frame_line.h"
#include "formats/perf_script/perf_script.h"
#include "formats/perf_script/sight.h"
#include "formats/perf_script/text.h"

namespace wick::perf_script {
namespace {

// A line of kind kMaybe is an event line if a frame follows; a line of kind kNumber is one if an
// indented frame follows. Otherwise it is a frame itself. A line after a frame at the margin may be
// its source line.
enum class Kind {
  kNothing,
  kHeader,
  kBareRecord,
  kEvent,
  kAlignedEvent,
  kFrame,
  kTabbedFrame,
  kMarginFrame,
  kAfterMarginFrame,
  kBranches,
  kMaybe,
  kNumber,
  kOther
};

bool is_header(std::string_view line) {
  return starts_with_any(
      line, {"# ========", "# captured on", "# hostname", "# perf version", "# cmdline :"});
}

Kind kind_after_tab(std::string_view line, bool is_frame) {
  if (is_branch_line(line)) {
    return Kind::kBranches;
  }
  if (is_frame) {
    return Kind::kTabbedFrame;
  }
  return is_namespace_line(line) ? Kind::kNothing : Kind::kOther;
}

Kind kind_at_margin(std::string_view line, const std::optional<EventLine>& event) {
  bool is_timed = event && event->time_ns != kNoTime;
  if (!is_timed && is_frame_at_margin(line)) {
    return Kind::kMarginFrame;
  }
  return is_timed || (event && event->certain) ? Kind::kEvent : Kind::kMaybe;
}

Kind kind_of(std::string_view line) {
  if (trim_start(line).empty()) {
    return Kind::kNothing;
  }
  if (line[0] == '#') {
    return is_header(line) ? Kind::kHeader : Kind::kNothing;
  }
  std::optional<FrameLine> frame = is_blank(line[0]) ? parse_frame_line(line) : std::nullopt;
  if (line[0] == '\t') {
    return kind_after_tab(line, frame.has_value());
  }
  if (is_bare_record(line)) {
    return Kind::kBareRecord;
  }
  if (is_source_code(line)) {
    return Kind::kNothing;
  }
  std::optional<EventLine> event = parse_event_line(line);
  if (line[0] != ' ') {
    return kind_at_margin(line, event);
  }
  bool timed = event && event->time_ns != kNoTime;
  if (timed || (event && event->certain && !frame)) {
    return Kind::kAlignedEvent;
  }
  if (event && starts_with_thread(line, *event)) {
    return frame ? Kind::kNumber : Kind::kMaybe;
  }
  if (frame) {
    return Kind::kFrame;
  }
  return is_branch_line(line)      ? Kind::kBranches
         : parse_source_line(line) ? Kind::kNothing
                                   : Kind::kOther;
}

class Sight {
 public:
  // How many lines had this kind.
  size_t operator[](Kind kind) const { return counts_[static_cast<size_t>(kind)]; }
  size_t events() const { return (*this)[Kind::kEvent] + (*this)[Kind::kAlignedEvent]; }
  size_t known() const {
    return events() + (*this)[Kind::kFrame] + (*this)[Kind::kTabbedFrame] +
           (*this)[Kind::kBranches] + (has_frames_at_margin() ? (*this)[Kind::kMarginFrame] : 0);
  }
  // If any frame is indented, a line at the margin is not a frame. Without events the lines could be
  // anything.
  bool has_frames_at_margin() const {
    return (*this)[Kind::kMarginFrame] > 0 && (*this)[Kind::kEvent] > 0 &&
           (*this)[Kind::kTabbedFrame] + (*this)[Kind::kFrame] == 0;
  }
  size_t others() const {
    size_t at_margin = (*this)[Kind::kMarginFrame] + (*this)[Kind::kAfterMarginFrame];
    return (*this)[Kind::kOther] + (has_frames_at_margin() ? 0 : at_margin);
  }

  void add(Kind kind) {
    bool is_frame = kind == Kind::kFrame || kind == Kind::kTabbedFrame;
    if (kind == Kind::kMaybe && last_ == Kind::kMarginFrame) {
      count(Kind::kAfterMarginFrame);
      return;
    }
    if (last_ == Kind::kMaybe) {
      count(is_frame ? Kind::kEvent : Kind::kOther);
    }
    if (last_ == Kind::kNumber) {
      count(kind == Kind::kTabbedFrame ? Kind::kEvent : Kind::kFrame);
    }
    if (kind != Kind::kMaybe && kind != Kind::kNumber) {
      count(kind);
    }
    last_ = kind;
  }

 private:
  void count(Kind kind) { ++counts_[static_cast<size_t>(kind)]; }

  std::array<size_t, static_cast<size_t>(Kind::kOther) + 1> counts_ = {};
  Kind last_ = Kind::kNothing;
};

Sight look(std::string_view head) {
  Sight sight;
  for_each_line_of_head(head, [&](std::string_view line) { sight.add(kind_of(line)); });
  sight.add(Kind::kNothing);
  return sight;
}

bool callers_are_in_calls(std::string_view head) {
  CallerEvidence evidence;
  for_each_line_of_head(head, [&](std::string_view line) {
    Kind kind = kind_of(line);
    bool is_frame =
        kind == Kind::kFrame || kind == Kind::kTabbedFrame || kind == Kind::kMarginFrame;
    std::optional<FrameLine> frame = is_frame ? parse_frame_line(line) : std::nullopt;
    if (line.starts_with('#')) {
      evidence.header(line);
    } else if (frame) {
      evidence.frame(*frame);
    } else if (!parse_source_line(line)) {
      evidence.end_of_stack();
    }
  });
  return evidence.callers_are_in_calls();
}

}  // namespace

bool sniff(Bytes head) {
  Sight sight = look(as_text(head));
  if (sight.known() == 0) {
    return sight[Kind::kHeader] + sight[Kind::kBareRecord] > 1 && sight.others() == 0;
  }
  return sight.others() <= sight.known() / 2;
}

Layout look_at_layout(Bytes head) {
  Sight sight = look(as_text(head));
  // If the whole head consists of records without a thread, the samples after them have none,
  // either.
  bool only_records = sight.known() == 0 && sight[Kind::kBareRecord] > 0;
  return {.no_events = sight.events() == 0 && (sight.known() > 0 || only_records),
          .aligned_events = sight[Kind::kAlignedEvent] > 0,
          .tabs = sight[Kind::kTabbedFrame] > 0 || only_records,
          .frames_at_margin = sight.has_frames_at_margin(),
          .callers_in_calls = callers_are_in_calls(as_text(head))};
}

}  // namespace wick::perf_script
