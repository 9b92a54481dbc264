// SPDX-License-Identifier: Apache-2.0
// Writes the expected table of a run, as JSON and as text.
//
// Each row of the phases becomes one object: its path, its measured share of the CPU time, and the
// properties that a checker needs (mode, thread, module, process role). The path in the table
// contains only names that are frames in this build: names that made tail calls are moved to
// `absent`, and inlined names stay, but are also listed as `inlined`.
//
// The numbers come only from the ledger and the kernel's accounting; this file estimates nothing.
// The difference between both is printed as the remainder, so that the table always adds up to the
// total.
#include "truth/report.h"

#include <cstdio>
#include <string_view>

#include "common/json.h"
#include "truth/variant.h"

namespace truth {
namespace {

using workloads::Json;
using Names = std::vector<std::string>;

Names split(std::string_view text, std::string_view separator) {
  Names parts;
  while (!text.empty()) {
    size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + separator.size());
  }
  return parts;
}

bool contains(const Names& names, const std::string& name) {
  for (const std::string& each : names) {
    if (each == name) {
      return true;
    }
  }
  return false;
}

Names without(const Names& names, const Names& removed) {
  Names kept;
  for (const std::string& name : names) {
    if (!contains(removed, name)) {
      kept.push_back(name);
    }
  }
  return kept;
}

const char* mode_name(Mode mode) {
  switch (mode) {
    case Mode::kUser:
      return "user";
    case Mode::kKernel:
      return "kernel";
    case Mode::kEither:
      return "either";
  }
  return "";
}

double part(int64_t some, int64_t all) {
  return all > 0 ? static_cast<double>(some) / static_cast<double>(all) : 0;
}

void put_names(Json& json, std::string_view key, const Names& names) {
  json.array(key, [&](Json& list) {
    for (const std::string& name : names) {
      list.field("", std::string_view(name));
    }
  });
}

// "even=250 odd=250" as an object.
void put_repeats(Json& json, const char* repeated) {
  json.object("repeats", [&](Json& counts) {
    for (const std::string& item : split(repeated, " ")) {
      size_t equals = item.find('=');
      counts.field(item.substr(0, equals), std::stoi(item.substr(equals + 1)));
    }
  });
}

// The names of a row's path that are frames, including inlined ones, and those that are not.
struct Frames {
  Names path, absent, inlined;
};

Frames frames_of(const Row& row, bool tail_calls_made) {
  Frames frames;
  frames.inlined = split(row.inlined, " ");
  frames.absent = split(row.gone, " ");
  Names tail_called = tail_calls_made ? split(row.tail_called, " ") : Names{};
  frames.path = without(split(row.path, " > "), tail_called);
  for (const std::string& name : tail_called) {
    frames.absent.push_back(name);
  }
  return frames;
}

struct RowUse {
  const char* phase;
  const Row& row;
  int64_t cpu_ns, phase_ns, total_ns;
  int chunks;
  bool tail_calls_made;
};

void put_row(Json& json, const RowUse& use, const RunFacts& facts) {
  const Row& row = use.row;
  Frames frames = frames_of(row, use.tail_calls_made);
  Names real = without(frames.path, frames.inlined);
  const char* module = *row.module == '\0' ? "program" : row.module;
  const char* thread = *row.thread == '\0' ? facts.thread_name.c_str() : row.thread;
  json.field("phase", use.phase);
  put_names(json, "path", frames.path);
  json.field("self_function", row.any_leaf ? "*" : frames.path.back().c_str());
  json.field("symbol", row.any_leaf ? "*" : real.back().c_str());
  put_names(json, "inlined", frames.inlined);
  put_names(json, "absent", frames.absent);
  put_repeats(json, row.repeated);
  json.field("mode", mode_name(row.mode));
  json.field("module", module);
  json.field("thread_name", thread);
  json.field("role", row.role);
  json.field("cpu_ns", use.cpu_ns);
  json.field("chunks", use.chunks);
  json.field("share", part(use.cpu_ns, use.total_ns));
  json.field("phase_share", part(use.cpu_ns, use.phase_ns));
}

int64_t charged_in(const Ledger& ledger, const Phase& phase) {
  int64_t sum = 0;
  for (int row = 0; row < phase.row_count(); ++row) {
    sum += ledger.cpu_ns[first_row_of(phase) + row];
  }
  return sum;
}

void put_build(Json& json) {
  json.object("build", [](Json& build) {
    build.field("variant", kVariant.name);
    build.field("frame_pointers", kVariant.frame_pointers);
#ifdef __OPTIMIZE__
    build.field("optimised", true);
#else
    build.field("optimised", false);
#endif
    build.field("bits", static_cast<int>(8 * sizeof(void*)));
#ifdef __clang__
    build.field("compiler", "clang " __clang_version__);
#else
    build.field("compiler", "gcc " __VERSION__);
#endif
  });
}

void put_processes(Json& json, const Ledger& ledger) {
  json.array("processes", [&](Json& list) {
    for (int each = 0; each < ledger.process_count; ++each) {
      list.object("", [&](Json& process) {
        process.field("role", ledger.processes[each].role);
        process.field("pid", ledger.processes[each].pid);
      });
    }
  });
}

void put_phases(Json& json, const Ledger& ledger, const RunFacts& facts) {
  json.array("phases", [&](Json& list) {
    for (const PhaseUse& use : facts.phases) {
      int64_t charged = charged_in(ledger, *use.phase);
      list.object("", [&](Json& phase) {
        phase.field("name", use.phase->name);
        phase.field("process_cpu_ns", use.process_cpu_ns);
        phase.field("attributed_ns", charged);
        phase.field("remainder_ns", use.process_cpu_ns - charged);
      });
    }
  });
}

void put_rows(Json& json, const Ledger& ledger, const RunFacts& facts, int64_t total_ns) {
  json.array("rows", [&](Json& list) {
    for (const PhaseUse& use : facts.phases) {
      const Phase& phase = *use.phase;
      for (int row = 0; row < phase.row_count(); ++row) {
        int number = first_row_of(phase) + row;
        list.object("", [&](Json& json_row) {
          put_row(json_row,
                  {phase.name,
                   phase.rows[row],
                   ledger.cpu_ns[number],
                   charged_in(ledger, phase),
                   total_ns,
                   ledger.chunks[number],
                   ledger.tail_calls[number] != 0},
                  facts);
        });
      }
    }
  });
}

void put_totals(Json& json, const Ledger& ledger, const RunFacts& facts, int64_t total_ns) {
  double reading_ns = ledger.clock_read_ns * static_cast<double>(ledger.clock_reads.load());
  json.object("totals", [&](Json& totals) {
    totals.field("process_cpu_ns", facts.process_cpu_ns);
    totals.field("attributed_ns", total_ns);
    totals.field("remainder_ns", facts.process_cpu_ns - total_ns);
    totals.field("remainder_share", part(facts.process_cpu_ns - total_ns, facts.process_cpu_ns));
    totals.field("remainder_is",
                 "starting and ending processes and threads, and reading the clock");
  });
  json.object("clock", [&](Json& clock) {
    clock.field("reads", ledger.clock_reads.load());
    clock.field("read_ns", ledger.clock_read_ns);
    clock.field("share", reading_ns / static_cast<double>(facts.process_cpu_ns));
  });
}

}  // namespace

