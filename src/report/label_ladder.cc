// SPDX-License-Identifier: Apache-2.0
#include "report/label_ladder.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace wick {
namespace {

constexpr std::string_view kGap = "..";
// More parts are longer than the text, and hostile names could have thousands.
constexpr size_t kMostParts = 16;
// A part that begins like the rest of the form, as far as this, is taken for it.
constexpr size_t kCompared = 4;

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// "7,12,3": the lengths of the parts of `name` that are the form, and of the gaps between them.
std::optional<std::string> parts_of(std::string_view name, std::string_view form) {
  std::string parts;
  size_t count = 0;
  while (!form.empty()) {
    auto [end, form_end] = std::ranges::mismatch(name, form);
    auto shared = static_cast<size_t>(end - name.begin());
    parts += fmt::format("{}{}", count > 0 ? "," : "", shared);
    name.remove_prefix(shared);
    form.remove_prefix(shared);
    if (form.empty()) {
      break;
    }
    size_t skipped = name.find(form.substr(0, kCompared));
    if (skipped == std::string_view::npos || ++count > kMostParts) {
      return std::nullopt;
    }
    parts += fmt::format(",{}", skipped);
    name.remove_prefix(skipped);
  }
  return parts;
}

// The form as a part of the last one without its "..", or nothing if it is not its end.
std::optional<std::string> ending_of(std::string_view last, std::string_view form) {
  bool has_gap = form.starts_with(kGap);
  std::string_view rest = has_gap ? form.substr(kGap.size()) : form;
  if (rest.empty() || rest.size() >= last.size() || !last.ends_with(rest)) {
    return std::nullopt;
  }
  return fmt::format("{}{}", has_gap ? '.' : '-', last.size() - rest.size());
}

std::string rung(std::string_view name, std::string_view last, std::string_view form) {
  if (form == name) {
    return {};
  }
  std::string text = fmt::format("\"{}", form);
  if (!is_ascii(name)) {
    return text;
  }
  if (std::optional<std::string> ending = ending_of(last, form)) {
    return *ending;
  }
  if (std::optional<std::string> parts = parts_of(name, form);
      parts && parts->size() < text.size()) {
    return *parts;
  }
  std::string dotted(name);
  std::ranges::replace(dotted, '/', '.');
  std::optional<std::string> parts = parts_of(dotted, form);
  return parts && parts->size() + 1 < text.size() ? "/" + *parts : text;
}

}  // namespace

std::string label_ladder(std::string_view name, const LabelForms& label) {
  std::string ladder;
  std::string_view last = name;
  for (size_t i = 0; i < label.forms.size(); ++i) {
    std::string_view form = label.forms[i];
    if (i > 0 && form == label.forms[i - 1]) {
      continue;
    }
    ladder += i > 0 ? "\t" : "";
    ladder += rung(name, last, form);
    last = form.starts_with(kGap) ? form.substr(kGap.size()) : form;
  }
  return ladder + (label.end_matters ? "\t$" : "");
}

}  // namespace wick
