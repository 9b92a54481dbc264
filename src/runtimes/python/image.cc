// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/image.h"

#include <string>

#include "runtimes/memory_words.h"
#include "runtimes/python/debug_offsets.h"
#include "runtimes/python/process.h"

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
  return std::make_unique<PythonImage>(image.machine(), *runtime, find_evaluator(image));
}

bool PythonImage::is_evaluator(uint64_t address) const {
  return is_in(evaluator_, address);
}

Result<std::unique_ptr<InterpreterProcess>> PythonImage::attach(InterpreterMemory& memory,
                                                                uint64_t bias) const {
  const Version& version = runtime_.version;
  uint64_t runtime = runtime_.address + bias;
  Layout layout = TRY(layout_of(version, machine_, memory, runtime));
  if (!read_number<uint64_t>(memory, runtime + layout.runtime.interpreters)) {
    return fail("the memory of CPython {} is not readable (yet)", version.text());
  }
  return std::make_unique<PythonProcess>(memory, runtime, layout);
}

}  // namespace wick::python
