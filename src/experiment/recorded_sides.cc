// SPDX-License-Identifier: Apache-2.0
// Records both sides of a comparison.
//
//     1. two commits   a worktree for each below a temporary directory; the build runs in it
//     2. warm-up       each side runs once; the recording is deleted
//     3. turns         A B, B A, ...: record into before-1.wick, after-1.wick, ...; then filter
//     4. result        the filtered profiles as runs of their side, and the times as pairs
//
// Invariant: a recording that is not complete (an error, a signal) is deleted, and on every path
// the destructors remove the temporary directory and the worktrees (after kill -9 its guard does).
#include "experiment/recorded_sides.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <ranges>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/command_text.h"
#include "base/descriptor.h"
#include "base/escape.h"
#include "capture/capture.h"
#include "experiment/disturbed_runs.h"
#include "experiment/measured_run.h"
#include "experiment/paired_runs.h"
#include "experiment/run_and_wait.h"
#include "experiment/temporary_directory.h"
#include "experiment/turns.h"
#include "experiment/worktree.h"
#include "profile/common_names.h"
#include "profile/lost_share.h"
#include "record/event_names.h"
#include "report/amounts.h"

namespace wick {
namespace {

// The command of one side, and its directory.
struct Variant {
  std::string name;
  std::vector<std::string> command;
  std::string directory;  // empty for the current one
};

// The request of every run, without its command.
Result<capture::Request> usual_request(const SidesRequest& wanted, const SidesCalls& calls) {
  capture::Request request = capture::request_to_run({});
  std::vector<record::EventRequest>& events = request.session.recorder.events;
  if (!wanted.event.empty()) {
    events = TRY(record::parse_events(wanted.event));
  }
  capture::Frequency frequency = TRY(capture::parse_frequency(wanted.frequency));
  if (!frequency.note.empty()) {
    calls.print(frequency.note);
  }
  capture::set_frequency(frequency.hertz, events);
  if (std::string warning = capture::rate_warning(events); !warning.empty()) {
    calls.print(warning);
  }
  return request;
}

class SideRecorder {
 public:
  SideRecorder(const SidesRequest& request,
               const SidesCalls& calls,
               capture::Request usual,
               std::string directory)
      : request_(request),
        calls_(calls),
        usual_(std::move(usual)),
        directory_(std::move(directory)),
        nowhere_(::open("/dev/null", O_WRONLY | O_CLOEXEC)) {
    usual_.session.launch.outputs[0] = nowhere_.get();
    usual_.session.launch.dies_with_us = true;
    usual_.session.launch.leaves_processes = true;
  }

  Result<RecordedSides> run(const std::vector<Variant>& variants, record::HeldSignals& signals) {
    for (const Variant& variant : variants) {
      result_.sides.push_back({.name = variant.name});
    }
    times_.resize(request_.runs);
    TurnPlan plan{.sides = 2, .turns = request_.runs, .warmups = 1, .reruns = request_.reruns};
    auto make = [&](const Turn& turn) { return make_run(variants[turn.side], turn, signals); };
    TurnsEnd end = TRY(run_in_turns(plan, signals, make, [&] { return disturbed_pairs(); }));
    if (end.stopped_by != 0) {
      return RecordedSides{.stopped_by = end.stopped_by};
    }
    result_.notes.insert(result_.notes.begin(), time_text(times_));
    name_disturbed();
    leave_out_disturbed();
    return std::move(result_);
  }

 private:
  Result<int> make_run(const Variant& variant, const Turn& turn, record::HeldSignals& signals) {
    std::string name =
        turn.is_warmup ? "warm-up"
                       : fmt::format("{}-{}", turn.side == 0 ? "before" : "after", turn.number + 1);
    std::string path = fmt::format("{}/{}.wick", directory_, name);
    Result<int> stopped = record(variant, turn, path, signals);
    if (!stopped || *stopped != 0 || turn.is_warmup) {
      ::unlink(path.c_str());
    }
    if (stopped && *stopped == 0 && !turn.is_warmup && turn.side != turn.number % 2) {
      end_pair(turn);
    }
    return stopped;
  }

