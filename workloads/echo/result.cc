// SPDX-License-Identifier: Apache-2.0
#include "result.h"

#include "common/json.h"

namespace echo {

namespace {

using workloads::Json;

void add_settings(Json& json, const Settings& settings, const char* mode) {
  json.field("program", "echo_pairs");
  json.field("operation", name_of(settings.operation));
  json.field("mode", mode);
  json.field("task_count", settings.tasks);
  if (settings.operation == Operation::kSleep) {
    json.field("sleep_ns", settings.sleep_ns);
  }
  json.field("access_bytes", settings.access_bytes);
  json.field("access_stride", settings.access_stride);
  json.field("cpus", settings.cpus);
  json.field("spread", settings.spread);
}

void add_switches(Json& json, const Summary& summary) {
  json.object("switches", [&](Json& inner) {
    inner.field("voluntary", summary.switches.voluntary);
    inner.field("involuntary", summary.switches.involuntary);
    inner.field("voluntary_per_iteration", summary.voluntary_per_iteration());
  });
}

void add_summary(Json& json, const Summary& summary) {
  json.field("seconds", double(summary.wall_ns) / 1e9);
  json.field("cpu_seconds", double(summary.cpu_ns) / 1e9);
  json.field("iterations", summary.iterations);
  json.field("iterations_per_second", summary.per_second());
  json.field("us_per_iteration", summary.us_per_iteration());
  add_switches(json, summary);
  json.field("fewest_iterations", summary.fewest);
  json.field("most_iterations", summary.most);
  json.field("skew", summary.skew());
}

void add_tasks(Json& json, const Settings& settings, Form form, const Measurement& measured) {
  json.array("tasks", [&](Json& list) {
    for (int task = 0; task < settings.tasks; ++task) {
      const TaskResult& result = measured.tasks[static_cast<size_t>(task)];
      list.object("", [&](Json& row) {
        row.field("name", task_name(settings, task));
        row.field("iterations", result.iterations);
        if (form == Form::kThreads) {
          row.field("voluntary", result.switches.voluntary);
          row.field("involuntary", result.switches.involuntary);
        }
      });
    }
  });
}

// One form over all rounds: its totals, and the median of its rates.
void add_form(Json& json, Form form, const std::vector<Round>& rounds) {
  Summary sum;
  std::vector<double> rates;
  for (const Round& round : rounds) {
    const Summary& one = form == Form::kThreads ? round.threads : round.coroutines;
    rates.push_back(one.per_second());
    sum.tasks = one.tasks;
    sum.iterations += one.iterations;
    sum.switches += one.switches;
    sum.wall_ns += one.wall_ns;
    sum.cpu_ns += one.cpu_ns;
  }
  json.object(name_of(form), [&](Json& inner) {
    inner.field("iterations_per_second", median(rates));
    inner.field("us_per_iteration", 1e6 / median(rates));
    inner.field("iterations", sum.iterations);
    inner.field("seconds", double(sum.wall_ns) / 1e9);
    inner.field("cpu_seconds", double(sum.cpu_ns) / 1e9);
    add_switches(inner, sum);
  });
}

}  // namespace

void print_run(const Settings& settings, Form form, const Measurement& measured) {
  Summary summary = summary_of(measured);
  Json json;
  add_settings(json, settings, name_of(form));
  add_summary(json, summary);
  if (form == Form::kCoroutines) {
    json.field("never_waited", never_waited(summary));
  }
  add_tasks(json, settings, form, measured);
  json.print();
}

void print_comparison(const Settings& settings, const std::vector<Round>& rounds) {
  std::vector<double> ratios;
  std::vector<double> wall_ratios;
  bool waited = false;
  for (const Round& round : rounds) {
    ratios.push_back(round.ratio());
    wall_ratios.push_back(round.wall_ratio());
    waited = waited || !never_waited(round.coroutines);
  }
  Json json;
  add_settings(json, settings, "both");
  json.field("ratio", median(ratios));
  json.field("ratio_by_wall_time", median(wall_ratios));
  json.array("ratios", [&](Json& list) {
    for (double ratio : ratios) {
      list.field("", ratio);
    }
  });
  add_form(json, Form::kThreads, rounds);
  add_form(json, Form::kCoroutines, rounds);
  json.field("never_waited", !waited);
  json.print();
}

}  // namespace echo
