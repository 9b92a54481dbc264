// SPDX-License-Identifier: Apache-2.0
// Chooses the view of a report from the flags of the user:
//
//     --json, --csv, --md    that view; more than one of them is an Error
//     -o NAME.json ...       the view that writes such files, if the verb can
//     none of them           the verb's usual view
#pragma once

#include <string>
#include <string_view>

#include "base/flags.h"
#include "base/result.h"
#include "report/report.h"
#include "views/views.h"

namespace wick {

struct VerbViews {
  std::string_view usual;
  std::string_view page = "";  // for -o NAME.html; empty if the verb writes no page
  bool draws = false;          // the verb itself writes -o NAME.svg
};

Result<const View*> choose_view(const FlagValues& flags,
                                const Report& report,
                                const VerbViews& views);

// Whether the ending of the name belongs to another kind of file than a recording.
bool names_no_recording(const std::string& path);

// Refuses -o NAME if the ending of the name belongs to another kind of file than a page.
Result<> check_page_name(const std::string& path);

}  // namespace wick
