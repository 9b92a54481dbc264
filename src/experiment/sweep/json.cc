// SPDX-License-Identifier: Apache-2.0
// One write_* function for each object of the schema in json.h, in the order of the schema. The
// page reads the same text, so a change of a key needs a change in web/src, too.
//
// Points and fits start on separate lines, so that a diff of two results stays readable. Numbers in
// long lists (curves, functions) have six digits. JSON has neither NaN nor infinity: both become
// null.
#include "experiment/sweep/json.h"

#include <algorithm>
#include <cmath>

#include "base/json_writer.h"

namespace wick {
namespace {

void write_texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key);
  json.begin_array();
  for (const std::string& text : texts) {
    json.value(std::string_view(text));
  }
  json.end_array();
}

void write_text(JsonWriter& json, std::string_view key, const std::string& text) {
  json.field(key, std::string_view(text));
}

// Writes into an open object; `name` is the key of the value.
void write_estimate(JsonWriter& json, std::string_view name, const Estimate& estimate) {
  json.field(name, estimate.value);
  json.field("low", estimate.low);
  json.field("high", estimate.high);
}

void write_named(JsonWriter& json,
                 std::string_view key,
                 std::string_view name,
                 const Estimate& estimate) {
  json.key(key);
  json.begin_object();
  write_estimate(json, name, estimate);
  json.end_object();
}

// Six digits are more than the accuracy of these numbers, and there are many of them.
void write_short(JsonWriter& json, double number) {
  json.raw(std::isfinite(number) ? fmt::format("{:.6g}", number) : "null");
}

void write_position(JsonWriter& json, std::string_view key, const std::optional<Estimate>& at) {
  if (at) {
    write_named(json, key, "at", *at);
  } else {
    json.key(key);
    json.raw("null");
  }
}

void write_axis_value(JsonWriter& json, const SweepAxis& axis, size_t value) {
  if (axis.numbers.empty()) {
    json.value(std::string_view(axis.values[value]));
  } else {
    json.value(axis.numbers[value]);
  }
}

void write_plan(JsonWriter& json, const Sweep& sweep) {
  json.key("plan");
  json.begin_object();
  write_text(json, "name", sweep.name);
  write_text(json, "directory", sweep.directory);
  json.key("axes");
  json.begin_array();
  for (const SweepAxis& axis : sweep.axes) {
    json.begin_object();
    write_text(json, "name", axis.name);
    write_text(json, "unit", axis.unit);
    json.key("values");
    json.begin_array();
    for (size_t value = 0; value < axis.values.size(); ++value) {
      write_axis_value(json, axis, value);
    }
    json.end_array();
    json.field("numeric", !axis.numbers.empty());
    json.field("log", axis.log);
    json.end_object();
  }
  json.end_array();
  json.key("metrics");
  json.begin_array();
  for (const SweepMetric& metric : sweep.metrics) {
    json.begin_object();
    write_text(json, "name", metric.name);
    write_text(json, "unit", metric.unit);
    json.field("better", metric.more_is_better ? "more" : "less");
    json.field("hidden", metric.hidden);
    json.end_object();
  }
  json.end_array();
  write_texts(json, "areas", sweep.areas);
  json.end_object();
}

