// SPDX-License-Identifier: Apache-2.0
// Each "#0" starts a stack, each "Thread" or "TID" line a thread. gdb may break a frame at " at " or
// " from "; the rest is on the next line. A frame of gdb without an address has the one inlined into
// it just before it: gdb prints no address for the caller of an inlined function.
//
// The last line of a text that was cut is a frame only if something follows its name: the arguments
// or the module. A part of a name or an address would look like another function.
#include <algorithm>
#include <optional>

#include "base/parse_number.h"
#include "formats/stacks/stack_text.h"
#include "symbolize/demangle.h"

namespace wick::stacks {
namespace {

struct FrameLine {
  uint64_t number = 0;
  std::string_view text;
};

// "#12 0x... in f ()": the number, and the rest.
std::optional<FrameLine> parse_frame_line(std::string_view line) {
  if (!line.starts_with('#')) {
    return std::nullopt;
  }
  size_t end = std::min(line.find(' '), line.size());
  std::optional<uint64_t> number = parse_number<uint64_t>(line.substr(1, end - 1));
  std::string_view rest = trimmed(line.substr(end));
  if (!number || rest.empty()) {
    return std::nullopt;
  }
  return FrameLine{*number, rest};
}

// Takes "0x7f12" from the start.
std::optional<uint64_t> take_address(std::string_view& text) {
  size_t end = std::min(text.find(' '), text.size());
  if (!text.starts_with("0x")) {
    return std::nullopt;
  }
  std::optional<uint64_t> address = parse_hex(text.substr(2, end - 2));
  if (address) {
    text = trimmed(text.substr(end));
  }
  return address;
}

// Where gdb's list of arguments starts: the first " (" that is not inside of the name's own
// parentheses and template arguments.
size_t find_arguments(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == ' ' && depth == 0 && i + 1 < text.size() && text[i + 1] == '(') {
      return i;
    }
    bool is_operator = text.substr(0, i).ends_with("operator") ||
                       text.substr(0, i).ends_with("operator<") ||
                       text.substr(0, i).ends_with("operator>") || text.substr(0, i).ends_with('-');
    if (c == '(' || (c == '<' && !is_operator)) {
      ++depth;
    } else if (c == ')' || (c == '>' && !is_operator)) {
      depth = std::max(depth - 1, 0);
    }
  }
  return text.find(" (");
}

void set_source(std::string_view text, TextFrame& frame) {
  size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return;
  }
  frame.file = text.substr(0, colon);
  frame.line = parse_number<uint32_t>(text.substr(colon + 1)).value_or(0);
}

// "read (fd=3) at read.c:26" or "read () from /usr/lib/libc.so.6".
void parse_gdb(std::string_view text, TextFrame& frame) {
  if (text.starts_with('<')) {
    frame.name = text.substr(0, text.find('>') + 1);  // <signal handler called>
    return;
  }
  size_t at = text.rfind(") at ");
  size_t from = text.rfind(") from ");
  if (at != std::string_view::npos && (from == std::string_view::npos || at > from)) {
    set_source(text.substr(at + 5), frame);
  } else if (from != std::string_view::npos) {
    frame.module = text.substr(from + 7);
  }
  std::string_view name = text.substr(0, find_arguments(text));
  frame.name = name == "??" ? std::string() : demangled(name);
}

// "read - /usr/lib/libc.so.6"; the address of a caller may be followed by "- 1".
void parse_eu_stack(std::string_view text, TextFrame& frame) {
  if (text.starts_with("- 1")) {
    text = trimmed(text.substr(3));
  }
  if (text.starts_with("- ")) {
    frame.module = text.substr(2);
    return;
  }
  size_t dash = text.rfind(" - ");
  if (dash != std::string_view::npos) {
    frame.module = text.substr(dash + 3);
    text = text.substr(0, dash);
  }
  frame.name = demangled(text);
}

bool has_whole_name(std::string_view text) {
  take_address(text);
  if (text.starts_with("in ") || text.starts_with("- 1")) {
    text = trimmed(text.substr(3));
  }
  bool has_arguments = find_arguments(text) != std::string_view::npos &&
                       (text.ends_with(')') || text.find(") at ") != std::string_view::npos ||
                        text.find(") from ") != std::string_view::npos);
  bool has_module = text.starts_with("- ") || text.find(" - ") != std::string_view::npos;
  return has_arguments || has_module || (text.starts_with('<') && text.ends_with('>'));
}

class BacktraceParser : public TextParser {
 public:
  explicit BacktraceParser(StackBuilder& out) : out_(out) {}

  void take(const Line& line) override {
    std::string_view text = line.text;
    if (std::optional<FrameLine> frame = parse_frame_line(text)) {
      take_frame(*frame, line);
    } else if (text.starts_with("Thread ")) {
      end_stack();
      take_gdb_thread(text);
    } else if (text.starts_with("TID ")) {
      end_stack();
      stack_.tid = parse_number<int64_t>(text.substr(4, text.find(':') - 4)).value_or(-1);
      stack_.pid = pid_;
    } else if (text.starts_with("PID ")) {
      end_stack();
      pid_ = parse_number<int64_t>(text.substr(4, text.find(' ', 4) - 4)).value_or(-1);
    } else if (text.starts_with("(More stack frames follow")) {
      stack_.ending = StackEnd::kTooDeep;
    } else if (text.starts_with(' ') || text.starts_with('\t')) {
      take_continuation(trimmed(text));
    }
  }

