// SPDX-License-Identifier: Apache-2.0
#include "pipeline/foreign_kernel.h"

#include <optional>

#include <fmt/format.h>

namespace wick {

void ForeignKernel::adopt_frames() {
  constexpr uint64_t kKernelText = 0xFFFF'FFFF'8000'0000;
  ModuleId foreign;
  for (size_t row = 0; row < profile_.frames.size(); ++row) {
    Frame& frame = profile_.frames[FrameId::from_index(row)];
    bool unnamed = !frame.function.valid() ||
                   strings_.table()[profile_.functions[frame.function].name].starts_with('[');
    if (frame.address < kKernelText || !unnamed || is_foreign(frame)) {
      continue;
    }
    if (!foreign.valid()) {
      foreign = profile_.modules.push_back({.path = strings_.intern(kForeignKernel)});
    }
    frame.function = FunctionId();
    frame.module = foreign;
  }
}

void ForeignKernel::judge_symbols(const SymbolFile& symbols) {
  uint64_t samples = 0;
  uint64_t unnamed = 0;
  for (size_t row = 0; row < profile_.samples.size(); ++row) {
    FrameId leaf = profile_.stacks.frame(profile_.samples.stack[row]);
    if (leaf.valid() && is_foreign(profile_.frames[leaf])) {
      samples += profile_.samples.count[row];
      unnamed += has_sure_name(profile_.frames[leaf]) ? 0 : profile_.samples.count[row];
    }
  }
  uint64_t returns = 0;
  uint64_t after_calls = 0;
  for (const Frame& frame : profile_.frames) {
    if (is_foreign(frame) && frame.origin == FrameOrigin::kFramePointer) {
      std::optional<bool> follows = symbols.follows_call(frame.address + 1);
      returns += follows ? 1U : 0U;
      after_calls += follows.value_or(false) ? 1U : 0U;
    }
  }
  constexpr uint64_t kEnough = 10;
  bool wrong_code = returns >= kEnough && after_calls * 2 < returns;
  bool wrong_addresses = unnamed * 5 > samples;
  double share =
      samples == 0 ? 0 : 100.0 * static_cast<double>(unnamed) / static_cast<double>(samples);
  if (wrong_code || wrong_addresses) {
    std::string detail = fmt::format("{:.1f} % of the samples are outside its functions", share);
    if (returns > 0) {
      detail += fmt::format(", {} of {} return addresses follow a call", after_calls, returns);
    }
    add_notice(
        "THE SYMBOLS ARE PROBABLY FROM ANOTHER KERNEL: names may be nonsense", "", 0, detail);
  } else if (unnamed > 0) {
    add_notice("outside all functions in the symbols",
               "samples",
               unnamed,
               fmt::format("{:.1f} % of those in the kernel", share));
  }
}

bool ForeignKernel::is_foreign(const Frame& frame) const {
  return frame.module.valid() &&
         strings_.table()[profile_.modules[frame.module].path] == kForeignKernel;
}

bool ForeignKernel::has_sure_name(const Frame& frame) const {
  return frame.function.valid() &&
         !strings_.table()[profile_.functions[frame.function].name].ends_with(kBeyondEnd);
}

void ForeignKernel::add_notice(std::string_view reason,
                               std::string_view what,
                               uint64_t count,
                               std::string_view detail) {
  profile_.losses.insert(profile_.losses.begin(),
                         {.reason = strings_.intern(reason),
                          .what = strings_.intern(what),
                          .detail = strings_.intern(detail),
                          .count = count,
                          .severity = LossClass::kNotice});
}

}  // namespace wick
