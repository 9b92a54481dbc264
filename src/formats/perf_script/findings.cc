// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_script/findings.h"

#include <fmt/format.h>

#include "base/parse_number.h"
#include "formats/perf_script/text.h"

namespace wick::perf_script {

void Findings::bad_line(uint64_t number, std::string_view problem) {
  if (bad_lines_++ == 0) {
    first_problem_ = fmt::format("line {}: {}", number, problem);
  }
}

void Findings::orphan(uint64_t number) {
  orphans_.add(number);
}

void Findings::record(uint64_t number, std::string_view text) {
  constexpr uint64_t kMost = uint64_t{1} << 40;  // more is not plausible, and sums stay in range
  ++records_;
  if (!text.starts_with("PERF_RECORD_LOST")) {
    return;
  }
  std::optional<uint64_t> count = parse_number<uint64_t>(last_word(trim_end(text)));
  if (count && *count <= kMost) {
    lost_.add(number, *count);
  } else {
    lost_unknown_.add(number);
  }
}

void Findings::report(ProfileBuilder& builder) const {
  auto loss = [&](const Count& found, std::string_view reason, uint64_t count) {
    if (found.count > 0) {
      builder.add_loss(
          {.reason = reason, .detail = fmt::format("line {}", found.first), .count = count});
    }
  };
  auto notice = [&](uint64_t count, std::string_view reason, std::string_view what) {
    if (count > 0) {
      builder.add_loss(
          {.reason = reason, .what = what, .count = count, .severity = LossClass::kNotice});
    }
  };
  loss(lost_, "lost while recording", lost_.count);
  loss(lost_unknown_, "lost while recording", 0);
  loss(orphans_, "stacks without an event line", orphans_.count);
  if (bad_lines_ > 0) {
    builder.add_loss({.reason = "not in the form of perf script",
                      .what = "lines",
                      .detail = first_problem_,
                      .count = bad_lines_});
  }
  if (bad_branches_ > 0) {
    builder.add_loss({.reason = "not in the form of a branch stack",
                      .what = "branches",
                      .count = bad_branches_});
  }
  notice(register_lines_, "register values are not used yet", "lines");
  notice(instruction_lines_, "instruction bytes are not read", "lines");
  notice(source_code_lines_, "the text of source files is not read", "lines");
  notice(records_, "records that are not samples", "records");
}

}  // namespace wick::perf_script
