// SPDX-License-Identifier: Apache-2.0
// The speed of decoding instructions: the executable sections of this program's C library from
// start to end. A decoder of traces does this for each executed instruction.
//
//     ninja -C build/release wick_micro && build/release/bench/micro/wick_micro
//     --benchmark_filter=decode
#include <benchmark/benchmark.h>

#include "isa/instruction.h"
#include "unwind/process_testing.h"

namespace wick {
namespace {

std::string library_path() {
  for (const testing::MapsLine& map : testing::read_maps("self")) {
    if (map.executable && map.path.find("/libc.so") != std::string::npos) {
      return map.path;
    }
  }
  return {};
}

isa::InstructionSet set_of(Architecture machine) {
  return machine == Architecture::kAarch64 ? isa::InstructionSet::kAarch64
                                           : isa::InstructionSet::kX86_64;
}

size_t count_instructions(isa::InstructionSet set, Bytes code, uint64_t address) {
  size_t count = 0;
  for (size_t at = 0; at < code.size(); ++count) {
    isa::Instruction found = isa::decode(set, code.subspan(at), address + at);
    at += found.ok() ? found.length : 1U;
    benchmark::DoNotOptimize(found.target);
  }
  return count;
}

void decode_library(benchmark::State& state) {
  std::unique_ptr<testing::LoadedFile> file = testing::load_elf(library_path());
  if (file == nullptr) {
    state.SkipWithError("the C library cannot be read");
    return;
  }
  size_t count = 0;
  for (auto _ : state) {
    for (const ElfSection& section : file->image->sections()) {
      if (section.executable()) {
        count +=
            count_instructions(set_of(file->image->machine()), section.contents, section.address);
      }
    }
  }
  state.counters["time/instruction"] = benchmark::Counter(
      static_cast<double>(count), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(decode_library);

}  // namespace
}  // namespace wick
