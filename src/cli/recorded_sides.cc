#include "cli/recorded_sides.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/escape.h"
#include "cli/load.h"
#include "cli/recording.h"
#include "experiment/paired_runs.h"
#include "experiment/run_and_wait.h"
#include "experiment/worktree.h"
#include "profile/filter.h"
#include "profile/lost_share.h"

namespace wick {
namespace {

constexpr uint64_t kMostRuns = 1000;
constexpr uint64_t kUsualRuns = 5;

constexpr std::array kSideFlags = {
    Flag{"repeat",
         '\0',
         FlagKind::kInteger,
         "N",
         "0",
         "record N alternating runs of two commands: --repeat 5 -- A -- B"},
    Flag{"git",
         '\0',
         FlagKind::kText,
         "BEFORE..AFTER",
         "",
         "record a command at two commits, each built in its own worktree"},
    Flag{
        "build", '\0', FlagKind::kText, "COMMAND", "", "with --git: the shell command that builds"},
    Flag{"frequency", 'F', FlagKind::kText, "HZ|max", "997", "samples per second while recording"},
    Flag{"keep", '\0', FlagKind::kPath, "DIR", "", "keep the recordings in this directory"},
};

// ---- Stopping -----------------------------------------------------------------------------------

volatile std::sig_atomic_t stopped_by = 0;

// While this lives, a signal ends the experiment between two runs instead of wick at once.
class StopWatch {
 public:
  StopWatch() {
    stopped_by = 0;
    struct sigaction action = {};
    action.sa_handler = [](int number) { stopped_by = number; };
    for (size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], &action, &before_[i]);
    }
  }
  ~StopWatch() {
    for (size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], &before_[i], nullptr);
    }
  }
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_ = {};
};

Result<> check_stopped() {
  return stopped_by == 0 ? Result<>() : fail("Stopped by a signal.");
}

// ---- Places -------------------------------------------------------------------------------------

class TemporaryDirectory {
 public:
  static Result<TemporaryDirectory> make() {
    const char* base = std::getenv("TMPDIR");
    std::string path = fmt::format("{}/wick-diff-XXXXXX", base == nullptr ? "/tmp" : base);
    if (::mkdtemp(path.data()) == nullptr) {
      return fail("Cannot create {}: {}.", terminal_text(path), std::strerror(errno));
    }
    return TemporaryDirectory(std::move(path));
  }
  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) {
      std::filesystem::remove_all(path_, ignored);
    }
  }
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// The working directory, until this ends.
class InDirectory {
 public:
  explicit InDirectory(const std::string& directory)
      : back_(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
        moved_(directory.empty() || ::chdir(directory.c_str()) == 0) {}
  ~InDirectory() {
    if (::fchdir(back_.get()) != 0) {
      std::fprintf(stderr, "wick: the working directory no longer exists.\n");
    }
  }
  InDirectory(const InDirectory&) = delete;
  InDirectory& operator=(const InDirectory&) = delete;
  bool moved() const { return moved_; }

 private:
  Descriptor back_;
  bool moved_;
};

// ---- What is run --------------------------------------------------------------------------------

struct Variant {
  std::string name;
  std::vector<std::string> command;
  std::string directory;  // empty for where we are
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

Result<std::vector<Variant>> two_commands(const Invocation& call) {
  auto split = std::ranges::find(call.words, "--");
  bool from_dashes = call.words_before_dashes && *call.words_before_dashes == 0;
  if (!from_dashes || split == call.words.end() || split == call.words.begin() ||
      split + 1 == call.words.end() ||
      std::find(split + 1, call.words.end(), "--") != call.words.end()) {
    return fail_usage("--repeat needs two commands: `wick diff --repeat 5 -- BEFORE -- AFTER`.");
  }
  std::vector<Variant> variants(2);
  variants[0].command.assign(call.words.begin(), split);
  variants[1].command.assign(split + 1, call.words.end());
  for (Variant& variant : variants) {
    variant.name = joined(variant.command);
  }
  return variants;
}

Result<> build(const Worktree& tree, const std::string& line) {
  if (line.empty()) {
    return {};
  }
  std::fprintf(stderr, "wick: building %s.\n", tree.commit().c_str());
  int status = run_stoppable_line(line, tree.directory(), stopped_by);
  TRY(check_stopped());
  if (status != 0) {
    return fail("The build of {} failed: {}", tree.commit(), terminal_text(line));
  }
  return {};
}

// One recorded run.
struct Run {
  Profile profile;
  std::vector<std::string> notes;
  double kept = 1;  // by the filters
  double lost_share = 0;
  double seconds = 0;
};

class Recorder {
 public:
  static Result<Recorder> make(const FlagValues& flags, std::string directory) {
    Recorder recorder(std::move(directory));
    recorder.flags_.declare(recording_flags());
    recorder.flags_.set("frequency", flags.text("frequency"));
    recorder.flags_.set("quiet", "1");
    recorder.filter_ = TRY(parse_filter(flags));
    recorder.filter_.keep_events = KeepEvents::kFirst;
    if (flags.given("event")) {  // that one is recorded, and it is the only one
      recorder.flags_.add("event", flags.text("event"));
      recorder.filter_.event.clear();
    }
    return recorder;
  }

