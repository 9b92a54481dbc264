// SPDX-License-Identifier: Apache-2.0
// Parses a frame from both ends: the address from the left, the module from the right, and the name
// is the rest. Names contain blanks, parentheses and "+0x", so no separator is reliable from the
// left.
//
// find_frame() extracts the frame from an event line of a sample without a call chain. Other
// columns surround it there. They are removed in this order: branches, registers, the columns after
// the module (target, instruction bytes, IPC), physical addresses; then the last address in its
// columns starts the frame. Code is kernel code if the module's name or the address says so.
#include "formats/perf_script/frame_line.h"

#include <fmt/format.h>

#include "base/parse_number.h"
#include "base/path.h"
#include "formats/perf_script/text.h"

namespace wick::perf_script {
namespace {

bool is_hex(std::string_view text) {
  return !text.empty() && run_length(text, is_hex_digit) == text.size();
}

// Removes "+0x48" from the end.
std::optional<uint64_t> take_offset(std::string_view& text) {
  size_t plus = text.rfind("+0x");
  if (plus == std::string_view::npos) {
    return std::nullopt;
  }
  std::optional<uint64_t> offset = parse_hex(text.substr(plus + 3));
  if (offset) {
    text = text.substr(0, plus);
  }
  return offset;
}

// Removes " (MODULE)" from the end. Parentheses are matched from the right. If they do not match (a
// module named "a)b"), the module starts at the last parenthesis before a path or a bracket.
std::string_view take_parenthesised(std::string_view& text) {
  if (!text.ends_with(')')) {
    return {};
  }
  size_t depth = 0;
  size_t open = text.size();
  while (open > 0) {
    --open;
    depth += text[open] == ')' ? 1U : 0U;
    if (text[open] == '(' && --depth == 0) {
      break;
    }
  }
  bool matches = depth == 0 && (open == 0 || is_blank(text[open - 1]));
  if (!matches) {
    size_t path = std::max(text.rfind(" (/") + 1, text.rfind(" ([") + 1);  // 0 when not found
    if (path == 0) {
      return {};
    }
    open = path;
  }
  std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  text = trim_end(text.substr(0, open));
  return inside;
}

// simpleperf prints "libc.so[+29c3f0]" for code without a name.
void take_bracketed_offset(FrameLine& frame) {
  size_t bracket = frame.name.rfind("[+");
  if (bracket == std::string_view::npos || !frame.name.ends_with(']') || bracket == 0 ||
      !frame.module.ends_with(frame.name.substr(0, bracket))) {
    return;
  }
  std::optional<uint64_t> offset =
      parse_hex(frame.name.substr(bracket + 2, frame.name.size() - bracket - 3));
  if (offset) {
    frame.address = *offset;
    frame.module_offset = true;
    frame.simpleperf = true;
    frame.name = {};
  }
}

// Removes the numbers that -F +phys_addr and others print after the module.
std::string_view without_numbers_after(std::string_view rest) {
  size_t close = rest.rfind(')');
  bool only_numbers =
      close != std::string_view::npos && run_length(rest.substr(close + 1), [](char c) {
                                           return is_blank(c) || is_hex_digit(c);
                                         }) == rest.size() - close - 1;
  return only_numbers ? rest.substr(0, close + 1) : rest;
}

// The text from the last address in its columns on. A data address, with its own name and module,
// may come before the instruction's address. An address that is not the first must be followed by a
// module, so that the fields of a tracepoint are not mistaken for frames.
std::string_view last_frame(std::string_view rest) {
  std::string_view result;
  bool has_module = rest.ends_with(')');
  for (size_t at = 0; at == 0 || (has_module && at < rest.size());) {
    size_t blanks = run_length(rest.substr(at), is_blank);
    std::string_view word = rest.substr(at + blanks);
    word = word.substr(0, run_length(word, [](char c) { return !is_blank(c); }));
    bool in_columns = word.size() <= kAddressColumns && blanks + word.size() >= kAddressColumns;
    if (in_columns && (at == 0 || word.size() >= 8) && is_hex(word)) {
      result = rest.substr(at);
    }
    at += std::max<size_t>(blanks + word.size(), 1);
  }
  return result;
}

}  // namespace

std::optional<FrameLine> parse_frame_line(std::string_view text) {
  text = trim_end(trim_start(text));
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
  }
  size_t digits = run_length(text, is_hex_digit);
  bool word = digits == text.size() || (digits > 0 && is_blank(text[digits]));
  if (!word || digits == 0 || digits > 16) {
    return std::nullopt;
  }
  FrameLine frame{.address = parse_hex(text.substr(0, digits)).value_or(0)};
  text = trim_start(text.substr(digits));
  frame.module = take_parenthesised(text);
  if (frame.module == "inlined") {
    frame.module = {};
    frame.inlined = true;
  }
  if (std::optional<uint64_t> offset = take_offset(frame.module)) {
    frame.address = *offset;
    frame.module_offset = true;
  }
  if (frame.module == "[unknown]") {
    frame.module = {};
  }
  std::optional<uint64_t> offset = take_offset(text);
  frame.name = text;
  if (offset && *offset <= frame.address) {
    frame.start = frame.address - *offset;
  }
  take_bracketed_offset(frame);
  return frame;
}

