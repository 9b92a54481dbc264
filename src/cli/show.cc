#include "cli/show.h"

#include <array>
#include <cstdio>

#include "base/check.h"
#include "base/escape.h"
#include "base/output.h"
#include "cli/command.h"
#include "cli/tty.h"
#include "views/numbers.h"
#include "views/views.h"

namespace wick {
namespace {

constexpr std::array kOutputFlags = {
    Flag{"output", 'o', FlagKind::kPath, "FILE", "", "where to write, - for standard output"},
    Flag{"json", '\0', FlagKind::kSwitch, "", "", "one JSON object"},
    Flag{"csv", '\0', FlagKind::kSwitch, "", "", "comma-separated rows"},
};
constexpr std::array kLossFlags = {
    Flag{"allow-loss",
         '\0',
         FlagKind::kNumber,
         "PERCENT",
         "1",
         "how much lost input still ends with status 0"},
};

std::string_view chosen_view(const FlagValues& flags, std::string_view fallback) {
  if (flags.is_set("json")) {
    return "json";
  }
  return flags.is_set("csv") ? "csv" : fallback;
}

// A picture is not printed on a terminal: without -o it goes into a file of its own.
std::string chosen_path(const FlagValues& flags, std::string_view view) {
  if (flags.given("output")) {
    return flags.text("output");
  }
  bool picture = view == "svg";
  return picture && stdout_is_terminal() ? "flame.svg" : "-";
}

void print_loss(const Report& report) {
  for (const LossLine& loss : report.loss) {
    std::fprintf(stderr, "wick: %s\n", loss_text(loss).c_str());
  }
}

}  // namespace

std::vector<Flag> output_flags(std::string_view default_view) {
  std::vector<Flag> flags(kOutputFlags.begin(), kOutputFlags.end());
  const View* view = find_view(default_view);
  CHECK(view != nullptr);
  flags.insert(flags.end(), view->flags.begin(), view->flags.end());
  flags.insert(flags.end(), kLossFlags.begin(), kLossFlags.end());
  return flags;
}

std::vector<Flag> loss_flags() {
  return {kLossFlags.begin(), kLossFlags.end()};
}

Result<int> show(const Report& report, FlagValues flags, const Showing& showing) {
  if (flags.is_set("json") && flags.is_set("csv")) {
    return fail_usage("--json and --csv exclude each other.");
  }
  std::string_view view = chosen_view(flags, showing.default_view);
  std::string path = chosen_path(flags, view);
  if (view == "terminal") {
    settle_terminal_flags(flags, path == "-" && stdout_is_terminal());
  }
  Output out = TRY(Output::to_path(path));
  TRY(find_view(view)->write(report, flags, out));
  TRY(out.finish());
  if (view == "csv" || view == "svg") {
    print_loss(report);
  }
  if (path != "-" && stderr_is_terminal()) {
    std::fprintf(stderr, "wick: wrote %s.\n", terminal_text(path).c_str());
  }
  return status_for_loss(showing.lost_share, flags);
}

int status_for_loss(double lost_share, const FlagValues& flags) {
  double allowed = flags.number("allow-loss") / 100;
  if (lost_share <= allowed) {
    return kDone;
  }
  std::fprintf(
      stderr,
      "wick: %s of the input is lost, more than the %.3g %% that --allow-loss allows "
      "(status 3).\n",
      lost_share >= 1 ? "an unknown part" : fmt::format("{:.3g} %", 100 * lost_share).c_str(),
      100 * allowed);
  return kTooMuchLost;
}

}  // namespace wick
