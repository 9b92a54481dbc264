// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_script/callers.h"

#include <algorithm>

#include "formats/perf_script/text.h"

namespace wick::perf_script {
namespace {

// Fewer may be there by chance.
constexpr size_t kEnoughCallers = 16;

// "perf record --call-graph dwarf,8192 ./x"
bool names_unwinder(std::string_view command) {
  for (std::string_view option : {" --call-graph", " -g"}) {
    size_t at = command.find(option);
    while (at != std::string_view::npos) {
      std::string_view value = trim_start(command.substr(at + option.size()));
      value.remove_prefix(value.starts_with('=') ? 1 : 0);
      if (value.starts_with("dwarf") || value.starts_with("lbr")) {
        return true;
      }
      at = command.find(option, at + 1);
    }
  }
  return false;
}

}  // namespace

void CallerEvidence::header(std::string_view line) {
  line = trim_start(line.substr(std::min<size_t>(line.size(), 1)));
  bool unwound = line.starts_with("cmdline :") && names_unwinder(line);
  known_ = known_ || unwound || line.starts_with("simpleperf_version");
}

void CallerEvidence::frame(const FrameLine& frame) {
  if (mode_of(frame.module, frame.address) != Mode::kUser) {
    sampled_ = true;  // the caller of the kernel is at the instruction where it will resume
    return;
  }
  if (!sampled_) {
    callers_.insert(frame.address);
  }
  sampled_ = sampled_ && frame.inlined;
}

bool CallerEvidence::callers_are_in_calls() const {
  auto before_four = [](uint64_t address) { return address % 4 == 3; };
  return known_ ||
         (callers_.size() >= kEnoughCallers && std::ranges::all_of(callers_, before_four));
}

}  // namespace wick::perf_script
