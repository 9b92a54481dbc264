// SPDX-License-Identifier: Apache-2.0
#include "viewer/page.h"

#include "base/check.h"
#include "base/escape.h"
#include "viewer/gzip.h"
#include "viewer/page_words.h"

namespace wick {

extern const std::string_view kViewerPage;  // from cmake/embed.cmake
extern const std::string_view kSweepPage;

namespace {

// Copies the template; `fill(name)` writes the text for {{name}}.
template <typename Fill>
void fill_page(std::string_view page, Output& out, Fill fill) {
  std::string_view rest = page;
  for (std::string_view name : {"connect", "title", "data"}) {
    std::string mark = fmt::format("{{{{{}}}}}", name);
    size_t at = rest.find(mark);
    CHECK(at != std::string_view::npos);
    out.write(rest.substr(0, at));
    fill(name);
    rest.remove_prefix(at + mark.size());
  }
  out.write(rest);
}

std::string page_title(std::string_view title) {
  return fmt::format("{} - wick", xml_text(title));
}

}  // namespace

void write_page(std::string_view title, const std::vector<std::string>& parts, Output& out) {
  fill_page(kViewerPage, out, [&](std::string_view name) {
    if (name == "connect") {
      out.write("'none'");
    } else if (name == "title") {
      out.write(page_title(title));
    } else {
      for (const std::string& part : parts) {
        out.print("<script type=\"application/octet-stream\" class=\"wick-part\">{}</script>\n",
                  base64(part));
      }
    }
  });
}

std::string part_name(size_t part) {
  return fmt::format("part-{}.gz", part);
}

std::string served_page(std::string_view title, size_t parts) {
  std::string page;
  Output out = Output::to_text(page);
  fill_page(kViewerPage, out, [&](std::string_view name) {
    if (name == "connect") {
      out.write("'self'");
    } else if (name == "title") {
      out.write(page_title(title));
    } else {
      for (size_t part = 0; part < parts; ++part) {
        out.print(
            "<script type=\"application/octet-stream\" class=\"wick-part\" data-src=\"{}\">"
            "</script>\n",
            part_name(part));
      }
    }
  });
  CHECK(out.finish());
  return page;
}

void write_sweep_page(std::string_view title, std::string_view json, Output& out) {
  // An end tag in a name would end the element, but names in JSON contain no '<' (base/escape.h).
  CHECK(json.find('<') == std::string_view::npos);
  fill_page(kSweepPage, out, [&](std::string_view name) {
    if (name == "connect") {
      out.write("'none'");
    } else if (name == "title") {
      out.write(page_title(title));
    } else {
      out.print("<script type=\"application/json\" id=\"sweep\">{}</script>\n", json);
      out.print("<script type=\"application/json\" id=\"words\">{}</script>\n", words_text());
    }
  });
}

}  // namespace wick
