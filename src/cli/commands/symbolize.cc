// SPDX-License-Identifier: Apache-2.0
// wick symbolize: adds names and lines to a profile later, when the files are available; or prints
// the names and lines of addresses, as addr2line does.
#include <array>
#include <cstdio>

#include "analyze/module_contents.h"
#include "analyze/summary.h"
#include "base/escape.h"
#include "base/input.h"
#include "base/output.h"
#include "base/whole_input.h"
#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/show.h"
#include "cli/tty.h"
#include "profile/validate.h"
#include "symbolize/address_listing.h"
#include "views/choice.h"
#include "views/numbers.h"

namespace wick {
namespace {

constexpr std::array kSymbolizeFlags = {
    Flag{"output", 'o', FlagKind::kPath, "FILE", "", "where to write (default: FILE itself)"},
    Flag{"exe",
         'e',
         FlagKind::kPath,
         "FILE",
         "",
         "look up addresses in this program: from the arguments, or lines of standard input"},
    Flag{.name = "addresses", .letter = 'a', .help = "with --exe: print the address first"},
    Flag{.name = "with-columns", .help = "with --exe: FILE:LINE:COLUMN"},
    Flag{.name = "linkage-names", .help = "with --exe: mangled names, as the linker uses them"},
    Flag{.name = "lines-only", .help = "with --exe: FILE:LINE of each frame, without functions"},
    Flag{.name = "summary",
         .help = "with --exe: print the number of names and lines, and the time, on stderr"},
};

// Prints to stderr how many names each module got.
void report(const Profile& profile,
            const std::vector<NamedAddresses>& before,
            const std::vector<NamedModule>& modules) {
  std::vector<NamedAddresses> after = named_addresses(profile);
  for (const NamedModule& row : modules) {
    size_t module = row.module.index();
    std::string text = fmt::format("{}: {} {}, {} named ({} before), {} with lines ({} before)",
                                   terminal_text(profile.strings[profile.modules[row.module].path]),
                                   after[module].addresses,
                                   after[module].addresses == 1 ? "address" : "addresses",
                                   after[module].named,
                                   before[module].named,
                                   after[module].with_lines,
                                   before[module].with_lines);
    if (!row.binary.empty() || !row.debug.empty()) {
      text += fmt::format("; from {}{}{}",
                          terminal_text(row.binary),
                          row.binary.empty() || row.debug.empty() ? "" : " and ",
                          terminal_text(row.debug));
    }
    if (!row.problem.empty()) {
      text += fmt::format("; {}", terminal_text(row.problem));
    }
    say(text + ".");
  }
}

Result<std::vector<uint64_t>> asked_addresses(const Invocation& call) {
  std::vector<uint64_t> addresses;
  for (const std::string& word : call.words) {
    TRY(read_addresses(word, addresses));
  }
  if (call.words.empty()) {
    Input input = TRY(Input::open("-", nullptr));
    WholeInput text(input);
    if (!text.error().empty()) {
      return fail("Cannot read the addresses: {}.", text.error());
    }
    TRY(read_addresses(text.text(), addresses));
  }
  return addresses;
}

void report(const AddressSummary& found) {
  auto count = [](size_t number) { return count_text(static_cast<double>(number)); };
  std::string text =
      fmt::format("{} {}, {} named, {} with lines; {} cached by earlier runs; found in {:.1f} ms",
                  count(found.addresses),
                  found.addresses == 1 ? "address" : "addresses",
                  count(found.named),
                  count(found.with_lines),
                  count(found.cached),
                  1e3 * found.seconds);
  say(text + ".");
}

// Prints the format of addr2line -f -i, or of addr2line -i.
Result<int> report_addresses(const Invocation& call) {
  if (call.flags.given("lines-only") && call.flags.given("linkage-names")) {
    return fail_usage(
        "--lines-only prints no names, and --linkage-names chooses which: use only one of them.");
  }
  if (call.flags.given("lines-only") && call.flags.given("no-inline")) {
    return fail_usage(
        "--no-inline omits lines, and --lines-only prints nothing else: use only one of them.");
  }
  std::vector<uint64_t> addresses = TRY(asked_addresses(call));
  NameOptions sources = TRY(name_sources(call.flags));
  std::string output = call.flags.given("output") ? call.flags.text("output") : "-";
  Output out = TRY(Output::to_path(output));
  AddressSummary summary = TRY(list_addresses({.path = call.flags.text("exe"),
                                               .search = sources.files,
                                               .cache = sources.cache,
                                               .inlines = sources.inlines,
                                               .linkage_names = call.flags.given("linkage-names"),
                                               .lines_only = call.flags.given("lines-only"),
                                               .columns = call.flags.given("with-columns"),
                                               .addresses = call.flags.given("addresses")},
                                              addresses,
                                              out));
  TRY(out.finish());
  for (const auto& [text, debug_file] : summary.shortcomings) {
    const std::string& path = debug_file.empty() ? call.flags.text("exe") : debug_file;
    say(fmt::format("{}: {}.", terminal_text(path), text));
  }
  if (call.flags.given("summary")) {
    report(summary);
  }
  return 0;
}

Result<int> run_symbolize(const Invocation& call) {
  if (call.flags.given("exe")) {
    return report_addresses(call);
  }
  for (const char* flag : {"addresses", "with-columns", "linkage-names", "lines-only", "summary"}) {
    if (call.flags.given(flag)) {
      return fail_usage("--{} needs --exe.", flag);
    }
  }
  std::vector<std::string> paths = TRY(choose_inputs(call.words, call.flags));
  if (paths.size() != 1) {
    return fail_usage("wick symbolize takes one file.");
  }
  Loaded loaded = TRY(load(paths, call.flags, FinishedNames::kAsTheyAre));
  const Format* native = find_format("wick");
  std::string output = call.flags.text("output");
  if (names_no_recording(output)) {
    return fail_usage(
        "wick symbolize writes .wick files, and -o {} is the name of another kind of file; `wick "
        "convert` writes others.",
        terminal_text(output));
  }
  if (output.empty()) {
    if (loaded.formats[0] != native || paths[0] == "-") {
      return fail_usage("{} is not a .wick file; name the file to write with -o FILE.wick.",
                        terminal_text(paths[0]));
    }
    output = paths[0];
  }
  NameOptions sources = TRY(name_sources(call.flags));
  sources.again = true;
  std::vector<NamedAddresses> before = named_addresses(loaded.profile);
  std::vector<NamedModule> modules;
  Profile profile = with_names(std::move(loaded.profile), sources, &modules);
  TRY(validate(profile));
  Output out = TRY(Output::to_path(output));
  TRY(native->write_profile(profile, call.flags, out));
  TRY(out.finish());
  report(profile, before, modules);
  std::vector<std::string> alarmed = alarms(profile);
  print_cautions(alarmed);
  print_loss_and_notes(loss_lines(profile), {});
  say(fmt::format("wrote {}.", terminal_text(output)));
  return status_for_loss(loaded.lost_share, !alarmed.empty(), call.flags);
}

}  // namespace

Command symbolize_command() {
  Command command{.name = "symbolize",
                  .help = "add names and lines to an existing profile, from files on this machine",
                  .words = "FILE",
                  .examples = {"wick symbolize profile.wick --symfs ./copied",
                               "wick symbolize perf.data --debug-dir ./debug -o named.wick",
                               "wick symbolize --exe ./program 0x11d9 0x1204"},
                  .run = run_symbolize,
                  .family = VerbFamily::kFiles};
  append_flags(command.flags, kSymbolizeFlags);
  append_flags(command.flags, input_flags());
  append_flags(command.flags, loss_flags());
  return command;
}

}  // namespace wick
