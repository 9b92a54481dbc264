// SPDX-License-Identifier: Apache-2.0
#include "capture/process_runtimes.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/escape.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/process_memory.h"
#include "record/processes.h"
#include "record/sample_program.h"
#include "runtimes/interpreter.h"
#include "stream/sinks.h"

namespace wick::capture {
namespace {

using record::Finding;

// A file with an interpreter, as it is mapped.
struct MappedInterpreter {
  const InterpreterImage* image = nullptr;
  std::string path;
  uint64_t bias = 0;
};

class InterpreterSearch : public IgnoringSink {
 public:
  void on_map(const MapEvent& map) override {
    Mapping mapping = modules_.mapping_of(map);
    const InterpreterImage* image = modules_.interpreter(mapping.loaded);
    std::optional<uint64_t> bias = image == nullptr ? std::nullopt : modules_.bias(mapping);
    bool is_new = found_.empty() || found_.back().image != image;
    if (bias && is_new) {
      found_.push_back({image, std::string(map.path), *bias});
    }
  }
  const std::vector<MappedInterpreter>& found() const { return found_; }

 private:
  LoadedModules modules_{{}, {}, true};
  std::vector<MappedInterpreter> found_;
};

class MemoryOf : public InterpreterMemory {
 public:
  explicit MemoryOf(int32_t pid) : pid_(pid) {}
  size_t read_some(uint64_t address, std::span<std::byte> out) override {
    return processes_.read_some(pid_, address, out);
  }

 private:
  RunningProcesses processes_;
  int32_t pid_;
};

// What a process that cannot be attached to would need.
std::string remedy_of(const MappedInterpreter& mapped) {
  return mapped.image->writes_perf_map()
             ? "start the program with `python3 -X perf`: a recording then has its functions"
             : "";
}

Finding examine(const MappedInterpreter& mapped, int32_t pid, bool has_bpf) {
  Finding finding = {.what = mapped.image->name()};
  std::string where = terminal_text(mapped.path);
  MemoryOf memory(pid);
  auto process = mapped.image->attach(memory, mapped.bias);
  if (!process) {
    finding.verdict = Finding::Verdict::kMissing;
    finding.state = fmt::format("{}: native frames only. {}", where, process.error().message);
    finding.remedy = remedy_of(mapped);
    return finding;
  }
  size_t threads = (*process)->threads().size();
  if (threads == 0) {
    finding.verdict = Finding::Verdict::kMissing;
    finding.state = fmt::format("{}: native frames only. {}", where, (*process)->why_no_threads());
    return finding;
  }
  std::string count = fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
  std::string_view lock = (*process)->has_lock() ? "" : "; no GIL is in use";
  if (has_bpf) {
    finding.state =
        fmt::format("{}: the functions of {} are copied at each sample{}", where, count, lock);
    return finding;
  }
  finding.verdict = Finding::Verdict::kLimited;
  finding.state =
      fmt::format("{}: the functions of {} are read while the process runs", where, count);
  finding.remedy =
      "sudo setcap cap_perfmon,cap_bpf,cap_sys_ptrace+ep $(command -v wick), or run it as root: "
      "BPF copies the functions at the sample";
  return finding;
}

}  // namespace

Result<std::vector<Finding>> examine_runtimes(int32_t pid) {
  InterpreterSearch search;
  if (record::hides_maps(pid) || !record::report_process(pid, 0, search)) {
    return fail(
        "The mappings of process {} cannot be read: it has ended or belongs to another user.", pid);
  }
  bool has_bpf = !search.found().empty() && record::SampleProgram::make().has_value();
  std::vector<Finding> findings;
  for (const MappedInterpreter& mapped : search.found()) {
    findings.push_back(examine(mapped, pid, has_bpf));
  }
  return findings;
}

}  // namespace wick::capture
