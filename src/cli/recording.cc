// SPDX-License-Identifier: Apache-2.0
#include "cli/recording.h"

#include <cstdio>

#include "analyze/builds.h"
#include "analyze/summary.h"
#include "base/escape.h"
#include "cli/show.h"
#include "cli/status_line.h"
#include "views/numbers.h"

namespace wick {
namespace {

std::string status_text(const capture::Status& status) {
  return fmt::format(
      "{:.0f} s, {} samples ({:.0f}/s), {} lost, {:.1f} % of the stacks complete, {:.1f} MB, wick "
      "uses {:.1f} % of a CPU",
      status.seconds,
      count_text(static_cast<double>(status.samples)),
      status.samples_per_second,
      status.lost,
      100 * status.complete_share,
      static_cast<double>(status.bytes) / 1e6,
      100 * status.own_cpu_share);
}

void print_summary(const capture::Recording& recording, const RecordingPlan& plan) {
  size_t samples = recording.profile.samples.size();
  // Without stacks, no stack is incomplete.
  bool has_stacks = plan.request.session.recorder.contents.stacks != record::StackSource::kNone;
  std::fprintf(stderr,
               "wick: %s\n",
               fmt::format("{} {} in {:.1f} s, {}; wrote {} ({:.1f} KB).",
                           count_text(static_cast<double>(samples)),
                           samples == 1 ? "sample" : "samples",
                           recording.end.seconds,
                           has_stacks ? fmt::format("{:.1f} % of the stacks complete",
                                                    100 * recording.complete_share)
                                      : "without stacks",
                           terminal_text(plan.request.path),
                           static_cast<double>(recording.bytes) / 1e3)
                   .c_str());
  StackCosts costs = costs_of_first_event(recording.profile);
  print_cautions(Builds(recording.profile, costs, Builds::For::kReport).cautions());
  print_loss_and_notes(loss_lines(recording.profile), recording.notes);
  if (!plan.request.raw.empty()) {
    std::fprintf(stderr,
                 "wick: raw records written to %s (readable by perf, hotspot and others).\n",
                 terminal_text(plan.request.raw).c_str());
  }
}

}  // namespace

Result<int> own_status(Result<int> status, bool runs_program, int failure) {
  if (status || status.error().usage || !runs_program) {
    return status;
  }
  std::fprintf(stderr, "wick: %s\n", terminal_text(status.error().message).c_str());
  return failure;
}

Result<capture::Recording> record_to_file(const RecordingPlan& plan) {
  StatusLine line(!plan.quiet);
  for (const std::string& note : plan.notes) {
    line.print(note);
  }
  capture::Calls calls{.print = [&](const std::string& sentence) { line.print(sentence); }};
  if (line.is_on()) {
    calls.status = [&](const capture::Status& status) { line.show(status_text(status)); };
  }
  capture::Recording recording = TRY(capture::run(plan.request, calls));
  line.wipe();
  if (recording.ran && !plan.quiet) {
    print_summary(recording, plan);
  }
  return recording;
}

}  // namespace wick
