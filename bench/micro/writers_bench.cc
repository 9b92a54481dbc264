// SPDX-License-Identifier: Apache-2.0
// The speed of each writer alone, without reading and packing, and of gzip -1 on what it wrote. The
// rows "written" of bench/run include both, since a program cannot be run without them.
//
//     ninja -C build/release wick_micro
//     WICK_BENCH_PROFILE=FILE.wick build/release/bench/micro/wick_micro --benchmark_filter=write
//
// Bar: the CPU time of a writer is at most that of gzip -1 ("of gzip" is at most 1).
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include "acquire/acquire.h"
#include "formats/formats.h"

namespace wick {
namespace {

double cpu_seconds(int who) {
  rusage usage = {};
  ::getrusage(who, &usage);
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Read once; null, with a message, if there is none.
const Profile* profile() {
  static const std::unique_ptr<acquire::Acquired> kRead = [] {
    const char* path = std::getenv("WICK_BENCH_PROFILE");
    std::unique_ptr<acquire::Acquired> none;
    if (path == nullptr) {
      return none;
    }
    Result<acquire::Acquired> read = acquire::read({path});
    if (!read) {
      std::fprintf(stderr, "%s\n", read.error().message.c_str());
      return none;
    }
    return std::make_unique<acquire::Acquired>(*std::move(read));
  }();
  return kRead == nullptr ? nullptr : &kRead->profile;
}

void write_to(const std::string& path, const Format& format, benchmark::State& state) {
  FlagValues flags;
  flags.declare(format.write_flags);
  Result<Output> out = Output::to_path(path);
  if (!out || !format.write_profile(*profile(), flags, *out) || !out->finish()) {
    state.SkipWithError("the profile cannot be written");
  }
}

void write_profile(benchmark::State& state, std::string_view name) {
  const Format& format = *find_format(name);
  if (profile() == nullptr) {
    state.SkipWithError("WICK_BENCH_PROFILE does not name a profile");
    return;
  }
  std::string path =
      std::filesystem::temp_directory_path() / ("written." + std::to_string(::getpid()));
  double writing = 0;
  double packing = 0;
  for (auto _ : state) {
    double begin = cpu_seconds(RUSAGE_SELF);
    write_to(path, format, state);
    double written = cpu_seconds(RUSAGE_SELF) - begin;
    state.SetIterationTime(written);
    writing += written;
    begin = cpu_seconds(RUSAGE_CHILDREN);
    if (std::system(("gzip -1 -c " + path + " > " + path + ".gz").c_str()) != 0) {
      state.SkipWithError("gzip failed");
    }
    packing += cpu_seconds(RUSAGE_CHILDREN) - begin;
  }
  auto runs = static_cast<double>(state.iterations());
  state.counters["gzip s"] = packing / runs;
  state.counters["of gzip"] = writing / packing;
  state.counters["MB"] = static_cast<double>(std::filesystem::file_size(path)) * 1e-6;
  std::filesystem::remove(path);
  std::filesystem::remove(path + ".gz");
}

// Names, because the table of formats is initialized after this.
[[maybe_unused]] const bool kRegistered = [] {
  for (const char* name : {"wick",
                           "speedscope",
                           "cpuprofile",
                           "firefox",
                           "chrome-trace",
                           "pprof",
                           "perfetto",
                           "callgrind",
                           "perf-script",
                           "folded"}) {
    benchmark::RegisterBenchmark(
        fmt::format("write/{}", name).c_str(), write_profile, std::string_view(name))
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace wick
