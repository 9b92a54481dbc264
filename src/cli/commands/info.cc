// wick info: what a file holds, before asking it anything.
#include <algorithm>
#include <set>

#include "analyze/lanes.h"
#include "analyze/module_contents.h"
#include "analyze/summary.h"
#include "base/escape.h"
#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/show.h"
#include "profile/time_range.h"
#include "views/numbers.h"

namespace wick {
namespace {

class Facts {
 public:
  void add(std::string_view name, std::string_view value) {
    names_.text.push_back(name);
    values_.text.push_back(value);
  }
  void add_count(std::string_view name, size_t count) {
    add(name, count_text(static_cast<double>(count)));
  }
  Table table() && { return {.columns = {std::move(names_), std::move(values_)}}; }

 private:
  ReportColumn names_{.name = "name", .title = "property"};
  ReportColumn values_{.name = "value", .title = "value"};
};

void add_events(const Profile& profile, Facts& facts) {
  std::vector<Cost> totals(profile.events.size());
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    totals[profile.samples.event[row].index()] +=
        {profile.samples.weight[row], profile.samples.count[row]};
  }
  for (size_t row = 0; row < totals.size(); ++row) {
    const Event& event = profile.events[EventId::from_index(row)];
    double weight = static_cast<double>(totals[row].weight) / event.scale;
    std::string text = amount_text(weight, profile.strings[event.unit]);
    if (profile.strings[event.unit] != "samples" && totals[row].count > 0) {
      text += fmt::format(" in {} samples", count_text(static_cast<double>(totals[row].count)));
    }
    facts.add(fmt::format("event {}", profile.strings[event.name]), text);
  }
}

void add_time(const Profile& profile, Facts& facts) {
  if (!profile.has_time()) {
    facts.add("time", "not in the file");
    return;
  }
  TimeRange range = sampled_time(profile);
  double seconds = (static_cast<double>(range.last) - static_cast<double>(range.first)) / 1e9;
  facts.add("time range", fmt::format("{:.6f} s", seconds));
}

size_t deepest(const StackTree& stacks) {
  std::vector<uint32_t> depths(stacks.size());
  for (size_t row = 1; row < depths.size(); ++row) {
    depths[row] = depths[stacks.parent(StackId::from_index(row)).index()] + 1;
  }
  return *std::ranges::max_element(depths);
}

std::set<uint16_t> cpus(const Profile& profile) {
  std::set<uint16_t> found;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    if (profile.samples.cpu[row] != kNoCpu) {
      found.insert(profile.samples.cpu[row]);
    }
  }
  return found;
}

// "cgroup, request": the keys of the labels, each once.
std::string label_keys(const Profile& profile) {
  std::set<std::string_view> keys;
  for (const Label& label : profile.labels) {
    keys.insert(profile.strings[label.key]);
  }
  return fmt::format("{}", fmt::join(keys, ", "));
}

// Tables that few profiles have anything in.
void add_rare_tables(const Profile& profile, Facts& facts) {
  if (!profile.labels.empty()) {
    facts.add("labels", label_keys(profile));
  }
  auto add = [&](std::string_view name, size_t rows) {
    if (rows > 0) {
      facts.add_count(name, rows);
    }
  };
  add("sources", profile.sources.size());
  add("mappings", profile.mappings.size());
  add("thread names over time", profile.thread_names.size());
  add("branch stacks", profile.branch_sets.size());
  add("branches in branch stacks", profile.branches.size());
  add("spans", profile.spans.size());
  add("counter series", profile.series.size());
  add("moments of loss", profile.loss_moments.size());
}

Table describe(const Loaded& loaded) {
  const Profile& profile = loaded.profile;
  Facts facts;
  for (const Format* format : loaded.formats) {
    facts.add("format", fmt::format("{}: {}", format->name, format->help));
  }
  facts.add("size", weight_text(static_cast<double>(loaded.stored_bytes), "bytes"));
  add_events(profile, facts);
  add_time(profile, facts);
  facts.add_count("sample rows", profile.samples.size());
  facts.add_count("processes", profile.processes.size());
  facts.add_count("threads", profile.threads.size());
  facts.add_count("CPUs", cpus(profile).size());
  facts.add_count("modules", profile.modules.size());
  facts.add_count("functions", profile.functions.size());
  facts.add_count("frames", profile.frames.size());
  facts.add_count("distinct stacks", StackCosts(profile).stacks().size());
  facts.add_count("deepest stack", deepest(profile.stacks));
  add_rare_tables(profile, facts);
  for (const Fact& fact : profile.facts) {
    if (profile.strings[fact.key] != "format") {
      facts.add(profile.strings[fact.key], profile.strings[fact.value]);
    }
  }
  return std::move(facts).table();
}

// What the program said of itself, and when: seconds as --time takes them.
Table marks_of(const Profile& profile) {
  ReportColumn seconds{.name = "seconds", .title = "seconds"};
  ReportColumn name{.name = "mark", .title = "mark"};
  ReportColumn value{.name = "value", .title = "value"};
  int64_t start = sampled_time(profile).first;
  for (const Mark& mark : profile.marks) {
    seconds.text.push_back(fmt::format("{:.6f}", static_cast<double>(mark.time_ns - start) / 1e9));
    name.text.push_back(profile.strings[mark.name]);
    value.text.push_back(mark.has_value ? fmt::format("{}", mark.value) : "");
  }
  return {.columns = {std::move(seconds), std::move(name), std::move(value)}};
}

Result<int> run(const Invocation& call) {
  std::vector<std::string> paths = TRY(choose_inputs(call.words, call.flags));
  Loaded loaded = TRY(load(paths, call.flags));
  std::string title = paths.size() == 1 ? paths[0] : fmt::format("{} files", paths.size());
  // Several events are listed, not added up; the head shows the first that was sampled.
  bool empty = loaded.profile.samples.size() == 0;
  StackCosts costs(loaded.profile, empty ? EventId(0) : loaded.profile.samples.event[0]);
  Report report = start_report(loaded.profile, costs, std::move(title));
  report.sections.push_back({"rows", report.title, describe(loaded)});
  if (!loaded.profile.marks.empty()) {
    report.sections.push_back({"marks", "Marks", marks_of(loaded.profile)});
  }
  if (std::optional<Lanes> lanes = cpu_lanes(loaded.profile)) {
    report.sections.push_back({"cpus", "CPUs", std::move(lanes->cpus)});
    if (lanes->pauses.rows() > 0) {
      report.sections.push_back({"pauses", "Pauses", std::move(lanes->pauses)});
    }
  }
  Table modules = module_contents(loaded.profile);
  if (modules.rows() > 0) {
    report.sections.push_back({"modules", "Modules", std::move(modules)});
  }
  return show(report, call.flags, {.default_view = "terminal", .lost_share = loaded.lost_share});
}

}  // namespace

Command info_command() {
  Command command{.name = "info",
                  .help = "describe a file: format, events, time, threads, stacks, loss",
                  .words = "[FILE...]",
                  .examples = {"wick info profile.wick"},
                  .run = run};
  append_flags(command.flags, output_flags("terminal"));
  append_flags(command.flags, input_flags());
  return command;
}

}  // namespace wick
