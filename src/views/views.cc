// The table of views. A new one is a folder beside this file and one row here.
#include "views/views.h"

#include <algorithm>
#include <array>

#include "views/csv/csv.h"
#include "views/json/json.h"
#include "views/svg/svg.h"
#include "views/terminal/terminal.h"

namespace wick {

std::span<const View> all_views() {
  static const std::array kViews = {
      View{"terminal", "aligned columns for people", terminal_flags(), write_terminal},
      View{"json", "one JSON object for programs", {}, write_json},
      View{"csv", "comma-separated rows for spreadsheets", {}, write_csv},
      View{"svg", "interactive flame graph, one file", svg_flags(), write_svg},
  };
  return kViews;
}

const View* find_view(std::string_view name) {
  auto found = std::ranges::find(all_views(), name, &View::name);
  return found == all_views().end() ? nullptr : &*found;
}

}  // namespace wick
