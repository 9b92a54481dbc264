// SPDX-License-Identifier: Apache-2.0
#include "record/mitigations.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "record/machine.h"

namespace wick::record {
namespace {

constexpr std::string_view kNotNeeded = "not needed";
constexpr std::string_view kMitigation = "Mitigation: ";
constexpr std::string_view kNotAffected = "Not affected";

// A word of the kernel's text, and what the mitigation does.
struct MitigationCost {
  std::string_view word;
  std::string_view cost;
};

constexpr std::array kCosts = {
    MitigationCost{"PTI", "every system call switches page tables (PTI)"},
    MitigationCost{"IBPB: always-on", "every process switch flushes the branch predictor (IBPB)"},
    MitigationCost{"IBPB: conditional", "some process switches flush the branch predictor (IBPB)"},
    MitigationCost{": IBPB", "every entry into the kernel flushes the branch predictor (IBPB)"},
    MitigationCost{"Clear CPU buffers", "every return to a program clears CPU buffers"},
    MitigationCost{"cache flushes", "entries into virtual machines flush the L1D cache"},
};

// A semicolon separates vulnerabilities, so those inside of a text become commas.
std::string with_commas(std::string text) {
  std::ranges::replace(text, ';', ',');
  return text;
}

}  // namespace

std::string mitigations_text(const std::string& root) {
  std::error_code problem;
  std::filesystem::directory_iterator files(root + "/sys/devices/system/cpu/vulnerabilities",
                                            problem);
  if (problem) {
    return {};
  }
  std::vector<std::string> lines;
  bool any = false;
  for (const auto& file : files) {
    std::string state = read_line(file.path().string()).value_or("");
    any = any || !state.empty();
    if (state.empty() || state.starts_with(kNotAffected)) {
      continue;
    }
    if (state.starts_with(kMitigation)) {
      state.erase(0, kMitigation.size());
    }
    lines.push_back(
        fmt::format("{}: {}", file.path().filename().string(), with_commas(std::move(state))));
  }
  std::ranges::sort(lines);
  return !any            ? std::string()
         : lines.empty() ? std::string(kNotNeeded)
                         : fmt::format("{}", fmt::join(lines, "; "));
}

std::string mitigation_costs(std::string_view mitigations) {
  if (mitigations.empty()) {
    return "unknown: the kernel does not list them";
  }
  if (mitigations == kNotNeeded) {
    return "not needed on this processor";
  }
  std::vector<std::string_view> costs;
  for (const MitigationCost& cost : kCosts) {
    if (mitigations.find(cost.word) != std::string_view::npos) {
      costs.push_back(cost.cost);
    }
  }
  return costs.empty() ? "none that flushes caches or switches page tables"
                       : fmt::format("{}", fmt::join(costs, "; "));
}

}  // namespace wick::record
