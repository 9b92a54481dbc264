// SPDX-License-Identifier: Apache-2.0
// Reads `perf script` text as stackcollapse-perf.pl (brendangregg/FlameGraph) does, so that folded
// text made with wick equals text made with it, line for line. The rules of that program, in its
// own order:
//
// - Lines that start with '#' are skipped; a blank line ends a stack. If the input ends first, the
//   stack is dropped.
// - An event line starts with at least two characters of comm, then blanks, then the first number
//   before a blank: "Thread (pool) 7 100/102" is thread 7. Of the rest only ": [PERIOD] EVENT:" at
//   the very end counts. The first such event is used and others are left out; lines without one
//   are always used and weigh 1.
// - The comm, with '_' for its blanks, is the outermost frame; `pid` and `tid` add "-PID" or
//   "-PID/TID", where a single number is a thread and its process "?".
// - Any other line is a frame if it has a word and " (...)" after it: the word is the address, the
//   last such parenthesis the module. Other lines are not understood.
// - In a name, "+0xOFFSET" is removed; a name that starts with '(' is dropped ("(anonymous
//   namespace)::f"); "a->b" is two frames, the second inlined; "[unknown]" becomes "[MODULE]";
//   ';' becomes ':'; the text from the first '(' on is removed, unless it is Go's ".(type)." or an
//   anonymous namespace; quotes are removed; with a comm that starts with "java", so is the L
//   before a class.
// - `kernel` marks frames of modules that start with '[' or end in "vmlinux", `jit` those of
//   /tmp/perf-N.map, `all` both; `addrs` adds the address to unknown ones; `srcline` takes the next
//   line of the input, whatever it is, as the frame's source.
//
// Not imitated: its --inline and --context (they run addr2line), and that it does not recognise the
// end of a stack in text with CRLF line ends, and so prints nothing.
#pragma once

#include <string>
#include <string_view>

#include "base/input.h"
#include "base/result.h"
#include "profile/profile.h"

namespace wick::perf_script {

struct CompatOptions {
  bool kernel = false;
  bool jit = false;
  bool pid = false;
  bool tid = false;
  bool addrs = false;
  bool srcline = false;
  std::string event_filter;  // empty: the first event seen
};

// "stackcollapse[,OPTION...]"
Result<CompatOptions> parse_compat(std::string_view text);

Result<Profile> read_compat(Input& input, const CompatOptions& options);

}  // namespace wick::perf_script
