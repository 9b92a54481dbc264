// The family of views: ways to show a report. One row each in views.cc; a view is one folder.
#pragma once

#include <span>
#include <string_view>

#include "base/flags.h"
#include "base/output.h"
#include "base/result.h"
#include "report/report.h"

namespace wick {

struct View {
  std::string_view name;
  std::string_view help;
  bool on_request;  // has a switch of its name on every verb: --json
  std::string_view
      own_file;     // where it goes instead of a terminal; empty when it may be printed there
  bool tells_loss;  // shows loss and notes itself; else the verb prints them on stderr
  std::span<const Flag> flags;
  Result<> (*write)(const Report& report, const FlagValues& flags, Output& out);
};

std::span<const View> all_views();
const View* find_view(std::string_view name);

}  // namespace wick
