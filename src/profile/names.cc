// SPDX-License-Identifier: Apache-2.0
// Names are untrusted text, and a profile can have millions of rows. So a name can attack the
// memory of a view: a million rows that share one text of a megabyte would print a terabyte. wick
// therefore cuts texts that many rows share (host, run, unit) at a fixed length, and FoldedLabels
// stores each distinct label once.
//
// Numbers of threads and processes repeat from machine to machine, and hosts repeat from boot to
// boot. So names contain the source if the profile has several, and a source's name contains the
// boot id if the profile may have another boot of the same machine.
#include "profile/names.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

namespace wick {

std::string function_name(const Profile& profile, FunctionId function) {
  std::string_view name = profile.strings[profile.functions[function].name];
  return name.empty() ? "[no name]" : std::string(name);
}

std::string frame_name(const Profile& profile, FrameId id) {
  if (!id.valid()) {
    return "[empty stack]";
  }
  const Frame& frame = profile.frames[id];
  if (frame.function.valid()) {
    return function_name(profile, frame.function);
  }
  std::string_view module = module_name(profile, frame.module);
  if (module.empty()) {
    return frame.address == 0 ? "[unknown]" : fmt::format("[{:#x}]", frame.address);
  }
  return fmt::format("{}+{:#x}", module, frame.address);
}

namespace {

std::string_view last_part(std::string_view path) {
  size_t slash = path.rfind('/');
  bool directory = slash == std::string_view::npos || slash + 1 == path.size();
  return directory ? path : path.substr(slash + 1);
}

}  // namespace

std::string_view module_name(const Profile& profile, ModuleId module) {
  return module.valid() ? last_part(profile.strings[profile.modules[module].path]) : "";
}

std::string_view module_path(const Profile& profile, const Frame& frame) {
  if (frame.module.valid()) {
    return profile.strings[profile.modules[frame.module].path];
  }
  bool is_in_file = frame.language == Language::kPython && frame.function.valid();
  return is_in_file ? profile.strings[profile.functions[frame.function].file] : "";
}

std::string_view module_name(const Profile& profile, const Frame& frame) {
  return last_part(module_path(profile, frame));
}

namespace {

// "name number (source)", without the unknown parts.
std::string numbered_name(const Profile& profile, StringId id, int64_t number, SourceId source) {
  std::string text(profile.strings[id]);
  if (number >= 0) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", number);
  }
  return text + source_suffix(profile, source);
}

// Whether another boot of the same machine is in the profile. With many sources the answer is
// always yes: the search is linear, and each of a million sources can need it.
bool may_have_other_boots(const Profile& profile, const Source& source) {
  constexpr size_t kFewSources = 1000;
  return profile.sources.size() > kFewSources ||
         std::ranges::any_of(profile.sources, [&](const Source& other) {
           return other.host == source.host && other.run == source.run &&
                  other.boot_id != source.boot_id;
         });
}

}  // namespace

std::string source_name(const Profile& profile, SourceId id) {
  if (!id.valid()) {
    return "[unknown]";
  }
  constexpr size_t kShortBootId = 8;
  // For host and run: a million sources can share one text.
  constexpr size_t kLongestName = 255;
  const Source& source = profile.sources[id];
  std::string text(profile.strings[source.host].substr(0, kLongestName));
  if (auto run = profile.strings[source.run].substr(0, kLongestName); !run.empty()) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", run);
  }
  std::string_view boot = profile.strings[source.boot_id].substr(0, kShortBootId);
  if (!boot.empty() && (text.empty() || may_have_other_boots(profile, source))) {
    text += fmt::format("{}boot {}", text.empty() ? "" : ", ", boot);
  }
  StringId host = source.guest_of.valid() ? profile.sources[source.guest_of].host : StringId();
  if (!host.empty()) {
    text += fmt::format(" of {}", profile.strings[host].substr(0, kLongestName));
  }
  return text.empty() ? "[unknown]" : text;
}

std::string source_suffix(const Profile& profile, SourceId id) {
  bool is_one_of_several = profile.sources.size() > 1 && id.valid();
  return is_one_of_several ? fmt::format(" ({})", source_name(profile, id)) : "";
}

SourceId source_of(const Profile& profile, ThreadId id) {
  ProcessId process = id.valid() ? profile.threads[id].process : ProcessId();
  return process.valid() ? profile.processes[process].source : SourceId();
}

std::string thread_name(const Profile& profile, ThreadId id) {
  if (!id.valid()) {
    return "[unknown]";
  }
  const Thread& thread = profile.threads[id];
  return numbered_name(profile, thread.name, thread.tid, source_of(profile, id));
}