  // Nothing stays of a run that failed or was stopped.
  Result<Run> run(const Variant& variant, const std::string& file) {
    std::string path = fmt::format("{}/{}.wick", directory_, file);
    Result<Run> done = record(variant, path);
    if (!done) {
      ::unlink(path.c_str());
    }
    return done;
  }

  // Of each of them, which is not compared.
  Result<> warm_up(const Variant& variant) {
    TRY(run(variant, "warm-up"));
    ::unlink(fmt::format("{}/warm-up.wick", directory_).c_str());
    return {};
  }

 private:
  Result<Run> record(const Variant& variant, const std::string& path) {
    TRY(check_stopped());
    Invocation call{.flags = flags_, .words = variant.command};
    RecordingPlan plan = TRY(plan_recording(call));
    plan.session.launch.outputs[0] = nowhere_.get();
    plan.output = path;
    plan.output_given = true;
    plan.keep_profile = true;
    InDirectory in(variant.directory);
    if (!in.moved()) {
      return fail("{} no longer exists.", terminal_text(variant.directory));
    }
    Recorded recorded = TRY(record_to_file(plan));
    stopped_by = recorded.end.stopped_by != 0 ? recorded.end.stopped_by : stopped_by;
    TRY(check_stopped());
    if (recorded.status != 0 || !recorded.has_profile) {
      return fail("`{}` ended with status {}; wick can compare only successful runs.",
                  terminal_text(variant.name),
                  recorded.status);
    }
    double lost = lost_share(recorded.profile);
    Result<Filtered> filtered = apply_filter(std::move(recorded.profile), filter_);
    if (!filtered) {
      return fail("`{}`: {}", terminal_text(variant.name), filtered.error().message);
    }
    return Run{.profile = std::move(filtered->profile),
               .notes = std::move(filtered->notes),
               .kept = filtered->kept,
               .lost_share = lost,
               .seconds = recorded.end.child_seconds};
  }

  explicit Recorder(std::string directory)
      : directory_(std::move(directory)), nowhere_(::open("/dev/null", O_WRONLY | O_CLOEXEC)) {}

