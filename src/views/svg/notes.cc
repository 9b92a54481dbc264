// SPDX-License-Identifier: Apache-2.0
#include "views/svg/notes.h"

#include <fmt/format.h>

#include "views/numbers.h"
#include "views/svg/amounts.h"
#include "views/svg/bounded_name.h"

namespace wick {

std::vector<std::string> loss_notes(const Report& report) {
  std::vector<std::string> notes;
  for (const std::string& caution : report.cautions) {
    notes.push_back(bounded_name("Caution: " + caution));
  }
  for (const LossLine& line : report.loss) {
    notes.push_back(bounded_name(loss_text(line)));
  }
  for (const std::string& note : report.notes) {
    notes.push_back(bounded_name(note));
  }
  return notes;
}

std::vector<std::string> layout_notes(const Report& report,
                                      const Layout& layout,
                                      const SvgOptions& options) {
  std::vector<std::string> notes;
  if (layout.cut_frames > 0) {
    notes.push_back(fmt::format("{} deeper than {} {} not drawn (--max-depth).",
                                frames_text(layout.cut_frames),
                                count_text(options.max_depth),
                                layout.cut_frames == 1 ? "is" : "are"));
  }
  if (layout.hidden_frames > 0) {
    std::string note =
        fmt::format("{} in runs narrower than {} {} not drawn (--min-width): up to {} of a row",
                    frames_text(layout.hidden_frames),
                    options.min_width_text(kRunWidths),
                    layout.hidden_frames == 1 ? "is" : "are",
                    percent_text(layout.hidden_weight / layout.boxes[0].total));
    if (layout.hidden_delta != 0) {
      // Vanished frames may be only in these runs.
      note += "; own change " + signed_amount_text(layout.hidden_delta, report.unit);
    }
    notes.push_back(note + ".");
  }
  return notes;
}

}  // namespace wick