void write_machine(JsonWriter& json, const Sweep& sweep) {
  json.key("machine");
  json.begin_object();
  json.field("cpus", sweep.cpus);
  json.key("facts");
  json.begin_array();
  for (const auto& [name, value] : sweep.machine_facts) {
    json.begin_object();
    write_text(json, "name", name);
    write_text(json, "value", value);
    json.end_object();
  }
  json.end_array();
  json.key("findings");
  json.begin_array();
  for (const MachineFinding& finding : sweep.machine_findings) {
    json.begin_object();
    write_text(json, "what", finding.what);
    write_text(json, "why", finding.why);
    write_text(json, "advice", finding.advice);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_metrics(JsonWriter& json, const Sweep& sweep, const SweepPoint& point) {
  json.key("metrics");
  json.begin_object();
  for (size_t metric = 0; metric < sweep.metrics.size(); ++metric) {
    const std::optional<SweepNumber>& number = point.metrics[metric];
    if (!number) {
      continue;
    }
    json.key(sweep.metrics[metric].name);
    json.begin_object();
    write_estimate(json, "median", number->median);
    json.field("mark", mark_name(number->mark));
    json.field("n", static_cast<uint64_t>(number->values.size()));
    json.key("values");
    json.begin_array();
    for (double value : number->values) {
      json.value(value);
    }
    json.end_array();
    json.end_object();
  }
  json.end_object();
}

void write_cost(JsonWriter& json, const Sweep& sweep, const SweepCost& cost) {
  json.field("samples", cost.samples);
  json.field("weight", cost.weight);
  write_text(json, "unit", cost.unit);
  json.key("areas");
  json.begin_object();
  for (size_t area = 0; area < std::min(cost.areas.size(), sweep.areas.size()); ++area) {
    write_named(json, sweep.areas[area], "share", cost.areas[area]);
  }
  json.end_object();
  json.key("functions");
  json.begin_array();
  for (const SweepFunction& function : cost.functions) {
    json.begin_array();
    json.value(std::string_view(function.name));
    write_short(json, function.self);
    write_short(json, function.total);
    json.end_array();
  }
  json.end_array();
  json.field("least_self", cost.least_self);
}

void write_point(JsonWriter& json, const Sweep& sweep, const SweepPoint& point) {
  json.newline();
  json.begin_object();
  json.field("id", static_cast<uint64_t>(point.id));
  json.key("axes");
  json.begin_object();
  for (size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    json.key(sweep.axes[axis].name);
    write_axis_value(json, sweep.axes[axis], point.values[axis]);
  }
  json.end_object();
  json.key("at");
  json.begin_array();
  for (size_t value : point.values) {
    json.value(static_cast<uint64_t>(value));
  }
  json.end_array();
  write_text(json, "status", point.status);
  write_text(json, "why", point.why);
  write_text(json, "cut", point.cut);
  write_texts(json, "failed_checks", point.failed_checks);
  write_metrics(json, sweep, point);
  write_text(json, "profile", point.profile);
  write_text(json, "page", point.profile_page);
  if (point.cost) {
    write_cost(json, sweep, *point.cost);
  }
  json.end_object();
}

void write_fit(JsonWriter& json, const Sweep& sweep, const SweepFit& of) {
  json.newline();
  json.begin_object();
  write_text(json, "metric", sweep.metrics[of.of.metric].name);
  write_text(json, "axis", sweep.axes[of.of.axis].name);
  json.field("as", throughput_name(of.of.as));
  json.key("rest");
  json.begin_object();
  for (size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    if (axis != of.of.axis) {
      json.key(sweep.axes[axis].name);
      write_axis_value(json, sweep.axes[axis], of.rest[axis]);
    }
  }
  json.end_object();
  const ScalingFit& fit = of.fit;
  json.field("verdict", verdict_name(fit.verdict));
  write_text(json, "summary", fit.summary);
  write_texts(json, "note", fit.notes);
  if (fit.verdict != ScalingVerdict::kNotFitted) {
    write_named(json, "lambda", "value", fit.lambda);
    if (fit.sigma && fit.kappa) {
      write_named(json, "sigma", "value", *fit.sigma);
      write_named(json, "kappa", "value", *fit.kappa);
    }
    if (fit.ceiling) {
      write_named(json, "ceiling", "value", *fit.ceiling);
    }
    json.field("r2", fit.r2);
  }
  write_position(json, "knee", fit.knee);
  write_position(json, "half", fit.half);
  json.key("curve");
  json.begin_array();
  for (const ScalingPoint& at : fit.curve) {
    json.begin_array();
    write_short(json, at.n);
    write_short(json, at.throughput.value);
    write_short(json, at.throughput.low);
    write_short(json, at.throughput.high);
    json.end_array();
  }
  json.end_array();
  json.end_object();
}

void write_sweep(JsonWriter& json, const Sweep& sweep, const Sweep* other) {
  json.begin_object();
  write_plan(json, sweep);
  write_machine(json, sweep);
  std::vector<std::string> notes = sweep.cautions;
  notes.insert(notes.end(), sweep.notes.begin(), sweep.notes.end());
  write_texts(json, "notes", notes);
  json.key("points");
  json.begin_array();
  for (const SweepPoint& point : sweep.points) {
    write_point(json, sweep, point);
  }
  json.end_array();
  json.key("fits");
  json.begin_array();
  for (const SweepFit& fit : sweep.fits) {
    write_fit(json, sweep, fit);
  }
  json.end_array();
  json.key("ranking");
  json.begin_array();
  for (const SweepRank& rank : sweep.ranking) {
    json.begin_object();
    json.field("fit", static_cast<uint64_t>(rank.fit));
    json.field("point", static_cast<uint64_t>(rank.point));
    write_estimate(json, "efficiency", rank.efficiency);
    json.end_object();
  }
  json.end_array();
  if (other != nullptr) {
    json.key("other");
    write_sweep(json, *other, nullptr);
  }
  json.end_object();
}

}  // namespace

void write_sweep_json(const Sweep& sweep, const Sweep* other, Output& out) {
  JsonWriter json(out);
  write_sweep(json, sweep, other);
  out.write("\n");
}

}  // namespace wick
