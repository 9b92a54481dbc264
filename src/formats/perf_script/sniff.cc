#include <optional>

#include "base/input.h"
#include "formats/perf_script/event_line.h"
#include "formats/perf_script/frame_line.h"
#include "formats/perf_script/perf_script.h"
#include "formats/perf_script/sight.h"
#include "formats/perf_script/text.h"

namespace wick::perf_script {
namespace {

enum class Kind { kNothing, kHeader, kEvent, kAlignedEvent, kFrame, kTabbedFrame, kMaybe, kOther };

bool is_header(std::string_view line) {
  for (std::string_view start :
       {"# ========", "# captured on", "# hostname", "# perf version", "# cmdline :"}) {
    if (line.starts_with(start)) {
      return true;
    }
  }
  return false;
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
    return frame || is_branch_line(line) ? Kind::kTabbedFrame : Kind::kOther;
  }
  std::optional<EventLine> event = parse_event_line(line);
  bool timed = event && event->time_ns != kNoTime;
  if (line[0] != ' ') {
    return timed || (event && event->certain) ? Kind::kEvent : Kind::kMaybe;
  }
  if (timed || (event && event->certain && !frame)) {
    return Kind::kAlignedEvent;
  }
  if (frame) {
    return Kind::kFrame;
  }
  return parse_source_line(line) || is_branch_line(line) ? Kind::kNothing : Kind::kOther;
}

struct Sight {
  size_t headers = 0;
  size_t events = 0;
  size_t aligned = 0;
  size_t frames = 0;
  size_t tabbed = 0;
  size_t others = 0;

  size_t known() const { return events + aligned + frames + tabbed; }
};

// The last line may be cut off by the end of the head and is judged only when it is the whole
// input.
Sight look(std::string_view head) {
  Sight sight;
  bool complete = head.size() < Input::kHeadBytes;
  bool maybe = false;  // the line before is an event line if a frame follows
  while (!head.empty()) {
    size_t end = head.find('\n');
    if (end == std::string_view::npos && !complete) {
      break;
    }
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    Kind kind = kind_of(line);
    bool is_frame = kind == Kind::kFrame || kind == Kind::kTabbedFrame;
    if (maybe) {
      (is_frame ? sight.events : sight.others) += 1;
    }
    maybe = kind == Kind::kMaybe;
    sight.headers += kind == Kind::kHeader ? 1 : 0;
    sight.events += kind == Kind::kEvent ? 1 : 0;
    sight.aligned += kind == Kind::kAlignedEvent ? 1 : 0;
    sight.frames += kind == Kind::kFrame ? 1 : 0;
    sight.tabbed += kind == Kind::kTabbedFrame ? 1 : 0;
    sight.others += kind == Kind::kOther ? 1 : 0;
  }
  sight.others += maybe ? 1 : 0;
  return sight;
}

}  // namespace

bool sniff(Bytes head) {
  Sight sight = look(as_text(head));
  if (sight.known() == 0) {
    return sight.headers > 1 && sight.others == 0;
  }
  return sight.others <= sight.known() / 2;
}

Layout look_at_layout(Bytes head) {
  Sight sight = look(as_text(head));
  return {.no_events = sight.events + sight.aligned == 0 && sight.known() > 0,
          .aligned_events = sight.aligned > 0,
          .tabs = sight.tabbed > 0};
}

}  // namespace wick::perf_script
