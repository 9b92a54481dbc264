// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_script/compat_line.h"

#include <algorithm>

#include "base/path.h"
#include "formats/perf_script/text.h"

namespace wick::perf_script {
namespace {

bool is_word_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string_view trim_spaces(std::string_view text) {
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text.substr(run_length(text, is_space));
}

// ": [PERIOD] EVENT:" at the end of the line.
void find_event(std::string_view line, CompatEvent& result) {
  auto back_over = [&](size_t at, auto test) {
    while (at > 0 && test(line[at - 1])) {
      --at;
    }
    return at;
  };
  size_t end = back_over(line.size(), is_space);
  if (end == 0 || line[end - 1] != ':') {
    return;
  }
  size_t colon = end - 1;
  size_t event = back_over(colon, [](char c) { return !is_space(c); });
  size_t gap = back_over(event, is_space);
  if (event == colon || gap == event) {
    return;
  }
  size_t period = back_over(gap, is_digit);
  size_t before = period == gap ? gap : back_over(period, is_space);
  if (before > 0 && line[before - 1] == ':') {
    result.event = line.substr(event, colon - event);
    result.period = line.substr(period, gap - period);
  }
}

bool is_kernel(std::string_view module) {
  return (module.starts_with('[') || module.ends_with("vmlinux")) &&
         module.find("unknown") == std::string_view::npos;
}

// "/tmp/perf-N.map" anywhere.
bool is_perf_map(std::string_view module) {
  constexpr std::string_view kStart = "/tmp/perf-";
  for (size_t at = module.find(kStart); at != std::string_view::npos;
       at = module.find(kStart, at + 1)) {
    std::string_view rest = module.substr(at + kStart.size());
    size_t digits = run_length(rest, is_digit);
    if (digits > 0 && rest.substr(digits).starts_with(".map")) {
      return true;
    }
  }
  return false;
}

std::string unknown_name(const CompatStackLine& line, const CompatOptions& options) {
  std::string_view module = file_name_of(line.module);
  std::string name = "[";
  name += line.module == "[unknown]" ? "unknown" : module;
  if (options.addrs) {
    name += " <";
    name += line.address;
    name += '>';
  }
  return name + "]";
}

// ".(type)." somewhere.
bool is_go_method(std::string_view name) {
  size_t open = name.find(".(");
  size_t close = name.rfind(").");
  return open != std::string_view::npos && close != std::string_view::npos && close >= open + 2;
}

void tidy(std::string& name, bool java) {
  std::ranges::replace(name, ';', ':');
  if (!is_go_method(name)) {
    size_t open = name.find('(');
    while (open != std::string::npos && name.compare(open, 21, "(anonymous namespace)") == 0) {
      open = name.find('(', open + 1);
    }
    name.resize(std::min(open, name.size()));
  }
  std::erase_if(name, [](char c) { return c == '"' || c == '\''; });
  if (java && name.starts_with('L') && name.find('/') != std::string::npos) {
    name.erase(0, 1);
  }
}

// Without "+0xOFFSET" at the end.
std::string_view without_offset(std::string_view name) {
  size_t digits = name.size();
  while (digits > 0 &&
         (is_digit(name[digits - 1]) || (name[digits - 1] >= 'a' && name[digits - 1] <= 'f'))) {
    --digits;
  }
  bool offset = digits < name.size() && name.substr(0, digits).ends_with("+0x");
  return offset ? name.substr(0, digits - 3) : name;
}

// The parts of "a->b", without empty ones at the end.
std::vector<std::string_view> split_inlined(std::string_view name) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t arrow = name.find("->");
    parts.push_back(name.substr(0, arrow));
    if (arrow == std::string_view::npos) {
      break;
    }
    name.remove_prefix(arrow + 2);
  }
  while (!parts.empty() && parts.back().empty()) {
    parts.pop_back();
  }
  return parts;
}

}  // namespace

