// SPDX-License-Identifier: Apache-2.0
#include "analyze/quality/quality.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "analyze/summary.h"
#include "profile/interpreted_samples.h"
#include "profile/names.h"
#include "profile/stack_end_words.h"

namespace wick {
namespace {

struct Counts {
  uint64_t complete = 0;
  uint64_t truncated = 0;
  uint64_t broken = 0;
  uint64_t unknown = 0;

  uint64_t all() const { return complete + truncated + broken + unknown; }
  uint64_t bad() const { return truncated + broken; }
  void add(StackEnd ending, uint64_t count) {
    if (is_truncated(ending)) {
      truncated += count;
    } else if (is_broken(ending)) {
      broken += count;
    } else if (ending == StackEnd::kComplete) {
      complete += count;
    } else {
      unknown += count;
    }
  }
};

// The outermost frame of each stack: the last one found. Parents precede children.
std::vector<FrameId> outermost_frames(const StackTree& stacks) {
  std::vector<FrameId> outermost(stacks.size());
  for (size_t row = 1; row < stacks.size(); ++row) {
    StackId stack = StackId::from_index(row);
    StackId parent = stacks.parent(stack);
    outermost[row] = parent == kEmptyStack ? stacks.frame(stack) : outermost[parent.index()];
  }
  return outermost;
}

// One row for each module in which stacks end, worst first.
Table module_table(const std::map<std::string, Counts>& modules) {
  std::vector<std::pair<std::string, Counts>> rows(modules.begin(), modules.end());
  // Weights without samples say nothing about stacks.
  std::erase_if(rows, [](const auto& row) { return row.second.all() == 0; });
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
    return std::pair(a.second.bad(), a.second.all()) > std::pair(b.second.bad(), b.second.all());
  });
  Table table;
  table.columns = {count_column("samples", "samples", ColumnRole::kSamples),
                   count_column("complete", "complete"),
                   count_column("truncated", "truncated"),
                   count_column("broken", "broken"),
                   count_column("unknown", "unknown"),
                   name_column("module of the outermost frame")};
  for (const auto& [name, counts] : rows) {
    std::array<uint64_t, 5> values = {
        counts.all(), counts.complete, counts.truncated, counts.broken, counts.unknown};
    for (size_t i = 0; i < values.size(); ++i) {
      table.columns[i].numbers.push_back(static_cast<double>(values[i]));
    }
    table.columns.back().text.push_back(name);
  }
  return table;
}

using Reasons = std::map<std::pair<StackEnd, std::string>, uint64_t>;

constexpr size_t kOrigins = static_cast<size_t>(last_of(FrameOrigin{})) + 1;
using OriginCounts = std::array<uint64_t, kOrigins>;  // samples whose stack has such a frame

// A bit for each origin in a stack.
std::vector<uint32_t> origins_of_stacks(const Profile& profile) {
  std::vector<uint32_t> origins(profile.stacks.size());
  for (size_t row = 1; row < origins.size(); ++row) {
    StackId stack = StackId::from_index(row);
    auto origin = static_cast<size_t>(profile.frames[profile.stacks.frame(stack)].origin);
    uint32_t bit = origin < kOrigins ? 1U << origin : 0;
    origins[row] = origins[profile.stacks.parent(stack).index()] | bit;
  }
  return origins;
}

OriginCounts count_origins(const Profile& profile) {
  std::vector<uint32_t> of_stack = origins_of_stacks(profile);
  OriginCounts counts = {};
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    uint32_t origins = of_stack[profile.samples.stack[row].index()];
    for (size_t origin = 0; origin < kOrigins; ++origin) {
      counts[origin] += (origins >> origin & 1) != 0 ? profile.samples.count[row] : 0;
    }
  }
  return counts;
}

Table origin_table(const OriginCounts& counts) {
  Table table;
  table.columns = {count_column("samples", "samples", ColumnRole::kSamples),
                   name_column("origin"),
                   text_column("meaning", "how frames were found")};
  for (size_t row = 0; row < kOrigins; ++row) {
    auto origin = static_cast<FrameOrigin>(row);
    if (counts[row] > 0 && !origin_meaning(origin).empty()) {
      table.columns[0].numbers.push_back(static_cast<double>(counts[row]));
      table.columns[1].text.push_back(name_of(origin));
      table.columns[2].text.push_back(origin_meaning(origin));
    }
  }
  return table;
}

