// SPDX-License-Identifier: Apache-2.0
// Are the callers in a text printed at the call, or after it?
//
// A profile's addresses are inside the instruction that they refer to (docs/decisions/0008). perf
// prints a caller that it unwound itself (--call-graph dwarf, lbr) in this way. But a caller that
// the kernel found by frame pointers is printed as the return address, the instruction after the
// call, and so is every caller in the kernel. A single line does not show which of the two it is.
// For a whole text there is evidence:
//
// - the recording's command line, which --header prints;
// - on machines with instructions of four bytes, that every caller is a byte before a multiple of
//   four.
//
// Without evidence, callers are treated as return addresses: one less than either is inside the
// call, since no call is shorter than two bytes.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "formats/perf_script/frame_line.h"

namespace wick::perf_script {

class CallerEvidence {
 public:
  // The lines of a text, in order.
  void header(std::string_view line);
  void frame(const FrameLine& frame);
  void end_of_stack() { sampled_ = true; }

  // For user code.
  bool callers_are_in_calls() const;

 private:
  bool known_ = false;   // known from the header
  bool sampled_ = true;  // the next frame is the sampled instruction, not a caller
  std::set<uint64_t> callers_;
};

}  // namespace wick::perf_script
