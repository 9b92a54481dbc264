// SPDX-License-Identifier: Apache-2.0
// The table of formats. A new format is a folder beside this file and one row in the table. Inputs
// are tested in this order, the most reliable tests first.
#include "formats/formats.h"

#include <algorithm>
#include <array>

#include "base/escape.h"
#include "formats/callgrind/callgrind.h"
#include "formats/chrome_trace/chrome_trace.h"
#include "formats/cpuprofile/cpuprofile.h"
#include "formats/elf_size/elf_size.h"
#include "formats/firefox/firefox.h"
#include "formats/flamegraph_svg/flamegraph_svg.h"
#include "formats/folded/folded.h"
#include "formats/gperftools/gperftools.h"
#include "formats/jfr/jfr.h"
#include "formats/native/native.h"
#include "formats/otlp/otlp.h"
#include "formats/perf_data/perf_data.h"
#include "formats/perf_script/perf_script.h"
#include "formats/perfetto/perfetto.h"
#include "formats/pprof/pprof.h"
#include "formats/redox/redox.h"
#include "formats/speedscope/speedscope.h"
#include "formats/sqlite/sqlite.h"
#include "formats/stacks/stacks.h"
#include "formats/unsupported.h"

namespace wick {
namespace {

const std::array kFormats = {
    Format{.name = "wick",
           .extension = ".wick",
           .help = "wick's own recordings: complete, compact, readable even when cut or damaged",
           .sniff = native::sniff,
           .read_flags = {},
           .read_profile = native::read,
           .read_events = nullptr,
           .write_flags = {},
           .write_profile = native::write,
           .retains = PropertySet::all()},
    Format{.name = "perf.data",
           .extension = ".data",
           .help = "recordings of Linux perf (file, pipe, directory, compressed) and simpleperf",
           .sniff = perf_data::sniff,
           .read_flags = {},
           .read_profile = nullptr,
           .read_events = perf_data::read,
           .write_flags = {},
           .write_profile = nullptr},
    Format{
        .name = "elf",
        .extension = ".elf",
        .help = "programs and libraries: where their bytes are, by section, namespace and symbol",
        .sniff = elf_size::sniff,
        .read_flags = {},
        .read_profile = elf_size::read,
        .read_events = nullptr,
        .write_flags = {},
        .write_profile = nullptr,
        .has_sizes = true},
    Format{.name = "sqlite",
           .extension = ".sqlite",
           .help = "databases of SQLite with perf's schema: perf's export-to-sqlite.py, and wick",
           .sniff = sqlite::sniff,
           .read_flags = {},
           .read_profile = sqlite::read,
           .read_events = nullptr,
           .write_flags = {},
           .write_profile = sqlite::write,
           .retains = {Property::kEvents,   Property::kUnits,        Property::kFractions,
                       Property::kCounts,   Property::kPeriods,      Property::kTimes,
                       Property::kThreads,  Property::kProcesses,    Property::kCpus,
                       Property::kLabels,   Property::kNumberLabels, Property::kModules,
                       Property::kBuildIds, Property::kAddresses,    Property::kLines,
                       Property::kColumns,  Property::kInlining,     Property::kModes,
                       Property::kOrigins,  Property::kBranches,     Property::kSpans,
                       Property::kMarks,    Property::kCounters,     Property::kLosses},
           .more_extensions = ".db"},
    Format{.name = "flamegraph-svg",
           .extension = ".svg",
           .help = "flame graph pictures drawn by flamegraph.pl, inferno and wick",
           .sniff = flamegraph_svg::sniff,
           .read_flags = flamegraph_svg::read_flags(),
           .read_profile = flamegraph_svg::read,
           .read_events = nullptr,
           .write_flags = {},
           .write_profile = nullptr},
    Format{
        .name = "speedscope",
        .extension = ".speedscope.json",
        .help = "files of speedscope, which many profilers write: sampled and evented",
        .sniff = speedscope::sniff,
        .read_flags = {},
        .read_profile = speedscope::read,
        .read_events = nullptr,
        .write_flags = {},
        .write_profile = speedscope::write,
        .spells_stacks = true,
        .retains = {Property::kEvents, Property::kUnits, Property::kFractions, Property::kThreads},
        .versions_read = "0.0.1 to 1.25",
        .version_written = "1.25",
        .syntax = Syntax::kJson},
    Format{.name = "cpuprofile",
           .extension = ".cpuprofile",
           .help = "CPU profiles of V8: node --cpu-prof, Chrome's developer tools, Deno",
           .sniff = cpuprofile::sniff,
           .read_flags = {},
           .read_profile = cpuprofile::read,
           .read_events = nullptr,
           .write_flags = {},
           .write_profile = cpuprofile::write,
           .writes_one_event = true,
           .retains = {Property::kCounts},
           .finest_ns = 1000,
           .is_time_only = true,
           .syntax = Syntax::kJson},
    Format{.name = "firefox",
           .extension = ".firefox.json",
           .help = "profiles of the Firefox Profiler: processed (samply's, too) and Gecko",
           .sniff = firefox::sniff,
           .read_flags = {},
           .read_profile = firefox::read,
           .read_events = nullptr,
           .write_flags = {},
           .write_profile = firefox::write,
           .writes_one_event = true,
           .retains = {Property::kUnits,
                       Property::kFractions,
                       Property::kCounts,
                       Property::kPeriods,
                       Property::kTimes,
                       Property::kThreads,
                       Property::kProcesses,
                       Property::kModules,
                       Property::kBuildIds,
                       Property::kAddresses,
                       Property::kLines,
                       Property::kColumns,
                       Property::kInlining,
                       Property::kModes,
                       Property::kSpans,
                       Property::kMarks,
                       Property::kCounters,
                       Property::kLosses},
           .versions_read = "processed 24 to 75, Gecko 9 to 36",
           .version_written = "57",
           .syntax = Syntax::kJson},
    Format{.name = "chrome-trace",
           .extension = ".trace.json",
           .help = "trace events of Chrome and many tracers: samples, spans, counters, marks",
           .sniff = chrome_trace::sniff,
           .read_flags = {},
           .read_profile = chrome_trace::read,
           .read_events = nullptr,
           .write_flags = {},
           .write_profile = chrome_trace::write,
           .retains = {Property::kUnits,
                       Property::kEvents,
                       Property::kCounts,
                       Property::kPeriods,
                       Property::kTimes,
                       Property::kThreads,
                       Property::kProcesses,
                       Property::kCpus,
                       Property::kModules,
                       Property::kLines,
                       Property::kModes,
                       Property::kSpans,
                       Property::kMarks,
                       Property::kCounters},
           .syntax = Syntax::kJson},
    Format{.name = "pprof",
           .extension = ".pb",
           .help = "profiles of Go, pprof and the collectors that use its profile.proto",
           .sniff = pprof::sniff,
           .read_flags = {},
           .read_profile = pprof::read,
           .read_events = nullptr,
           .write_flags = {},
           .write_profile = pprof::write,
           .spells_stacks = true,
           .retains = {Property::kUnits,
                       Property::kEvents,
                       Property::kCounts,
                       Property::kPeriods,
                       Property::kThreads,
                       Property::kProcesses,
                       Property::kLabels,
                       Property::kNumberLabels,
                       Property::kModules,
                       Property::kBuildIds,
                       Property::kMappings,
                       Property::kAddresses,
                       Property::kLines,
                       Property::kColumns,
                       Property::kLinkageNames,
                       Property::kInlining,
                       Property::kModes},
           .more_extensions = ".pprof",
           .syntax = Syntax::kProtobuf,
           .is_usually_gzip = true},
    Format{.name = "otlp",
           .extension = ".otlp",
           .help = "profiles of OpenTelemetry's protocol, as its collectors exchange them",
           .sniff = otlp::sniff,
           .read_flags = {},
           .read_profile = otlp::read,
           .read_events = nullptr,
           .write_flags = {},
           .write_profile = otlp::write,
           .spells_stacks = true,
           .retains = {Property::kUnits,
                       Property::kEvents,
                       Property::kPeriods,
                       Property::kTimes,
                       Property::kThreads,
                       Property::kProcesses,
                       Property::kCpus,
                       Property::kLabels,
                       Property::kNumberLabels,
                       Property::kModules,
                       Property::kBuildIds,
                       Property::kAddresses,
                       Property::kLines,
                       Property::kColumns,
                       Property::kLinkageNames,
                       Property::kInlining,
                       Property::kModes},
           .versions_read = "1.8 to 1.11",
           .version_written = "1.11",
           .syntax = Syntax::kProtobuf},
    Format{.name = "perfetto",
           .extension = ".pftrace",
           .help = "traces for the Perfetto UI: samples, spans, counters and marks",
           .sniff = perfetto::sniff,
           .read_flags = {},
           .read_profile = nullptr,
           .read_events = nullptr,
           .write_flags = {},
           .write_profile = perfetto::write,
           .spells_stacks = true,
           .retains = {Property::kEvents,
                       Property::kPeriods,
                       Property::kTimes,
                       Property::kThreads,
                       Property::kProcesses,
                       Property::kCpus,
                       Property::kModules,
                       Property::kBuildIds,
                       Property::kAddresses,
                       Property::kLines,
                       Property::kModes,
                       Property::kSpans,
                       Property::kMarks,
                       Property::kCounters},
           .more_extensions = ".perfetto-trace",
           .syntax = Syntax::kProtobuf},
    Format{.name = "gperftools",
           .extension = ".prof",
           .help = "binary CPU profiles of gperftools (CPUPROFILE=FILE)",
           .sniff = gperftools::sniff,
           .read_flags = {},
           .read_profile = gperftools::read,
           .read_events = nullptr,
           .write_flags = {},
           .write_profile = nullptr},
    Format{
        .name = "jfr",
        .extension = ".jfr",
        .help = "Java Flight Recorder: samples, allocations and waits, of a JDK or async-profiler",
        .sniff = jfr::sniff,
        .read_flags = {},
        .read_profile = jfr::read,
        .read_events = nullptr,
        .write_flags = {},
        .write_profile = nullptr,
        .versions_read = "2"},
    Format{.name = "callgrind",
           .extension = ".callgrind",
           .help = "costs of lines and calls, for callgrind_annotate and KCachegrind; cachegrind",
           .sniff = callgrind::sniff,
           .read_flags = {},
           .read_profile = callgrind::read,
           .read_events = nullptr,
           .write_flags = {},
           .write_profile = callgrind::write,
           .retains = {Property::kUnits,
                       Property::kFractions,
                       Property::kEvents,
                       Property::kModules,
                       Property::kLines},
           .versions_read = "1",
           .version_written = "1"},
    Format{.name = "redox",
           .extension = ".redox",
           .help = "samples that the Redox kernel takes of itself: raw rings, or the daemon's text",
           .sniff = redox::sniff,
           .read_flags = redox::read_flags(),
           .read_profile = redox::read,
           .read_events = nullptr,
           .write_flags = {},
           .write_profile = nullptr,
           .is_file_per_cpu = true,
           .implied_by = "fields"},
    Format{.name = "stacks",
           .extension = ".stacks.txt",
           .help = "stacks as text: maps of bpftrace, bcc's tools, backtraces of gdb and eu-stack",
           .sniff = stacks::sniff,
           .read_flags = stacks::read_flags(),
           .read_profile = stacks::read,
           .read_events = nullptr,
           .write_flags = {},
           .write_profile = nullptr},
    Format{.name = "perf-script",
           .extension = ".perf.txt",
           .help = "the output of perf script, with any selection of columns",
           .sniff = perf_script::sniff,
           .read_flags = perf_script::read_flags(),
           .read_profile = perf_script::read,
           .read_events = nullptr,
           .write_flags = {},
           .write_profile = perf_script::write,
           .spells_stacks = true,
           .retains = {Property::kEvents,
                       Property::kUnits,
                       Property::kTimes,
                       Property::kThreads,
                       Property::kProcesses,
                       Property::kCpus,
                       Property::kModules,
                       Property::kAddresses,
                       Property::kInlining}},
    Format{.name = "folded",
           .extension = ".folded",
           .help = "collapsed stacks, one per line, as stackcollapse and inferno write them",
           .sniff = folded::sniff,
           .read_flags = folded::read_flags(),
           .read_profile = folded::read,
           .read_events = nullptr,
           .write_flags = folded::write_flags(),
           .write_profile = folded::write,
           .writes_one_event = true,
           .spells_stacks = true,
           .retains = {Property::kFractions, Property::kInlining},
           .counts_samples = folded::counts_samples,
           .more_extensions = ".collapsed .collapsedstack.txt"},
};

}  // namespace

std::span<const Format> all_formats() {
  return kFormats;
}

const Format* find_format(std::string_view name) {
  auto found = std::ranges::find(kFormats, name, &Format::name);
  return found == kFormats.end() ? nullptr : &*found;
}

Result<const Format*> recognise(const Input& input) {
  std::string name = terminal_text(input.name());
  if (input.head().empty()) {
    if (!input.head_error().empty()) {
      return fail("Cannot read {}: {}", name, input.head_error());
    }
    return fail("{} is empty: it contains no profile.", name);
  }
  std::string_view head = as_text(input.head());
  if (std::string_view advice = advice_for_known(head); !advice.empty()) {
    return fail("{} {}.", name, advice);
  }
  for (const Format& format : kFormats) {
    if (format.sniff(input.head())) {
      return &format;
    }
  }
  if (std::string_view advice = advice_for_unknown(head); !advice.empty()) {
    return fail("{} {}.", name, advice);
  }
  return fail("{} is not in a format that wick knows; `wick formats` lists the formats.", name);
}

std::string tie_text(const Input& input, const Format& chosen) {
  std::string others;
  for (const Format& format : kFormats) {
    if (&format != &chosen && format.syntax == chosen.syntax && format.syntax != Syntax::kOwn &&
        format.sniff(input.head())) {
      others += fmt::format("{}{}", others.empty() ? "" : " and ", format.name);
    }
  }
  return others.empty() ? others
                        : fmt::format(
                              "{} could be {} as well as {}; wick reads it as {}. "
                              "--format NAME chooses another.",
                              terminal_text(input.name()),
                              others,
                              chosen.name,
                              chosen.name);
}

}  // namespace wick
