// Where the callers of a text stand: at the call, or behind it?
//
// A profile's addresses lie inside the instruction that they stand for (docs/decisions/0008). perf
// prints a caller that it unwound itself (--call-graph dwarf, lbr) that way, but one that the
// kernel found by frame pointers as the return address, the instruction after the call; and so
// every caller in the kernel. Nothing in a line tells the two apart. For a whole text these do:
//
// - the recording's command line, which --header prints;
// - on machines with instructions of four bytes, that every caller stands a byte before a multiple
//   of four.
//
// Where nothing tells, callers are taken for return addresses: one less than either lies inside the
// call, since no call is shorter than two bytes.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "formats/perf_script/frame_line.h"

namespace wick::perf_script {

class CallerEvidence {
 public:
  // The lines of a text, one after the other.
  void header(std::string_view line);
  void frame(const FrameLine& frame);
  void end_of_stack() { sampled_ = true; }

  // Of user code.
  bool callers_are_in_calls() const;

 private:
  bool told_ = false;    // by the header
  bool sampled_ = true;  // the next frame is what ran, not a caller
  std::set<uint64_t> callers_;
};

}  // namespace wick::perf_script