void print_report(const Ledger& ledger, const RunFacts& facts) {
  int64_t total_ns = 0;
  for (const PhaseUse& use : facts.phases) {
    total_ns += charged_in(ledger, *use.phase);
  }
  Json json;
  json.field("program", "truth");
  put_build(json);
  json.field("seconds_asked", facts.seconds);
  json.field("wall_ns", facts.wall_ns);
  json.field("thread_name", facts.thread_name);
  json.field("perf_map", ledger.perf_map);
  json.object("opened_libraries", [&](Json& opened) {
    opened.field("opens", ledger.library_opens);
    opened.field("in_place_of_another", ledger.library_opens_in_same_place);
  });
  put_processes(json, ledger);
  put_totals(json, ledger, facts, total_ns);
  put_phases(json, ledger, facts);
  put_rows(json, ledger, facts, total_ns);
  json.print();
}

void print_list() {
  for (int each = 0; each < kPhaseCount; ++each) {
    const Phase& phase = *kPhases[each];
    std::printf("%s: %s\n", phase.name, phase.what);
    if (phase.refused != nullptr) {
      std::printf("  not in this build: %s\n", phase.refused);
    }
    for (int number = 0; number < phase.row_count(); ++number) {
      const Row& row = phase.rows[number];
      std::printf("  %3d  %s%s\n", row.weight, row.path, row.any_leaf ? " > *" : "");
    }
  }
}

}  // namespace truth
