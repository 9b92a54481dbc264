// SPDX-License-Identifier: Apache-2.0
#include "views/svg/track_canvas.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/escape.h"
#include "views/svg/bounded_name.h"
#include "views/svg/frame_rows.h"

namespace wick {
namespace {

constexpr uint32_t kMostFrames = 12;  // of a stack, in a title

}  // namespace

void append_rect(
    std::string_view style, double x, double width, double y, double height, std::string& text) {
  text += fmt::format("<rect class=\"{}\" x=\"", style);
  append_pixels(text, x);
  text += "\" y=\"";
  append_pixels(text, y);
  text += "\" width=\"";
  append_pixels(text, width);
  text += "\" height=\"";
  append_pixels(text, height);
  text += "\"/>";
}

bool append_gaps(const TrackCanvas& canvas,
                 const std::vector<Gap>& gaps,
                 uint32_t height,
                 std::string& text) {
  bool has_any = false;
  double painted = canvas.left;
  for (const Gap& gap : gaps) {
    double from = std::max(painted, canvas.x_of(gap.begin_ns));
    double until = std::min(canvas.right(), std::max(from + 1, canvas.x_of(gap.end_ns)));
    if (canvas.x_of(gap.end_ns) < painted || until <= from) {
      continue;
    }
    has_any = true;
    text += fmt::format("<g><title>{}</title>",
                        xml_text(fmt::format("no data from {} to {}: {}",
                                             time_text(gap.begin_ns),
                                             time_text(gap.end_ns),
                                             bounded_name(gap.reason))));
    append_rect("gap", from, until - from, 0, height, text);
    text += "</g>\n";
    painted = until;
  }
  return has_any;
}

std::string stack_text(const Tracks& tracks, uint32_t stack) {
  std::vector<std::string_view> frames = frames_of(tracks, stack);
  std::string text;
  size_t first = frames.size() > kMostFrames ? frames.size() - kMostFrames : 0;
  for (size_t at = first; at < frames.size(); ++at) {
    text += (at == first ? (first > 0 ? ".. > " : "") : " > ") + bounded_name(frames[at]);
  }
  return text;
}

}  // namespace wick
