// SPDX-License-Identifier: Apache-2.0
// The log survives a kill at any moment because of three rules. A run is one line, written with
// pwrite at the known end and then synced. A write that fails is cut off again, and open() ignores
// a last line without its newline; append() truncates it before writing. Nothing before the end of
// the file ever changes: a repeated run appends a line, and the reader takes the last line of a
// run.
//
// A lock on runs.jsonl excludes a second sweep. open() refuses a directory whose copy of the plan
// differs from the given one, because runs of two plans cannot be compared.
#include "experiment/sweep/results.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/json_writer.h"
#include "base/output.h"
#include "base/small_file.h"
#include "base/statistics.h"
#include "experiment/sweep/readiness.h"

namespace wick {
namespace {

constexpr size_t kMaxPlan = size_t{1} << 20;
constexpr size_t kMaxRuns = size_t{1} << 30;

void number_field(JsonWriter& json, std::string_view name, double number) {
  json.key(name);
  json.raw(std::isfinite(number) ? fmt::format("{}", number) : "null");
}

void write_axes(JsonWriter& json, const Plan& plan, const Point& point) {
  json.key("axes");
  json.begin_object();
  for (size_t i = 0; i < plan.axes.size(); ++i) {
    const AxisValue& value = plan.axes[i].values[point.values[i]];
    if (value.number) {
      number_field(json, plan.axes[i].name, *value.number);
    } else {
      json.field(plan.axes[i].name, std::string_view(value.name));
    }
  }
  json.end_object();
}

template <typename Kind, size_t N>
std::optional<Kind> by_name(std::string_view word,
                            const std::array<Kind, N>& kinds,
                            std::string_view (*name)(Kind)) {
  auto found = std::ranges::find(kinds, word, name);
  return found == kinds.end() ? std::nullopt : std::optional(*found);
}

void add_run(std::vector<RunRecord>& runs, RunRecord run) {
  auto same =
      std::ranges::find_if(runs, [&](const RunRecord& other) { return run.is_same_run(other); });
  if (same == runs.end()) {
    runs.push_back(std::move(run));
  } else {
    *same = std::move(run);
  }
}

std::string first_difference(std::string_view a, std::string_view b) {
  size_t line = 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i) {
    line += a[i] == '\n';
  }
  return fmt::format("line {}", line);
}

std::unexpected<Error> cannot(std::string_view verb, const std::string& path) {
  return fail("Cannot {} {}: {}.", verb, terminal_text(path), std::strerror(errno));
}

}  // namespace

std::string run_line(const Plan& plan, const Point& point, const RunRecord& run) {
  std::string text;
  Output out = Output::to_text(text);
  JsonWriter json(out);
  json.begin_object();
  json.field("point", uint64_t{run.point});
  write_axes(json, plan, point);
  json.field("repeat", uint64_t{run.repeat});
  json.field("order", run.order);
  json.field("kind", kind_name(run.kind));
  json.field("started", std::string_view(run.started));
  number_field(json, "seconds", run.seconds);
  if (run.stolen_seconds) {
    number_field(json, "stolen_seconds", *run.stolen_seconds);
  }
  if (run.clock_mhz) {
    number_field(json, "clock_mhz", *run.clock_mhz);
  }
  json.field("status", status_name(run.status));
  json.field("why", std::string_view(run.why));
  json.key("metrics");
  json.begin_object();
  for (const auto& [name, value] : run.metrics) {
    number_field(json, name, value);
  }
  json.end_object();
  json.key("checks");
  json.begin_array();
  for (const CheckOutcome& check : run.checks) {
    json.begin_object();
    json.field("name", std::string_view(check.name));
    json.field("holds", check.holds);
    number_field(json, "value", check.value);
    json.end_object();
  }
  json.end_array();
  if (!run.cut.empty()) {
    json.field("cut", std::string_view(run.cut));
  }
  if (!run.profile.empty()) {
    json.field("profile", std::string_view(run.profile));
  }
  json.end_object();
  [[maybe_unused]] Result<> finished = out.finish();
  return text;
}

Result<RunRecord> parse_run(std::string_view line) {
  Json json = TRY(parse_json(line));
  constexpr std::array kKinds = {RunKind::kWarmup, RunKind::kTiming, RunKind::kProfile};
  constexpr std::array kStatuses = {RunStatus::kOk, RunStatus::kFailed, RunStatus::kTimeout};
  std::optional<RunKind> kind = by_name(json.text_at("kind"), kKinds, kind_name);
  std::optional<RunStatus> status = by_name(json.text_at("status"), kStatuses, status_name);
  double point = json.number_at("point", 0);
  double repeat = json.number_at("repeat", 0);
  bool in_range = point >= 1 && point < 1e9 && repeat >= 1 && repeat < 1e9;
  if (!kind || !status || !in_range) {
    return fail("This line is not a run.");
  }
  RunRecord run{.point = static_cast<uint32_t>(point),
                .kind = *kind,
                .repeat = static_cast<uint32_t>(repeat),
                .order = static_cast<uint64_t>(std::clamp(json.number_at("order", 0), 0.0, 1e15)),
                .started = std::string(json.text_at("started")),
                .seconds = json.number_at("seconds", 0),
                .status = *status,
                .why = std::string(json.text_at("why")),
                .cut = std::string(json.text_at("cut")),
                .profile = std::string(json.text_at("profile"))};
  if (double stolen = json.number_at("stolen_seconds", kNoNumber); !std::isnan(stolen)) {
    run.stolen_seconds = stolen;
  }
  if (double mhz = json.number_at("clock_mhz", kNoNumber); mhz > 0) {
    run.clock_mhz = mhz;
  }
  if (const Json* metrics = json.find("metrics")) {
    for (size_t i = 0; i < metrics->keys.size(); ++i) {
      if (metrics->items[i].is(Json::Kind::kNumber)) {
        run.metrics.emplace_back(metrics->keys[i], metrics->items[i].number);
      }
    }
  }
  if (const Json* checks = json.find("checks")) {
    for (const Json& check : checks->items) {
      const Json* holds = check.find("holds");
      run.checks.push_back({.name = std::string(check.text_at("name")),
                            .holds = holds != nullptr && holds->truth,
                            .value = check.number_at("value", std::nan(""))});
    }
  }
  return run;
}

