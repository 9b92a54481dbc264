// SPDX-License-Identifier: Apache-2.0
#include "cli/load.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include <sys/stat.h>

#include "analyze/summary.h"
#include "base/escape.h"
#include "cli/status_line.h"
#include "cli/tty.h"
#include "pipeline/unused_content.h"
#include "views/numbers.h"

namespace wick {
namespace {

constexpr std::array kInputFlags = {
    Flag{"input",
         'i',
         FlagKind::kPath,
         "FILE",
         "",
         "the profile to read (the same flag as in perf)"},
    Flag{"format",
         '\0',
         FlagKind::kText,
         "NAME",
         "",
         "the input's format, if wick does not recognise it"},
    Flag{.name = "stitch", .help = "complete truncated stacks from earlier stacks of the thread"},
    Flag{"symfs",
         '\0',
         FlagKind::kPath,
         "DIR",
         "",
         "search for recorded files below this directory"},
    Flag{"debug-dir",
         '\0',
         FlagKind::kPath,
         "DIR",
         "",
         "also search this directory for separate debug files, by build id or by name"},
    Flag{"kallsyms",
         '\0',
         FlagKind::kPath,
         "FILE",
         "",
         "names of kernel functions, in the format of /proc/kallsyms"},
    Flag{
        "symbols",
        '\0',
        FlagKind::kTexts,
        "[NAME=]FILE[@ADDRESS]",
        "",
        "the kernel of a Redox recording, or its nm -CS output; with NAME= a program of that "
        "recording, and with @0xADDRESS where it was loaded, if wick cannot infer it (repeatable)"},
    Flag{.name = "debuginfod",
         .help = "ask the servers in DEBUGINFOD_URLS for missing debug files"},
    Flag{.name = "no-inline",
         .help = "names from symbol tables only: no lines, no inlined functions"},
};

// The flags are optional, but a path that the user gave must exist. Otherwise a typing error would
// look like missing names.
Result<> check_named_paths(const FlagValues& flags) {
  for (std::string_view flag : {"symfs", "debug-dir", "kallsyms"}) {
    struct stat status = {};
    std::string path = flags.given(flag) ? flags.text(flag) : "/";
    if (::stat(path.c_str(), &status) != 0) {
      return fail_usage(
          "--{}: cannot open {}: {}.", flag, terminal_text(path), std::strerror(errno));
    }
    bool is_file = flag == "kallsyms";
    if (!is_file && !S_ISDIR(status.st_mode)) {
      return fail_usage("--{}: {} is not a directory.", flag, terminal_text(path));
    }
    if (is_file && flags.given(flag) && !S_ISREG(status.st_mode)) {
      return fail_usage("--{}: {} is not a regular file.", flag, terminal_text(path));
    }
  }
  if (flags.given("kallsyms")) {
    TRY(check_kallsyms(flags.text("kallsyms")));
  }
  return {};
}

bool names_sources(const FlagValues& flags) {
  return std::ranges::any_of(
      std::to_array<std::string_view>({"symfs", "debug-dir", "kallsyms", "debuginfod"}),
      [&](std::string_view flag) { return flags.is_declared(flag) && flags.given(flag); });
}

Result<std::string> newest_recording() {
  std::optional<std::string> newest = acquire::newest_recording();
  if (!newest) {
    return fail_usage(
        "No profile given, and neither ./profile.wick nor ./perf.data exists; name a file.");
  }
  say(fmt::format("reading ./{}, the newest recording in this directory.", *newest));
  return *newest;
}

}  // namespace

Result<NameOptions> name_sources(const FlagValues& flags) {
  NameOptions sources = usual_names();
  sources.files = file_search(flags);
  sources.kallsyms = flags.text("kallsyms");
  sources.symbols = TRY(parse_given_symbols(flags.texts("symbols")));
  sources.inlines = !flags.is_set("no-inline");
  if (flags.is_declared("debuginfod") && flags.is_set("debuginfod")) {
    const char* urls = std::getenv("DEBUGINFOD_URLS");
    sources.debuginfod = urls != nullptr && *urls != '\0' ? urls : " ";
    sources.on_download = [progress = std::make_shared<DownloadProgress>()](
                              size_t done, size_t files) { progress->show(done, files); };
  }
  return sources;
}

std::vector<Flag> input_flags() {
  std::vector<Flag> flags(kInputFlags.begin(), kInputFlags.end());
  for (const Format& format : all_formats()) {
    flags.insert(flags.end(), format.read_flags.begin(), format.read_flags.end());
  }
  return flags;
}

FileSearch file_search(const FlagValues& flags) {
  FileSearch search = default_file_search();
  search.symfs = flags.text("symfs");
  if (flags.given("debug-dir")) {
    search.debug_dirs.insert(search.debug_dirs.begin(), flags.text("debug-dir"));
    search.listed = list_files_by_build_id(flags.text("debug-dir"));
  }
  return search;
}

Result<std::vector<std::string>> choose_inputs(const std::vector<std::string>& words,
                                               const FlagValues& flags) {
  std::vector<std::string> paths = words;
  if (flags.given("input")) {
    paths.push_back(flags.text("input"));
  }
  if (paths.empty()) {
    paths.push_back(TRY(newest_recording()));
  }
  for (const std::string& path : paths) {
    if (flags.given("output") && acquire::is_same_file(path, flags.text("output"))) {
      return fail_usage("-o {} would overwrite the input.", terminal_text(path));
    }
  }
  if (std::ranges::count(paths, "-") > 1) {
    return fail_usage("Standard input (-) can be read only once.");
  }
  return paths;
}

std::vector<std::string> unused_content(const Profile& profile) {
  std::vector<std::string> texts;
  for (const LossLine& line : loss_lines(profile)) {
    if (is_about_unused_content(line.reason)) {
      texts.push_back(loss_text(line));
    }
  }
  return texts;
}

Result<acquire::Options> input_options(const FlagValues& flags, FinishedNames finished) {
  TRY(check_named_paths(flags));
  return acquire::Options{
      .format = flags.text("format"),
      .names = TRY(name_sources(flags)),
      .renames = finished == FinishedNames::kFromNamedSources && names_sources(flags),
      .stitches = flags.is_set("stitch"),
      .read_flags = &flags,
      .progress = [](const std::string& path) { return std::make_unique<ReadProgress>(path); }};
}

Result<Loaded> load(const std::vector<std::string>& paths,
                    const FlagValues& flags,
                    FinishedNames finished) {
  acquire::Options options = TRY(input_options(flags, finished));
  return acquire::read(paths, options);
}

}  // namespace wick
