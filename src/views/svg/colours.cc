// SPDX-License-Identifier: Apache-2.0
#include "views/svg/colours.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/escape.h"
#include "views/labels.h"
#include "views/numbers.h"
#include "views/svg/amounts.h"
#include "views/svg/bounded_name.h"

namespace wick {
namespace {

constexpr size_t kSlots = 8;
constexpr std::array<std::string_view, kSlots + 1> kGroups = {
    "g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "gx"};
constexpr std::array<std::string_view, 12> kNames = {
    "n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "na", "nb"};
constexpr std::array<std::string_view, 8> kHeats = {"h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7"};
constexpr std::array<std::string_view, 11> kDeltas = {
    "d5", "d4", "d3", "d2", "d1", "z", "u1", "u2", "u3", "u4", "u5"};
constexpr std::array<std::string_view, 5> kRuns = {"m m1", "m m2", "m m3", "m m4", "m"};
constexpr uint8_t kOther = kSlots;
constexpr size_t kLegendColumns = 40;

// Kinds in the order of their colours.
constexpr std::array<std::string_view, 6> kKinds = {
    "user", "kernel", "inlined", "jit", "waker", "python"};
// Functions of Python have this colour also among modules: their files are not modules.
constexpr std::string_view kPython = "python";
constexpr size_t kPythonSlot = 5;
static_assert(kKinds[kPythonSlot] == kPython);

// FNV-1a: a name must have the same colour in every version of wick.
uint32_t colour_hash(std::string_view name) {
  uint32_t hash = 2166136261U;
  for (char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  return hash ^ (hash >> 16);
}

bool has_text(const TextValues* column) {
  return column != nullptr && std::ranges::any_of(column->values(), [](const std::string& text) {
           return !text.empty();
         });
}

ColourBy chosen(const FlameTree& tree, ColourBy by) {
  if (by != ColourBy::kAuto) {
    return by;
  }
  if (tree.is_differential()) {
    return ColourBy::kDelta;
  }
  return has_text(tree.module) ? ColourBy::kModule
         : has_text(tree.kind) ? ColourBy::kKind
                               : ColourBy::kName;
}

}  // namespace

Colours::Colours(const FlameTree& tree, const ColourOptions& options)
    : tree_(tree), options_(options) {
  options_.by = chosen(tree, options.by);
  switch (options_.by) {
    case ColourBy::kModule:
      rank_modules();
      break;
    case ColourBy::kKind:
      list_kinds();
      break;
    case ColourBy::kHeat:
      scale_heat();
      break;
    case ColourBy::kDelta:
      scale_delta();
      break;
    case ColourBy::kAuto:
    case ColourBy::kName:
      break;
  }
}

void Colours::rank_modules() {
  if (tree_.module == nullptr) {
    return;
  }
  const std::vector<std::string>& values = tree_.module->values();
  std::vector<double> weights(values.size());
  std::vector<bool> is_native(values.size());
  for (size_t row = 0; row < tree_.size(); ++row) {
    bool is_python = this->is_python(row);
    has_python_ = has_python_ || is_python;
    weights[tree_.module->value_of_row(row)] += is_python ? 0 : tree_.self_of(row);
    is_native[tree_.module->value_of_row(row)] =
        is_native[tree_.module->value_of_row(row)] || !is_python;
  }
  std::map<std::string_view, double> modules;  // the column can store one text as several values
  for (size_t value = 0; value < values.size(); ++value) {
    if (!values[value].empty() && is_native[value]) {
      modules[values[value]] += weights[value];
    }
  }
  std::vector<std::pair<std::string_view, double>> ranked(modules.begin(), modules.end());
  std::ranges::stable_sort(
      ranked, std::ranges::greater(), &std::pair<std::string_view, double>::second);
  std::map<std::string_view, uint8_t> slots;
  std::set<size_t> taken;
  if (has_python_) {
    taken.insert(kPythonSlot);
  }
  std::vector<std::string> names;
  std::vector<std::string_view> styles;
  for (const auto& [module, weight] : ranked) {
    if (taken.size() == kSlots) {
      break;
    }
    size_t slot = colour_hash(module) % kSlots;
    while (!taken.insert(slot).second) {
      slot = (slot + 1) % kSlots;
    }
    slots.emplace(module, static_cast<uint8_t>(slot));
    names.push_back(terminal_text(bounded_name(module)));
    styles.push_back(kGroups[slot]);
  }
  std::vector<LabelRow> rows;
  for (const std::string& name : names) {
    rows.push_back({.name = name, .columns = kLegendColumns});
  }
  std::vector<std::string> labels = labels_of(rows);
  for (size_t i = 0; i < labels.size(); ++i) {
    legend_.push_back({std::string(styles[i]), labels[i]});
  }
  if (ranked.size() > slots.size()) {
    legend_.push_back(
        {std::string(kGroups[kOther]),
         count_text(static_cast<double>(ranked.size() - slots.size())) + " other modules"});
  }
  if (has_python_) {
    legend_.push_back({std::string(kGroups[kPythonSlot]), std::string(kPython)});
  }
  for (const std::string& value : values) {
    auto found = slots.find(value);
    value_slots_.push_back(found == slots.end() ? kOther : found->second);
  }
}

bool Colours::is_python(size_t row) const {
  return tree_.kind != nullptr && (*tree_.kind)[row] == kPython;
}

void Colours::list_kinds() {
  if (tree_.kind == nullptr) {
    return;
  }
  std::array<bool, kKinds.size() + 1> seen = {};
  for (const std::string& value : tree_.kind->values()) {
    auto slot = static_cast<size_t>(std::ranges::find(kKinds, value) - kKinds.begin());
    seen[slot] = true;
    value_slots_.push_back(slot == kKinds.size() ? kOther : static_cast<uint8_t>(slot));
  }
  for (size_t slot = 0; slot < kKinds.size(); ++slot) {
    if (seen[slot]) {
      legend_.push_back({std::string(kGroups[slot]), std::string(kKinds[slot])});
    }
  }
  if (seen[kKinds.size()]) {
    legend_.push_back({std::string(kGroups[kOther]), "other"});
  }
}

void Colours::scale_heat() {
  for (size_t row = 0; row < tree_.size(); ++row) {
    largest_ = std::max(largest_, tree_.self_of(row));
  }
  for (size_t step = 0; step < kHeats.size(); ++step) {
    double root = static_cast<double>(step) / static_cast<double>(kHeats.size() - 1);
    std::string text = step == 0 ? "own weight: nearly none"
                                 : percent_text(largest_ * root * root / options_.share_total);
    legend_.push_back({std::string(kHeats[step]), text});
  }
}

void Colours::scale_delta() {
  for (size_t row = 0; row < tree_.size(); ++row) {
    largest_ = std::max(largest_, std::abs(tree_.delta_of(row)));
  }
  std::string most = percent_text(largest_ / options_.share_total);
  legend_ = {{"d5", "-" + most},
             {"d1", "less own weight"},
             {"z", "no own change"},
             {"u1", "more own weight"},
             {"u5", "+" + most}};
  if (options_.negate) {
    std::swap(legend_[0].style, legend_[4].style);
    std::swap(legend_[1].style, legend_[3].style);
  }
}

std::string_view Colours::style_of(const Box& box) const {
  if (box.is_run()) {
    return kRuns[static_cast<size_t>(std::clamp(5 * box.total / box.extent, 0.0, 4.0))];
  }
  switch (options_.by) {
    case ColourBy::kModule:
    case ColourBy::kKind: {
      const TextValues* column = options_.by == ColourBy::kModule ? tree_.module : tree_.kind;
      if (box.row == 0) {
        return "r";
      }
      if (has_python_ && is_python(box.row)) {
        return kGroups[kPythonSlot];
      }
      return column == nullptr ? "gx" : kGroups[value_slots_[column->value_of_row(box.row)]];
    }
    case ColourBy::kHeat: {
      double root = largest_ > 0 ? std::sqrt(tree_.self_of(box.row) / largest_) : 0;
      return kHeats[static_cast<size_t>(root * (kHeats.size() - 1))];
    }
    case ColourBy::kDelta: {
      double change = largest_ > 0 ? tree_.delta_of(box.row) / largest_ : 0;
      auto step = static_cast<int>(std::ceil(std::abs(change) * 5));
      bool more = (change > 0) != options_.negate;
      return kDeltas[static_cast<size_t>(more ? 5 + step : 5 - step)];
    }
    case ColourBy::kAuto:
    case ColourBy::kName:
      break;
  }
  return box.row == 0 ? "r" : kNames[colour_hash((*tree_.name)[box.row]) % kNames.size()];
}

}  // namespace wick
