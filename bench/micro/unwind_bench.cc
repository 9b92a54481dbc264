// How fast tables are compiled and frames are found. On x86-64 the stack is one of this very
// program; the files are its C and C++ libraries, or those named in WICK_BENCH_ELF (separated by
// blanks).
//
//     ninja -C build/release wick_micro && build/release/bench/micro/wick_micro
//
// Bars: 10 million table rows a second, 50 ns a warm frame.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <ucontext.h>

#include "base/mapped_file.h"
#include "elf/image.h"
#include "elf/symbols.h"
#include "unwind/unwind.h"

namespace wick {
namespace {

struct File {
  std::string path;
  MappedFile mapped;
  std::unique_ptr<ElfImage> image;
  UnwindTable table;
};

std::unique_ptr<File> load(const std::string& path) {
  Result<MappedFile> mapped = MappedFile::open(path);
  if (!mapped) {
    return nullptr;
  }
  auto file = std::make_unique<File>();
  file->path = path;
  file->mapped = std::move(*mapped);
  Result<ElfImage> image = ElfImage::parse(file->mapped.bytes());
  if (!image) {
    return nullptr;
  }
  file->image = std::make_unique<ElfImage>(std::move(*image));
  file->table = UnwindTable::compile(*file->image);
  return file;
}

struct Map {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t offset = 0;
  bool executable = false;
  std::string path;
};

std::vector<Map> own_maps() {
  std::vector<Map> maps;
  std::ifstream file("/proc/self/maps");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string range;
    std::string flags;
    std::string offset;
    std::string ignored;
    Map map;
    words >> range >> flags >> offset >> ignored >> ignored >> map.path;
    map.begin = std::strtoull(range.c_str(), nullptr, 16);
    map.end = std::strtoull(range.c_str() + range.find('-') + 1, nullptr, 16);
    map.offset = std::strtoull(offset.c_str(), nullptr, 16);
    map.executable = flags[2] == 'x';
    maps.push_back(map);
  }
  return maps;
}

class OwnModules : public ModuleLookup {
 public:
  OwnModules() {
    for (const Map& map : own_maps()) {
      if (!map.executable) {
        continue;
      }
      MappedModule module{map.begin, map.end, 0, nullptr};
      if (std::unique_ptr<File> file = load(map.path)) {
        module.table = &file->table;
        module.bias =
            file->image->load_bias({map.begin, map.end - map.begin, map.offset}).value_or(0);
        files_.push_back(std::move(file));
      }
      modules_.push_back(module);
    }
  }
  const MappedModule* find(uint64_t address) const override {
    auto after = std::ranges::upper_bound(modules_, address, {}, &MappedModule::begin);
    if (after == modules_.begin() || address >= std::prev(after)->end) {
      return nullptr;
    }
    return &*std::prev(after);
  }

 private:
  std::vector<std::unique_ptr<File>> files_;
  std::vector<MappedModule> modules_;
};

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
  for (const Map& map : own_maps()) {
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
  OwnModules modules;
  UnwindInput input{.registers = snapshot.registers, .stack = snapshot.stack};
  UnwindCache cache;
  std::vector<UnwoundFrame> frames;
  StackEnd end = StackEnd::kComplete;
  size_t count = 0;
  for (auto _ : state) {
    frames.clear();
    input.address_space += warm ? 0U : 1U;  // a new number makes the cache forget
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
  std::unique_ptr<File> file = load(path);
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
  std::unique_ptr<File> file = load(path);
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
  std::unique_ptr<File> file = load(path);
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
    for (const Map& map : own_maps()) {
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
