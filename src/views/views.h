// SPDX-License-Identifier: Apache-2.0
// The family of views: the ways to show a report. A view is one folder and one row in views.cc. It
// reads nothing but the report and its flags, and it writes nothing but `out`.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/flags.h"
#include "base/output.h"
#include "base/result.h"
#include "report/report.h"

namespace wick {

// A view's limit on a terminal, unless the user gives the flag.
struct TerminalBound {
  std::string_view flag;     // "limit"
  std::string_view value;    // "40"
  bool whole_trees = false;  // show trees completely: they fold small branches themselves
};

struct View {
  std::string_view name;
  std::string_view help;
  bool on_request = false;     // every verb has a switch with its name: --json
  std::string_view own_file;   // file to write instead of a terminal; empty: text
  bool shows_loss = true;      // and notes; if false, the verb prints them to stderr
  bool has_raw_names = false;  // names are not escaped, so a terminal would execute them
  std::optional<TerminalBound> bound = {};  // for views with colour and width
  std::span<const Flag> flags = {};
  Result<> (*write)(const Report& report, const FlagValues& flags, Output& out);
};

std::span<const View> all_views();
const View* find_view(std::string_view name);

}  // namespace wick