std::optional<CompatEvent> parse_compat_event(std::string_view line) {
  if (line.empty() || is_space(line[0])) {
    return std::nullopt;
  }
  size_t at = 1;
  while (at < line.size()) {
    size_t gap = at + run_length(line.substr(at), [](char c) { return !is_space(c); });
    size_t number = gap + run_length(line.substr(gap), is_space);
    size_t comm = std::max<size_t>(gap, 2);  // a comm has two characters or more, blanks included
    size_t slash = number + run_length(line.substr(number), is_digit);
    size_t second = slash + run_length(line.substr(slash), [](char c) { return c == '/'; });
    size_t end = second + run_length(line.substr(second), is_digit);
    if (comm < number && slash > number && end < line.size() && is_space(line[end])) {
      CompatEvent result{.ids = line.substr(0, end),
                         .comm = line.substr(0, comm),
                         .pid = line.substr(number, slash - number),
                         .tid = line.substr(second, end - second)};
      find_event(line, result);
      return result;
    }
    at = std::max(number, at + 1);
  }
  return std::nullopt;
}

std::string compat_process(const CompatEvent& event, const CompatOptions& options) {
  bool alone = event.tid.empty() || event.tid == "0";
  std::string_view pid = alone ? "?" : event.pid;
  std::string_view tid = alone ? event.pid : event.tid;
  std::string name(event.comm);
  if (options.pid || options.tid) {
    name += '-';
    name += pid;
  }
  if (options.tid) {
    name += '/';
    name += tid;
  }
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::optional<CompatStackLine> parse_compat_stack_line(std::string_view line) {
  size_t close = line.rfind(')');
  if (close == std::string_view::npos || close < 2) {
    return std::nullopt;
  }
  size_t open = line.rfind(" (", close - 2);
  size_t word = run_length(line, is_space);
  size_t word_end = word + run_length(line.substr(word), is_word_char);
  if (open == std::string_view::npos || word == word_end) {
    return std::nullopt;
  }
  // The name has at least one character. If necessary it takes the blanks before it, and then the
  // end of the address.
  size_t name = word_end + run_length(line.substr(word_end), is_space);
  if (name >= open) {
    name = open == 0 ? 0 : open - 1;
    word_end = std::min(word_end, name);
  }
  if (word_end <= word) {
    return std::nullopt;
  }
  return CompatStackLine{.address = line.substr(word, word_end - word),
                         .name = line.substr(name, open - name),
                         .module = line.substr(open + 2, close - open - 2)};
}

std::vector<CompatFrame> compat_frames(const CompatStackLine& line,
                                       const CompatOptions& options,
                                       bool java) {
  std::vector<CompatFrame> frames;
  std::string_view name = without_offset(line.name);
  if (name.starts_with('(')) {
    return frames;
  }
  bool unknown = false;
  for (std::string_view part : split_inlined(name)) {
    CompatFrame frame{.name = std::string(part)};
    if (part == "[unknown]") {
      frame.name = unknown_name(line, options);
      unknown = unknown || line.module == "[unknown]";
    }
    tidy(frame.name, java);
    if (!frames.empty()) {
      bool marked = frame.name.find("_[i]") != std::string::npos;
      frame.mark = marked ? CompatMark::kNone : CompatMark::kInlined;
    } else if (options.kernel && is_kernel(line.module)) {
      frame.mark = CompatMark::kKernel;
    } else if (options.jit && is_perf_map(line.module)) {
      bool marked = frame.name.find("_[j]") != std::string::npos;
      frame.mark = marked ? CompatMark::kNone : CompatMark::kJit;
    }
    frame.wants_source = options.srcline && !unknown;
    frames.push_back(std::move(frame));
  }
  return frames;
}

std::string compat_source(std::string_view line) {
  std::string text;
  while (!line.empty()) {
    size_t open = line.find('[');
    size_t close = open == std::string_view::npos ? open : line.find(']', open);
    if (close == std::string_view::npos) {
      text += line;
      break;
    }
    text += line.substr(0, open);
    line.remove_prefix(close + 1);
  }
  return std::string(trim_spaces(text));
}

}  // namespace wick::perf_script