bool is_frame_at_margin(std::string_view line) {
  line = trim_end(line);
  return line.ends_with(')') && line.contains(" (") && parse_frame_line(line).has_value();
}

Mode mode_of(std::string_view module, uint64_t address) {
  constexpr uint64_t kUpperHalf = uint64_t{1} << 63;
  if (module.starts_with("[guest.kernel")) {
    return Mode::kGuestKernel;
  }
  bool bracketed = module.starts_with('[') && !starts_with_any(module,
                                                               {"[vdso",
                                                                "[vsyscall",
                                                                "[heap",
                                                                "[stack",
                                                                "[anon",
                                                                "[uprobes",
                                                                "[vectors",
                                                                "[sigpage",
                                                                "[unknown",
                                                                "[JIT"});
  std::string_view file = file_name_of(module);
  bool kernel_file = file.starts_with("vmlinux") || file.ends_with(".ko") ||
                     file.find(".ko.") != std::string_view::npos || module == "/proc/kcore";
  return bracketed || kernel_file || address >= kUpperHalf ? Mode::kKernel : Mode::kUser;
}

bool is_jit(std::string_view module) {
  std::string_view file = file_name_of(module);
  return (file.starts_with("perf-") && file.ends_with(".map")) ||
         (file.starts_with("jitted-") && file.ends_with(".so")) || module.starts_with("[JIT") ||
         module.find("jit-cache") != std::string_view::npos;
}

std::string module_label(std::string_view module) {
  std::string_view file = file_name_of(module);
  return file.starts_with('[') ? std::string(file) : fmt::format("[{}]", file);
}

std::optional<SourceLine> parse_source_line(std::string_view line) {
  if (!line.starts_with("  ") || line.size() < 3 || is_blank(line[2])) {
    return std::nullopt;
  }
  std::string_view text = trim_end(line.substr(2));
  SourceLine source;
  constexpr std::string_view kInlined = " (inlined)";
  if (text.ends_with(kInlined)) {
    source.inlined = true;
    text = trim_end(text.substr(0, text.size() - kInlined.size()));
  }
  if (size_t more = text.rfind(" (discriminator "); more != std::string_view::npos) {
    text = text.substr(0, more);
  }
  if (text.ends_with(']')) {
    return source;  // only repeats the module and the address
  }
  size_t colon = text.rfind(':');
  std::optional<uint32_t> number = colon == std::string_view::npos
                                       ? std::nullopt
                                       : parse_number<uint32_t>(text.substr(colon + 1));
  if (!number) {
    return std::nullopt;
  }
  if (*number > 0 && !text.starts_with("??")) {
    source.file = text.substr(0, colon);
    source.line = *number;
  }
  return source;
}

size_t find_branch_flags(std::string_view text) {
  for (size_t at = text.find('/'); at != std::string_view::npos && at + 6 < text.size();
       at = text.find('/', at + 1)) {
    auto is_flag = [&](size_t offset, std::string_view letters) {
      return letters.find(text[at + offset]) != std::string_view::npos;
    };
    bool slashes = text[at + 2] == '/' && text[at + 4] == '/' && text[at + 6] == '/';
    if (slashes && is_flag(1, "PMN-") && is_flag(3, "X-") && is_flag(5, "A-")) {
      return at;
    }
  }
  return std::string_view::npos;
}

bool is_branch_line(std::string_view line) {
  if (line.starts_with('\t') && line.size() > 1 && !is_blank(line[1])) {
    std::string_view text = trim_end(line.substr(1));
    size_t digits = run_length(text, is_hex_digit);
    bool instruction = digits == kAddressColumns && digits < text.size() && text[digits] == '\t';
    return instruction || text.starts_with("...") || text.ends_with(':') ||
           text == "mismatch of LBR data and executable";
  }
  return find_branch_flags(line) != std::string_view::npos;
}

FrameText find_frame(std::string_view rest) {
  FrameText result;
  if (size_t flags = find_branch_flags(rest); flags != std::string_view::npos) {
    // The branches follow the module, or the address if there is no module.
    result.branches = true;
    size_t open = std::min(rest.find(" (/"), rest.find(" (["));
    size_t close = open < flags ? rest.find(')', open) : std::string_view::npos;
    rest = close < flags ? rest.substr(0, close + 1) : rest.substr(0, rest.rfind(' ', flags));
  }
  if (size_t registers = rest.find(" ABI:"); registers != std::string_view::npos) {
    result.registers = true;
    rest = trim_end(rest.substr(0, registers));
  }
  for (std::string_view mark : {") => ", ") ilen: ", ") insn: ", ")\t IPC: "}) {
    if (size_t at = rest.find(mark); at != std::string_view::npos) {
      rest = rest.substr(0, at + 1);
    }
  }
  result.text = last_frame(without_numbers_after(rest));
  return result;
}

}  // namespace wick::perf_script
