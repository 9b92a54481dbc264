// SPDX-License-Identifier: Apache-2.0
#include "views/labels.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/utf8.h"
#include "report/label_forms.h"
#include "report/telling_word.h"
#include "views/names.h"

namespace wick {
namespace {

constexpr size_t kBrackets = 3;  // " [" and "]" around what differs
// With fewer columns a cut name retains its beginning instead of both ends, and has no brackets.
constexpr size_t kFewestForBoth = 4 * kBrackets;
// With fewer columns a picture shows whole forms only.
constexpr size_t kFewestForCut = 5;
// With fewer columns both ends of a name say nothing: "m..al".
constexpr size_t kFewestForOtherCut = 8;

// For cuts: the ".." of a form would be a second gap.
std::string_view without_gap(std::string_view form) {
  return form.starts_with("..") && form.size() > 2 ? form.substr(2) : form;
}

// The form that is cut if none fits.
std::string_view shortest_form(const LabelForms& label) {
  return without_gap(label.forms.back());
}

std::string fitted(const LabelForms& label, size_t columns) {
  for (const std::string& form : label.forms) {
    if (display_columns(form) <= columns) {
      return form;
    }
  }
  std::string_view shortest = shortest_form(label);
  return label.end_matters                          ? cut_head(shortest, columns)
         : columns < 3 || columns >= kFewestForBoth ? cut_middle(shortest, columns)
                                                    : cut_text(shortest, columns);
}

// "push_back [char]": the label with the word that the others of its group lack. The name that ends
// where the others continue needs no word.
std::string telling_label(std::string_view name, size_t difference, size_t columns) {
  std::string_view word = word_from(name, difference);
  LabelForms forms = label_forms(name);
  std::string_view shortest = shortest_form(forms);
  if (columns < kFewestForBoth && display_columns(shortest) > columns) {
    return columns < kFewestForOtherCut ? fitted(forms, columns) : cut_middle(shortest, columns);
  }
  if (word.empty() || columns < kFewestForBoth) {
    return fitted(forms, columns);
  }
  std::string part = cut_middle(word, (columns - kBrackets) / 2);
  size_t room = columns - kBrackets - display_columns(part);
  return fmt::format("{} [{}]", fitted(forms, room), part);
}

using NamesByLabel = std::map<std::string, std::set<std::string_view>>;

NamesByLabel names_by_label(std::span<const LabelRow> rows,
                            const std::vector<std::string>& labels) {
  NamesByLabel names;
  for (size_t row = 0; row < rows.size(); ++row) {
    if (!labels[row].empty()) {
      names[labels[row]].insert(rows[row].name);
    }
  }
  return names;
}

void tell_apart(std::span<const LabelRow> rows, std::vector<std::string>& labels) {
  NamesByLabel names = names_by_label(rows, labels);
  std::map<std::string, size_t> differences;
  for (const auto& [label, group] : names) {
    if (group.size() > 1) {
      differences[label] = first_difference(group);
    }
  }
  for (size_t row = 0; row < rows.size(); ++row) {
    if (auto found = differences.find(labels[row]); found != differences.end()) {
      labels[row] = telling_label(rows[row].name, found->second, rows[row].columns);
    }
  }
}

// The last resort. A number that another label has by chance is not used.
void number_equal_labels(std::span<const LabelRow> rows, std::vector<std::string>& labels) {
  NamesByLabel names = names_by_label(rows, labels);
  std::map<std::pair<std::string, std::string_view>, std::string> numbered;
  std::map<std::string_view, size_t> columns_of;
  for (const LabelRow& row : rows) {
    columns_of.emplace(row.name, row.columns);
  }
  for (const auto& [label, group] : NamesByLabel(names)) {
    size_t number = 1;
    for (auto name = std::next(group.begin()); name != group.end(); ++name) {
      std::string other;
      do {
        std::string mark = fmt::format(" ({})", ++number);
        size_t columns = columns_of[*name];
        size_t room = columns > mark.size() ? columns - mark.size() : 0;
        other = std::string(first_columns(label, room)) + mark;
      } while (!names.try_emplace(other).second);
      numbered[{label, *name}] = other;
    }
  }
  for (size_t row = 0; row < rows.size(); ++row) {
    if (auto found = numbered.find({labels[row], rows[row].name}); found != numbered.end()) {
      labels[row] = std::string(first_columns(found->second, rows[row].columns));
    }
  }
}

// Another cut of a name that shows more than its last part: "alp..:run", not "..run". Empty if
// every such cut is the label of another name, too.
std::string other_cut(const LabelRow& row, const std::map<std::string, std::string_view>& names) {
  LabelForms label = label_forms(row.name);
  for (size_t form = label.forms.size(); form-- > 1 && row.columns >= kFewestForOtherCut;) {
    std::string cut = cut_middle(without_gap(label.forms[form]), row.columns);
    auto known = names.find(cut);
    if (known == names.end() || known->second == row.name) {
      return cut;
    }
  }
  return {};
}

// A complete name retains its label, otherwise the widest row: its label says most.
void cut_or_blank_equal_labels(std::span<const LabelRow> rows, std::vector<std::string>& labels) {
  std::map<std::string, size_t> best;
  auto rank = [&](size_t row) {
    return std::pair(labels[row] == rows[row].name, rows[row].columns);
  };
  for (size_t row = 0; row < rows.size(); ++row) {
    auto [known, is_new] = best.try_emplace(labels[row], row);
    if (!is_new && rank(row) > rank(known->second)) {
      known->second = row;
    }
  }
  std::map<std::string, std::string_view> names;
  for (const auto& [label, row] : best) {
    names.emplace(label, rows[row].name);
  }
  for (size_t row = 0; row < rows.size(); ++row) {
    if (!labels[row].empty() && names[labels[row]] != rows[row].name) {
      labels[row] = other_cut(rows[row], names);
      names.try_emplace(labels[row], rows[row].name);
    }
  }
}

bool fits(const LabelForms& label, size_t columns) {
  return std::ranges::any_of(
      label.forms, [&](const std::string& form) { return display_columns(form) <= columns; });
}

}  // namespace

std::vector<std::string> labels_of(std::span<const LabelRow> rows, Alike alike) {
  std::vector<std::string> labels;
  std::map<std::string_view, LabelForms> forms;  // a tree repeats its names
  labels.reserve(rows.size());
  for (const LabelRow& row : rows) {
    auto [found, is_new] = forms.try_emplace(row.name);
    if (is_new) {
      found->second = label_forms(row.name);
    }
    std::string label = fitted(found->second, row.columns);
    bool is_cut = !fits(found->second, row.columns);
    // Half an offset says as little as a letter.
    bool is_half = found->second.end_matters && !label.contains('+');
    bool is_scrap = is_cut && (row.columns < kFewestForCut || is_half);
    labels.push_back(alike == Alike::kBlank && is_scrap ? std::string() : std::move(label));
  }
  tell_apart(rows, labels);
  tell_apart(rows, labels);  // those that share the word differ later
  if (alike == Alike::kBlank) {
    cut_or_blank_equal_labels(rows, labels);
  } else {
    number_equal_labels(rows, labels);
  }
  return labels;
}

std::string label_of(std::string_view name, size_t columns) {
  return fitted(label_forms(name), columns);
}

}  // namespace wick
