// SPDX-License-Identifier: Apache-2.0
#include "cli/recording.h"

#include "analyze/builds.h"
#include "analyze/summary.h"
#include "base/escape.h"
#include "cli/show.h"
#include "cli/status_line.h"
#include "cli/tty.h"
#include "profile/interpreted_samples.h"
#include "views/numbers.h"

namespace wick {
namespace {

// Of no samples, no share is complete.
std::string complete_text(double samples, double share, bool has_stacks, std::string_view of) {
  if (!has_stacks) {
    return ", without stacks";
  }
  return samples > 0 ? fmt::format(", {:.1f} % {}complete", 100 * share, of) : "";
}

// Fits in 80 columns, so that a terminal shows all of it.
std::string status_text(const capture::Status& status, bool has_stacks) {
  auto samples = static_cast<double>(status.samples);
  return fmt::format("{:.0f} s, {}, {:.0f}/s, {} lost{}, {} KB, wick {:.1f} % CPU",
                     status.seconds,
                     samples_text(samples),
                     status.samples_per_second,
                     status.lost,
                     complete_text(samples, status.complete_share, has_stacks, ""),
                     count_text(static_cast<double>(status.bytes) / 1000),
                     100 * status.own_cpu_share);
}

void print_ended_targets(const record::SessionEnd& end) {
  for (const auto& [pid, seconds] : end.ended_targets) {
    say(fmt::format("process {} ended {:.1f} s after the recording began.", pid, seconds));
  }
}

bool wants_stacks(const RecordingPlan& plan) {
  return plan.request.session.recorder.contents.stacks != record::StackSource::kNone;
}

void print_summary(const capture::Recording& recording, const RecordingPlan& plan) {
  auto samples = static_cast<double>(recording.profile.samples.size());
  std::string interpreted = interpreted_text(recording.profile);
  say(fmt::format(
      "{} in {:.1f} s{}{}{}; wrote {} ({:.1f} KB).",
      samples_text(samples),
      recording.end.seconds,
      complete_text(samples, recording.complete_share, wants_stacks(plan), "of the stacks "),
      interpreted.empty() ? "" : ", ",
      interpreted,
      terminal_text(plan.request.path),
      static_cast<double>(recording.bytes) / 1e3));
  StackCosts costs = costs_of_first_event(recording.profile);
  print_cautions(Builds(recording.profile, costs, Builds::For::kReport).cautions());
  std::string unread = unread_text(recording.profile);
  if (!unread.empty() && plan.request.reads_interpreters) {
    print_cautions({unread});
  }
  print_loss_and_notes(loss_lines(recording.profile), recording.notes);
  if (!plan.request.raw.empty()) {
    say(fmt::format("raw records written to {} (readable by perf, hotspot and others).",
                    terminal_text(plan.request.raw)));
  }
}

}  // namespace

Result<int> own_status(Result<int> status, bool runs_program, int failure) {
  if (status || status.error().usage || status.error().stopped_by != 0 || !runs_program) {
    return status;
  }
  say(terminal_text(status.error().message));
  return failure;
}

Result<capture::Recording> record_to_file(const RecordingPlan& plan) {
  // A program writes to the same terminal, and its output would continue the status.
  bool runs_program = !plan.request.session.launch.command.empty();
  StatusLine line(!plan.quiet && !runs_program);
  for (const std::string& note : plan.notes) {
    line.print(note);
  }
  capture::Calls calls{.print = [&](const std::string& sentence) {
    if (runs_program) {
      line.leave_line();
    }
    line.print(sentence);
  }};
  if (line.is_on()) {
    calls.status = [&](const capture::Status& status) {
      line.show(status_text(status, wants_stacks(plan)));
    };
  }
  capture::Recording recording = TRY(capture::run(plan.request, calls));
  line.wipe();
  if (recording.ran && !plan.quiet) {
    if (runs_program) {
      line.leave_line();
    }
    print_ended_targets(recording.end);
    print_summary(recording, plan);
  }
  return recording;
}

}  // namespace wick
