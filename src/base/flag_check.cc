// SPDX-License-Identifier: Apache-2.0
#include "base/flag_check.h"

#include <algorithm>

#include "base/escape.h"
#include "base/parse_number.h"

namespace wick {
namespace {

bool is_choice(std::string_view choices, std::string_view value) {
  while (!choices.empty()) {
    std::string_view choice = choices.substr(0, choices.find('|'));
    std::string_view fixed = fixed_part(choice);
    bool is_open = fixed != choice;
    if (is_open ? !open_part(value, fixed).empty() : choice == value) {
      return true;
    }
    choices.remove_prefix(std::min(choices.size(), choice.size() + 1));
  }
  return false;
}

template <typename Number>
bool is_number(std::string_view text) {
  std::optional<Number> number = parse_number<Number>(text);
  return number && *number >= 0;
}

}  // namespace

Result<> check_flag_value(const Flag& flag, std::string_view value) {
  std::string shown = terminal_text(value);
  if (flag.kind == FlagKind::kChoice && !is_choice(flag.value, value)) {
    return fail_usage("--{} takes one of {}, not \"{}\".", flag.name, flag.value, shown);
  }
  if (flag.kind == FlagKind::kInteger && !is_number<uint64_t>(value)) {
    return fail_usage("--{} takes a whole number, not \"{}\".", flag.name, shown);
  }
  if (flag.kind == FlagKind::kNumber && !is_number<double>(value)) {
    return fail_usage("--{} takes a number, not \"{}\".", flag.name, shown);
  }
  return {};
}

}  // namespace wick