  FlagValues flags_;
  Filter filter_;
  std::string directory_;
  Descriptor nowhere_;
};

// What the first run says about the plan: beforehand, while there is time to ask for more.
void say_what_it_takes(const Analysis& analysis,
                       const Side& side,
                       const FlagValues& flags,
                       uint64_t runs) {
  Result<Report> plan = analysis.compare(std::span(&side, 1), flags);
  if (!plan) {
    return;
  }
  const Table& table = std::get<Table>(plan->sections[0].body);
  double samples = 0;
  for (size_t row = 0; row < side.runs[0].samples.size(); ++row) {
    samples += static_cast<double>(side.runs[0].samples.count[row]);
  }
  if (table.rows() > 0 && samples > 0) {
    double needed = table.find("samples_needed")->numbers[0];
    std::fprintf(
        stderr,
        "wick: detecting a change of %s %% in %s takes about %.0f samples per side, %.0f such "
        "runs; %llu are planned.\n",
        flags.text("detect").c_str(),
        terminal_text(table.find("name")->text[0]).c_str(),
        needed,
        std::ceil(needed / samples),
        static_cast<unsigned long long>(runs));
  }
}

Result<RecordedSides> in_turns(const std::vector<Variant>& variants,
                               uint64_t runs,
                               Recorder& recorder,
                               const Invocation& call,
                               const Analysis& analysis) {
  RecordedSides result;
  for (const Variant& variant : variants) {
    result.sides.push_back({.name = variant.name});
    TRY(recorder.warm_up(variant));
  }
  std::vector<Pair> times(runs);
  for (uint64_t i = 0; i < runs; ++i) {
    for (size_t turn = 0; turn < 2; ++turn) {
      size_t side = (i + turn) % 2;
      Run run = TRY(recorder.run(variants[side],
                                 fmt::format("{}-{}", side == 0 ? "before" : "after", i + 1)));
      (side == 0 ? times[i].before : times[i].after) = run.seconds;
      result.lost_share = std::max(result.lost_share, run.lost_share);
      result.kept.take(run.kept);
      for (std::string& note : run.notes) {
        if (std::ranges::find(result.notes, note) == result.notes.end()) {
          result.notes.push_back(std::move(note));
        }
      }
      result.sides[side].runs.push_back(std::move(run.profile));
    }
    if (i == 0) {
      say_what_it_takes(analysis, result.sides[0], call.flags, runs);
    }
    std::fprintf(stderr,
                 "wick: pair %llu of %llu: %.3f s before, %.3f s after.\n",
                 static_cast<unsigned long long>(i + 1),
                 static_cast<unsigned long long>(runs),
                 times[i].before,
                 times[i].after);
  }
  result.notes.push_back(time_text(times));
  return result;
}

}  // namespace

std::span<const Flag> recorded_sides_flags() {
  return kSideFlags;
}

bool records_sides(const FlagValues& flags) {
  return flags.given("repeat") || flags.given("git");
}

Result<> check_flags_for_files(const FlagValues& flags) {
  for (std::string_view name : {"build", "keep", "frequency"}) {
    if (flags.given(name)) {
      return fail_usage("--{} needs --repeat N -- A -- B or --git A..B, which record both sides.",
                        name);
    }
  }
  return {};
}

namespace {

// Flags about files that are read do nothing to programs that are run.
Result<> check_flags(const FlagValues& flags) {
  for (const Flag& flag : input_flags()) {
    if (flags.given(flag.name)) {
      return fail_usage(
          "--{0} works on files, but this command records programs. Save the recordings with "
          "--keep DIR, then run `wick diff DIR/before-*.wick -- DIR/after-*.wick --{0} ...`.",
          flag.name);
    }
  }
  if (flags.given("build") && !flags.given("git")) {
    return fail_usage("--build needs --git BEFORE..AFTER, which says what to build.");
  }
  return {};
}

Result<RecordedSides> record_both(const Invocation& call, const Analysis& analysis) {
  TRY(check_flags(call.flags));
  uint64_t runs = call.flags.given("repeat") ? call.flags.integer("repeat") : kUsualRuns;
  if (runs == 0 || runs > kMostRuns) {
    return fail_usage("--repeat takes a number of runs from 1 to {}.", kMostRuns);
  }
  TemporaryDirectory temporary = TRY(TemporaryDirectory::make());
  std::string kept = temporary.path();
  if (call.flags.given("keep")) {
    std::error_code problem;
    kept = std::filesystem::absolute(call.flags.text("keep")).string();
    std::filesystem::create_directories(kept, problem);
    if (problem) {
      return fail("--keep: cannot create {}: {}.", terminal_text(kept), problem.message());
    }
  }
  Recorder recorder = TRY(Recorder::make(call.flags, kept));
  if (!call.flags.given("git")) {
    std::vector<Variant> variants = TRY(two_commands(call));
    return in_turns(variants, runs, recorder, call, analysis);
  }
  if (!call.words_before_dashes || *call.words_before_dashes != 0 || call.words.empty()) {
    return fail_usage("Missing command, e.g. `wick diff --git A..B --build make -- ./program`.");
  }
  auto [before, after] = TRY(split_commits(call.flags.text("git")));
  std::vector<Worktree> trees;
  std::vector<Variant> variants;
  for (const std::string& commit : {before, after}) {
    trees.push_back(TRY(Worktree::add(
        commit, fmt::format("{}/{}", temporary.path(), trees.empty() ? "before" : "after"))));
    TRY(build(trees.back(), call.flags.text("build")));
    variants.push_back({.name = fmt::format("{} at {}", joined(call.words), trees.back().commit()),
                        .command = call.words,
                        .directory = trees.back().directory()});
  }
  return in_turns(variants, runs, recorder, call, analysis);
}

}  // namespace

Result<RecordedSides> record_sides(const Invocation& call, const Analysis& analysis) {
  StopWatch stop;
  Result<RecordedSides> recorded = record_both(call, analysis);
  if (!recorded && stopped_by != 0) {
    return RecordedSides{.stopped_by = stopped_by};
  }
  return recorded;
}

}  // namespace wick
