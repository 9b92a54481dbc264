// SPDX-License-Identifier: Apache-2.0
#include "views/choice.h"

#include <algorithm>
#include <array>
#include <string>
#include <variant>

#include "base/escape.h"

namespace wick {
namespace {

// What the name of an output file promises. A view is empty if no verb that shows a report writes
// such files; `instead` says what does.
struct FileEnding {
  std::string_view ending;
  std::string_view view;
  std::string_view instead;
};

constexpr std::array kEndings = {
    FileEnding{".json", "json", ""},
    FileEnding{".csv", "csv", ""},
    FileEnding{".md", "md", ""},
    FileEnding{".dot", "dot", ""},
    FileEnding{".txt", "", "`wick tree` and others write text"},
    FileEnding{".svg", "svg", "`wick flame` draws a flame graph as SVG"},
    FileEnding{".html", "", "`wick view` writes a page for the browser"},
    FileEnding{".folded", "", "`wick convert` writes folded stacks"},
    FileEnding{".wick", "", "`wick convert` writes profiles"},
    FileEnding{".pb", "", "`wick convert` writes profiles"},
    FileEnding{".pftrace", "", "`wick convert` writes profiles"},
    FileEnding{".cpuprofile", "", "`wick convert` writes profiles"},
    FileEnding{".pprof", "", "`wick convert` writes profiles"},
    FileEnding{".prof", "", "`wick convert` writes profiles"},
    FileEnding{".jfr", "", "a Java virtual machine does"},
    FileEnding{".data", "", "`wick record --raw` writes the files of perf"},
    FileEnding{".gz", "", "`wick convert` packs what it writes, and `gzip` any other file"},
    FileEnding{".zst", "", "`wick convert` packs what it writes, and `zstd` any other file"},
    FileEnding{".png", "", "a browser makes it from the SVG file of `wick flame`"},
    FileEnding{".pdf", "", "a browser prints the SVG file of `wick flame` as one"},
};

const FileEnding* find_ending(const std::string& path) {
  const auto* found = std::ranges::find_if(
      kEndings, [&](const FileEnding& row) { return path.ends_with(row.ending); });
  return found == kEndings.end() ? nullptr : found;
}

bool has_picture(const Report& report) {
  return std::ranges::any_of(report.sections, [](const Section& section) {
    return std::holds_alternative<Tree>(section.body) ||
           std::holds_alternative<Series>(section.body) ||
           std::holds_alternative<Tracks>(section.body) ||
           std::holds_alternative<Graph>(section.body);
  });
}

// "text, .svg, .json, .csv and .md"
std::string endings_of(const Report& report, const VerbViews& views) {
  bool is_drawn = views.usual == "svg" || views.draws || has_picture(report);
  return fmt::format("{}{}{}.json, .csv and .md",
                     views.usual == "svg" ? "" : "text, ",
                     is_drawn ? ".svg, " : "",
                     views.page.empty() ? "" : ".html, ");
}

// The view that writes what the ending of the file says, or null if the ending says nothing.
Result<const View*> view_of_ending(const std::string& path,
                                   const Report& report,
                                   const VerbViews& views) {
  const FileEnding* found = find_ending(path);
  bool is_text = found != nullptr && found->ending == ".txt" && views.usual != "svg";
  if (found == nullptr || is_text) {
    return nullptr;
  }
  if (found->ending == ".html" && !views.page.empty()) {
    return find_view(views.page);
  }
  const View* view = find_view(found->view);
  bool is_drawn = found->view == "svg" && has_picture(report);
  bool can_write = view != nullptr && (view->on_request || found->view == views.usual || is_drawn);
  if (!can_write) {
    return fail_usage("This verb cannot write a file that ends in {}: {}. It writes {}.",
                      found->ending,
                      found->instead,
                      endings_of(report, views));
  }
  return view;
}

}  // namespace

Result<const View*> choose_view(const FlagValues& flags,
                                const Report& report,
                                const VerbViews& views) {
  const View* chosen = nullptr;
  for (const View& view : all_views()) {
    if (view.on_request && flags.is_set(view.name)) {
      if (chosen != nullptr) {
        return fail_usage("--{} and --{} cannot be used together.", chosen->name, view.name);
      }
      chosen = &view;
    }
  }
  if (chosen == nullptr && flags.given("output")) {
    chosen = TRY(view_of_ending(flags.text("output"), report, views));
  }
  return chosen != nullptr ? chosen : find_view(views.usual);
}

bool names_no_recording(const std::string& path) {
  const FileEnding* found = find_ending(path);
  return found != nullptr && found->ending != ".wick";
}

Result<> check_page_name(const std::string& path) {
  const FileEnding* found = find_ending(path);
  if (found == nullptr || found->ending == ".html") {
    return {};
  }
  bool is_table = found->instead.empty();
  return fail_usage(
      "The viewer is a page, and -o {} is the name of another kind of file: {}. Write "
      "the page with -o page.html.",
      terminal_text(path),
      is_table ? "`wick report`, `wick tree` and others write tables" : found->instead);
}

}  // namespace wick
