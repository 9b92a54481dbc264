// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyze/lanes.h"
#include "analyze/module_contents.h"
#include "analyze/profile_contents.h"
#include "analyze/summary.h"
#include "answer/answer.h"
#include "report/amounts.h"
#include "report/columns.h"

namespace wick {
namespace {

std::string value_text(const ContentFact& fact) {
  if (!fact.number) {
    return fact.text;
  }
  std::string text =
      fact.unit.empty() ? count_text(*fact.number) : amount_text(*fact.number, fact.unit);
  return fact.samples == 0
             ? text
             : fmt::format(
                   "{} in {}", text, amount_text(static_cast<double>(fact.samples), "samples"));
}

Table describe(const acquire::Acquired& loaded) {
  ReportColumn names = name_column("property");
  ReportColumn values = text_column("value", "value");
  // The value as one number: a count, bytes or nanoseconds.
  ReportColumn numbers = for_programs(number_column("number", "number"));
  auto add = [&](std::string_view name, std::string_view value, double number = kNoNumber) {
    names.text.push_back(name);
    values.text.push_back(value);
    numbers.numbers.push_back(number);
  };
  std::vector<const Format*> formats = loaded.formats;
  std::ranges::sort(formats);
  formats.erase(std::ranges::unique(formats).begin(), formats.end());
  for (const Format* format : formats) {
    add("format", fmt::format("{}: {}", format->name, format->help));
  }
  auto size = static_cast<double>(loaded.stored_bytes);
  add("size", weight_text(size, "bytes"), size);
  for (const ContentFact& fact : profile_contents(loaded.profile)) {
    add(fact.name, value_text(fact), fact.number.value_or(kNoNumber));
  }
  return {.columns = {std::move(names), std::move(values), std::move(numbers)}};
}

}  // namespace

Report info_report(const acquire::Acquired& loaded, std::string title) {
  // Events have different units, so the table lists them and does not add them up. The head shows
  // the event of the first sample.
  StackCosts costs = costs_of_first_event(loaded.profile);
  Report report = start_report(loaded.profile, costs, std::move(title));
  report.verb = "info";
  report.sections.push_back(whole_section("facts", report.title, describe(loaded)));
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
  return report;
}

}  // namespace wick
