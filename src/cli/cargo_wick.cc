// SPDX-License-Identifier: Apache-2.0
#include "cli/cargo_wick.h"

#include <algorithm>
#include <cstdio>

#include "base/escape.h"
#include "base/path.h"
#include "cli/command.h"
#include "cli/program.h"
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

const Flag* find_wick_flag(std::string_view word) {
  if (!word.starts_with("--")) {
    return nullptr;
  }
  std::string_view name = word.substr(2, word.find('=') - 2);
  // Both programs have --quiet. It goes to cargo, as with every cargo command.
  if (name == "quiet" || name == "build") {
    return nullptr;
  }
  const Command* run = find_command("run");
  auto flag = std::ranges::find(run->flags, name, &Flag::name);
  return flag != run->flags.end() ? &*flag : nullptr;
}

bool chooses_profile(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word == "-r" || word == "--release" || word == "--profile" ||
           word.starts_with("--profile=");
  });
}

}  // namespace

bool is_cargo_wick(std::string_view program) {
  return file_name_of(program) == "cargo-wick";
}

CargoCall split_cargo_words(const std::vector<std::string>& words) {
  CargoCall call;
  auto end = std::ranges::find(words, "--");
  for (auto word = words.begin(); word != end; ++word) {
    if (*word == "--help" || *word == "-h") {
      call.asks_for_help = true;
    }
    const Flag* flag = find_wick_flag(*word);
    if (flag == nullptr) {
      call.cargo.push_back(*word);
      continue;
    }
    call.wick.push_back(*word);
    bool has_value = flag->kind != FlagKind::kSwitch && flag->kind != FlagKind::kOptional &&
                     word->find('=') == std::string::npos;
    if (has_value && word + 1 != end) {
      call.wick.push_back(*++word);
    }
  }
  if (end != words.end()) {
    call.program.assign(end + 1, words.end());
  }
  std::vector<std::string> build = {"build", "--message-format=json-render-diagnostics"};
  if (!chooses_profile(call.cargo)) {
    build.emplace_back("--release");
  }
  call.cargo.insert(call.cargo.begin(), build.begin(), build.end());
  return call;
}

int run_cargo_wick(const std::vector<std::string>& arguments) {
  // cargo passes the name of the command as the first argument.
  bool named = !arguments.empty() && arguments[0] == "wick";
  CargoCall call = split_cargo_words({arguments.begin() + (named ? 1 : 0), arguments.end()});
  if (call.asks_for_help) {
    std::fwrite(kHelp.data(), 1, kHelp.size(), stdout);
    return kDone;
  }
  CargoBuild built = build_with_cargo(call.cargo);
  const std::vector<std::string>& programs = built.programs;
  if (built.status != 0) {
    std::fprintf(stderr, "wick: the build failed, so nothing was recorded.\n");
    return built.status;
  }
  if (programs.size() != 1) {
    std::string names;
    for (const std::string& program : programs) {
      names += names.empty() ? "" : ", ";
      names += file_name_of(program);
    }
    std::fprintf(stderr,
                 "wick: the build produced %s; choose one with --bin NAME or --example NAME.\n",
                 programs.empty() ? "no program" : terminal_text(names).c_str());
    return kFailure;
  }
  std::vector<std::string> words = {"run"};
  words.insert(words.end(), call.wick.begin(), call.wick.end());
  words.insert(words.end(), {"--", programs[0]});
  words.insert(words.end(), call.program.begin(), call.program.end());
  return run_program(words);
}

}  // namespace wick
