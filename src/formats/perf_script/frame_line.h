// SPDX-License-Identifier: Apache-2.0
// Parses one frame of a stack.
//
//     1288 mid+0x48 (/opt/t prog)         ADDRESS NAME[+0xOFFSET] (MODULE)
//     1288 (anonymous namespace)::mid     no module column
//     1288 leaf+0x8 (inlined)             part of the function on the next line
//     1288 [unknown] ([unknown])          no name, no module
//     1288  (/lib/libc.so)                no name, as old perf has it
//     1288 libc.so[+29c3f0] (/libc.so)    simpleperf: no name, but the offset in the module
//     1288 mid (/opt/t prog+0x1288)       -F +dsoff: the offset in the module, spelled out
//
// Names contain blanks and parentheses ("std::function<int (int)>::operator()"), and so do modules
// ("/opt/a (b)/app (deleted)"). The module is the content of the last pair of parentheses in the
// line, if there is a blank before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profile/tables.h"

namespace wick::perf_script {

struct FrameLine {
  uint64_t address = 0;
  std::string_view name;    // empty when not printed, "[unknown]" if perf did not know it
  uint64_t start = 0;       // where the function begins, 0 when unknown
  std::string_view module;  // empty when unknown
  bool inlined = false;
  bool module_offset = false;  // the address is certainly an offset in the module
  bool simpleperf = false;     // the name had simpleperf's form: "libc.so[+29c3f0]"
};

// `text` is a line, or the end of an event line. Nothing if it does not start with an address.
std::optional<FrameLine> parse_frame_line(std::string_view text);

// Whether a line without an indent is a frame whose indent was removed: an address, a name or
// module, and parentheses at the end. Event lines can have this form only if the comm is a number.
bool is_frame_at_margin(std::string_view line);

// The kind of code in a module, by its name, else by the address.
Mode mode_of(std::string_view module, uint64_t address);
bool is_jit(std::string_view module);

// The name for code of a module without any details: "[libc.so.6]".
std::string module_label(std::string_view module);

// The line that -F +srcline adds after a frame: "  FILE:LINE" or "  MODULE[ADDRESS]", followed by "
// (inlined)" if the frame is inlined.
struct SourceLine {
  std::string_view file;  // empty when unknown
  uint32_t line = 0;
  bool inlined = false;
};
std::optional<SourceLine> parse_source_line(std::string_view line);

// The offset of the next "/M/-/-/12" and similar: predicted or not, in a transaction, aborted,
// cycles. npos if there is none.
size_t find_branch_flags(std::string_view text);

// Whether the line has branches (brstack, brstacksym, brstackoff) or the instructions between them
// (brstackinsn), which do not belong to a stack.
bool is_branch_line(std::string_view line);

// The frame on the event line of a sample without a call chain, without the columns before it (a
// trace's flags) and after it (branches, registers, instruction bytes, a branch's target). Empty if
// there is none: a tracepoint's own fields.
struct FrameText {
  std::string_view text;
  bool branches = false;
  bool registers = false;
};
FrameText find_frame(std::string_view rest);

}  // namespace wick::perf_script
