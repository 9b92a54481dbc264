// SPDX-License-Identifier: Apache-2.0
// Examines the first lines of an input: whether they are `perf script` text, and in which layout.
//
// The reader sees one line at a time and needs the layout in advance, because some lines are
// ambiguous: an indented number is a thread in one layout and an address in another. The layout of
// the first lines is used for the whole text.
#pragma once

#include "base/bytes.h"

namespace wick::perf_script {

struct Layout {
  bool no_events = false;         // -F ip,sym: frames only
  bool aligned_events = false;    // event lines start with blanks
  bool tabs = false;              // frames start with a tab
  bool frames_at_margin = false;  // a tool removed the blanks at the start of all lines
  bool callers_in_calls = false;  // callers' addresses are not return addresses (callers.h)
};

Layout look_at_layout(Bytes head);

}  // namespace wick::perf_script