  void finish() override { end_stack(); }

 private:
  void take_frame(const FrameLine& line, const Line& source) {
    if (line.number == 0 && has_frame_) {
      std::string name = stack_.name;
      int64_t tid = stack_.tid;
      end_stack();
      stack_.name = is_after_thread_ ? name : std::string();
      stack_.tid = is_after_thread_ ? tid : -1;
    }
    if (line.number != next_number_) {
      out_.loss("frames are missing from a backtrace", "backtraces", source.number);
    }
    end_frame();
    if (!source.has_end && !has_whole_name(line.text)) {
      out_.loss("frames whose line was cut", "frames", source.number);
      return;
    }
    next_number_ = line.number + 1;
    pending_ = line.text;
    has_frame_ = true;
  }

  void take_continuation(std::string_view text) {
    if (!has_frame_) {
      return;
    }
    bool is_rest = text.starts_with("at ") || text.starts_with("from ");
    bool is_source =
        is_eu_stack_ && text.rfind(':') != std::string_view::npos && !text.starts_with('[');
    if (is_rest && pending_.size() < kMostText) {
      pending_ += ' ';
      pending_ += text;
    } else if (is_source) {
      source_ = text;
    }
  }

  // Thread 2 (Thread 0x7f12 (LWP 4712) "worker"):
  void take_gdb_thread(std::string_view text) {
    is_after_thread_ = true;
    if (size_t lwp = text.find("LWP "); lwp != std::string_view::npos) {
      std::string_view digits = text.substr(lwp + 4);
      digits = digits.substr(0, digits.find_first_not_of("0123456789"));
      stack_.tid = parse_number<int64_t>(digits).value_or(-1);
    }
    size_t open = text.find('"');
    size_t close = text.rfind('"');
    if (open != std::string_view::npos && close > open) {
      stack_.name = text.substr(open + 1, close - open - 1);
    }
  }

  void end_frame() {
    if (!has_frame_ || pending_.empty()) {
      return;
    }
    TextFrame frame;
    std::string_view text = pending_;
    std::optional<uint64_t> address = take_address(text);
    bool is_gdb = !address || (text.starts_with("in ") && !text.starts_with("in - "));
    is_eu_stack_ = !is_gdb;
    if (address) {
      // The address of a caller is the one after the call.
      frame.address = *address - (stack_.frames.empty() || *address == 0 ? 0 : 1);
    } else if (!stack_.frames.empty() && text.front() != '<') {
      stack_.frames.back().flags |= kInlined;
    }
    if (is_gdb) {
      parse_gdb(address ? trimmed(text.substr(3)) : text, frame);
    } else {
      parse_eu_stack(text, frame);
      take_source(frame);
      // eu-stack -i prints the functions of one address, the inlined ones first.
      if (!stack_.frames.empty() && *address == last_address_) {
        stack_.frames.back().flags |= kInlined;
      }
    }
    last_address_ = address.value_or(0);
    stack_.frames.push_back(std::move(frame));
    pending_.clear();
    source_.clear();
  }

  // "file.c:93:13", or without the column.
  void take_source(TextFrame& frame) {
    std::string_view text = source_;
    size_t colon = text.rfind(':');
    size_t before = colon == 0 || colon == std::string_view::npos ? std::string_view::npos
                                                                  : text.rfind(':', colon - 1);
    bool has_column = before != std::string_view::npos &&
                      parse_number<uint32_t>(text.substr(before + 1, colon - before - 1));
    set_source(has_column ? text.substr(0, colon) : text, frame);
  }

  void end_stack() {
    end_frame();
    if (!stack_.frames.empty()) {
      ProfileBuilder& builder = out_.builder();
      EventId event = out_.event({.name = builder.string("backtraces"),
                                  .unit = builder.string("samples"),
                                  .kind = Quantity::kWallTime});
      out_.add(stack_, event, 1, 1);
    }
    stack_ = {};
    has_frame_ = false;
    is_after_thread_ = false;
    next_number_ = 0;
  }

  static constexpr size_t kMostText = 1 << 20;

  StackBuilder& out_;
  TextStack stack_;
  std::string pending_;  // the frame being read
  std::string source_;   // its source line in eu-stack
  uint64_t last_address_ = 0;
  int64_t pid_ = -1;
  uint64_t next_number_ = 0;
  bool has_frame_ = false;
  bool is_eu_stack_ = false;
  bool is_after_thread_ = false;
};

}  // namespace

bool is_backtrace(std::string_view head) {
  bool found = false;
  for_each_line_of_head(head, [&](std::string_view line) {
    std::optional<FrameLine> frame = parse_frame_line(line);
    bool is_frame = frame && (frame->text.starts_with("0x") || frame->text.starts_with('<') ||
                              frame->text.find(" (") != std::string_view::npos);
    found = found || (is_frame && frame->number == 0);
  });
  return found;
}

std::unique_ptr<TextParser> backtrace_parser(StackBuilder& out) {
  return std::make_unique<BacktraceParser>(out);
}

}  // namespace wick::stacks
