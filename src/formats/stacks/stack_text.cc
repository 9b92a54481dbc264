// SPDX-License-Identifier: Apache-2.0
#include "formats/stacks/stack_text.h"

#include <algorithm>

#include "base/parse_number.h"
#include "profile/validate.h"
#include "symbolize/demangle.h"

namespace wick::stacks {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}
bool all_hex(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// Removes "+145" or "+0x91" from the end of a name.
std::string_view without_offset(std::string_view name) {
  size_t plus = name.rfind('+');
  if (plus == std::string_view::npos || plus == 0) {
    return name;
  }
  std::string_view offset = name.substr(plus + 1);
  bool is_offset = all_digits(offset) || (offset.starts_with("0x") && all_hex(offset.substr(2)));
  return is_offset ? name.substr(0, plus) : name;
}

// Takes " (module)" from the end.
std::string_view take_module(std::string_view& text) {
  size_t open = text.ends_with(')') ? text.rfind(" (") : std::string_view::npos;
  if (open == std::string_view::npos) {
    return {};
  }
  std::string_view module = text.substr(open + 2, text.size() - open - 3);
  bool is_module = module.find_first_of("/.[") != std::string_view::npos;
  text = is_module ? text.substr(0, open) : text;
  return is_module ? module : std::string_view();
}

}  // namespace

TextFrame parse_frame(std::string_view text) {
  TextFrame frame;
  text = trimmed(text);
  size_t blank = text.find(' ');
  if (blank != std::string_view::npos && blank >= 6 && all_hex(text.substr(0, blank))) {
    frame.address = parse_hex(text.substr(0, blank)).value_or(0);
    text = trimmed(text.substr(blank));
  }
  frame.module = take_module(text);
  if (text.size() >= 3 && text.starts_with("b'") && text.ends_with('\'')) {
    text = text.substr(2, text.size() - 3);  // bcc with an old Python
  }
  if (text.ends_with("_[k]")) {
    frame.mode = Mode::kKernel;
    text.remove_suffix(4);
  }
  if (text.starts_with("0x") && all_hex(text.substr(2))) {
    frame.address = parse_hex(text.substr(2)).value_or(0);
    return frame;
  }
  text = without_offset(text);
  if (text != "[unknown]" && !all_digits(text)) {
    frame.name = demangled(text);
  }
  return frame;
}

FrameId StackBuilder::frame(const TextFrame& text) {
  ModuleId module;
  if (!text.module.empty()) {
    module = builder_.module(
        {.path = builder_.string(text.module), .address_kind = AddressKind::kProcess});
  }
  FunctionId function;
  if (!text.name.empty()) {
    function = builder_.function(
        {.name = builder_.string(text.name), .module = module, .file = builder_.string(text.file)});
  }
  return builder_.frame({.function = function,
                         .module = module,
                         .address = module.valid() ? text.address : 0,
                         .line = text.line,
                         .mode = text.mode,
                         .flags = text.flags});
}

bool StackBuilder::add(const TextStack& stack, EventId event, int64_t weight, uint64_t count) {
  if (weight < 0 || static_cast<uint64_t>(weight) >= kMaxTotalWeight - total_) {
    return false;
  }
  total_ += static_cast<uint64_t>(weight);
  StackId id = kEmptyStack;
  for (size_t i = stack.frames.size(); i-- > 0;) {
    id = builder_.stack(id, frame(stack.frames[i]));
  }
  ThreadId thread;
  if (stack.pid >= 0 || stack.tid >= 0 || !stack.name.empty()) {
    StringId name = builder_.string(stack.name);
    ProcessId process =
        builder_.process({.pid = stack.pid, .name = stack.pid >= 0 ? name : StringId{}});
    thread = builder_.thread({.tid = stack.tid, .process = process, .name = name});
  }
  builder_.add_sample({.weight = weight,
                       .count = count,
                       .stack = id,
                       .thread = thread,
                       .event = event,
                       .ending = stack.ending});
  ++stacks_;
  return true;
}

void StackBuilder::loss(std::string_view reason, std::string_view what, uint64_t line) {
  builder_.add_loss({.reason = reason, .what = what, .detail = fmt::format("line {}", line)});
}

}  // namespace wick::stacks
