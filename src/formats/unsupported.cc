// SPDX-License-Identifier: Apache-2.0
#include "formats/unsupported.h"

#include <algorithm>
#include <array>

#include <sys/stat.h>

#include "formats/json_shape.h"

namespace wick {
namespace {

constexpr std::string_view kInstruments =
    "is a recording of Instruments, which wick cannot read. Open it in speedscope "
    "(www.speedscope.app), save it there with Ctrl-S, and give wick that file";
constexpr std::string_view kVtune =
    "is a result of VTune, which wick cannot read. Write it as text with `vtune -report top-down "
    "-call-stack-mode all -column \"CPU Time:Self,Module\" -format csv -csv-delimiter comma`, and "
    "fold that with stackcollapse-vtune.pl of FlameGraph";

bool is_nettrace(std::string_view head) {
  return head.starts_with("Nettrace");
}

bool is_trace_dat(std::string_view head) {
  return head.starts_with("\x17\x08\x44tracing");
}

bool is_perfparser(std::string_view head) {
  return head.starts_with("QPERFSTREAM");
}

bool is_simpleperf_protobuf(std::string_view head) {
  return head.starts_with("SIMPLEPERF") && !head.starts_with("SIMPLEPERF\n");
}

// The texts that pprof's older servers and libraries write.
bool is_legacy_pprof(std::string_view head) {
  constexpr std::array<std::string_view, 10> kBegins = {"heap profile:",
                                                        "heapz",
                                                        "--- heapz",
                                                        "--- growthz",
                                                        "--- contention",
                                                        "--- mutex",
                                                        "--- threadz",
                                                        "--- Thread",
                                                        "goroutine profile: total",
                                                        "threadcreate profile: total"};
  return std::ranges::any_of(kBegins,
                             [&](std::string_view begin) { return head.starts_with(begin); });
}

// What `pprof -raw` prints, whose lines end in numbers as folded stacks do.
bool is_pprof_text(std::string_view head) {
  size_t end = head.find('\n');
  return head.starts_with("PeriodType: ") && end != std::string_view::npos &&
         head.substr(end + 1).starts_with("Period: ");
}

bool is_heaptrack(std::string_view head) {
  return head.starts_with("v ") && head.substr(0, 40).find("\nX ") != std::string_view::npos;
}

bool is_go_trace(std::string_view head) {
  return head.starts_with("go 1.") && head.substr(0, 16).find(" trace") != std::string_view::npos;
}

bool is_v8_log(std::string_view head) {
  return head.starts_with("v8-version,");
}

bool is_json_slabs(std::string_view head) {
  return head.starts_with("JSLB");
}

bool is_heap_snapshot(std::string_view head) {
  return JsonShape(as_bytes(head)).has("snapshot.meta.node_fields");
}

bool is_v8_heap_profile(std::string_view head) {
  JsonShape shape(as_bytes(head));
  return shape.has("head.callFrame") && shape.has("head.selfSize");
}

bool is_dhat(std::string_view head) {
  return JsonShape(as_bytes(head)).has("dhatFileVersion");
}

bool is_vtune_table(std::string_view head) {
  return head.starts_with("Function Stack,") || head.starts_with("Function Stack\t");
}

bool is_instruments_export(std::string_view head) {
  return head.substr(0, 1000).find("<trace-query-result>") != std::string_view::npos ||
         head.substr(0, 1000).find("<trace-toc>") != std::string_view::npos;
}

constexpr std::array<UnsupportedFormat, 15> kUnsupported = {{
    {"Instruments", is_instruments_export, kInstruments},
    {"VTune", is_vtune_table, kVtune},
    {".nettrace",
     is_nettrace,
     "is a trace of .NET, which wick cannot read. Convert it with `dotnet-trace convert --format "
     "Speedscope FILE`, and give wick the result"},
    {".heapsnapshot",
     is_heap_snapshot,
     "is a heap snapshot: it lists objects and has no stacks. Chrome's developer tools (Memory, "
     "Load) show it"},
    {".heapprofile",
     is_v8_heap_profile,
     "is a heap profile of V8, which wick cannot read. Open it in speedscope (www.speedscope.app), "
     "save it there with Ctrl-S, and give wick that file"},
    {"DHAT",
     is_dhat,
     "is a heap profile of DHAT, which wick cannot read. dh_view.html, a part of Valgrind, shows "
     "it"},
    {"heaptrack",
     is_heaptrack,
     "is a recording of heaptrack. `heaptrack_print -F STACKS.folded FILE` writes its stacks, and "
     "wick reads the result"},
    {"trace.dat",
     is_trace_dat,
     "is a trace of trace-cmd, which wick cannot read. `trace-cmd report FILE` and KernelShark "
     "show "
     "it. For wick, record the same events with `perf record -a -g -e EVENT`"},
    {".perfparser",
     is_perfparser,
     "is an intermediate file of Hotspot. Give wick the perf.data that it was made from"},
    {"simpleperf protobuf",
     is_simpleperf_protobuf,
     "is the output of `simpleperf report-sample --protobuf`. Give wick the perf.data that it was "
     "made from"},
    {"JsonSlabs",
     is_json_slabs,
     "is a Firefox profile in its binary form (JsonSlabs), which wick cannot read. Open it at "
     "profiler.firefox.com and download it there as JSON"},
    {"legacy pprof",
     is_legacy_pprof,
     "is in an old text format of pprof. Convert it with `go tool pprof -proto PROGRAM FILE > "
     "FILE.pb.gz`, and give wick the result"},
    {"pprof -raw",
     is_pprof_text,
     "is the text of `pprof -raw`. Give wick the profile that it was printed from"},
    {"Go's trace",
     is_go_trace,
     "is an execution trace of Go, which wick cannot read. `go tool trace -pprof=sync FILE > "
     "FILE.pb.gz` writes where goroutines waited (also: net, syscall, sched), and wick reads the "
     "result"},
    {"V8's log",
     is_v8_log,
     "is a log of `node --prof`, which wick cannot read. Record with `node --cpu-prof`, and give "
     "wick the .cpuprofile file"},
}};

bool exists(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0;
}

}  // namespace

std::span<const UnsupportedFormat> unsupported_formats() {
  return kUnsupported;
}

std::string_view advice_for_known(std::string_view head) {
  for (const UnsupportedFormat& format : kUnsupported) {
    if (format.is_it(head)) {
      return format.advice;
    }
  }
  return {};
}

namespace {

// Whether a value or a key can follow the bracket: "[    0.000000] Linux" is a line of a log.
bool begins_json(std::string_view text) {
  char bracket = text[0];
  text.remove_prefix(1);
  size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    return bracket == '{' || bracket == '[';
  }
  char next = text[first];
  if (bracket == '{') {
    return next == '"' || next == '}';
  }
  return bracket == '[' && (next == '{' || next == '[' || next == '"' || next == ']');
}

}  // namespace

std::string_view advice_for_unknown(std::string_view head) {
  constexpr size_t kTextBytes = 256;
  size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    return {};
  }
  if (head[first] == '<') {
    return "is XML or HTML without a flame graph";
  }
  // Bytes of other files may begin with a bracket, too.
  bool is_text = std::ranges::none_of(head.substr(0, kTextBytes), [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t';
  });
  return is_text && begins_json(head.substr(first))
             ? "is JSON, but not in a format that wick knows; `wick formats` lists the formats"
             : std::string_view();
}

std::string_view advice_for_directory(const std::string& path) {
  if (exists(path + "/form.template") || exists(path + "/Trace1.run")) {
    return kInstruments;
  }
  return exists(path + "/sqlite-db") && exists(path + "/config") ? kVtune : std::string_view();
}

}  // namespace wick
