// SPDX-License-Identifier: Apache-2.0
#include "pipeline/foreign_kernel.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace wick {
namespace {

std::string advice_on_load_address(std::string_view module, const SymbolFile& symbols) {
  std::string_view name = module.substr(1, module.size() - 2);
  if (symbols.elf() == nullptr) {
    return fmt::format(
        "; if it can run at any address, its ELF file shows where it was loaded, and --symbols "
        "{}=FILE@ADDRESS says it",
        name);
  }
  return symbols.is_relocatable() ? fmt::format(
                                        "; it can run at any address, and its calls do not show "
                                        "where it was loaded: --symbols {}=FILE@ADDRESS says it",
                                        name)
                                  : "";
}

}  // namespace

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

std::vector<uint64_t> ForeignKernel::returns_of(std::string_view module) const {
  std::vector<uint64_t> returns;
  for (const Frame& frame : profile_.frames) {
    bool is_call = frame.origin == FrameOrigin::kFramePointer && (frame.flags & kInlined) == 0;
    if (is_call && is_of(module, frame)) {
      returns.push_back(frame.address + 1);
    }
  }
  return returns;
}

// A profile that is named again has the addresses of the file already: the result is 0, or no frame
// is in the program at that address.
void ForeignKernel::relocate(const GivenSymbols& given, const SymbolFile& symbols) {
  LoadAddress found{.address = given.load_address.value_or(0)};
  if (!given.load_address && symbols.is_relocatable()) {
    found =
        find_load_address(symbols.elf()->image, returns_of(given.module)).value_or(LoadAddress());
  }
  if (found.address == 0) {
    return;
  }
  for (size_t row = 0; row < profile_.frames.size(); ++row) {
    Frame& frame = profile_.frames[FrameId::from_index(row)];
    if (is_of(given.module, frame) && frame.address >= found.address &&
        symbols.covers(frame.address - found.address)) {
      frame.address -= found.address;
    }
  }
  if (!given.load_address) {
    note_load_address(given.module, found);
  }
}

void ForeignKernel::note_load_address(std::string_view module, const LoadAddress& found) {
  add_row({.reason = strings_.intern(
               fmt::format("wick inferred where {} was loaded from its return addresses", module)),
           .what = strings_.intern(""),
           .detail = strings_.intern(fmt::format("at {:#x}, where {} of {} follow a call",
                                                 found.address,
                                                 found.after_calls,
                                                 found.returns)),
           .count = 0,
           .severity = LossClass::kNotice});
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

// The details have no numbers: a profile may be named again, and its rows are compared.
void ForeignKernel::judge_symbols(std::string_view module, const SymbolFile& symbols) {
  constexpr uint64_t kEnough = 10;
  Agreement found = agreement(module, symbols);
  if (found.frames == 0) {
    return;
  }
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
    if (wrong_addresses && !is_kernel) {
      detail += advice_on_load_address(module, symbols);
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
