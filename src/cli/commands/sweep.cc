// wick sweep: the runs of a plan, their table and page; results shown again; two sweeps compared.
#include "experiment/sweep/sweep.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "analyze/areas.h"
#include "base/escape.h"
#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/show.h"
#include "cli/sweep_recording.h"
#include "cli/tty.h"
#include "experiment/sweep/comparison.h"
#include "experiment/sweep/json.h"
#include "experiment/sweep/machine_check.h"
#include "experiment/sweep/readiness.h"
#include "experiment/sweep/stored_machine.h"
#include "experiment/sweep/summary.h"
#include "record/machine_facts.h"
#include "viewer/page.h"
#include "views/numbers.h"

namespace wick {
namespace {

constexpr size_t kMostPlan = size_t{1} << 20;

constexpr std::array kFlags = {
    Flag{"output",
         'o',
         FlagKind::kPath,
         "DIR",
         "",
         "where to write the results (default PLAN.sweep)"},
    Flag{"dry-run", 'n', FlagKind::kSwitch, "", "", "print the runs and how long they would take"},
    Flag{"retry", '\0', FlagKind::kSwitch, "", "", "repeat the runs that failed before"},
    Flag{"allow-other-machine",
         '\0',
         FlagKind::kSwitch,
         "",
         "",
         "continue runs that were started on another machine, kernel or governor"},
    Flag{"areas",
         '\0',
         FlagKind::kFileText,
         "FILE",
         "",
         "named parts of the program, one NAME = REGEX per line, instead of the plan's [areas]"},
};

// The flags of the table, without those that mean something else here.
std::vector<Flag> table_flags() {
  std::vector<Flag> flags = output_flags("terminal");
  std::erase_if(
      flags, [](const Flag& flag) { return flag.name == "output" || flag.name == "allow-loss"; });
  return flags;
}

Result<int> show_table(const Report& report, const FlagValues& given) {
  FlagValues flags;
  flags.declare(output_flags("terminal"));
  for (const Flag& flag : table_flags()) {
    if (given.given(flag.name)) {
      flags.set(flag.name, given.text(flag.name));
    }
  }
  return show(report, std::move(flags), {.default_view = "terminal"});
}

// ---- What was found -----------------------------------------------------------------------------

Result<std::vector<Area>> areas_of(const Plan& plan, const FlagValues& flags) {
  if (flags.given("areas")) {
    return parse_areas(flags.text("areas"), flags.path("areas"));
  }
  std::vector<Area> areas;
  for (const auto& [name, expression] : plan.areas) {
    areas.push_back({name, TRY(Pattern::compile(expression))});
  }
  return areas;
}

Result<SweepCost> cost_in(const std::string& path,
                          const std::vector<Area>& areas,
                          const FlagValues& flags) {
  Loaded loaded = TRY(load({path}, flags));
  Filter filter;
  filter.keep_events = KeepEvents::kFirst;
  Filtered filtered = TRY(apply_filter(std::move(loaded.profile), filter));
  return cost_of_profile(filtered.profile, areas);
}

Result<Sweep> findings_in(const std::string& directory, const FlagValues& flags) {
  SweepResults results = TRY(read_results(directory));
  Sweep sweep = summarise_sweep(results);
  std::vector<Area> areas = TRY(areas_of(results.plan, flags));
  for (const Area& area : areas) {
    sweep.areas.push_back(area.name);
  }
  FlagValues input;
  input.declare(input_flags());
  for (SweepPoint& point : sweep.points) {
    if (point.profile.empty()) {
      continue;
    }
    if (Result<SweepCost> cost = cost_in(directory + "/" + point.profile, areas, input)) {
      point.cost = std::move(*cost);
    } else {
      sweep.notes.push_back(
          fmt::format("The profile of point {} is left out: {}", point.id, cost.error().message));
    }
  }
  if (!results.plan.fits_nothing) {
    find_scaling(sweep, results.plan.scaling);
  }
  return sweep;
}

Result<std::string> write_sweep_index(const Sweep& sweep,
                                      const Sweep* other,
                                      const std::string& path) {
  std::string json;
  Output text = Output::to_text(json);
  write_sweep_json(sweep, other, text);
  TRY(text.finish());
  Output out = TRY(Output::to_path(path));
  write_sweep_page(sweep.name, json, out);
  TRY(out.finish());
  return path;
}

// 1 when runs failed or the page could not be written, 4 when a check failed.
int status_of(const Sweep& sweep, bool has_page) {
  bool failed = std::ranges::any_of(sweep.points, [](const SweepPoint& point) {
    return point.status == "failed" || point.status == "timeout";
  });
  bool checks = std::ranges::any_of(
      sweep.points, [](const SweepPoint& point) { return !point.failed_checks.empty(); });
  return failed || !has_page ? kWorldWrong : checks ? kConditionMet : kDone;
}

Result<int> show_results(const std::string& directory, const FlagValues& flags) {
  Sweep sweep = TRY(findings_in(directory, flags));
  Result<std::string> page = write_sweep_index(sweep, nullptr, directory + "/index.html");
  if (flags.is_set("json")) {
    Output out = TRY(Output::to_path("-"));
    write_sweep_json(sweep, nullptr, out);
    TRY(out.finish());
  } else {
    Report report = sweep_report(sweep);
    if (flags.is_set("csv")) {
      report.sections.resize(1);  // one table a file
    }
    TRY(show_table(report, flags));
  }
  std::fprintf(stderr,
               "wick: %s\n",
               page ? fmt::format("{} shows the results as plots; open it in a browser.",
                                  terminal_text(*page))
                          .c_str()
                    : terminal_text(page.error().message).c_str());
  return status_of(sweep, page.has_value());
}

Result<int> compare(const std::string& before, const std::string& after, const FlagValues& flags) {
  Sweep first = TRY(findings_in(before, flags));
  Sweep second = TRY(findings_in(after, flags));
  if (flags.is_set("json")) {
    Output out = TRY(Output::to_path("-"));
    write_sweep_json(first, &second, out);
    TRY(out.finish());
    return kDone;
  }
  Report report = TRY(compare_sweeps(first, second));
  TRY(show_table(report, flags));
  std::string path = flags.given("output") ? flags.text("output") : "comparison.html";
  link_profiles_from(path, first);
  link_profiles_from(path, second);
  std::string page = TRY(write_sweep_index(first, &second, path));
  std::fprintf(stderr, "wick: %s shows both as plots.\n", terminal_text(page).c_str());
  return kDone;
}

// ---- Running ------------------------------------------------------------------------------------

std::string time_text(double seconds) {
  return seconds < 99     ? fmt::format("{:.0f} s", seconds)
         : seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60)
                          : fmt::format("{:.1f} h", seconds / 3600);
}

// One line on a terminal, rewritten in place; elsewhere a line now and then.
class SweepLine {
 public:
  ~SweepLine() { wipe(); }
  void report(const SweepProgress& progress) {
    using namespace std::chrono_literals;
    auto now = std::chrono::steady_clock::now();
    bool terminal = stderr_is_terminal();
    if (now - last_ < (terminal ? 200ms : 10s)) {
      return;
    }
    last_ = now;
    std::string line = fmt::format(
        "{} of {} runs{}{}; {}",
        progress.done,
        progress.total,
        progress.failed == 0 ? "" : fmt::format(", {} failed", progress.failed),
        progress.seconds_left ? fmt::format(", {} left", time_text(*progress.seconds_left)) : "",
        terminal_text(progress.what));
    shown_ = terminal;
    line.resize(terminal ? std::min(line.size(), terminal_width() - 1) : line.size());
    std::fprintf(stderr, terminal ? "\r\x1b[K%s" : "wick: %s\n", line.c_str());
  }
  void say(const std::string& sentence) {
    wipe();
    std::fprintf(stderr, "wick: %s\n", terminal_text(sentence).c_str());
  }
  void wipe() {
    if (shown_) {
      std::fputs("\r\x1b[K", stderr);
      shown_ = false;
    }
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool shown_ = false;
};

Result<std::string> read_plan_text(const std::string& path) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) {
    return fail("There is no plan {}; docs/sweep.md describes plans.", terminal_text(path));
  }
  std::string text = text_of_file(path, kMostPlan + 1);
  if (text.size() > kMostPlan) {
    return fail("{} is larger than 1 MiB; it is not a plan.", terminal_text(path));
  }
  return text;
}

