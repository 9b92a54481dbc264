// SPDX-License-Identifier: Apache-2.0
// The speed of compiling tables and finding frames. On x86-64 the stack is one of this program
// itself; the files are its C and C++ libraries, or those named in WICK_BENCH_ELF (separated by
// blanks).
//
//     ninja -C build/release wick_micro && build/release/bench/micro/wick_micro
//
// Bars: 10 million table rows a second, 50 ns a warm frame.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <ucontext.h>

#include "elf/symbols.h"
#include "unwind/process_testing.h"
#include "unwind/unwind.h"

namespace wick {
namespace {

using testing::load_elf;
using testing::LoadedFile;
using testing::MapsLine;

#if defined(__x86_64__)

struct Snapshot {
  UnwindRegisters registers;
  std::vector<std::byte> stack;
};

[[gnu::noinline]] void capture(Snapshot& snapshot) {
  ucontext_t context;
  ::getcontext(&context);
  snapshot.registers.set(16, static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RIP]));
  snapshot.registers.set(7, static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RSP]));
  snapshot.registers.set(6, static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RBP]));
  uint64_t sp = snapshot.registers.values[7];
  for (const MapsLine& map : testing::read_maps("self")) {
    if (sp >= map.begin && sp < map.end) {
      const auto* from = reinterpret_cast<const std::byte*>(sp);
      snapshot.stack.assign(from, from + (map.end - sp));
    }
  }
}

// Many different call sites: a stack of a real program has a different address in every frame.
template <int kLevel>
[[gnu::noinline]] int nested(Snapshot& snapshot, int seed) {
  volatile int room[static_cast<size_t>(kLevel % 7 + 1)];
  room[0] = seed;
  if constexpr (kLevel == 0) {
    capture(snapshot);
  } else {
    room[0] = nested<kLevel - 1>(snapshot, seed + 1);
  }
  return room[0];
}

void unwind_frames(benchmark::State& state, bool warm) {
  Snapshot snapshot;
  nested<60>(snapshot, 0);
  testing::ProcessModules modules("self");
  UnwindInput input{.registers = snapshot.registers, .stack = snapshot.stack};
  UnwindCache cache;
  std::vector<UnwoundFrame> frames;
  StackEnd end = StackEnd::kComplete;
  size_t count = 0;
  for (auto _ : state) {
    frames.clear();
    input.address_space += warm ? 0U : 1U;  // a new number invalidates the cache
    end = unwind_stack(input, modules, cache, frames);
    count += frames.size();
  }
  if (end != StackEnd::kComplete) {
    state.SkipWithError("the stack was not unwound to its end");
  }
  state.counters["time/frame"] = benchmark::Counter(
      static_cast<double>(count), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["frames"] = static_cast<double>(frames.size());
}
void warm_frames(benchmark::State& state) {
  unwind_frames(state, true);
}
void cold_frames(benchmark::State& state) {
  unwind_frames(state, false);
}
BENCHMARK(warm_frames);
BENCHMARK(cold_frames);

#endif

void compile_table(benchmark::State& state, const std::string& path) {
  std::unique_ptr<LoadedFile> file = load_elf(path);
  if (file == nullptr) {
    state.SkipWithError("cannot read the file");
    return;
  }
  size_t rows = 0;
  for (auto _ : state) {
    UnwindTable table = UnwindTable::compile(*file->image);
    rows += table.size();
    benchmark::DoNotOptimize(table);
  }
  state.counters["rows/s"] =
      benchmark::Counter(static_cast<double>(rows), benchmark::Counter::kIsRate);
  state.counters["rows"] = static_cast<double>(file->table.size());
  state.counters["bytes/row"] = static_cast<double>(file->table.memory_bytes()) /
                                static_cast<double>(std::max<size_t>(file->table.size(), 1));
}

void build_symbols(benchmark::State& state, const std::string& path) {
  std::unique_ptr<LoadedFile> file = load_elf(path);
  if (file == nullptr) {
    state.SkipWithError("cannot read the file");
    return;
  }
  size_t symbols = 0;
  for (auto _ : state) {
    symbols = SymbolTable::from(*file->image).size();
  }
  state.counters["symbols"] = static_cast<double>(symbols);
}

void find_symbols(benchmark::State& state, const std::string& path) {
  std::unique_ptr<LoadedFile> file = load_elf(path);
  SymbolTable table = file != nullptr ? SymbolTable::from(*file->image) : SymbolTable();
  if (table.size() == 0) {
    state.SkipWithError("no symbols");
    return;
  }
  size_t at = 0;
  for (auto _ : state) {
    at = (at * 1103515245 + 12345) % table.size();
    benchmark::DoNotOptimize(table.find(table[at].address + 1));
  }
}

int register_files() {
  std::vector<std::string> paths;
  if (const char* named = std::getenv("WICK_BENCH_ELF")) {
    std::istringstream words(named);
    for (std::string path; words >> path;) {
      paths.push_back(path);
    }
  } else {
    for (const MapsLine& map : testing::read_maps("self")) {
      if (map.executable && map.path.find(".so") != std::string::npos) {
        paths.push_back(map.path);
      }
    }
  }
  for (const std::string& path : paths) {
    std::string name = path.substr(path.rfind('/') + 1);
    benchmark::RegisterBenchmark(("compile_table/" + name).c_str(), compile_table, path);
    benchmark::RegisterBenchmark(("build_symbols/" + name).c_str(), build_symbols, path);
    benchmark::RegisterBenchmark(("find_symbols/" + name).c_str(), find_symbols, path);
  }
  return 0;
}
const int kRegistered = register_files();

}  // namespace
}  // namespace wick
