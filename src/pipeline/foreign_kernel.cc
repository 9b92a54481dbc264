// SPDX-License-Identifier: Apache-2.0
#include "pipeline/foreign_kernel.h"

#include <algorithm>
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
    if (frame.address < kKernelText || !unnamed || is_of(kForeignKernel, frame)) {
      continue;
    }
    if (!foreign.valid()) {
      foreign = profile_.modules.push_back({.path = strings_.intern(kForeignKernel)});
    }
    frame.function = FunctionId();
    frame.module = foreign;
  }
}

ForeignKernel::Agreement ForeignKernel::agreement(std::string_view module,
                                                  const SymbolFile& symbols) const {
  Agreement found;
  for (size_t row = 0; row < profile_.samples.size(); ++row) {
    FrameId leaf = profile_.stacks.frame(profile_.samples.stack[row]);
    if (leaf.valid() && is_of(module, profile_.frames[leaf])) {
      uint64_t count = profile_.samples.count[row];
      found.samples += count;
      found.unnamed_samples += has_sure_name(profile_.frames[leaf]) ? 0 : count;
    }
  }
  for (const Frame& frame : profile_.frames) {
    if (!is_of(module, frame) || (frame.flags & kInlined) != 0) {
      continue;
    }
    ++found.frames;
    found.unnamed_frames += has_sure_name(frame) ? 0U : 1U;
    if (frame.origin == FrameOrigin::kFramePointer) {
      std::optional<bool> follows = symbols.follows_call(frame.address + 1);
      found.returns += follows ? 1U : 0U;
      found.after_calls += follows.value_or(false) ? 1U : 0U;
    }
  }
  return found;
}

// The details have no numbers: each file of a recording is judged alone, and merging retains the
// detail of the first.
void ForeignKernel::judge_symbols(std::string_view module, const SymbolFile& symbols) {
  constexpr uint64_t kEnough = 10;
  Agreement found = agreement(module, symbols);
  bool is_kernel = module == kForeignKernel;
  bool wrong_code = found.returns >= kEnough && found.after_calls * 2 < found.returns;
  bool wrong_addresses = found.samples > 0 ? found.unnamed_samples * 5 > found.samples
                                           : found.unnamed_frames * 5 > found.frames;
  if (wrong_code || wrong_addresses) {
    std::string reason =
        is_kernel ? "THE SYMBOLS ARE PROBABLY FROM ANOTHER KERNEL: names may be nonsense"
                  : fmt::format(
                        "THE SYMBOLS OF {} ARE PROBABLY FROM ANOTHER BUILD: names may be "
                        "nonsense",
                        module);
    std::string detail = wrong_addresses ? "more than a fifth of the addresses are in none of its "
                                           "functions"
                                         : "most return addresses do not follow a call";
    if (wrong_addresses && symbols.is_relocatable()) {
      detail += "; it can run at any address, and the recording does not say which";
    }
    add_row({.reason = strings_.intern(reason),
             .what = strings_.intern(""),
             .detail = strings_.intern(detail),
             .count = 0,
             .severity = LossClass::kAlarm});
    return;
  }
  if (found.unnamed_samples > 0) {
    add_row({.reason = strings_.intern("outside all functions in the symbols"),
             .what = strings_.intern("samples"),
             .detail = strings_.intern(module),
             .count = found.unnamed_samples,
             .severity = LossClass::kNotice});
  }
  if (symbols.elf() == nullptr) {
    add_row({.reason = strings_.intern(
                 "a list of symbols has no code, so wick cannot verify that it is of the recorded "
                 "build"),
             .what = strings_.intern(""),
             .detail = strings_.intern("--symbols with the ELF file can"),
             .count = 0,
             .severity = LossClass::kNotice});
  }
}

void ForeignKernel::add_row(const Loss& loss) {
  if (std::ranges::find(profile_.losses, loss) == profile_.losses.end()) {
    profile_.losses.insert(profile_.losses.begin(), loss);
  }
}

bool ForeignKernel::is_of(std::string_view module, const Frame& frame) const {
  return frame.module.valid() && strings_.table()[profile_.modules[frame.module].path] == module;
}

bool ForeignKernel::has_sure_name(const Frame& frame) const {
  return frame.function.valid() &&
         !strings_.table()[profile_.functions[frame.function].name].ends_with(kBeyondEnd);
}

}  // namespace wick