std::string results_directory(const std::string& path, const FlagValues& flags) {
  return flags.given("output") ? flags.text("output")
                               : std::filesystem::path(path).stem().string() + ".sweep";
}

// The words of a command for people, as a shell would take them.
std::string shell_text(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    bool plain =
        !word.empty() && word.find_first_of(" \t\n'\"\\$`&|;<>(){}*?#~!") == std::string::npos;
    line += line.empty() ? "" : " ";
    line += plain ? word : "'";
    for (size_t i = 0; !plain && i < word.size(); ++i) {
      line += word[i] == '\'' ? "'\\''" : std::string(1, word[i]);
    }
    line += plain ? "" : "'";
  }
  return line;
}

Result<> print_runs(const Plan& plan,
                    const std::vector<Point>& points,
                    const std::vector<PlannedRun>& runs) {
  RunHoles holes = TRY(RunHoles::of(
      plan, points[0], {.directory = "DIR/scratch", .build_directory = "DIR/builds/1"}));
  TRY(holes.take_ports());
  for (size_t role = 0; role < plan.roles.size(); ++role) {
    std::vector<std::string> words =
        TRY(fill_command(plan.roles[role].command, holes.words(role, 0)));
    uint64_t instances = holes.instances(role);
    std::printf("%s at point 1%s: %s\n",
                terminal_text(plan.roles[role].name).c_str(),
                instances == 1 ? "" : fmt::format(", the first of {}", instances).c_str(),
                terminal_text(shell_text(words)).c_str());
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    const Point& point = points[runs[i].point];
    std::printf("%5zu  %-7s %u  point %u  %s\n",
                i + 1,
                std::string(kind_name(runs[i].kind)).c_str(),
                runs[i].repeat,
                point.id,
                terminal_text(point_name(plan, point)).c_str());
  }
  return {};
}

