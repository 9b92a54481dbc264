// SPDX-License-Identifier: Apache-2.0
#include "profile/runtimes.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "profile/names.h"

namespace wick {
namespace {

constexpr Runtime kAnyRuntime = {
    "",
    "let the program generate frame pointers, or write its code to a jitdump",
    "let the program write a perf map (/tmp/perf-PID.map) or a jitdump"};

constexpr std::string_view kJavaCallers =
    "let Java generate frame pointers: java -XX:+PreserveFramePointer";
constexpr std::string_view kJavaNames =
    "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit";
constexpr std::string_view kNodeCallers = "let node write its code: node --perf-prof";
constexpr std::string_view kNodeNames = "node --perf-basic-prof";
constexpr std::string_view kDotNetCallers = "let .NET write its code: DOTNET_PerfEnabled=1";
constexpr std::string_view kDotNetNames = "DOTNET_PerfMapEnabled=1";
constexpr std::string_view kLuaCallers =
    "none: traces that LuaJIT compiles have no frames; luajit -joff shows the functions of its "
    "interpreter";
constexpr std::string_view kLuaNames =
    "a LuaJIT that was built with -DLUAJIT_USE_PERFTOOLS; luajit -joff shows the functions of its "
    "interpreter";
constexpr std::string_view kPythonCallers = "let Python write its code: python3.13 -X perf_jit";
constexpr std::string_view kPythonNames = "PYTHONPERFSUPPORT=1 (Python 3.12 and later)";
constexpr std::string_view kRubyCallers =
    "let YJIT generate frame pointers: ruby --yjit --yjit-perf";
constexpr std::string_view kRubyNames = "ruby --yjit --yjit-perf";

constexpr std::array kRuntimes = {
    Runtime{"libjvm.so", kJavaCallers, kJavaNames},
    Runtime{"java", kJavaCallers, kJavaNames},
    Runtime{"libnode.so", kNodeCallers, kNodeNames},
    Runtime{"node", kNodeCallers, kNodeNames},
    Runtime{"libcoreclr.so", kDotNetCallers, kDotNetNames},
    Runtime{"dotnet", kDotNetCallers, kDotNetNames},
    Runtime{"beam", "let Erlang generate frame pointers: erl +JPperf true", "erl +JPperf true"},
    Runtime{"libluajit", kLuaCallers, kLuaNames},
    Runtime{"luajit", kLuaCallers, kLuaNames},
    Runtime{"libpython", kPythonCallers, kPythonNames},
    Runtime{"python", kPythonCallers, kPythonNames},
    Runtime{"libruby", kRubyCallers, kRubyNames},
    Runtime{"ruby", kRubyCallers, kRubyNames},
    Runtime{"qemu-",
            "none: code that QEMU translates has no frames",
            "QEMU's flag -perfmap (QEMU 8.0 and later)"},
};

bool is_generated(std::string_view module_name) {
  return module_name.starts_with("perf-") && module_name.ends_with(".map");
}

const Runtime* runtime_of_file(std::string_view name) {
  const auto* found = std::ranges::find_if(
      kRuntimes, [&](const Runtime& runtime) { return name.starts_with(runtime.file); });
  return found == kRuntimes.end() ? nullptr : found;
}

// By process: the runtime that one of its files belongs to, or null.
std::vector<const Runtime*> runtimes_of_processes(const Profile& profile) {
  std::vector<const Runtime*> runtimes(profile.processes.size());
  for (const ModuleMapping& mapping : profile.mappings) {
    if (mapping.process.valid() && runtimes[mapping.process.index()] == nullptr) {
      runtimes[mapping.process.index()] = runtime_of_file(module_name(profile, mapping.module));
    }
  }
  return runtimes;
}

}  // namespace

GeneratingRuntimes generating_runtimes(const Profile& profile) {
  GeneratingRuntimes runtimes;
  for (size_t row = 0; row < profile.modules.size(); ++row) {
    std::string_view name = module_name(profile, ModuleId::from_index(row));
    if (is_generated(name)) {
      runtimes.try_emplace(std::string(name), &kAnyRuntime);
    }
  }
  std::vector<const Runtime*> of_process = runtimes_of_processes(profile);
  for (size_t row = 0; row < profile.processes.size(); ++row) {
    const Process& process = profile.processes[ProcessId::from_index(row)];
    const Runtime* runtime = of_process[row] != nullptr
                                 ? of_process[row]
                                 : runtime_of_file(profile.strings[process.name]);
    auto known = runtimes.find(fmt::format("perf-{}.map", process.pid));
    if (known != runtimes.end() && runtime != nullptr) {
      known->second = runtime;
    }
  }
  return runtimes;
}

}  // namespace wick
