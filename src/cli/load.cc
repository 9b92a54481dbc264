#include "cli/load.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <sys/stat.h>

#include "base/escape.h"
#include "cli/progress_line.h"
#include "pipeline/pipeline.h"
#include "profile/lost_share.h"
#include "profile/merge.h"
#include "profile/validate.h"

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
    Flag{"stitch",
         '\0',
         FlagKind::kSwitch,
         "",
         "",
         "complete truncated stacks from earlier stacks of the thread"},
    Flag{"symfs", '\0', FlagKind::kPath, "DIR", "", "look for recorded files below this directory"},
    Flag{"debug-dir", '\0', FlagKind::kPath, "DIR", "", "also look here for separate debug files"},
    Flag{"kallsyms",
         '\0',
         FlagKind::kPath,
         "FILE",
         "",
         "names of kernel functions, in the format of /proc/kallsyms"},
    Flag{"symbols",
         '\0',
         FlagKind::kPath,
         "FILE",
         "",
         "the kernel of a Redox recording, or its nm -CS output"},
    Flag{"debuginfod",
         '\0',
         FlagKind::kSwitch,
         "",
         "",
         "ask the servers in DEBUGINFOD_URLS for missing debug files"},
    Flag{"no-inline",
         '\0',
         FlagKind::kSwitch,
         "",
         "",
         "names from symbol tables only: no lines, no inlined functions"},
};

timespec modified(const char* path) {
  struct stat status = {};
  return ::stat(path, &status) == 0 ? status.st_mtim : timespec{-1, 0};
}

bool is_newer(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat left = {};
  struct stat right = {};
  return ::stat(a.c_str(), &left) == 0 && ::stat(b.c_str(), &right) == 0 && S_ISREG(left.st_mode) &&
         left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

Result<std::string> newest_recording() {
  constexpr std::array<const char*, 2> kNames = {"profile.wick", "perf.data"};
  const char* newest = kNames[0];
  if (is_newer(modified(kNames[1]), modified(kNames[0]))) {
    newest = kNames[1];
  }
  if (modified(newest).tv_sec < 0) {
    return fail_usage(
        "No profile given, and neither ./profile.wick nor ./perf.data exists; name a file.");
  }
  std::fprintf(stderr, "wick: reading ./%s, the newest recording in this directory.\n", newest);
  return std::string(newest);
}

Result<const Format*> choose_format(const Input& input, const FlagValues& flags) {
  if (!flags.given("format")) {
    // Who describes the fields of a text says what kind of text it is.
    return flags.given("fields") ? find_format("redox") : recognise(input);
  }
  const Format* format = find_format(flags.text("format"));
  if (format == nullptr) {
    return fail_usage("Unknown input format \"{}\"; `wick formats` lists all formats.",
                      terminal_text(flags.text("format")));
  }
  return format;
}

// Where to look for files is optional, but what was named must be there: else a slip of the pen
// would look like missing names.
Result<> check_named_places(const FlagValues& flags) {
  for (std::string_view flag : {"symfs", "debug-dir", "kallsyms", "symbols"}) {
    struct stat status = {};
    std::string path = flags.given(flag) ? flags.text(flag) : "/";
    if (::stat(path.c_str(), &status) != 0) {
      return fail_usage(
          "--{}: cannot open {}: {}.", flag, terminal_text(path), std::strerror(errno));
    }
    bool is_file = flag == "kallsyms" || flag == "symbols";
    if (!is_file && !S_ISDIR(status.st_mode)) {
      return fail_usage("--{}: {} is not a directory.", flag, terminal_text(path));
    }
  }
  return flags.given("symbols") ? check_symbols(flags.text("symbols")) : Result<>();
}

NameSources name_sources_of(const Input& input, const FlagValues& flags) {
  NameSources sources = name_sources(flags);
  if (sources.kallsyms.empty() && !input.directory().empty()) {
    sources.kallsyms = input.directory() + "/kcore_dir/kallsyms";
  }
  return sources;
}

bool names_sources(const FlagValues& flags) {
  return std::ranges::any_of(
      std::to_array<std::string_view>({"symfs", "debug-dir", "kallsyms", "debuginfod"}),
      [&](std::string_view flag) { return flags.given(flag); });
}

// Recordings become profiles in the pipeline. Finished profiles are read as they are, but who says
// where names are wants what is lacking from there.
Result<Profile> read(const Format& format,
                     Input& input,
                     const FlagValues& flags,
                     FinishedNames finished) {
  if (format.read_events != nullptr) {
    Pipeline pipeline(name_sources_of(input, flags), {.stitches = flags.given("stitch")});
    TRY(format.read_events(input, flags, pipeline));
    Profile profile = pipeline.finish();
    TRY(validate(profile));
    return profile;
  }
  if (format.read_profile == nullptr) {
    return fail("wick can write {}, but not read it.", format.help);
  }
  Profile profile = TRY(format.read_profile(input, flags));
  TRY(validate(profile));
  bool again = finished == FinishedNames::kFromNamedSources && names_sources(flags);
  if (again || lacks_names(profile) || flags.given("symbols")) {
    NameSources sources = name_sources_of(input, flags);
    sources.again = again;
    profile = with_names(std::move(profile), sources);
  }
  return profile;
}

}  // namespace

