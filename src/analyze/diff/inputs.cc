// SPDX-License-Identifier: Apache-2.0
#include "analyze/diff/inputs.h"

#include <algorithm>
#include <array>

#include "analyze/builds.h"
#include "analyze/label_groups.h"
#include "analyze/summary.h"
#include "base/escape.h"

namespace wick {
namespace {

struct DiffByName {
  DiffBy by;
  std::string_view name;
};
constexpr std::array kDiffByNames = {DiffByName{DiffBy::kFunction, "function"},
                                     DiffByName{DiffBy::kModule, "module"},
                                     DiffByName{DiffBy::kLine, "line"},
                                     DiffByName{DiffBy::kMode, "mode"},
                                     DiffByName{DiffBy::kLanguage, "language"},
                                     DiffByName{DiffBy::kThread, "thread"},
                                     DiffByName{DiffBy::kProcess, "process"},
                                     DiffByName{DiffBy::kPath, "path"},
                                     DiffByName{DiffBy::kArea, "area"}};
struct Counted {
  std::string event;
  std::string unit;
  bool is_time() const {
    return unit == "nanoseconds" || unit == "cycles" || unit == "samples" || unit == "units" ||
           event == "cycles";
  }
};

Counted counted(const Profile& profile) {
  const Event& event = profile.events[profile.samples.event[0]];
  return {std::string(profile.strings[event.name]), std::string(profile.strings[event.unit])};
}

}  // namespace

std::string by_text(const DiffOptions& options) {
  return options.by == DiffBy::kLabel
             ? options.label
             : std::string(std::ranges::find(kDiffByNames, options.by, &DiffByName::by)->name);
}

Result<> parse_by(std::string_view word, std::span<const Side> sides, DiffOptions& options) {
  options.label = key_of_by(word);
  if (options.label.empty()) {
    options.by = std::ranges::find(kDiffByNames, word, &DiffByName::name)->by;
    return {};
  }
  options.by = DiffBy::kLabel;
  Result<> found;
  for (const Side& side : sides) {
    for (const Profile& run : side.runs) {
      found = check_label(run, options.label);
      if (found) {
        return {};
      }
    }
  }
  return found;
}

std::string unit_of(const Profile& profile) {
  return counted(profile).unit;
}

Result<> check_samples(std::span<const Side> sides) {
  for (const Side& side : sides) {
    for (const Profile& run : side.runs) {
      if (StackCosts(run).total().weight == 0) {
        return fail("{} has no samples, so there is nothing to compare.", terminal_text(side.name));
      }
    }
  }
  return {};
}

// Different events can be compared only if both measure CPU time, and then as shares.
Result<> check_events(std::span<const Side> sides, DiffAs as, std::vector<std::string>& notes) {
  Counted first = counted(sides[0].runs[0]);
  for (const Side& side : sides) {
    for (const Profile& run : side.runs) {
      Counted other = counted(run);
      bool pair = first.event == "before" && other.event == "after";  // differential folded text
      if ((other.event == first.event || pair) && other.unit == first.unit) {
        continue;
      }
      std::string both = fmt::format("{} counts {} ({}), {} counts {} ({})",
                                     terminal_text(sides[0].name),
                                     terminal_text(first.event),
                                     terminal_text(first.unit),
                                     terminal_text(side.name),
                                     terminal_text(other.event),
                                     terminal_text(other.unit));
      if (other.unit != first.unit && !(first.is_time() && other.is_time())) {
        return fail("{}: these cannot be compared; use --event to choose an event that both have.",
                    both);
      }
      if (other.unit != first.unit && as != DiffAs::kShare) {
        return fail("{}: only shares can be compared (--as share).", both);
      }
      notes.push_back(both + (other.unit == first.unit ? "." : "; only shares are compared."));
      return {};
    }
  }
  return {};
}

Result<> check_seconds(const AlignedRuns& aligned, DiffAs as) {
  for (const AlignedSide& side : aligned.sides) {
    for (const AlignedRun& run : side.runs) {
      if (as == DiffAs::kSecond && run.seconds <= 0) {
        return fail(
            "{} does not say when its samples were taken, so the cost per second is unknown.",
            terminal_text(side.name));
      }
    }
  }
  return {};
}

std::vector<double> per_side(const DiffOptions& options, size_t sides) {
  std::vector<double> per(sides, options.per.empty() ? 1 : options.per[0]);
  for (size_t i = 0; i < std::min(sides, options.per.size()); ++i) {
    per[i] = options.per[i];
  }
  return per;
}

Report start_comparison(std::span<const Side> sides, std::string title) {
  Report report{.title = std::move(title), .unit = unit_of(sides[0].runs[0])};
  std::vector<BuiltSide> built;
  for (const Side& side : sides) {
    built.push_back({side.name, Builds()});
    for (const Profile& run : side.runs) {
      built.back().builds.add(run, StackCosts(run));
    }
  }
  for (const Side& side : sides) {
    for (const Profile& run : side.runs) {
      for (const std::string& alarm : alarms(run)) {
        report.cautions.push_back(fmt::format("{}: {}", side.name, alarm));
        report.is_alarmed = true;
      }
    }
  }
  std::ranges::move(build_cautions(built), std::back_inserter(report.cautions));
  for (const Side& side : sides) {
    for (const Profile& run : side.runs) {
      for (LossLine& line : loss_lines(run)) {
        line.detail += fmt::format("{}{}", line.detail.empty() ? "" : "; ", side.name);
        report.loss.push_back(std::move(line));
      }
    }
  }
  return report;
}

AlignOptions align_options(const DiffOptions& options, bool one_run) {
  return {.by = options.by,
          .label = options.label,
          .areas = &options.areas,
          .rename = [&](Group& group) { options.name_rules.rename(group); },
          .measure = options.measure,
          .clustering = one_run};
}

}  // namespace wick
