// SPDX-License-Identifier: Apache-2.0
// The tables of perf's export to SQLite (its columns "all", with call chains and calls), so that
// scripts for such a database run unchanged. What perf has and a profile does not is 0, as in perf's
// own files; the tables of a processor's trace have no rows.
//
//     samples.period      the weight: nanoseconds, cycles, ...
//     samples.id          the profile's row plus one; perf numbers samples in the order of its file
//     symbols             functions; their ends are not recorded, so they are empty: end = start
//     samples.ip          addresses in the file of the code, as linked, for programs and libraries
//     call_paths          1 is the root; inlined frames are not in it, as in perf
//     calls               spans of the program; perf has calls only from traces
#include <algorithm>

#include "query/cells.h"

namespace wick::sql {
namespace {

constexpr auto kNoRows = [](const Rows&) -> size_t { return 0; };

// ---- samples ----

FrameId leaf_of(const Rows& rows, size_t row) {
  return rows.derived.call_paths().frame_of(rows.profile.samples.stack[row]);
}

int64_t symbol_of_sample(const Rows& rows, size_t row) {
  FrameId leaf = leaf_of(rows, row);
  return leaf.valid() ? rows.derived.symbols().of(leaf) : 0;
}

int64_t dso_of_sample(const Rows& rows, size_t row) {
  FrameId leaf = leaf_of(rows, row);
  return leaf.valid() ? id_or_zero(rows.profile.frames[leaf].module) : 0;
}

int64_t offset_of_sample(const Rows& rows, size_t row) {
  FrameId leaf = leaf_of(rows, row);
  return leaf.valid() ? static_cast<int64_t>(
                            offset_in_function(rows.profile, rows.profile.frames[leaf]).value_or(0))
                      : 0;
}

int64_t address_of_sample(const Rows& rows, size_t row) {
  FrameId leaf = leaf_of(rows, row);
  return leaf.valid() ? static_cast<int64_t>(rows.profile.frames[leaf].address) : 0;
}

int64_t machine_of_thread(const Rows& rows, ThreadId thread) {
  return thread.valid() ? rows.derived.tasks().tasks[thread.index()].machine : 1;
}

int64_t known_time(int64_t time) {
  return time == kNoTime ? 0 : time;
}

// data_src of samples that are not about an access of memory: PERF_MEM_NA of the kernel.
constexpr int64_t kNoMemoryAccess = 84410401;

// ---- The tables ----

constexpr TableColumn kSelectedEvents[] = {
    {"id", kId, nullptr},
    {.name = "name",
     .type = "varchar(80)",
     .read = WICK_CELL(p.strings[p.events[row_id<EventId>(row)].name]),
     .unknown_text = "unknown"},
};

constexpr TableColumn kMachines[] = {
    {"id", kId, nullptr},
    {"pid",
     "integer",
     WICK_CELL(!p.sources.empty() && p.sources[row_id<SourceId>(row)].guest_of.valid()
                   ? int64_t{0}
                   : int64_t{-1})},
    {.name = "root_dir",
     .type = "varchar(4096)",
     .read = WICK_CELL(std::string_view()),
     .unknown_text = "unknown"},
};

constexpr TableColumn kThreads[] = {
    {"id", kId, nullptr},
    {"machine_id", "bigint", WICK_CELL(rows.derived.tasks().tasks[row].machine)},
    {"process_id", "bigint", WICK_CELL(rows.derived.tasks().tasks[row].main_thread)},
    {"pid", "integer", WICK_CELL(rows.derived.tasks().tasks[row].pid), -1},
    {"tid", "integer", WICK_CELL(rows.derived.tasks().tasks[row].tid), -1},
};

constexpr TableColumn kComms[] = {
    {"id", kId, nullptr},
    {.name = "comm",
     .type = "varchar(16)",
     .read = WICK_CELL(p.strings[rows.derived.tasks().comms[row].name]),
     .unknown_text = "unknown"},
    {"c_thread_id", "bigint", WICK_CELL(rows.derived.tasks().comms[row].thread)},
    {"c_time", "bigint", WICK_CELL(rows.derived.tasks().comms[row].time)},
    {"exec_flag", "boolean", WICK_CELL(int64_t{rows.derived.tasks().comms[row].exec})},
    // perf counts its row of unknown values among the calls: row 0 has calls.
    {"has_calls",
     "boolean",
     WICK_CELL(rows.derived.has_calls(row) ? std::optional<int64_t>(1) : std::nullopt),
     1},
};

constexpr TableColumn kCommThreads[] = {
    {"id", kId, nullptr},
    {"comm_id", "bigint", WICK_CELL(rows.derived.tasks().comm_of_task[row])},
    {"thread_id", "bigint", WICK_CELL(static_cast<int64_t>(row) + 1)},
};

constexpr TableColumn kDsos[] = {
    {"id", kId, nullptr},
    {"machine_id", "bigint", WICK_CELL(int64_t{1})},
    {.name = "short_name",
     .type = "varchar(256)",
     .read = WICK_CELL(module_name(p, row_id<ModuleId>(row))),
     .unknown_text = "unknown"},
    {.name = "long_name",
     .type = "varchar(4096)",
     .read = WICK_CELL(p.strings[p.modules[row_id<ModuleId>(row)].path]),
     .unknown_text = "unknown"},
    {.name = "build_id",
     .type = "varchar(64)",
     .read = WICK_CELL(p.strings[p.modules[row_id<ModuleId>(row)].build_id]),
     .unknown_text = ""},
};

void symbol_name(const Rows& rows, size_t row, Cell& cell) {
  std::string made;
  std::string_view name = rows.derived.symbols().name(row, made);
  if (made.empty()) {
    cell.borrow(name);
  } else {
    cell.store(std::move(made));
  }
}

constexpr TableColumn kSymbols[] = {
    {"id", kId, nullptr},
    {"dso_id", "bigint", WICK_CELL(rows.derived.symbols()[row].dso)},
    {"sym_start", "bigint", WICK_CELL(rows.derived.symbols()[row].start)},
    {"sym_end", "bigint", WICK_CELL(rows.derived.symbols()[row].start)},
    {"binding", "integer", WICK_CELL(std::optional<int64_t>())},
    {.name = "name", .type = "varchar(2048)", .read = symbol_name, .unknown_text = "unknown"},
};

constexpr TableColumn kSamples[] = {
    {"id", kId, nullptr},
    {"evsel_id", "bigint", WICK_CELL(id_or_zero(p.samples.event[row]))},
    {"machine_id", "bigint", WICK_CELL(machine_of_thread(rows, p.samples.thread[row]))},
    {"thread_id", "bigint", WICK_CELL(id_or_zero(p.samples.thread[row]))},
    {"comm_id", "bigint", WICK_CELL(rows.derived.tasks().comm_of(p.samples.thread[row]))},
    {"dso_id", "bigint", WICK_CELL(dso_of_sample(rows, row))},
    {"symbol_id", "bigint", WICK_CELL(symbol_of_sample(rows, row))},
    {"sym_offset", "bigint", WICK_CELL(offset_of_sample(rows, row))},
    {"ip", "bigint", WICK_CELL(address_of_sample(rows, row))},
    {"time", "bigint", WICK_CELL(known_time(p.samples.time_ns[row]))},
    {"cpu", "integer", WICK_CELL(cpu_or_null(p.samples.cpu[row]).value_or(-1))},
    {"to_dso_id", "bigint", kZero},
    {"to_symbol_id", "bigint", kZero},
    {"to_sym_offset", "bigint", kZero},
    {"to_ip", "bigint", kZero},
    {"period",
     "bigint",
     [](const Rows& rows, size_t row, Cell& cell) {
       put_weight(cell,
                  rows.profile.events[rows.profile.samples.event[row]],
                  rows.profile.samples.weight[row]);
     }},
    {"weight", "bigint", kZero},
    {"transaction_", "bigint", kZero},
    {"data_src", "bigint", WICK_CELL(kNoMemoryAccess)},
    {"branch_type", "integer", kZero},
    {"in_tx", "boolean", kZero},
    {"call_path_id", "bigint", WICK_CELL(rows.derived.call_paths().of(p.samples.stack[row]))},
    {"insn_count", "bigint", kZero},
    {"cyc_count", "bigint", kZero},
    {"flags", "integer", kZero},
};

constexpr TableColumn kCallPaths[] = {
    {"id", kId, nullptr},
    {"parent_id", "bigint", WICK_CELL(rows.derived.call_paths().paths[row].parent)},
    {"symbol_id", "bigint", WICK_CELL(rows.derived.call_paths().paths[row].symbol)},
    {"ip", "bigint", WICK_CELL(rows.derived.call_paths().paths[row].ip)},
};

const Span& span_of_call(const Rows& rows, size_t row) {
  return rows.profile.spans[rows.derived.call_paths().calls[row].span];
}

constexpr TableColumn kCalls[] = {
    {"id", kId, nullptr},
    {"thread_id", "bigint", WICK_CELL(id_or_zero(span_of_call(rows, row).thread))},
    {"comm_id", "bigint", WICK_CELL(rows.derived.tasks().comm_of(span_of_call(rows, row).thread))},
    {"call_path_id", "bigint", WICK_CELL(rows.derived.call_paths().calls[row].path)},
    {"call_time", "bigint", WICK_CELL(known_time(span_of_call(rows, row).begin_ns))},
    {"return_time", "bigint", WICK_CELL(known_time(span_of_call(rows, row).end_ns))},
    {"branch_count", "bigint", kZero},
    {"call_id", "bigint", kZero},
    {"return_id", "bigint", kZero},
    {"parent_call_path_id", "bigint", WICK_CELL(rows.derived.call_paths().calls[row].parent_path)},
    {"flags", "integer", kZero},
    {"parent_id", "bigint", WICK_CELL(rows.derived.call_paths().calls[row].parent)},
    {"insn_count", "bigint", kZero},
    {"cyc_count", "bigint", kZero},
};

// Tables of a processor's trace.
constexpr TableColumn kPtwrite[] = {
    {"id", kId, nullptr}, {"payload", "bigint", kZero}, {"exact_ip", "integer", kZero}};
constexpr TableColumn kCbr[] = {{"id", kId, nullptr},
                                {"cbr", "integer", kZero},
                                {"mhz", "integer", kZero},
                                {"percent", "integer", kZero}};
constexpr TableColumn kMwait[] = {
    {"id", kId, nullptr}, {"hints", "integer", kZero}, {"extensions", "integer", kZero}};
constexpr TableColumn kPwre[] = {{"id", kId, nullptr},
                                 {"cstate", "integer", kZero},
                                 {"subcstate", "integer", kZero},
                                 {"hw", "integer", kZero}};
constexpr TableColumn kExstop[] = {{"id", kId, nullptr}, {"exact_ip", "integer", kZero}};
constexpr TableColumn kPwrx[] = {{"id", kId, nullptr},
                                 {"deepest_cstate", "integer", kZero},
                                 {"last_cstate", "integer", kZero},
                                 {"wake_reason", "integer", kZero}};
constexpr TableColumn kContextSwitches[] = {{"id", kId, nullptr},
                                            {"machine_id", "bigint", kZero},
                                            {"time", "bigint", kZero},
                                            {"cpu", "integer", kZero},
                                            {"thread_out_id", "bigint", kZero},
                                            {"comm_out_id", "bigint", kZero},
                                            {"thread_in_id", "bigint", kZero},
                                            {"comm_in_id", "bigint", kZero},
                                            {"flags", "integer", kZero}};
constexpr TableColumn kTraceErrors[] = {{"id", kId, nullptr},
                                        {"type", "integer", kZero},
                                        {"code", "integer", kZero},
                                        {"cpu", "integer", kZero},
                                        {"pid", "integer", kZero},
                                        {"tid", "integer", kZero},
                                        {"ip", "bigint", kZero},
                                        {"time", "bigint", kZero},
                                        {"msg", "varchar(64)", kZero},
                                        {"cpumode", "integer", kZero},
                                        {"machine_pid", "integer", kZero},
                                        {"vcpu", "integer", kZero}};

constexpr SqlTable kPerfTables[] = {
    {"selected_events",
     "perf: events that were sampled",
     kSelectedEvents,
     [](const Rows& rows) { return rows.profile.events.size(); },
     true},
    {"machines",
     "perf: the host, and guests",
     kMachines,
     [](const Rows& rows) { return std::max<size_t>(1, rows.profile.sources.size()); },
     true},
    {"threads",
     "perf: threads; process_id is the id of the main thread",
     kThreads,
     [](const Rows& rows) { return rows.derived.tasks().tasks.size(); },
     true},
    {"comms",
     "perf: names of commands and of threads",
     kComms,
     [](const Rows& rows) { return rows.derived.tasks().comms.size(); },
     true},
    {"comm_threads",
     "perf: which threads belong to a command",
     kCommThreads,
     [](const Rows& rows) { return rows.derived.tasks().comm_of_task.size(); }},
    {"dsos",
     "perf: programs and libraries",
     kDsos,
     [](const Rows& rows) { return rows.profile.modules.size(); },
     true},
    {"symbols",
     "perf: functions of programs and libraries",
     kSymbols,
     [](const Rows& rows) { return rows.derived.symbols().size(); },
     true},
    {"samples",
     "perf: one row for each sample; period is its weight",
     kSamples,
     [](const Rows& rows) { return rows.profile.samples.size(); },
     true},
    {"call_paths",
     "perf: the tree of callers, without inlined frames; 1 is the root",
     kCallPaths,
     [](const Rows& rows) { return rows.derived.call_paths().paths.size(); },
     true},
    {"calls",
     "perf: calls with their times; here the spans of the program",
     kCalls,
     [](const Rows& rows) { return rows.derived.call_paths().calls.size(); },
     true},
    {"ptwrite", "perf: values that a program wrote into a trace (empty)", kPtwrite, kNoRows},
    {"cbr", "perf: frequencies in a trace (empty)", kCbr, kNoRows},
    {"mwait", "perf: waits of the processor in a trace (empty)", kMwait, kNoRows},
    {"pwre", "perf: begins of power states in a trace (empty)", kPwre, kNoRows},
    {"exstop", "perf: stops of execution in a trace (empty)", kExstop, kNoRows},
    {"pwrx", "perf: ends of power states in a trace (empty)", kPwrx, kNoRows},
    {"context_switches", "perf: switches of threads (empty)", kContextSwitches, kNoRows},
    {"auxtrace_errors", "perf: errors of a trace's decoder (empty)", kTraceErrors, kNoRows},
};

}  // namespace

std::span<const SqlTable> perf_tables() {
  return kPerfTables;
}

}  // namespace wick::sql
