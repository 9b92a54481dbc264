// SPDX-License-Identifier: Apache-2.0
#include "formats/callgrind/units.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace wick::callgrind {
namespace {

struct KnownUnit {
  std::string_view text;
  std::string_view unit;
  int64_t factor;
};
constexpr std::array<KnownUnit, 11> kUnits = {{{"ns", "nanoseconds", 1},
                                               {"us", "nanoseconds", 1'000},
                                               {"ms", "nanoseconds", 1'000'000},
                                               {"s", "nanoseconds", 1'000'000'000},
                                               {"nanoseconds", "nanoseconds", 1},
                                               {"microseconds", "nanoseconds", 1'000},
                                               {"milliseconds", "nanoseconds", 1'000'000},
                                               {"seconds", "nanoseconds", 1'000'000'000},
                                               {"bytes", "bytes", 1},
                                               {"B", "bytes", 1},
                                               {"count", "count", 1}}};

// Takes a number from the start of `text`; `otherwise` if there is none.
int64_t leading_number(std::string_view& text, int64_t otherwise) {
  int64_t number = 0;
  auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number <= 0 || number > UINT32_MAX) {
    return otherwise;
  }
  text.remove_prefix(static_cast<size_t>(rest - text.data()));
  return number;
}

void set_unit(std::string_view text, EventText& event) {
  event.factor = leading_number(text, 1);
  if (event.factor == 1 && text.starts_with('/')) {
    text.remove_prefix(1);
    event.scale = static_cast<uint32_t>(leading_number(text, 1));
    text.remove_prefix(text.starts_with('_') ? 1 : 0);
  }
  auto known = std::ranges::find(kUnits, text, &KnownUnit::text);
  if (known != kUnits.end()) {
    event.factor *= known->factor;
    event.unit = known->unit;
  } else {
    event.unit = text.empty() ? event.name : text;
  }
}

}  // namespace

EventText parse_event(std::string_view text) {
  EventText event;
  size_t open = text.ends_with(')') ? text.rfind('(') : std::string_view::npos;
  std::string_view name = text.substr(0, open);
  name.remove_suffix(open != std::string_view::npos && name.ends_with('_') ? 1 : 0);
  if (name.empty()) {
    name = text;
    open = std::string_view::npos;
  }
  event.name = name;
  if (open != std::string_view::npos) {
    set_unit(text.substr(open + 1, text.size() - open - 2), event);
  } else {
    event.unit = text == "Ir" ? "instructions" : text;
  }
  event.kind = event.unit == "bytes"         ? Quantity::kBytes
               : event.unit == "nanoseconds" ? Quantity::kUnknown
                                             : Quantity::kCount;
  return event;
}

std::string event_text(const Profile& profile, const Event& event) {
  std::string name(profile.strings[event.name]);
  std::string unit(profile.strings[event.unit]);
  bool is_plain = event.scale == 1 && (unit == name || (name == "Ir" && unit == "instructions"));
  unit = unit == "nanoseconds" ? "ns" : unit;
  std::string text = name.empty() ? "events" : name;
  if (event.scale != 1) {
    text +=
        fmt::format("(1/{}{}{})", event.scale, unit == name ? "" : "_", unit == name ? "" : unit);
  } else if (!is_plain) {
    text += fmt::format("({})", unit);
  }
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }, '_');
  return text;
}

}  // namespace wick::callgrind