NameSources name_sources(const FlagValues& flags) {
  NameSources sources;
  sources.files = file_search(flags);
  sources.kept = KeptFiles::of_this_user();
  sources.kallsyms = flags.text("kallsyms");
  sources.symbols = flags.text("symbols");
  sources.inlines = !flags.is_set("no-inline");
  if (flags.is_set("debuginfod")) {
    const char* urls = std::getenv("DEBUGINFOD_URLS");
    sources.debuginfod = urls != nullptr && *urls != '\0' ? urls : " ";
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
    if (flags.given("output") && is_same_file(path, flags.text("output"))) {
      return fail_usage("-o {} would overwrite the input.", terminal_text(path));
    }
  }
  if (std::ranges::count(paths, "-") > 1) {
    return fail_usage("Standard input (-) can be read only once.");
  }
  return paths;
}

Result<Loaded> load(const std::vector<std::string>& paths,
                    const FlagValues& flags,
                    FinishedNames finished) {
  TRY(check_named_places(flags));
  Loaded loaded;
  std::vector<Profile> profiles;
  std::optional<Error> empty_file;
  for (const std::string& path : paths) {
    ProgressLine progress(path);
    Input input = TRY(Input::open(path, &progress));
    Result<const Format*> recognised = choose_format(input, flags);
    if (!recognised && input.head().empty() && paths.size() > 1) {
      empty_file = recognised.error();
      loaded.formats.push_back(find_format("redox"));
      loaded.notes.push_back(
          fmt::format("{} is empty: no data from this CPU.", terminal_text(path)));
      continue;
    }
    const Format* format = TRY(std::move(recognised));
    profiles.push_back(TRY(read(*format, input, flags, finished)));
    if (profiles.back().samples.size() == 0) {
      loaded.notes.push_back(fmt::format(
          "There are no samples in {}; `wick info` shows what it contains.", terminal_text(path)));
    }
    loaded.formats.push_back(format);
    loaded.stored_bytes += input.stored_bytes();
  }
  // Only a ring of a kernel is rightly empty; other files beside an empty one lack a part.
  auto is_rings = [](const Format* format) { return format->name == "redox"; };
  if (empty_file && (profiles.empty() || !std::ranges::all_of(loaded.formats, is_rings))) {
    return std::unexpected(*empty_file);
  }
  loaded.profile = TRY(merge(std::move(profiles)));
  loaded.lost_share = lost_share(loaded.profile);
  return loaded;
}

Result<> filter_run(Loaded& loaded, const FlagValues& flags, KeepEvents keep_events) {
  Filter filter = TRY(parse_filter(flags));
  filter.keep_events = keep_events;
  Filtered filtered = TRY(apply_filter(std::move(loaded.profile), filter));
  loaded.profile = std::move(filtered.profile);
  loaded.notes.insert(loaded.notes.end(), filtered.notes.begin(), filtered.notes.end());
  loaded.kept = filtered.kept;
  return {};
}

Result<> filter_loaded(Loaded& loaded, const FlagValues& flags, KeepEvents keep_events) {
  TRY(filter_run(loaded, flags, keep_events));
  if (loaded.kept < 1) {
    loaded.notes.push_back(kept_text(loaded.kept, loaded.kept));
  }
  return {};
}

}  // namespace wick
