// One frame of a stack, taken apart.
//
//     1288 mid+0x48 (/opt/t prog)         ADDRESS NAME[+0xOFFSET] (MODULE)
//     1288 (anonymous namespace)::mid     no module column
//     1288 leaf+0x8 (inlined)             part of the function on the next line
//     1288 [unknown] ([unknown])          no name, no module
//     1288  (/lib/libc.so)                no name, as old perf has it
//     1288 libc.so[+29c3f0] (/libc.so)    simpleperf: no name, but the offset in the module
//     1288 mid (/opt/t prog+0x1288)       -F +dsoff: the offset in the module, spelled out
//
// Names hold blanks and parentheses ("std::function<int (int)>::operator()"), and so do modules
// ("/opt/a (b)/app (deleted)"). The module is what the last parenthesis of the line closes, if a
// blank stands before the one that opens it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profile/tables.h"

namespace wick::perf_script {

struct FrameLine {
  uint64_t address = 0;
  std::string_view name;    // empty when not printed, "[unknown]" where perf knew none
  uint64_t start = 0;       // where the function begins, 0 when unknown
  std::string_view module;  // empty when unknown
  bool inlined = false;
  bool module_offset = false;  // the address is an offset in the module for certain
  bool simpleperf = false;     // the name was one of simpleperf's: "libc.so[+29c3f0]"
};

// `text` is a line, or the end of an event line; nothing when no address starts it.
std::optional<FrameLine> parse_frame_line(std::string_view text);

// What kind of code a module holds, told by its name, else by the address.
Mode mode_of(std::string_view module, uint64_t address);
bool is_jit(std::string_view module);

// What to call code of a module in which nothing can be told apart: "[libc.so.6]".
std::string module_label(std::string_view module);

// The line that -F +srcline adds after a frame: "  FILE:LINE" or "  MODULE[ADDRESS]", with
// " (inlined)" after it where the frame is.
struct SourceLine {
  std::string_view file;  // empty when unknown
  uint32_t line = 0;
  bool inlined = false;
};
std::optional<SourceLine> parse_source_line(std::string_view line);

// Whether the line holds branches (brstack, brstacksym, brstackoff) or the instructions between
// them (brstackinsn), which belong to no stack.
bool is_branch_line(std::string_view line);

// The frame that a sample without a call chain has on its event line, without what other columns
// put before (a trace's flags) and after it (branches, registers, instruction bytes, a branch's
// target). Empty when there is none: a tracepoint's own fields.
struct FrameText {
  std::string_view text;
  bool branches = false;
  bool registers = false;
};
FrameText find_frame(std::string_view rest);

}  // namespace wick::perf_script