std::string process_name(const Profile& profile, ProcessId id) {
  if (!id.valid()) {
    return "[unknown]";
  }
  const Process& process = profile.processes[id];
  return numbered_name(profile, process.name, process.pid, process.source);
}

std::string_view mode_name(Mode mode) {
  switch (mode) {
    case Mode::kUnknown:
      return "unknown";
    case Mode::kUser:
      return "user";
    case Mode::kKernel:
      return "kernel";
    case Mode::kHypervisor:
      return "hypervisor";
    case Mode::kGuestUser:
      return "guest user";
    case Mode::kGuestKernel:
      return "guest kernel";
  }
  return "unknown";
}

std::string_view frame_kind(const Frame& frame) {
  if (frame.language == Language::kPython) {
    return "python";
  }
  if ((frame.flags & kInlined) != 0) {
    return "inlined";
  }
  if (is_kernel(frame.mode)) {
    return "kernel";
  }
  if ((frame.flags & kJit) != 0) {
    return "jit";
  }
  if ((frame.flags & kWaker) != 0) {
    return "waker";
  }
  return frame.mode == Mode::kUnknown ? "" : "user";
}

std::string folded_label(const Profile& profile, FrameId id) {
  std::string name = frame_name(profile, id);
  for (char& c : name) {
    if (c == ';') {
      c = ':';
    } else if (c == '\n' || c == '\r') {
      c = ' ';
    }
  }
  std::string_view kind = frame_kind(profile.frames[id]);
  bool marked = !kind.empty() && kind != "user" && kind != "python";
  return marked ? fmt::format("{}_[{}]", name, kind[0]) : name;
}

FoldedLabels::FoldedLabels(const Profile& profile) {
  constexpr uint32_t kNone = UINT32_MAX;
  std::unordered_map<std::string, uint32_t> known;
  std::map<std::string_view, std::vector<uint32_t>> by_function;  // by kind of frame
  numbers_.reserve(profile.frames.size());
  for (size_t row = 0; row < profile.frames.size(); ++row) {
    FrameId id = FrameId::from_index(row);
    const Frame& frame = profile.frames[id];
    uint32_t* seen = nullptr;
    if (frame.function.valid()) {
      std::vector<uint32_t>& numbers = by_function[frame_kind(frame)];
      numbers.resize(profile.functions.size(), kNone);
      seen = &numbers[frame.function.index()];
    }
    if (seen == nullptr || *seen == kNone) {
      auto number = static_cast<uint32_t>(texts_.size());
      auto [label, made] = known.try_emplace(folded_label(profile, id), number);
      if (made) {
        texts_.push_back(label->first);
      }
      numbers_.push_back(label->second);
      if (seen != nullptr) {
        *seen = label->second;
      }
      continue;
    }
    numbers_.push_back(*seen);
  }
}

namespace {

template <typename Enum, size_t kSize>
std::string_view name_in(const std::array<std::string_view, kSize>& names, Enum value) {
  static_assert(kSize == static_cast<size_t>(last_of(Enum{})) + 1);
  return static_cast<size_t>(value) < kSize ? names[static_cast<size_t>(value)] : "unknown";
}

}  // namespace

std::string_view name_of(ClockKind clock) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "unknown", "monotonic", "monotonic raw", "boottime", "realtime", "kernel", "tsc", "tai"};
  return name_in(kNames, clock);
}

std::string_view name_of(AddressKind kind) {
  static constexpr std::array<std::string_view, 4> kNames = {
      "linked", "file offset", "process", "function offset"};
  return name_in(kNames, kind);
}

std::string_view name_of(BuildKind kind) {
  static constexpr std::array<std::string_view, 5> kNames = {
      "unknown", "optimised", "not optimised", "Cargo's debug profile", "debug build of a runtime"};
  return name_in(kNames, kind);
}

std::string_view name_of(Mode mode) {
  return mode_name(mode);
}

std::string_view name_of(FrameOrigin origin) {
  static constexpr std::array<std::string_view, 13> kNames = {"unknown",
                                                              "sampled",
                                                              "cfi",
                                                              "fp",
                                                              "chain",
                                                              "lbr",
                                                              "stitched",
                                                              "code",
                                                              "missing",
                                                              "interpreter",
                                                              "interpreter, late",
                                                              "interpreter, unmatched",
                                                              "interpreter, awaiting"};
  return name_in(kNames, origin);
}

std::string_view name_of(StackEnd ending) {
  return stack_end_name(ending);
}

std::string_view name_of(Language language) {
  static constexpr std::array<std::string_view, 20> kNames = {
      "unknown", "assembly", "C",     "C++", "Rust",   "Go",    "Fortran",
      "Ada",     "D",        "Swift", "Zig", "Python", "Java",  "JavaScript",
      "Ruby",    "PHP",      "Perl",  "Lua", ".NET",   "Erlang"};
  return name_in(kNames, language);
}

