// SPDX-License-Identifier: Apache-2.0
#include "cli/cargo_wick.h"

#include <cstdio>

#include "base/escape.h"
#include "base/path.h"
#include "cli/command.h"
#include "cli/program.h"
#include "cli/tty.h"
#include "experiment/cargo_build.h"

namespace wick {
namespace {

constexpr std::string_view kHelp =
    "cargo wick: build a program, record it, print a report and write the viewer page\n\n"
    "  cargo wick [FLAGS] [-- ARGUMENTS OF THE PROGRAM]\n\n"
    "FLAGS are flags of `cargo build` (--bin, --example, --features, --profile, ...) and flags of\n"
    "`wick run` by their long names (--frequency, --duration, --output, ...). Without a profile\n"
    "flag this is a release build with line tables (CARGO_PROFILE_RELEASE_DEBUG=1 unless it\n"
    "is set).\n";

}  // namespace

bool is_cargo_wick(std::string_view program) {
  return file_name_of(program) == "cargo-wick";
}

int run_cargo_wick(const std::vector<std::string>& arguments) {
  // cargo passes the name of the command as the first argument.
  bool named = !arguments.empty() && arguments[0] == "wick";
  CargoCall call = split_cargo_words({arguments.begin() + (named ? 1 : 0), arguments.end()},
                                     find_command("run")->flags);
  if (call.asks_for_help) {
    std::fwrite(kHelp.data(), 1, kHelp.size(), stdout);
    return kDone;
  }
  CargoBuild built = build_with_cargo(call.cargo);
  const std::vector<std::string>& programs = built.programs;
  if (built.status != 0) {
    bool is_stopped = built.status > kStopped;
    say(fmt::format("the build {}, so nothing was recorded.",
                    is_stopped ? "was stopped" : "failed"));
    return built.status;
  }
  if (programs.size() != 1) {
    std::string names;
    for (const std::string& program : programs) {
      names += names.empty() ? "" : ", ";
      names += file_name_of(program);
    }
    say(fmt::format("the build produced {}; choose one with --bin NAME or --example NAME.",
                    programs.empty() ? "no program" : terminal_text(names)));
    return kFailure;
  }
  std::vector<std::string> words = {"run"};
  words.insert(words.end(), call.wick.begin(), call.wick.end());
  words.insert(words.end(), {"--", programs[0]});
  words.insert(words.end(), call.program.begin(), call.program.end());
  return run_program(words);
}

}  // namespace wick
