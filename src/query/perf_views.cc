// SPDX-License-Identifier: Apache-2.0
// The views of perf's export to SQLite, and its constant table of kinds of branches: the same names
// and columns in the same order. A view's columns are listed as data; a value from another table is
// looked up by id, so a query pays only for the columns that it uses.
#include "query/tables.h"

namespace wick::sql {
namespace {

struct ViewColumn {
  std::string_view name;
  std::string expression;
};

// `SELECT expression AS name, ... FROM source`
ViewText select(std::string_view source, const std::vector<ViewColumn>& columns) {
  ViewText text;
  for (const ViewColumn& column : columns) {
    text.query += fmt::format(
        "{}{} AS {}", text.query.empty() ? "SELECT " : ", ", column.expression, column.name);
    text.columns += fmt::format("{}{}", text.columns.empty() ? "" : ", ", column.name);
  }
  text.query += fmt::format(" FROM {}", source);
  return text;
}

// A column that the source has.
ViewColumn own(std::string_view name, std::string_view table = {}) {
  return {name, table.empty() ? std::string(name) : fmt::format("{}.{}", table, name)};
}
// A column of another table, in the row with this id.
ViewColumn lookup(std::string_view name,
                  std::string_view table,
                  std::string_view column,
                  std::string_view id) {
  return {name, fmt::format("(SELECT t.{} FROM {} t WHERE t.id = {})", column, table, id)};
}
// format() would be the name in newer versions of SQLite only.
std::string hex_of(std::string_view number) {
  constexpr std::string_view kFunction = "printf";
  return fmt::format("{}('%x', {})", kFunction, number);
}
ViewColumn hex(std::string_view name, std::string_view number) {
  return {name, hex_of(number)};
}
ViewColumn yes_or_no(std::string_view name) {
  return {name, fmt::format("iif({} = 0, 'False', 'True')", name)};
}
ViewColumn ipc() {
  return {"IPC", "iif(cyc_count = 0, 0.0, round(CAST(insn_count AS FLOAT) / cyc_count, 2))"};
}

ViewText machines_view() {
  return select("machines",
                {own("id"),
                 own("pid"),
                 own("root_dir"),
                 {"host_or_guest",
                  "CASE WHEN id = 0 THEN 'unknown' WHEN pid = -1 THEN 'host' ELSE 'guest' END"}});
}

ViewColumn host_or_guest() {
  return lookup("host_or_guest", "machines_view", "host_or_guest", "machine_id");
}

ViewText dsos_view() {
  return select("dsos",
                {own("id"),
                 own("machine_id"),
                 host_or_guest(),
                 own("short_name"),
                 own("long_name"),
                 own("build_id")});
}

ViewText symbols_view() {
  return select("symbols",
                {own("id"),
                 own("name"),
                 lookup("dso", "dsos", "short_name", "dso_id"),
                 own("dso_id"),
                 own("sym_start"),
                 own("sym_end"),
                 {"binding",
                  "CASE binding WHEN 0 THEN 'local' WHEN 1 THEN 'global' WHEN 2 THEN 'weak' END"}});
}

ViewText threads_view() {
  return select(
      "threads",
      {own("id"), own("machine_id"), host_or_guest(), own("process_id"), own("pid"), own("tid")});
}

ViewText comm_threads_view() {
  return select("comm_threads",
                {own("comm_id"),
                 lookup("command", "comms", "comm", "comm_id"),
                 own("thread_id"),
                 lookup("pid", "threads", "pid", "thread_id"),
                 lookup("tid", "threads", "tid", "thread_id")});
}

ViewText call_paths_view() {
  return select("call_paths c JOIN call_paths p ON p.id = c.parent_id",
                {own("id", "c"),
                 hex("ip", "c.ip"),
                 own("symbol_id", "c"),
                 lookup("symbol", "symbols", "name", "c.symbol_id"),
                 lookup("dso_id", "symbols", "dso_id", "c.symbol_id"),
                 lookup("dso_short_name", "symbols_view", "dso", "c.symbol_id"),
                 own("parent_id", "c"),
                 hex("parent_ip", "p.ip"),
                 {"parent_symbol_id", "p.symbol_id"},
                 lookup("parent_symbol", "symbols", "name", "p.symbol_id"),
                 lookup("parent_dso_id", "symbols", "dso_id", "p.symbol_id"),
                 lookup("parent_dso_short_name", "symbols_view", "dso", "p.symbol_id")});
}

ViewText calls_view() {
  return select("calls JOIN call_paths ON call_paths.id = call_path_id",
                {own("id", "calls"),
                 own("thread_id"),
                 lookup("pid", "threads", "pid", "thread_id"),
                 lookup("tid", "threads", "tid", "thread_id"),
                 lookup("command", "comms", "comm", "comm_id"),
                 own("call_path_id"),
                 hex("ip", "ip"),
                 own("symbol_id"),
                 lookup("symbol", "symbols", "name", "symbol_id"),
                 own("call_time"),
                 own("return_time"),
                 {"elapsed_time", "return_time - call_time"},
                 own("branch_count"),
                 own("insn_count"),
                 own("cyc_count"),
                 ipc(),
                 own("call_id"),
                 own("return_id"),
                 {"flags",
                  "CASE flags WHEN 0 THEN '' WHEN 1 THEN 'no call' WHEN 2 THEN 'no return' "
                  "WHEN 3 THEN 'no call/return' WHEN 6 THEN 'jump' ELSE flags END"},
                 own("parent_call_path_id"),
                 own("parent_id", "calls")});
}

ViewText samples_view() {
  return select("samples",
                {own("id"),
                 own("time"),
                 own("cpu"),
                 lookup("pid", "threads", "pid", "thread_id"),
                 lookup("tid", "threads", "tid", "thread_id"),
                 lookup("command", "comms", "comm", "comm_id"),
                 lookup("event", "selected_events", "name", "evsel_id"),
                 hex("ip_hex", "ip"),
                 lookup("symbol", "symbols", "name", "symbol_id"),
                 own("sym_offset"),
                 lookup("dso_short_name", "dsos", "short_name", "dso_id"),
                 hex("to_ip_hex", "to_ip"),
                 lookup("to_symbol", "symbols", "name", "to_symbol_id"),
                 own("to_sym_offset"),
                 lookup("to_dso_short_name", "dsos", "short_name", "to_dso_id"),
                 lookup("branch_type_name", "branch_types", "name", "branch_type"),
                 own("in_tx"),
                 own("insn_count"),
                 own("cyc_count"),
                 ipc(),
                 own("flags")});
}

// A table of a trace beside the time and the CPU of its sample.
ViewText of_trace(std::string_view table, std::vector<ViewColumn> columns) {
  columns.insert(columns.begin(), {own("id", table), own("time"), own("cpu")});
  return select(fmt::format("{0} JOIN samples ON samples.id = {0}.id", table), columns);
}

ViewText ptwrite_view() {
  return of_trace("ptwrite", {hex("payload_hex", "payload"), yes_or_no("exact_ip")});
}
ViewText cbr_view() {
  return of_trace("cbr", {own("cbr"), own("mhz"), own("percent")});
}
ViewText mwait_view() {
  return of_trace("mwait", {hex("hints_hex", "hints"), hex("extensions_hex", "extensions")});
}
ViewText pwre_view() {
  return of_trace("pwre", {own("cstate"), own("subcstate"), yes_or_no("hw")});
}
ViewText exstop_view() {
  return of_trace("exstop", {yes_or_no("exact_ip")});
}

constexpr std::string_view kWakeReason =
    "CASE wake_reason WHEN 1 THEN 'Interrupt' WHEN 2 THEN 'Timer Deadline' "
    "WHEN 4 THEN 'Monitored Address' WHEN 8 THEN 'HW' ELSE wake_reason END";

ViewText pwrx_view() {
  return of_trace(
      "pwrx",
      {own("deepest_cstate"), own("last_cstate"), {"wake_reason", std::string(kWakeReason)}});
}

// The columns of all power tables; empty where the sample's event is another.
ViewText power_events_view() {
  auto of_event = [](std::string_view event, std::string_view name, std::string_view expression) {
    return ViewColumn{name,
                      fmt::format("iif(selected_events.name = '{0}', "
                                  "(SELECT {1} FROM {0} t WHERE t.id = samples.id), '')",
                                  event,
                                  expression)};
  };
  ViewText text = select("samples JOIN selected_events ON selected_events.id = evsel_id",
                         {own("id", "samples"),
                          own("time"),
                          own("cpu"),
                          {"event", "selected_events.name"},
                          of_event("cbr", "cbr", "t.cbr"),
                          of_event("cbr", "mhz", "mhz"),
                          of_event("cbr", "percent", "percent"),
                          of_event("mwait", "hints_hex", hex_of("hints")),
                          of_event("mwait", "extensions_hex", hex_of("extensions")),
                          of_event("pwre", "cstate", "cstate"),
                          of_event("pwre", "subcstate", "subcstate"),
                          of_event("pwre", "hw", "hw"),
                          of_event("exstop", "exact_ip", "exact_ip"),
                          of_event("pwrx", "deepest_cstate", "deepest_cstate"),
                          of_event("pwrx", "last_cstate", "last_cstate"),
                          of_event("pwrx", "wake_reason", kWakeReason)});
  text.query += " WHERE selected_events.name IN ('cbr', 'mwait', 'exstop', 'pwre', 'pwrx')";
  return text;
}

ViewText context_switches_view() {
  return select("context_switches s",
                {own("id", "s"),
                 own("machine_id", "s"),
                 own("time", "s"),
                 own("cpu", "s"),
                 lookup("pid_out", "threads", "pid", "thread_out_id"),
                 lookup("tid_out", "threads", "tid", "thread_out_id"),
                 lookup("comm_out", "comms", "comm", "comm_out_id"),
                 lookup("pid_in", "threads", "pid", "thread_in_id"),
                 lookup("tid_in", "threads", "tid", "thread_in_id"),
                 lookup("comm_in", "comms", "comm", "comm_in_id"),
                 {"flags",
                  "CASE flags WHEN 0 THEN 'in' WHEN 1 THEN 'out' WHEN 3 THEN 'out preempt' "
                  "ELSE flags END"}});
}

constexpr SqlView kPerfViews[] = {
    {"machines_view", "perf: machines with host_or_guest", machines_view},
    {"dsos_view", "perf: dsos with host_or_guest", dsos_view},
    {"symbols_view", "perf: symbols with the name of their dso", symbols_view},
    {"threads_view", "perf: threads with host_or_guest", threads_view},
    {"comm_threads_view", "perf: comm_threads with names and numbers", comm_threads_view},
    {"call_paths_view", "perf: call_paths with names, beside their parents", call_paths_view},
    {"calls_view", "perf: calls with names and elapsed time", calls_view},
    {"samples_view", "perf: samples with names; the one to start with", samples_view},
    {"ptwrite_view", "perf: ptwrite with time and CPU", ptwrite_view},
    {"cbr_view", "perf: cbr with time and CPU", cbr_view},
    {"mwait_view", "perf: mwait with time and CPU", mwait_view},
    {"pwre_view", "perf: pwre with time and CPU", pwre_view},
    {"exstop_view", "perf: exstop with time and CPU", exstop_view},
    {"pwrx_view", "perf: pwrx with time and CPU", pwrx_view},
    {"power_events_view", "perf: all power events", power_events_view},
    {"context_switches_view", "perf: context_switches with names", context_switches_view},
};

// Bits of a branch: 1 branch, 2 call, 4 return, 8 conditional, 16 system, 32 asynchronous,
// 64 interrupt, 128 abort of a transaction, 256 begin of a trace, 512 its end, 2048 entry of a
// guest, 4096 exit from it.
struct BranchType {
  int64_t bits;
  std::string_view name;
};
constexpr int64_t kTraceBegin = 256;
constexpr int64_t kTraceEnd = 512;
constexpr BranchType kBranchTypes[] = {
    {0, "no branch"},
    {1, "unconditional jump"},
    {3, "call"},
    {5, "return"},
    {9, "conditional jump"},
    {19, "system call"},
    {21, "return from system call"},
    {33, "asynchronous branch"},
    {67, "software interrupt"},
    {69, "return from interrupt"},
    {99, "hardware interrupt"},
    {129, "transaction abort"},
    {kTraceBegin + 1, "trace begin"},
    {kTraceEnd + 1, "trace end"},
    {2051, "vm entry"},
    {4099, "vm exit"},
};

}  // namespace

std::span<const SqlView> perf_views() {
  return kPerfViews;
}

std::string branch_types_rows() {
  std::string rows;
  auto add = [&](int64_t bits, const std::string& name) {
    rows += fmt::format("{}({}, '{}')", rows.empty() ? "" : ", ", bits, name);
  };
  for (const BranchType& type : kBranchTypes) {
    add(type.bits, std::string(type.name));
    bool is_whole = type.bits == 1 || (type.bits & (kTraceBegin | kTraceEnd)) != 0;
    if (!is_whole) {
      add(type.bits | kTraceBegin, fmt::format("trace begin / {}", type.name));
      add(type.bits | kTraceEnd, fmt::format("{} / trace end", type.name));
    }
  }
  return rows;
}

}  // namespace wick::sql
