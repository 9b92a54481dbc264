// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/image.h"

#include <algorithm>
#include <string>

#include "runtimes/memory_words.h"
#include "runtimes/python/debug_offsets.h"
#include "runtimes/python/process.h"
#include "runtimes/python/runtime_symbol.h"

namespace wick::python {
namespace {

Result<Layout> layout_of(const Version& version,
                         Architecture machine,
                         InterpreterMemory& memory,
                         uint64_t runtime) {
  if (!version.is_supported()) {
    return fail("CPython {} is not supported; 3.8 to 3.14 are", version.text());
  }
  constexpr uint32_t kFirstDescribed = 13;
  if (version.minor < kFirstDescribed) {
    return layout_from_table(version, machine);
  }
  std::string description(kDebugOffsetsBytes, '\0');
  description.resize(memory.read_some(runtime, std::as_writable_bytes(std::span(description))));
  return layout_from_debug_offsets(as_bytes(description), version);
}

}  // namespace

std::unique_ptr<InterpreterImage> find_python(const ElfImage& image, std::string_view path) {
  std::optional<RuntimeSymbol> runtime = find_runtime(image, path);
  if (!runtime) {
    return nullptr;
  }
  auto found = std::make_unique<PythonImage>();
  found->machine_ = image.machine();
  found->version_ = runtime->version;
  found->runtime_ = runtime->address;
  found->evaluator_ = find_evaluator(image);
  return found;
}

bool PythonImage::is_evaluator(uint64_t address) const {
  return std::ranges::any_of(evaluator_, [&](const CodeRange& range) {
    return address >= range.begin && address < range.end;
  });
}

Result<std::unique_ptr<InterpreterProcess>> PythonImage::attach(InterpreterMemory& memory,
                                                                uint64_t bias) const {
  uint64_t runtime = runtime_ + bias;
  Layout layout = TRY(layout_of(version_, machine_, memory, runtime));
  if (!read_number<uint64_t>(memory, runtime + layout.runtime.interpreters)) {
    return fail("the memory of CPython {} is not readable (yet)", version_.text());
  }
  return std::make_unique<PythonProcess>(memory, runtime, layout);
}

}  // namespace wick::python
