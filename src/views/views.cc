// SPDX-License-Identifier: Apache-2.0
// The table of views. A new view is a folder beside this file and one row in this table.
#include "views/views.h"

#include <algorithm>
#include <array>

#include "views/code_page/code_page.h"
#include "views/csv/csv.h"
#include "views/dot/dot.h"
#include "views/json/json.h"
#include "views/listing/listing.h"
#include "views/markdown/markdown.h"
#include "views/svg/svg.h"
#include "views/terminal/terminal.h"

namespace wick {

std::span<const View> all_views() {
  static const std::array kViews = {
      View{.name = "terminal",
           .help = "aligned columns for reading",
           .bound = TerminalBound{.flag = "limit", .value = "40", .whole_trees = true},
           .flags = terminal_flags(),
           .write = write_terminal},
      View{.name = "json",
           .help = "one JSON object (docs/json.md)",
           .on_request = true,
           .write = write_json},
      View{.name = "csv",
           .help = "comma-separated rows",
           .on_request = true,
           .shows_loss = false,
           .has_raw_names = true,
           .write = write_csv},
      View{.name = "md", .help = "a page of Markdown", .on_request = true, .write = write_markdown},
      View{.name = "dot",
           .help = "graphs for Graphviz",
           .on_request = true,
           .shows_loss = false,
           .write = write_dot},
      View{.name = "svg",
           .help = "flame graph or tracks, one file",
           .own_file = "flame.svg",
           .flags = svg_flags(),
           .write = write_svg},
      View{.name = "listing",
           .help = "code with its heat, in the terminal",
           .bound = TerminalBound{.flag = "context", .value = "12"},
           .flags = listing_flags(),
           .write = write_listing},
      View{.name = "code_page",
           .help = "code with its heat, one HTML file",
           .own_file = "code.html",
           .write = write_code_page},
  };
  return kViews;
}

const View* find_view(std::string_view name) {
  auto found = std::ranges::find(all_views(), name, &View::name);
  return found == all_views().end() ? nullptr : &*found;
}

}  // namespace wick
