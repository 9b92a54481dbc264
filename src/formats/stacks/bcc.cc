// SPDX-License-Identifier: Apache-2.0
// A stack ends with "-", the command and its pid in parentheses; the next line has the number.
#include <algorithm>

#include "base/parse_number.h"
#include "formats/stacks/stack_text.h"

namespace wick::stacks {
namespace {

// The text and the pid of "    -                cat (4711)".
bool parse_owner(std::string_view line, TextStack& stack) {
  std::string_view text = trimmed(line);
  size_t open = text.rfind(" (");
  if (!line.starts_with("    ") || !text.starts_with("-  ") || !text.ends_with(')') ||
      open == std::string_view::npos || open < 3) {
    return false;
  }
  std::optional<int64_t> pid = parse_number<int64_t>(text.substr(open + 2, text.size() - open - 3));
  if (!pid || *pid < 0) {
    return false;
  }
  stack.name = trimmed(text.substr(1, open - 1));
  stack.pid = stack.tid = *pid;
  return true;
}

class BccParser : public TextParser {
 public:
  BccParser(StackBuilder& out, UnitChoice unit) : out_(out), unit_(unit) {}

  void take(const Line& line) override {
    std::string_view text = trimmed(line.text);
    if (owner_line_ != 0) {
      take_number(text, line);
    } else if (parse_owner(line.text, stack_)) {
      owner_line_ = line.number;
    } else if (text == "--") {
      set_mode(0, Mode::kKernel);
      user_begin_ = stack_.frames.size();
    } else if (line.text.starts_with("    ") && !text.empty()) {
      stack_.frames.push_back(parse_frame(text));
    } else if (line.text.starts_with("Sampling at ")) {
      size_t end = std::min(line.text.find(' ', 12), line.text.size());
      frequency_ = parse_number<uint32_t>(line.text.substr(12, end - 12)).value_or(0);
    } else if (line.text.starts_with("Tracing off-CPU time (us)")) {
      is_off_cpu_ = true;
    }
  }

  void finish() override {
    if (owner_line_ != 0 || !stack_.frames.empty()) {
      out_.loss("stacks without a number", "stacks", owner_line_);
    }
  }

 private:
  void set_mode(size_t begin, Mode mode) {
    for (size_t i = begin; i < stack_.frames.size(); ++i) {
      stack_.frames[i].mode = mode;
    }
  }

  void take_number(std::string_view text, const Line& line) {
    std::optional<int64_t> number = parse_number<int64_t>(text);
    if (user_begin_ > 0) {
      set_mode(user_begin_, Mode::kUser);
    }
    if (!number || *number < 0 || !add(*number)) {
      out_.loss("stacks without a number that fits", "stacks", line.number);
    }
    stack_ = {};
    user_begin_ = 0;
    owner_line_ = 0;
  }

  bool add(int64_t number) {
    ProfileBuilder& builder = out_.builder();
    StringId ns = builder.string("nanoseconds");
    constexpr int64_t kNsPerSecond = 1'000'000'000;
    Event event;
    int64_t factor = 1;
    bool are_samples = true;
    if (is_off_cpu_) {
      event = {.name = builder.string("off-cpu"), .unit = ns, .kind = Quantity::kOffCpu};
      factor = 1000;
      are_samples = false;
    } else if (frequency_ > 0 && frequency_ <= kNsPerSecond) {
      factor = kNsPerSecond / frequency_;
      event = {.name = builder.string("cpu-clock"),
               .unit = ns,
               .kind = Quantity::kCpuTime,
               .period = static_cast<uint64_t>(factor),
               .frequency = frequency_};
    } else {
      factor = unit_.unit.factor;
      are_samples = unit_.unit.name == "samples";
      event = {.name = builder.string(unit_.unit.name), .unit = builder.string(unit_.unit.name)};
    }
    return number <= INT64_MAX / factor &&
           out_.add(stack_,
                    out_.event(event),
                    number * factor,
                    are_samples ? static_cast<uint64_t>(number) : 0);
  }

  StackBuilder& out_;
  UnitChoice unit_;
  TextStack stack_;
  size_t user_begin_ = 0;
  uint64_t owner_line_ = 0;
  uint32_t frequency_ = 0;
  bool is_off_cpu_ = false;
};

}  // namespace

bool is_bcc(std::string_view head) {
  bool is_owner = false;
  bool found = false;
  TextStack stack;
  for_each_line_of_head(head, [&](std::string_view line) {
    found = found || (is_owner && parse_number<uint64_t>(trimmed(line)));
    is_owner = parse_owner(line, stack);
  });
  return found;
}

std::unique_ptr<TextParser> bcc_parser(StackBuilder& out, UnitChoice unit) {
  return std::make_unique<BccParser>(out, unit);
}

}  // namespace wick::stacks
