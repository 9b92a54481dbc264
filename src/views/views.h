// SPDX-License-Identifier: Apache-2.0
// The family of views: ways to show a report. One row each in views.cc; a view is one folder.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/flags.h"
#include "base/output.h"
#include "base/result.h"
#include "report/report.h"

namespace wick {

// How a view of text bounds itself on a terminal, when the user does not say.
struct TerminalBound {
  std::string_view flag;     // "limit"
  std::string_view value;    // "40"
  bool whole_trees = false;  // a tree is shown whole: it folds its small branches itself
};

struct View {
  std::string_view name;
  std::string_view help;
  bool on_request = false;         // has a switch of its name on every verb: --json
  std::string_view own_file = "";  // where it goes instead of a terminal; empty: it is text
  bool shows_loss = true;          // and notes; else the verb prints them on stderr
  bool has_raw_names = false;      // names keep their bytes, which a terminal would obey
  std::optional<TerminalBound> bound = {};  // of lines for people, which also have colour and width
  std::span<const Flag> flags = {};
  Result<> (*write)(const Report& report, const FlagValues& flags, Output& out);
};

std::span<const View> all_views();
const View* find_view(std::string_view name);

}  // namespace wick
