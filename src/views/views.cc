// The table of views. A new one is a folder beside this file and one row here.
#include "views/views.h"

#include <algorithm>
#include <array>

#include "views/code_page/code_page.h"
#include "views/csv/csv.h"
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
           .on_request = false,
           .own_file = "",
           .tells_loss = true,
           .flags = terminal_flags(),
           .write = write_terminal},
      View{.name = "json",
           .help = "one JSON object",
           .on_request = true,
           .own_file = "",
           .tells_loss = true,
           .flags = {},
           .write = write_json},
      View{.name = "csv",
           .help = "comma-separated rows",
           .on_request = true,
           .own_file = "",
           .tells_loss = false,
           .flags = {},
           .write = write_csv},
      View{.name = "md",
           .help = "a page of Markdown",
           .on_request = true,
           .own_file = "",
           .tells_loss = true,
           .flags = {},
           .write = write_markdown},
      View{.name = "svg",
           .help = "interactive flame graph, one file",
           .on_request = false,
           .own_file = "flame.svg",
           .tells_loss = true,
           .flags = svg_flags(),
           .write = write_svg},
      View{.name = "listing",
           .help = "code with its heat, in the terminal",
           .on_request = false,
           .own_file = "",
           .tells_loss = true,
           .flags = listing_flags(),
           .write = write_listing},
      View{.name = "code_page",
           .help = "code with its heat, one HTML file",
           .on_request = false,
           .own_file = "code.html",
           .tells_loss = true,
           .flags = {},
           .write = write_code_page},
  };
  return kViews;
}

const View* find_view(std::string_view name) {
  auto found = std::ranges::find(all_views(), name, &View::name);
  return found == all_views().end() ? nullptr : &*found;
}

}  // namespace wick