Result<int> dry_run(const Plan& plan, const std::string& directory, bool retry) {
  std::vector<Point> points = points_of(plan);
  std::vector<RunRecord> made;
  if (is_results_directory(directory)) {
    made = TRY(read_results(directory)).runs;
  }
  std::vector<PlannedRun> runs = runs_to_make(plan, points, made, retry);
  std::ranges::copy(recordings_to_make(plan, points, made, retry), std::back_inserter(runs));
  bool worst = plan.profiling.choice == ProfileChoice::kWorst && !plan.profiling.while_timing;
  TRY(print_runs(plan, points, runs));
  std::optional<double> seconds = estimate_seconds(plan, points, made, runs);
  std::printf("%zu points, %zu runs%s: %s\n",
              points.size(),
              runs.size(),
              worst && made.empty() ? " and one recorded run of the worst point" : "",
              seconds
                  ? fmt::format("about {}.", time_text(*seconds)).c_str()
                  : fmt::format("at most {} by their timeouts; `estimate = SECONDS` in the plan "
                                "sets the expected time of a run.",
                                time_text(static_cast<double>(runs.size()) * plan.timeout_seconds))
                        .c_str());
  return kDone;
}

void say_how_it_went_on(const SweepEnd& end,
                        const RunLog& log,
                        const std::string& path,
                        SweepLine& line) {
  size_t failed = static_cast<size_t>(std::ranges::count_if(
      log.runs(), [](const RunRecord& run) { return run.status != RunStatus::kOk; }));
  std::string again = shell_text({"wick", "sweep", path, "-o", log.directory()});
  if (end.stopped_by != 0) {
    line.say(
        fmt::format("Stopped by signal {}; {} finished runs are saved in {}, and `{}` continues.",
                    end.stopped_by,
                    log.runs().size(),
                    log.directory(),
                    again));
  } else if (failed > 0) {
    line.say(fmt::format("{} of {} runs failed; fix the cause, then `{} --retry` repeats them.",
                         failed,
                         log.runs().size(),
                         again));
  } else if (end.made == 0) {
    line.say("All runs are already done; use another directory (-o) to repeat them.");
  }
}

