// SPDX-License-Identifier: Apache-2.0
// Steps for each path: open it, choose its format, and read it. Recordings go through a pipeline,
// and profiles are read as they are. Then the profiles are merged into one.
//
// Names are looked up as early as possible, since the pipeline knows where modules were loaded. But
// symbols that the user gives apply to the merged profile: only all files together show whether
// they fit.
#include "acquire/acquire.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <sys/stat.h>

#include "base/escape.h"
#include "base/input.h"
#include "formats/kprofiling_names.h"
#include "formats/unsupported.h"
#include "pipeline/pipeline.h"
#include "profile/lost_share.h"
#include "profile/merge.h"
#include "profile/validate.h"

namespace wick::acquire {
namespace {

timespec modified(const char* path) {
  struct stat status = {};
  return ::stat(path, &status) == 0 ? status.st_mtim : timespec{-1, 0};
}

bool is_newer(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

// The flags that all readers declare, without values.
FlagValues no_flags() {
  FlagValues flags;
  for (const Format& format : all_formats()) {
    flags.declare(format.read_flags);
  }
  return flags;
}

class Reader {
 public:
  explicit Reader(const Options& options)
      : options_(options), flags_(options.read_flags ? *options.read_flags : no_flags()) {}

  Result<> add(const std::string& path, bool is_alone) {
    std::unique_ptr<Progress> progress;
    if (options_.progress) {
      progress = options_.progress(path);
    }
    Result<Input> opened = Input::open(path, progress.get());
    if (std::string_view advice = opened ? "" : advice_for_directory(path); !advice.empty()) {
      return fail("{} {}.", terminal_text(path), advice);
    }
    Input input = TRY(std::move(opened));
    Result<const Format*> chosen = choose_format(input);
    if (!chosen && input.head().empty() && !is_alone) {
      empty_file_ = chosen.error();
      result_.formats.push_back(nullptr);
      result_.notes.push_back(
          fmt::format("{} is empty: no data from this CPU.", terminal_text(path)));
      return {};
    }
    const Format* format = TRY(std::move(chosen));
    if (std::string tie = is_chosen() ? "" : tie_text(input, *format); !tie.empty()) {
      result_.notes.push_back(std::move(tie));
    }
    profiles_.push_back(TRY(read_one(*format, input)));
    if (profiles_.back().samples.empty()) {
      result_.notes.push_back(fmt::format(
          "There are no samples in {}; `wick info` shows what it contains.", terminal_text(path)));
    }
    result_.formats.push_back(format);
    result_.stored_bytes += input.stored_bytes();
    return {};
  }

  Result<Acquired> finish() && {
    TRY(check_empty_files());
    result_.profile = TRY(merge(std::move(profiles_)));
    // The files of a recording show together whether symbols fit, and where a program was loaded.
    if (has_given_symbols_) {
      NameOptions names = options_.names;
      names.again = options_.renames;
      result_.profile = with_names(std::move(result_.profile), names);
    }
    result_.lost_share = lost_share(result_.profile);
    note_unused_symbols();
    return std::move(result_);
  }

  // The format that the options name or imply, else the one of the input's content.
  Result<const Format*> choose_format(const Input& input) const {
    if (!options_.format.empty()) {
      const Format* format = find_format(options_.format);
      return format != nullptr
                 ? Result<const Format*>(format)
                 : fail_usage("Unknown input format \"{}\"; `wick formats` lists all formats.",
                              terminal_text(options_.format));
    }
    for (const Format& format : all_formats()) {
      if (!format.implied_by.empty() && flags_.given(format.implied_by)) {
        return &format;
      }
    }
    return recognise(input);
  }

 private:
  bool is_chosen() const { return !options_.format.empty(); }

  // The pipeline turns recordings into profiles. Finished profiles are read as they are, unless
  // names are missing or the caller asks for them again.
  Result<Profile> read_one(const Format& format, Input& input) {
    NameOptions names = options_.names;
    if (names.kallsyms.empty() && !input.directory().empty()) {
      names.kallsyms = input.directory() + "/kcore_dir/kallsyms";
    }
    if (timespec written = modified(input.name().c_str()); written.tv_sec >= 0) {
      names.recorded_ns = int64_t{written.tv_sec} * 1'000'000'000 + written.tv_nsec;
    }
    if (format.read_events != nullptr) {
      Pipeline pipeline(names, {.stitches = options_.stitches});
      TRY(format.read_events(input, flags_, pipeline));
      Profile profile = pipeline.finish();
      TRY(validate(profile));
      return profile;
    }
    if (format.read_profile == nullptr) {
      return fail("{} has the format {} ({}), which wick can write, but not read.",
                  terminal_text(input.name()),
                  format.name,
                  format.help);
    }
    Profile profile = kprofiling::with_plain_names(TRY(format.read_profile(input, flags_)));
    TRY(validate(profile));
    names.again = options_.renames;
    if (!names.symbols.empty()) {
      has_given_symbols_ = true;
    } else if (options_.renames || lacks_names(profile)) {
      profile = with_names(std::move(profile), names);
    }
    return profile;
  }

  // A misspelled name of a program would look like missing symbols.
  void note_unused_symbols() {
    const Profile& profile = result_.profile;
    for (const GivenSymbols& given : options_.names.symbols) {
      auto is_it = [&](const Module& module) {
        return profile.strings[module.path] == given.module;
      };
      if (std::ranges::none_of(profile.modules, is_it)) {
        result_.unused.push_back(fmt::format(
            "The symbols in {} are not used: the profile has no addresses of {}; `wick report --by "
            "module` lists the modules.",
            terminal_text(given.path),
            given.module == kForeignKernel ? "another system's kernel"
                                           : terminal_text(given.module)));
      }
    }
    result_.notes.insert(result_.notes.end(), result_.unused.begin(), result_.unused.end());
  }

  // perf writes one file per CPU, and the file of a CPU without samples is empty. So an empty file
  // is fine if all others have such a format. Next to any other file, a part is missing.
  Result<> check_empty_files() {
    auto known =
        std::ranges::find_if(result_.formats, [](const Format* f) { return f != nullptr; });
    bool all_per_cpu = std::ranges::all_of(result_.formats, [](const Format* format) {
      return format == nullptr || format->is_file_per_cpu;
    });
    if (empty_file_ && (known == result_.formats.end() || !all_per_cpu)) {
      return std::unexpected(*empty_file_);
    }
    if (empty_file_) {
      std::ranges::replace(result_.formats, nullptr, *known);
    }
    return {};
  }

  const Options& options_;
  FlagValues flags_;
  std::vector<Profile> profiles_;
  bool has_given_symbols_ = false;  // for profiles that were read
  std::optional<Error> empty_file_;
  Acquired result_;
};

bool is_regular_file(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::set<int32_t> cpus_of(const Profile& profile) {
  std::set<int32_t> cpus;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    cpus.insert(profile.samples.cpu[row]);
  }
  return cpus;
}

}  // namespace

Result<Acquired> read(const std::vector<std::string>& paths, const Options& options) {
  if (paths.empty()) {
    return fail("There is nothing to read: no path is given.");
  }
  Reader reader(options);
  for (const std::string& path : paths) {
    TRY(reader.add(path, paths.size() == 1));
  }
  return std::move(reader).finish();
}

std::optional<std::string> newest_recording() {
  constexpr std::array<const char*, 2> kNames = {"profile.wick", "perf.data"};
  const char* newest = is_newer(modified(kNames[1]), modified(kNames[0])) ? kNames[1] : kNames[0];
  return modified(newest).tv_sec < 0 ? std::nullopt : std::optional<std::string>(newest);
}

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat left = {};
  struct stat right = {};
  return ::stat(a.c_str(), &left) == 0 && ::stat(b.c_str(), &right) == 0 && S_ISREG(left.st_mode) &&
         left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

Result<std::vector<std::vector<std::string>>> runs_of(const std::vector<std::string>& paths,
                                                      const Options& options) {
  std::vector<std::vector<std::string>> runs;
  std::optional<std::set<int32_t>> seen;  // the CPUs of the last run, if others can join it
  Reader reader(options);
  for (const std::string& path : paths) {
    std::optional<std::set<int32_t>> cpus;
    // Standard input and pipes can be read only once.
    if (paths.size() > 1 && is_regular_file(path)) {
      Input input = TRY(Input::open(path, nullptr));
      Result<const Format*> format = reader.choose_format(input);
      if (input.head().empty()) {
        cpus.emplace();
      } else if (format && (*format)->is_file_per_cpu) {
        cpus = cpus_of(TRY(read({path}, options)).profile);
      }
    }
    bool joins = cpus && seen &&
                 std::ranges::none_of(*cpus, [&](int32_t cpu) { return seen->contains(cpu); });
    if (joins) {
      runs.back().push_back(path);
      seen->merge(*cpus);
    } else {
      runs.push_back({path});
      seen = std::move(cpus);
    }
  }
  return runs;
}

}  // namespace wick::acquire
