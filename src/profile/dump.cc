#include "profile/dump.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/escape.h"
#include "profile/names.h"

namespace wick {
namespace {

std::string_view found_name(Found found) {
  switch (found) {
    case Found::kUnknown:
      return "";
    case Found::kSampled:
      return "sampled";
    case Found::kCfi:
      return "cfi";
    case Found::kFramePointer:
      return "fp";
    case Found::kKernelChain:
      return "chain";
    case Found::kBranchStack:
      return "lbr";
    case Found::kStitched:
      return "stitched";
    case Found::kGuessed:
      return "guessed";
  }
  return "";
}

std::string quoted(const Profile& profile, StringId id) {
  return terminal_text(profile.strings[id]);
}

// name@module+0xaddress:line{kind,found}, leaving out what is unknown.
std::string frame_text(const Profile& profile, FrameId id) {
  const Frame& frame = profile.frames[id];
  std::string text = terminal_text(frame_name(profile, id));
  if (frame.module.valid() && frame.function.valid()) {
    text += fmt::format("@{}", quoted(profile, profile.modules[frame.module].path));
  }
  if (frame.address != 0 && frame.function.valid()) {
    text += fmt::format("+{:#x}", frame.address);
  }
  if (frame.function.valid()) {
    const Function& function = profile.functions[frame.function];
    if (!function.file.empty()) {
      text += fmt::format(" {}:{}", quoted(profile, function.file), frame.line);
    }
  }
  std::string_view kind = frame_kind(frame);
  std::string_view found = found_name(frame.found);
  if (!kind.empty() || !found.empty()) {
    text += fmt::format("{{{}{}{}}}", kind, found.empty() ? "" : ",", found);
  }
  return text;
}

std::string stack_text(const Profile& profile, StackId stack) {
  std::vector<std::string> frames;
  for (; stack != kEmptyStack; stack = profile.stacks.parent(stack)) {
    frames.push_back(frame_text(profile, profile.stacks.frame(stack)));
  }
  std::string text;
  for (size_t i = frames.size(); i-- > 0;) {
    text += (text.empty() ? "" : ";") + frames[i];
  }
  return text;
}

std::string sample_text(const Profile& profile, const Sample& sample) {
  std::string text = fmt::format("sample {}", quoted(profile, profile.events[sample.event].name));
  if (sample.time_ns != kNoTime) {
    text += fmt::format(" at {}", sample.time_ns);
  }
  if (sample.cpu != kNoCpu) {
    text += fmt::format(" cpu {}", sample.cpu);
  }
  if (sample.thread.valid()) {
    const Thread& thread = profile.threads[sample.thread];
    text += fmt::format(" thread {}", terminal_text(thread_name(profile, sample.thread)));
    if (thread.process.valid()) {
      text += fmt::format(" of {}", terminal_text(process_name(profile, thread.process)));
    }
  }
  if (sample.ending != Ending::kUnknown) {
    text += fmt::format(" ({})", ending_name(sample.ending));
  }
  text += fmt::format(" weight {} count {} stack {}",
                      sample.weight,
                      sample.count,
                      stack_text(profile, sample.stack));
  return text;
}

void append_timeline(const Profile& profile, std::vector<std::string>& lines) {
  for (const Span& span : profile.spans) {
    lines.push_back(fmt::format("span {}..{} {} {}",
                                span.begin_ns,
                                span.end_ns,
                                terminal_text(thread_name(profile, span.thread)),
                                quoted(profile, span.name)));
  }
  for (const Mark& mark : profile.marks) {
    std::string value = mark.has_value ? fmt::format(" = {}", mark.value) : "";
    lines.push_back(fmt::format("mark {} {}{}", mark.time_ns, quoted(profile, mark.name), value));
  }
  for (const CounterPoint& point : profile.counters) {
    lines.push_back(fmt::format("counter {} {} = {} {}",
                                point.time_ns,
                                quoted(profile, point.name),
                                point.value,
                                quoted(profile, point.unit)));
  }
}

}  // namespace

std::string dump(const Profile& profile) {
  std::vector<std::string> lines;
  for (const Fact& fact : profile.facts) {
    lines.push_back(
        fmt::format("fact {}: {}", quoted(profile, fact.key), quoted(profile, fact.value)));
  }
  for (const Event& event : profile.events) {
    lines.push_back(fmt::format("event {} in {}{}",
                                quoted(profile, event.name),
                                quoted(profile, event.unit),
                                event.scale == 1 ? "" : fmt::format("/{}", event.scale)));
  }
  for (const Loss& loss : profile.losses) {
    lines.push_back(fmt::format("{} {}: {} {} ({})",
                                loss.severity == LossClass::kNotice ? "notice" : "loss",
                                quoted(profile, loss.reason),
                                loss.count,
                                quoted(profile, loss.what),
                                quoted(profile, loss.detail)));
  }
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    lines.push_back(sample_text(profile, profile.samples[row]));
  }
  append_timeline(profile, lines);
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

}  // namespace wick
