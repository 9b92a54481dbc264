// SPDX-License-Identifier: Apache-2.0
// The names of frames, modules, threads, sources and labels in tables and pictures. Analyses and
// writers use these functions, so a row has the same name everywhere.
//
// The returned text comes from untrusted input: escape it before you show it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace wick {

// The function's name. If it is unknown, the module and address, "libc.so.6+0x1234", or
// "[unknown]".
std::string frame_name(const Profile& profile, FrameId id);
// The frame as in a folded line: without ';' and line ends, and with its kind as _[k] _[i] _[j]
// _[w]: those that flamegraph.pl understands.
std::string folded_label(const Profile& profile, FrameId id);
// The same for all frames of a profile. It stores each text once, because names can have thousands
// of bytes.
class FoldedLabels {
 public:
  explicit FoldedLabels(const Profile& profile);
  const std::string& operator[](FrameId id) const { return texts_[numbers_[id.index()]]; }
  // Frames with the same label have the same number.
  uint32_t number(FrameId id) const { return numbers_[id.index()]; }
  size_t size() const { return texts_.size(); }

 private:
  std::vector<uint32_t> numbers_;  // by frame
  std::vector<std::string> texts_;
};
std::string function_name(const Profile& profile, FunctionId function);
// The file name of a module without its directories; empty if unknown.
std::string_view module_name(const Profile& profile, ModuleId module);
// The path of the frame's module; empty if unknown. Of a Python function, its source file.
std::string_view module_path(const Profile& profile, const Frame& frame);
std::string_view module_name(const Profile& profile, const Frame& frame);
// "worker 42"; in a profile of several sources "worker 42 (host)", because each machine can have
// the same number.
std::string thread_name(const Profile& profile, ThreadId id);
std::string process_name(const Profile& profile, ProcessId id);
// "host", "host, run", or the first digits of the boot id if both are unknown. At most 255 bytes of
// each.
std::string source_name(const Profile& profile, SourceId id);
// The suffix of thread and process names of a source: " (host)", or empty if the profile has one
// source.
std::string source_suffix(const Profile& profile, SourceId id);
// The source of a thread's process; none if unknown.
SourceId source_of(const Profile& profile, ThreadId id);
std::string_view mode_name(Mode mode);

// The names of enumeration values, as in docs/format.md.
std::string_view name_of(ClockKind clock);
std::string_view name_of(AddressKind kind);
std::string_view name_of(BuildKind kind);
std::string_view name_of(Mode mode);
std::string_view name_of(FrameOrigin origin);
std::string_view name_of(StackEnd ending);
std::string_view name_of(Language language);
std::string_view name_of(Quantity quantity);
std::string_view name_of(SpanKind kind);
std::string_view name_of(SeriesKind kind);
std::string_view name_of(LossClass severity);
std::string_view name_of(BlockPath path);
std::string_view name_of(BlockExit exit);

// The distance of a frame's address from the start of its function; none if it is unknown.
std::optional<uint64_t> offset_in_function(const Profile& profile, const Frame& frame);
// Whether the function has a real name and not one made from the module and an address.
bool has_symbol(const Profile& profile, const Frame& frame);
// The source file of a frame's line: the frame's own file if it has one, else its function's.
StringId line_file(const Profile& profile, const Frame& frame);
// "value" or "17 bytes", and "key=value" for the whole label. At most 64 bytes of a unit.
std::string label_value(const Profile& profile, const Label& label);
std::string label_text(const Profile& profile, const Label& label);
// The labels of a set, in order.
std::vector<LabelId> labels_of(const Profile& profile, LabelSetId set);

// How a stack ended, as text: "complete", "the copied stack is too short", ...
std::string_view stack_end_name(StackEnd ending);
// "kernel", "inlined", "jit", "waker", "python", "user", or "" when unknown.
std::string_view frame_kind(const Frame& frame);

}  // namespace wick