  Result<int> record(const Variant& variant,
                     const Turn& turn,
                     const std::string& path,
                     record::HeldSignals& signals) {
    capture::Request request = usual_;
    request.session.launch.command = variant.command;
    request.session.launch.directory = variant.directory;
    request.path = path;
    if (turn.is_rerun) {
      request.older = capture::OlderFile::kReplaced;
    }
    capture::Recording recording = TRY(capture::run(request, {.print = calls_.print}, signals));
    if (recording.end.stopped_by != 0) {
      return recording.end.stopped_by;
    }
    if (recording.status != 0) {
      return fail("`{}` ended with status {}; wick can compare only successful runs.",
                  terminal_text(variant.name),
                  recording.status);
    }
    if (!turn.is_warmup) {
      TRY(take(variant, turn, std::move(recording)));
    }
    return 0;
  }

  Result<> take(const Variant& variant, const Turn& turn, capture::Recording recording) {
    double lost = lost_share(recording.profile);
    Result<Filtered> filtered = apply_filter(std::move(recording.profile), request_.filter);
    if (!filtered) {
      return fail("`{}`: {}", terminal_text(variant.name), filtered.error().message);
    }
    Pair& pair = times_[turn.number];
    (turn.side == 0 ? pair.before : pair.after) = recording.end.child_seconds;
    facts_[turn.side].resize(std::max<size_t>(facts_[turn.side].size(), turn.number + 1));
    if (recording.end.child) {
      facts_[turn.side][turn.number] = facts_of(recording.end);
    }
    result_.lost_share = std::max(result_.lost_share, lost);
    result_.retained.take(filtered->retained);
    result_.unmatched.take(filtered->unmatched);
    for (std::string& note : filtered->notes) {
      if (std::ranges::find(result_.notes, note) == result_.notes.end()) {
        result_.notes.push_back(std::move(note));
      }
    }
    use_common_names(filtered->profile);
    Side& side = result_.sides[turn.side];
    if (turn.is_rerun) {
      side.runs[turn.number] = std::move(filtered->profile);
      side.retained[turn.number] = filtered->retained;
    } else {
      side.runs.push_back(std::move(filtered->profile));
      side.retained.push_back(filtered->retained);
    }
    return {};
  }

  void end_pair(const Turn& turn) {
    if (turn.number == 0 && !turn.is_rerun) {
      calls_.on_first_pair(result_.sides[0]);
    }
    const Pair& pair = times_[turn.number];
    TimesText times(std::max(pair.before, pair.after));
    calls_.print(fmt::format("pair {} of {}{}: {} before, {} after.",
                             turn.number + 1,
                             request_.runs,
                             turn.is_rerun ? " again" : "",
                             times.of(pair.before),
                             times.of(pair.after)));
  }

  static std::string run_name(size_t side, size_t run) {
    return fmt::format("Run {} {}", run + 1, side == 0 ? "before" : "after");
  }

  // Adds a note for each, because the next run takes its place.
  std::vector<uint64_t> disturbed_pairs() {
    std::vector<uint64_t> pairs;
    for (size_t side = 0; side < facts_.size(); ++side) {
      for (size_t run : disturbed_runs(facts_[side])) {
        if (reruns_ < request_.reruns && std::ranges::find(pairs, run) == pairs.end()) {
          pairs.push_back(run);
          ++reruns_;
          result_.notes.push_back("Repeated (--rerun): " +
                                  disturbed_text(run_name(side, run), facts_[side], run));
        }
      }
    }
    return pairs;
  }

  void name_disturbed() {
    bool any = false;
    for (size_t side = 0; side < facts_.size(); ++side) {
      for (size_t run : disturbed_runs(facts_[side])) {
        result_.notes.push_back(disturbed_text(run_name(side, run), facts_[side], run));
        any = true;
      }
    }
    if (any) {
      result_.notes.push_back(rerun_advice(true));
    }
  }

  // The rows are means of the CPU time of the runs. Leaves out at most a fifth of a side, as the
  // comparison of times does. If one side has more, both keep all: sides must be treated alike.
  void leave_out_disturbed() {
    std::array<std::vector<size_t>, 2> far;
    for (size_t side = 0; side < facts_.size(); ++side) {
      far[side] = runs_with_other_cpu_time(facts_[side]);
      if (far[side].size() > facts_[side].size() / 5) {
        return;
      }
    }
    for (size_t side = 0; side < facts_.size(); ++side) {
      for (size_t run : far[side] | std::views::reverse) {
        auto at = static_cast<std::ptrdiff_t>(run);
        Side& of = result_.sides[side];
        of.runs.erase(of.runs.begin() + at);
        of.retained.erase(of.retained.begin() + at);
        result_.notes.push_back(
            fmt::format("{} is not in the rows: its CPU time is far from that of the others.",
                        run_name(side, run)));
      }
    }
  }