Table reason_table(const Reasons& reasons, const StackAdvice& advice) {
  std::vector<std::pair<Reasons::key_type, uint64_t>> rows(reasons.begin(), reasons.end());
  std::erase_if(rows, [](const auto& row) { return row.second == 0; });
  std::ranges::stable_sort(rows, std::greater(), [](const auto& row) { return row.second; });
  Table table;
  table.columns = {count_column("samples", "samples", ColumnRole::kSamples),
                   name_column("module"),
                   text_column("reason", "why"),
                   text_column("fix", "what would help")};
  for (const auto& [key, count] : rows) {
    const auto& [ending, module] = key;
    table.columns[0].numbers.push_back(static_cast<double>(count));
    table.columns[1].text.push_back(module);
    table.columns[2].text.push_back(stack_end_name(ending));
    table.columns[3].text.push_back(advice.text(ending, module));
  }
  return table;
}

Table interpreter_table(const InterpretedSamples& samples) {
  Table table;
  table.columns = {count_column("samples", "samples", ColumnRole::kSamples),
                   name_column("state"),
                   text_column("reason", "why"),
                   text_column("fix", "what would help")};
  for (size_t row = 1; row < kInterpretedStates; ++row) {
    if (samples.counts[row] > 0) {
      const InterpretedWords& words = words_of(static_cast<InterpretedState>(row));
      table.columns[0].numbers.push_back(static_cast<double>(samples.counts[row]));
      table.columns[1].text.push_back(words.name);
      table.columns[2].text.push_back(words.reason);
      table.columns[3].text.push_back(words.advice);
    }
  }
  return table;
}

uint64_t lost_samples(const Profile& profile) {
  uint64_t lost = 0;
  for (const Loss& loss : profile.losses) {
    bool counts = loss.severity == LossClass::kDataLoss && profile.strings[loss.what] == "samples";
    lost += counts ? loss.count : 0;
  }
  return lost;
}

}  // namespace

Report stack_quality(const Profile& profile) {
  std::vector<FrameId> outermost = outermost_frames(profile.stacks);
  Counts all;
  std::map<std::string, Counts> modules;
  Reasons reasons;
  uint64_t stitched = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    StackEnd ending = profile.samples.ending[row];
    uint64_t count = profile.samples.count[row];
    FrameId frame = outermost[profile.samples.stack[row].index()];
    std::string_view module = frame.valid() ? module_name(profile, profile.frames[frame]) : "";
    std::string name(module.empty() ? "[unknown]" : module);
    stitched += frame.valid() && profile.frames[frame].origin == FrameOrigin::kStitched ? count : 0;
    all.add(ending, count);
    modules[name].add(ending, count);
    if (ending != StackEnd::kComplete) {
      reasons[{ending, name}] += count;
    }
  }
  Report report = start_report(profile, StackCosts(profile), "Stacks");
  auto figure = [&](std::string name, uint64_t value) {
    report.figures.push_back({std::move(name), static_cast<double>(value)});
  };
  figure("complete", all.complete);
  figure("truncated", all.truncated);
  figure("broken", all.broken);
  figure("unknown", all.unknown);
  figure("lost", lost_samples(profile));
  InterpretedSamples interpreted = count_interpreted(profile);
  Table interpreters = interpreter_table(interpreted);
  if (interpreters.rows() > 0) {
    figure("verified", interpreted.of(InterpretedState::kVerified));
    figure("unverified", interpreted.of(InterpretedState::kUnverified));
    figure("unmatched", interpreted.unmatched());
    figure("unread", interpreted.of(InterpretedState::kUnread));
  }
  if (stitched > 0) {
    report.notes.push_back(
        fmt::format("{} of the complete stacks are deeper than the copy: their outer frames were "
                    "read from the process a moment later, or come from an earlier sample of the "
                    "thread.",
                    stitched));
  }
  report.sections.push_back({"modules", "Where stacks end", module_table(modules)});
  if (!reasons.empty()) {
    report.sections.push_back(
        {"reasons", "Why stacks are incomplete", reason_table(reasons, StackAdvice(profile))});
  }
  if (interpreters.rows() > 0) {
    report.sections.push_back(
        {"interpreters", "Functions of interpreted programs", std::move(interpreters)});
  }
  if (Table origins = origin_table(count_origins(profile)); origins.rows() > 0) {
    report.sections.push_back({"origins", "How frames were found", std::move(origins)});
  }
  return report;
}

Result<Report> run_quality(const Profile& profile, std::string_view, const FlagValues&) {
  return stack_quality(profile);
}

}  // namespace wick