StoredRuns parse_runs(std::string_view text) {
  StoredRuns stored;
  for (size_t end = text.find('\n'); end != std::string_view::npos;
       end = text.find('\n', stored.whole_bytes)) {
    Result<RunRecord> run = parse_run(text.substr(stored.whole_bytes, end - stored.whole_bytes));
    if (run) {
      add_run(stored.runs, std::move(*run));
    } else {
      ++stored.damaged;
    }
    stored.whole_bytes = end + 1;
  }
  return stored;
}

bool is_results_directory(const std::string& directory) {
  return ::access((directory + "/plan.toml").c_str(), R_OK) == 0;
}

Result<SweepResults> read_results(const std::string& directory, const std::string& plan_path) {
  if (!is_results_directory(directory)) {
    return fail("{} has no results of a sweep: it has no plan.toml.", terminal_text(directory));
  }
  std::string copy = directory + "/plan.toml";
  std::string text = read_text(copy, kMaxPlan);
  SweepResults results{.directory = directory,
                       .plan = TRY(read_plan(plan_path.empty() ? copy : plan_path, text))};
  if (!results.plan.is_named) {
    std::filesystem::path whole = std::filesystem::absolute(directory);
    results.plan.name = (whole.has_filename() ? whole : whole.parent_path()).stem().string();
  }
  results.points = points_of(results.plan);
  StoredRuns stored = parse_runs(read_text(directory + "/runs.jsonl", kMaxRuns));
  for (RunRecord& run : stored.runs) {
    if (run.point <= results.points.size()) {
      results.runs.push_back(std::move(run));
    } else {
      ++stored.damaged;
    }
  }
  if (stored.damaged > 0) {
    results.notes.push_back(fmt::format(
        "{}/runs.jsonl has lines that are not runs of this plan: {}.", directory, stored.damaged));
  }
  results.machines = read_machines(directory);
  return results;
}

Result<RunLog> RunLog::open(const std::string& directory,
                            const Plan& plan,
                            std::string_view plan_text) {
  std::error_code problem;
  std::filesystem::create_directories(directory, problem);
  if (problem) {
    return fail("Cannot create {}: {}.", terminal_text(directory), problem.message());
  }
  std::string copy = directory + "/plan.toml";
  if (!is_results_directory(directory)) {
    if (!std::filesystem::is_empty(directory, problem)) {
      return fail("{} already exists and contains something else; choose another with -o.",
                  terminal_text(directory));
    }
    TRY(write_small_file(copy, plan_text));
  }
  std::string kept = read_text(copy, kMaxPlan);
  if (kept != plan_text) {
    return fail(
        "{} has results of another version of this plan (they differ from {} on); choose another "
        "directory with -o, or remove it.",
        terminal_text(directory),
        first_difference(kept, plan_text));
  }
  std::string path = directory + "/runs.jsonl";
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.valid()) {
    return cannot("write", path);
  }
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    return fail("Another wick sweep is running in {}.", terminal_text(directory));
  }
  StoredRuns stored = parse_runs(read_text(path, kMaxRuns));
  size_t points = points_of(plan).size();
  std::erase_if(stored.runs, [&](const RunRecord& run) { return run.point > points; });
  return RunLog(directory, std::move(file), std::move(stored));
}

uint64_t RunLog::next_order() const {
  uint64_t last = 0;
  for (const RunRecord& run : runs_) {
    last = std::max(last, run.order);
  }
  return last + 1;
}

Result<> RunLog::append(const Plan& plan, const Point& point, RunRecord run) {
  std::string path = directory_ + "/runs.jsonl";
  std::string line = run_line(plan, point, run) + "\n";
  // Removes the unfinished line of a killed sweep.
  if (::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) {
    return cannot("write", path);
  }
  size_t written = 0;
  while (written < line.size()) {
    ssize_t got = ::pwrite(file_.get(),
                           line.data() + written,
                           line.size() - written,
                           static_cast<off_t>(size_ + written));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      int error = errno;
      [[maybe_unused]] int cut = ::ftruncate(file_.get(), static_cast<off_t>(size_));
      errno = error;
      return cannot("write", path);
    }
    written += static_cast<size_t>(got);
  }
  if (::fdatasync(file_.get()) != 0 && errno != EINVAL) {
    return cannot("write", path);
  }
  size_ += line.size();
  add_run(runs_, std::move(run));
  return {};
}

Result<> write_small_file(const std::string& path, std::string_view text) {
  Output out = TRY(Output::to_path(path));
  out.write(text);
  return out.finish();
}

std::string calendar_time() {
  std::time_t now = std::time(nullptr);
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text = {};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

Result<std::string> read_plan_text(const std::string& path) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) {
    return fail("There is no plan {}; docs/sweep.md describes plans.", terminal_text(path));
  }
  std::string text = read_text(path, kMaxPlan + 1);
  if (text.size() > kMaxPlan) {
    return fail("{} is larger than 1 MiB; it is not a plan.", terminal_text(path));
  }
  return text;
}

}  // namespace wick