  const SidesRequest& request_;
  const SidesCalls& calls_;
  capture::Request usual_;
  std::string directory_;
  Descriptor nowhere_;
  std::vector<Pair> times_;
  std::array<std::vector<RunFacts>, 2> facts_;  // by side, by run
  uint64_t reruns_ = 0;
  RecordedSides result_;
};

// Returns the signal that stopped the build, or 0.
Result<int> build(const Worktree& tree,
                  const std::string& line,
                  const SidesCalls& calls,
                  record::HeldSignals& signals) {
  if (line.empty()) {
    return take_stop(signals);
  }
  calls.print(fmt::format("building {}.", tree.commit()));
  MeasuredRun run = TRY(run_build(line, tree.directory(), signals));
  if (run.stopped_by == 0 && run.status != 0) {
    return fail("The build of {} failed: {}", tree.commit(), terminal_text(line));
  }
  return run.stopped_by;
}

// The directory of the recordings: the requested one, or a temporary one.
Result<std::string> recordings_in(const std::string& wanted, const TemporaryDirectory& temporary) {
  if (wanted.empty()) {
    return temporary.path();
  }
  std::error_code problem;
  std::string path = std::filesystem::absolute(wanted).string();
  std::filesystem::create_directories(path, problem);
  if (problem) {
    return fail("--keep: cannot create {}: {}.", terminal_text(path), problem.message());
  }
  return path;
}

}  // namespace

Result<RecordedSides> record_sides(SidesRequest request, const SidesCalls& calls) {
  request.filter.keep_events = KeepEvents::kFirst;
  record::HeldSignals signals;
  TemporaryDirectory temporary = TRY(TemporaryDirectory::make("wick-diff"));
  std::string directory = TRY(recordings_in(request.directory, temporary));
  SideRecorder recorder(request, calls, TRY(usual_request(request, calls)), directory);
  std::vector<Variant> variants;
  if (!request.commits) {
    for (const std::vector<std::string>& command : request.commands) {
      variants.push_back({.name = command_text(command), .command = command, .directory = {}});
    }
    return recorder.run(variants, signals);
  }
  std::vector<Worktree> trees;
  for (const std::string& commit : {request.commits->before, request.commits->after}) {
    trees.push_back(TRY(Worktree::add(
        commit, fmt::format("{}/{}", temporary.path(), trees.empty() ? "before" : "after"))));
    int stopped = TRY(build(trees.back(), request.commits->build, calls, signals));
    if (stopped != 0) {
      return RecordedSides{.stopped_by = stopped};
    }
    const std::vector<std::string>& command = request.commands[0];
    variants.push_back(
        {.name = fmt::format("{} at {}", command_text(command), trees.back().commit()),
         .command = command,
         .directory = trees.back().directory()});
  }
  return recorder.run(variants, signals);
}

std::string required_runs_text(const Analysis& analysis,
                               const Side& first,
                               const FlagValues& flags,
                               uint64_t planned) {
  Result<Report> plan = analysis.compare(std::span(&first, 1), flags);
  if (!plan) {
    return "";
  }
  const Table& table = std::get<Table>(plan->sections[0].body);
  double samples = 0;
  for (size_t row = 0; row < first.runs[0].samples.size(); ++row) {
    samples += static_cast<double>(first.runs[0].samples.count[row]);
  }
  if (table.rows() == 0 || !(samples > 0)) {
    return "";
  }
  double needed = table.find("samples_needed")->numbers[0];
  return fmt::format(
      "detecting a change of {} % in {} takes about {:.0f} samples per side, {:.0f} such runs; {} "
      "are planned.",
      flags.text("detect"),
      terminal_text(table.find("name")->text[0]),
      needed,
      std::ceil(needed / samples),
      planned);
}

}  // namespace wick
