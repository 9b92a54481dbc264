// SPDX-License-Identifier: Apache-2.0
#include "cli/show.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <unistd.h>

#include "base/check.h"
#include "base/escape.h"
#include "base/output.h"
#include "cli/command.h"
#include "cli/tty.h"
#include "views/choice.h"
#include "views/numbers.h"
#include "views/views.h"

namespace wick {
namespace {

constexpr std::array kOutputFlags = {
    Flag{"output", 'o', FlagKind::kPath, "FILE", "", "where to write, - for standard output"},
};
constexpr std::array kLossFlags = {
    Flag{"allow-loss",
         '\0',
         FlagKind::kNumber,
         "PERCENT",
         "1",
         "exit with status 3 if more of the input than this is lost"},
};

// The flags of a view that the verb does not have: their defaults. A listing begins with its roots,
// so its picture does, too.
FlagValues default_flags(const View& view) {
  FlagValues flags;
  flags.declare(view.flags);
  if (view.name == "svg") {
    flags.set("icicle", "");
  }
  return flags;
}

// A terminal cannot show a picture, so without -o the picture goes to a file.
std::string chosen_path(const FlagValues& flags, const View& view) {
  if (flags.given("output")) {
    return flags.text("output");
  }
  return !view.own_file.empty() && stdout_is_terminal() ? std::string(view.own_file) : "-";
}

void choose_bound(const TerminalBound& bound,
                  const Report& report,
                  bool to_terminal,
                  FlagValues& flags) {
  bool is_tree = !report.sections.empty() && std::holds_alternative<Tree>(report.sections[0].body);
  if (to_terminal && !flags.given(bound.flag) && !(bound.whole_trees && is_tree)) {
    flags.suggest(bound.flag, std::string(bound.value));
  }
}

}  // namespace

std::vector<Flag> output_flags(std::string_view default_view) {
  std::vector<Flag> flags(kOutputFlags.begin(), kOutputFlags.end());
  for (const View& view : all_views()) {
    if (view.on_request) {
      flags.push_back({.name = view.name, .help = view.help});
    }
  }
  const View* view = find_view(default_view);
  CHECK(view != nullptr);
  flags.insert(flags.end(), view->flags.begin(), view->flags.end());
  flags.insert(flags.end(), kLossFlags.begin(), kLossFlags.end());
  return flags;
}

std::vector<Flag> loss_flags() {
  return {kLossFlags.begin(), kLossFlags.end()};
}

namespace {

VerbViews views_of(const Showing& showing) {
  return {.usual = showing.default_view, .page = showing.page_view, .draws = showing.draws};
}

// Views for people count lines, and fold chains of a tree first. All others get the first rows.
bool is_cut(const View& view, const FlagValues& flags) {
  return !view.bound && flags.is_declared("limit") && flags.given("limit") &&
         flags.integer("limit") > 0;
}

}  // namespace

Result<int> show(Report report, FlagValues flags, const Showing& showing) {
  const View* view = TRY(choose_view(flags, report, views_of(showing)));
  if (is_cut(*view, flags)) {
    limit_rows(report, flags.integer("limit"));
  }
  std::string path = chosen_path(flags, *view);
  print_warnings(report.warnings);
  bool to_stderr = showing.to_stderr && path == "-";
  bool to_terminal = path == "-" && (to_stderr ? stderr_is_terminal() : stdout_is_terminal());
  if (view->bound) {
    choose_terminal_flags(flags, to_terminal);
    choose_bound(*view->bound, report, to_terminal, flags);
  }
  std::string text;
  bool needs_escapes = view->has_raw_names && to_terminal;
  Output out = to_stderr || needs_escapes ? Output::to_text(text) : TRY(Output::to_path(path));
  bool has_flags = view->flags.empty() || view->name == showing.default_view;
  TRY(view->write(report, has_flags ? flags : default_flags(*view), out));
  TRY(out.finish());
  text = needs_escapes ? terminal_lines(text) : text;
  std::fwrite(text.data(), 1, text.size(), to_stderr ? stderr : stdout);
  // A file contains its cautions, but the person who waits for it has not opened it yet.
  if (!view->shows_loss || path != "-") {
    print_cautions(report.cautions);
  }
  if (!view->shows_loss) {
    print_loss_and_notes(report.loss, report.notes);
  }
  if (path != "-" && stderr_is_terminal()) {
    say(fmt::format("wrote {}.", terminal_text(path)));
  }
  return status_for_loss(showing.lost_share, report.is_alarmed, flags);
}

Result<> check_output(const FlagValues& flags, const Showing& showing) {
  TRY(choose_view(flags, Report{}, views_of(showing)));
  std::string path = flags.text("output");
  if (!flags.given("output") || path == "-") {
    return {};
  }
  if (::access(path.c_str(), F_OK) != 0) {
    path.resize(path.rfind('/') + 1);  // the folder
    path += '.';
  }
  return ::access(path.c_str(), W_OK) == 0 ? Result<>()
                                           : fail("Cannot write {}: {}.",
                                                  terminal_text(flags.text("output")),
                                                  std::strerror(errno));
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    say(terminal_text(warning));
  }
}

void print_cautions(const std::vector<std::string>& cautions) {
  for (const std::string& caution : cautions) {
    say("caution: " + terminal_text(caution));
  }
}

void print_loss_and_notes(const std::vector<LossLine>& losses,
                          const std::vector<std::string>& notes) {
  for (const LossLine& loss : losses) {
    say(loss_text(loss));
  }
  for (const std::string& note : notes) {
    say(terminal_text(note));
  }
}

int status_for_loss(double lost_share, bool is_alarmed, const FlagValues& flags) {
  double allowed = flags.number("allow-loss") / 100;
  if (is_alarmed && allowed < 1) {
    say("the caution means that names or numbers are probably wrong (status 3); --allow-loss 100 "
        "accepts them.");
    return kTooMuchLost;
  }
  if (lost_share <= allowed) {
    return kDone;
  }
  say(fmt::format(
      "{} of the input is lost, more than the {:.3g} % that --allow-loss allows (status 3).",
      lost_share >= 1 ? "an unknown part" : fmt::format("{:.3g} %", 100 * lost_share),
      100 * allowed));
  return kTooMuchLost;
}

}  // namespace wick
