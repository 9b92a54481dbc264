// SPDX-License-Identifier: Apache-2.0
// wick doctor: lists what this machine allows, and the commands that would allow more.
#include "record/doctor.h"

#include "capture/process_runtimes.h"
#include "capture/request.h"
#include "cli/commands/commands.h"
#include "cli/show.h"
#include "record/machine.h"
#include "report/columns.h"

namespace wick {
namespace {

std::string_view verdict_text(record::Finding::Verdict verdict) {
  switch (verdict) {
    case record::Finding::Verdict::kGood:
      return "ok";
    case record::Finding::Verdict::kLimited:
      return "limited";
    case record::Finding::Verdict::kMissing:
      return "missing";
  }
  return "";
}

// Of the machine, or of the interpreters in the processes that -p names.
Result<std::vector<record::Finding>> findings_of(const FlagValues& flags) {
  if (!flags.given("pid")) {
    return record::examine_machine();
  }
  std::vector<record::Finding> all;
  std::string names = fmt::format("{}", fmt::join(flags.texts("pid"), ","));
  for (int32_t pid : TRY(capture::find_processes(names))) {
    std::vector<record::Finding> some = TRY(capture::examine_runtimes(pid));
    for (record::Finding& finding : some) {
      finding.what = fmt::format("{} in process {}", finding.what, pid);
      all.push_back(std::move(finding));
    }
    if (some.empty()) {
      all.push_back({.what = fmt::format("process {}", pid),
                     .state = "has no interpreter that wick knows: its stacks are native"});
    }
  }
  return all;
}

Result<int> run_doctor(const Invocation& call) {
  ReportColumn what = text_column("what", "item", ColumnRole::kName);
  ReportColumn verdict = verdict_column("verdict", "");
  ReportColumn state = text_column("state", "state");
  Report report{.verb = "doctor"};
  report.title =
      call.flags.given("pid")
          ? "How the functions of interpreted programs get into a recording"
          : fmt::format(
                "What this machine allows (kernel.perf_event_paranoid is {})",
                record::read_line("/proc/sys/kernel/perf_event_paranoid").value_or("unknown"));
  ReportColumn remedy = for_programs(text_column("remedy", "how to change it"));
  std::vector<record::Finding> findings = TRY(findings_of(call.flags));
  for (const record::Finding& finding : findings) {
    what.text.push_back(finding.what);
    bool good = finding.verdict == record::Finding::Verdict::kGood;
    verdict.judge(verdict_text(finding.verdict), good ? Tone::kGood : Tone::kBad);
    state.text.push_back(finding.state);
    remedy.text.push_back(finding.remedy);
    if (!finding.remedy.empty()) {
      report.notes.push_back(fmt::format("{}: {}", finding.what, finding.remedy));
    }
  }
  if (call.flags.is_set("json") || call.flags.is_set("csv")) {
    report.notes.clear();  // a column already contains them
  }
  report.sections.push_back(
      {.name = "checks",
       .title = "",
       .body = Table{
           .columns = {std::move(what), std::move(verdict), std::move(state), std::move(remedy)}}});
  FlagValues flags = call.flags;
  if (!flags.given("limit")) {
    flags.set("limit", "0");
  }
  return show(report, flags, {.default_view = "terminal"});
}

}  // namespace

Command doctor_command() {
  Command command{.name = "doctor",
                  .help = "show what this machine allows, and the exact command to allow more",
                  .words = "",
                  .examples = {"wick doctor", "wick doctor -p server"},
                  .run = run_doctor,
                  .family = VerbFamily::kRecord};
  command.flags.push_back({.name = "pid",
                           .letter = 'p',
                           .kind = FlagKind::kTexts,
                           .value = "PID|NAME",
                           .help = "the interpreters in this process, and how wick reads them"});
  append_flags(command.flags, output_flags("terminal"));
  return command;
}

}  // namespace wick
