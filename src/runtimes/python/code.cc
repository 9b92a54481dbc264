// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/code.h"

#include <string>

#include "runtimes/memory_words.h"
#include "runtimes/python/frames.h"
#include "runtimes/python/lines.h"

namespace wick::python {
namespace {

constexpr size_t kMaxCharacters = 4096;
constexpr size_t kMaxTableBytes = size_t{256} << 10;

// The pointers in the start of a code object that identify it.
Bytes identity(const Layout& layout, const std::string& start) {
  return as_bytes(start).subspan(layout.fingerprint_begin(), layout.fingerprint_bytes());
}

// Empty if it is not readable, or not the object that the sample saw.
std::string read_start(InterpreterMemory& memory,
                       const Layout& layout,
                       const InterpreterFrame& frame) {
  std::string start(layout.code_bytes(), '\0');
  if (frame.code == 0 || !memory.read(frame.code, std::as_writable_bytes(std::span(start)))) {
    return {};
  }
  bool is_same =
      frame.fingerprint == 0 || frame.fingerprint == fingerprint_of(identity(layout, start));
  return is_same ? start : std::string();
}

// Where the instructions are. An object that contains them counts them, by two bytes each.
void find_instructions(InterpreterMemory& memory,
                       const Layout& layout,
                       const InterpreterFrame& frame,
                       Bytes start,
                       InterpretedCode& code) {
  if (layout.code.instructions == Layout::kAbsent) {
    code.instructions = frame.code + layout.code.begin;
    code.instruction_bytes = 2 * number_at<uint32_t>(start, layout.object.bytes_size);
  } else if (auto bytes = number_at<uint64_t>(start, layout.code.instructions); bytes != 0) {
    code.instructions = bytes + layout.object.bytes_data;
    code.instruction_bytes =
        read_number<uint32_t>(memory, bytes + layout.object.bytes_size).value_or(0);
  }
}

// Whether the object has not changed since its start was read. Its count of references may have.
bool is_still(InterpreterMemory& memory,
              const Layout& layout,
              const InterpreterFrame& frame,
              const std::string& start) {
  std::string again = read_start(memory, layout, frame);
  return !again.empty() && as_text(identity(layout, again)) == as_text(identity(layout, start));
}

}  // namespace

std::optional<InterpretedCode> read_code(InterpreterMemory& memory,
                                         const Layout& layout,
                                         Objects& objects,
                                         const InterpreterFrame& frame) {
  std::string start = read_start(memory, layout, frame);
  if (start.empty() || !objects.is_code(frame.code)) {
    return {};
  }
  auto pointer = [&](uint32_t offset) { return number_at<uint64_t>(as_bytes(start), offset); };
  auto name = objects.text(pointer(layout.code.name), kMaxCharacters);
  auto file = objects.text(pointer(layout.code.file), kMaxCharacters);
  auto table = objects.bytes(pointer(layout.code.lines), kMaxTableBytes);
  if (!name || !file || !is_still(memory, layout, frame, start)) {
    return {};
  }
  constexpr uint32_t kCoroutine = 0x80;
  constexpr uint32_t kDecoratedGenerator = 0x100;
  auto first_line = number_at<int32_t>(as_bytes(start), layout.code.first_line);
  auto flags = number_at<uint32_t>(as_bytes(start), layout.code.flags);
  InterpretedCode code = {
      .name = std::move(*name),
      .file = std::move(*file),
      .first_line = first_line > 0 ? static_cast<uint32_t>(first_line) : 0,
      .is_coroutine = (flags & (kCoroutine | kDecoratedGenerator)) != 0,
  };
  find_instructions(memory, layout, frame, as_bytes(start), code);
  if (table) {
    code.lines = decode_lines(layout.code.lines_kind, as_bytes(*table), code.first_line);
  }
  return code;
}

}  // namespace wick::python
