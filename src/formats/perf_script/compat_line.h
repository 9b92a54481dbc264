// SPDX-License-Identifier: Apache-2.0
// Parses lines as stackcollapse-perf.pl does (compat.h): pure functions of text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/perf_script/compat.h"

namespace wick::perf_script {

// White space as in Perl's \s.
inline bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

struct CompatEvent {
  std::string_view ids;   // the start of the line, with comm and numbers
  std::string_view comm;  // all of these point into the line
  std::string_view pid;   // the first number
  std::string_view tid;   // the number after a slash, may be empty
  std::string_view event;
  std::string_view period;  // may be empty
};
std::optional<CompatEvent> parse_compat_event(std::string_view line);

// The outermost frame: comm, with numbers if requested.
std::string compat_process(const CompatEvent& event, const CompatOptions& options);

struct CompatStackLine {
  std::string_view address;
  std::string_view name;
  std::string_view module;
};
std::optional<CompatStackLine> parse_compat_stack_line(std::string_view line);

enum class CompatMark : uint8_t { kNone, kInlined, kKernel, kJit };
struct CompatFrame {
  std::string name;
  CompatMark mark = CompatMark::kNone;
  bool wants_source = false;  // with `srcline`: the next line of the input belongs to it
};
// The frames of one line, outermost first; none if the line is left out.
std::vector<CompatFrame> compat_frames(const CompatStackLine& line,
                                       const CompatOptions& options,
                                       bool java);

// The source text for `srcline`, from the line after a frame.
std::string compat_source(std::string_view line);

}  // namespace wick::perf_script