std::string_view name_of(Quantity quantity) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "unknown", "CPU time", "wall time", "off-CPU time", "count", "bytes"};
  return name_in(kNames, quantity);
}

std::string_view name_of(SpanKind kind) {
  static constexpr std::array<std::string_view, 4> kNames = {
      "region", "off-CPU", "call", "request"};
  return name_in(kNames, kind);
}

std::string_view name_of(SeriesKind kind) {
  static constexpr std::array<std::string_view, 3> kNames = {"gauge", "rate", "cumulative"};
  return name_in(kNames, kind);
}

std::string_view name_of(LossClass severity) {
  static constexpr std::array<std::string_view, 3> kNames = {"notice", "loss", "alarm"};
  return name_in(kNames, severity);
}

std::string_view name_of(BlockPath path) {
  static constexpr std::array<std::string_view, 3> kNames = {"unknown", "straight", "impossible"};
  return name_in(kNames, path);
}

std::string_view name_of(BlockExit exit) {
  static constexpr std::array<std::string_view, 11> kNames = {"unknown",
                                                              "conditional jump",
                                                              "jump",
                                                              "indirect jump",
                                                              "call",
                                                              "indirect call",
                                                              "return",
                                                              "system call",
                                                              "system return",
                                                              "interrupt",
                                                              "other"};
  return name_in(kNames, exit);
}

std::optional<uint64_t> offset_in_function(const Profile& profile, const Frame& frame) {
  if (!frame.function.valid() || frame.address == 0) {
    return {};
  }
  if (frame.module.valid() &&
      profile.modules[frame.module].address_kind == AddressKind::kInFunction) {
    return frame.address;
  }
  uint64_t start = profile.functions[frame.function].address;
  return start == 0 || start > frame.address ? std::nullopt : std::optional(frame.address - start);
}

bool has_symbol(const Profile& profile, const Frame& frame) {
  return frame.function.valid() && (profile.functions[frame.function].flags & kMadeUpName) == 0;
}

StringId line_file(const Profile& profile, const Frame& frame) {
  if (!frame.file.empty() || !frame.function.valid()) {
    return frame.file;
  }
  return profile.functions[frame.function].file;
}

std::string label_value(const Profile& profile, const Label& label) {
  if (!label.is_number) {
    return std::string(profile.strings[label.text]);
  }
  // A million numbers can share one unit: a long unit would make terabytes of text.
  constexpr size_t kLongestUnit = 64;
  std::string_view unit = profile.strings[label.unit].substr(0, kLongestUnit);
  return fmt::format("{}{}{}", label.number, unit.empty() ? "" : " ", unit);
}

std::string label_text(const Profile& profile, const Label& label) {
  return fmt::format("{}={}", profile.strings[label.key], label_value(profile, label));
}

std::vector<LabelId> labels_of(const Profile& profile, LabelSetId set) {
  std::vector<LabelId> labels;
  for (; set != kNoLabels; set = profile.label_sets.parent(set)) {
    labels.push_back(profile.label_sets.label(set));
  }
  std::ranges::reverse(labels);
  return labels;
}

std::string_view stack_end_name(StackEnd ending) {
  switch (ending) {
    case StackEnd::kUnknown:
      return "unknown";
    case StackEnd::kComplete:
      return "complete";
    case StackEnd::kCopyTooShort:
      return "the copied stack is too short";
    case StackEnd::kTooDeep:
      return "deeper than the recorder follows";
    case StackEnd::kNoModule:
      return "an address outside every mapping";
    case StackEnd::kNoUnwindInfo:
      return "code without unwind information";
    case StackEnd::kNoFile:
      return "the file with the unwind information is missing";
    case StackEnd::kBadMemory:
      return "an unwind rule reads outside the stack";
    case StackEnd::kNoProgress:
      return "an unwind rule leads nowhere";
    case StackEnd::kNoUserStack:
      return "no user stack was recorded";
    case StackEnd::kFramePointer:
      return "the frame-pointer chain is broken";
    case StackEnd::kSwitched:
      return "the runtime switched stacks";
    case StackEnd::kUnproven:
      return "reached its start through a missing file";
    case StackEnd::kCopyCut:
      return "the copied stack ends early";
    case StackEnd::kZeroReturn:
      return "the return address is zero";
    case StackEnd::kOtherStack:
      return "the caller is on another stack";
    case StackEnd::kBadRule:
      return "an unwind rule cannot be applied";
  }
  return "";
}

}  // namespace wick
