// SPDX-License-Identifier: Apache-2.0
#include "viewer/page_code.h"

#include <algorithm>

#include "profile/names.h"

namespace wick {
namespace {

constexpr size_t kMaxFunctions = 40;
constexpr size_t kMaxTextBytes = 2 * 1024 * 1024;  // in a page, before compression
constexpr uint32_t kMaxLines = 600;                // in one function
constexpr uint32_t kLinesAround = 4;

struct SampledFunction {
  FunctionId function;
  uint64_t samples = 0;
  FrameId frame;  // its most sampled address with own code, else any address
  uint64_t frame_samples = 0;
};

bool has_own_code(const Frame& frame) {
  return frame.address != 0 && (frame.flags & kInlined) == 0;
}

// The frame that contains the code of an address: the first caller that is not inlined.
StackId home_of(const Profile& profile, StackId stack) {
  while (stack != kEmptyStack &&
         (profile.frames[profile.stacks.frame(stack)].flags & kInlined) != 0) {
    stack = profile.stacks.parent(stack);
  }
  return stack;
}

void count(const Profile& profile,
           StackId stack,
           uint64_t samples,
           std::vector<SampledFunction>& functions) {
  FrameId id = stack == kEmptyStack ? FrameId() : profile.stacks.frame(stack);
  if (!id.valid() || !profile.frames[id].function.valid()) {
    return;
  }
  SampledFunction& hot = functions[profile.frames[id].function.index()];
  hot.samples += samples;
  bool better = !hot.frame.valid() ||
                has_own_code(profile.frames[id]) > has_own_code(profile.frames[hot.frame]);
  if (better || samples > hot.frame_samples) {
    hot.frame = id;
    hot.frame_samples = samples;
  }
}

// Sorted by samples in the function itself or in functions inlined into it, most first.
std::vector<SampledFunction> hottest(const Profile& profile) {
  std::vector<uint64_t> counts(profile.stacks.size());
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    counts[profile.samples.stack[row].index()] += profile.samples.count[row];
  }
  std::vector<SampledFunction> functions(profile.functions.size());
  for (size_t row = 0; row < functions.size(); ++row) {
    functions[row].function = FunctionId::from_index(row);
  }
  for (size_t row = 1; row < counts.size(); ++row) {
    if (counts[row] > 0) {
      StackId stack = StackId::from_index(row);
      StackId home = home_of(profile, stack);
      count(profile, stack, counts[row], functions);
      if (home != stack) {
        count(profile, home, counts[row], functions);
      }
    }
  }
  std::erase_if(functions, [](const SampledFunction& hot) { return !hot.frame.valid(); });
  std::ranges::stable_sort(functions, std::greater(), &SampledFunction::samples);
  functions.resize(std::min(functions.size(), kMaxFunctions));
  return functions;
}

struct LineRange {
  uint32_t first = 0;
  uint32_t last = 0;
  void add(uint32_t line) {
    if (line != 0) {
      first = first == 0 ? line : std::min(first, line);
      last = std::max(last, line);
    }
  }
};

// Adds the instructions, and extends `lines` to their lines in the function's file.
void add_instructions(const FunctionCode& code, PageCode& result, LineRange& lines) {
  result.address = code.begin;
  for (const CodeInstruction& instruction : code.instructions) {
    const CodeChain& chain = code.chains[instruction.chain];
    const CodeLocation own = chain.empty() ? CodeLocation() : chain.back();
    result.file = result.file.empty() ? own.file : result.file;
    uint32_t line = own.file == result.file ? own.line : 0;
    lines.add(line);
    std::string text = instruction.text;
    if (!instruction.refers_to.empty()) {
      text += "  # " + instruction.refers_to;
    }
    result.instructions.push_back(
        {.offset = instruction.address - code.begin, .text = std::move(text), .line = line});
  }
}

void add_source(CodeSource& source, LineRange lines, PageCode& result) {
  if (result.file.empty() || lines.first == 0 || lines.last - lines.first > kMaxLines) {
    return;
  }
  const SourceText& text = source.source(result.file);
  if (text.path.empty()) {
    return;
  }
  result.first_line = lines.first > kLinesAround ? lines.first - kLinesAround : 1;
  uint32_t last = std::min(lines.last + kLinesAround, static_cast<uint32_t>(text.lines.size()));
  for (uint32_t line = result.first_line; line <= last; ++line) {
    result.lines.push_back(text.line(line));
  }
}

PageCode code_of(const Profile& profile, const SampledFunction& hot, CodeSource& source) {
  const Function& function = profile.functions[hot.function];
  PageCode result{.function = hot.function, .file = std::string(profile.strings[function.file])};
  const Frame& frame = profile.frames[hot.frame];
  // Users share pages, and addresses of kernel code reveal where the kernel was loaded.
  if (frame.mode == Mode::kKernel) {
    result.note = "Pages do not contain kernel code; `wick annotate` shows it.";
    return result;
  }
  LineRange lines;
  if (has_own_code(frame)) {
    if (Result<FunctionCode> code = source.function_at(profile, frame)) {
      add_instructions(*code, result, lines);
    } else {
      result.note = code.error().message;
    }
  } else {
    source.locations_at(profile, frame);  // later lookups also search sources beside its binary
  }
  for (const Frame& other : profile.frames) {
    bool is_own =
        other.function == hot.function && profile.strings[line_file(profile, other)] == result.file;
    lines.add(is_own ? other.line : 0);
  }
  lines.add(is_interpreted(frame.origin) ? function.line : 0);
  add_source(source, lines, result);
  return result;
}

size_t text_bytes(const PageCode& code) {
  size_t bytes = code.note.size();
  for (const std::string& line : code.lines) {
    bytes += line.size() + 4;
  }
  for (const PageInstruction& instruction : code.instructions) {
    bytes += instruction.text.size() + 24;
  }
  return bytes;
}

}  // namespace

std::vector<PageCode> hottest_code(const Profile& profile, CodeSource& source) {
  std::vector<PageCode> result;
  size_t bytes = 0;
  for (const SampledFunction& hot : hottest(profile)) {
    PageCode code = code_of(profile, hot, source);
    bytes += text_bytes(code);
    if (bytes > kMaxTextBytes) {
      break;
    }
    if (!code.lines.empty() || !code.instructions.empty() || !code.note.empty()) {
      result.push_back(std::move(code));
    }
  }
  return result;
}

}  // namespace wick