// What about the machine makes times differ: said before the first run, and stored with the
// results. Going on elsewhere mixes times that do not compare, which must be asked for.
Result<> examine_machine(const Plan& plan, const RunLog& log, bool may_differ, SweepLine& line) {
  record::MachineFacts machine =
      record::examine_for_timing({.cpus = most_at_once(plan), .more_runs = "`repeats`"});
  for (const record::Finding& finding : machine.findings()) {
    line.say(record::finding_text(finding));
  }
  const std::string& directory = log.directory();
  std::vector<StoredMachine> stored = read_machines(directory);
  if (log.runs().empty() || stored.empty()) {
    return store_machine(directory, 0, 1, machine);
  }
  std::vector<std::string> changes = machine_changes(stored.back().facts, machine_as_json(machine));
  if (changes.empty()) {
    return {};
  }
  std::string sentence =
      fmt::format("The runs in {} are from another machine, or this one has changed since: {}.",
                  directory,
                  fmt::join(changes, ", "));
  if (!may_differ) {
    return fail(
        "{} Their times are not comparable. All {} runs stay saved: use another directory (-o), or "
        "continue with --allow-other-machine.",
        terminal_text(sentence),
        log.runs().size());
  }
  line.say(sentence);
  return store_machine(directory, stored.size(), log.next_order(), machine);
}

bool anything_is_left(const Plan& plan, const RunLog& log, bool retry) {
  std::vector<Point> points = points_of(plan);
  return !runs_to_make(plan, points, log.runs(), retry).empty() ||
         !recordings_to_make(plan, points, log.runs(), retry).empty();
}

Result<int> run_plan(const std::string& path, const FlagValues& flags) {
  std::string text = TRY(read_plan_text(path));
  Plan plan = TRY(read_plan(path, text));
  std::string directory = results_directory(path, flags);
  if (flags.is_set("dry-run")) {
    return dry_run(plan, directory, flags.is_set("retry"));
  }
  TRY(check_against_machine(plan));
  RunLog log = TRY(RunLog::open(directory, plan, text));
  SweepLine line;
  if (anything_is_left(plan, log, flags.is_set("retry"))) {
    TRY(examine_machine(plan, log, flags.is_set("allow-other-machine"), line));
  }
  SweepCalls calls{
      .progress = [&](const SweepProgress& progress) { line.report(progress); },
      .say = [&](const std::string& sentence) { line.say(sentence); },
      .record =
          [&](const Point& point, const RunSetting& setting, const std::string& profile) {
            line.wipe();
            return record_sweep_run(plan, directory, point, setting, profile);
          }};
  Result<SweepEnd> end = run_sweep(plan, log, flags.is_set("retry"), calls);
  if (!end) {
    return fail("{} ({} finished runs are saved in {}; the same command continues.)",
                end.error().message,
                log.runs().size(),
                terminal_text(directory));
  }
  say_how_it_went_on(*end, log, path, line);
  if (end->stopped_by != 0) {
    return 128 + end->stopped_by;
  }
  return show_results(directory, flags);
}

Result<int> run(const Invocation& call) {
  auto is_directory = [](const std::string& word) {
    std::error_code problem;
    return std::filesystem::is_directory(word, problem);
  };
  if (call.words.size() == 1) {
    return is_directory(call.words[0]) ? show_results(call.words[0], call.flags)
                                       : run_plan(call.words[0], call.flags);
  }
  if (call.words.size() == 2 && std::ranges::all_of(call.words, is_directory)) {
    return compare(call.words[0], call.words[1], call.flags);
  }
  return fail_usage(
      "wick sweep takes a plan (`wick sweep plan.toml`), a directory of results, or two of them.");
}

}  // namespace

Command sweep_command() {
  Command command{.name = "sweep",
                  .help = "a matrix of runs from a TOML plan: table, plots, scaling, profiles",
                  .words = "PLAN | RESULTS | BEFORE AFTER",
                  .examples = {"wick sweep threads.toml",
                               "wick sweep threads.toml --dry-run",
                               "wick sweep threads.sweep --csv",
                               "wick sweep before.sweep after.sweep"},
                  .run = run};
  append_flags(command.flags, kFlags);
  append_flags(command.flags, table_flags());
  return command;
}

}  // namespace wick
