// What the first lines of an input show: whether they are `perf script` text, and in which layout.
#pragma once

#include "base/bytes.h"

namespace wick::perf_script {

struct Layout {
  bool no_events = false;         // -F ip,sym: frames only
  bool aligned_events = false;    // event lines start with blanks
  bool tabs = false;              // frames start with a tab
  bool callers_in_calls = false;  // callers' addresses are no return addresses (callers.h)
};

Layout look_at_layout(Bytes head);

}  // namespace wick::perf_script
