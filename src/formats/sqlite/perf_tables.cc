// SPDX-License-Identifier: Apache-2.0
// Reads perf's tables (sqlite.h).
#include <map>
#include <utility>

#include "formats/sqlite/loaded_parts.h"

namespace wick::sqlite {
namespace {

constexpr std::string_view kUnknownName = "unknown";

struct StoredSymbol {
  int64_t dso = 0;
  uint64_t start = 0;
  uint64_t end = 0;
  FunctionId function;  // none for perf's "unknown"
  StringId name;
};

struct LoadAddress {
  uint64_t offset = 0;
  bool is_known = false;
  bool is_one = true;
};

struct StoredThread {
  int64_t pid = -1;
  int64_t tid = -1;
};

class PerfTables {
 public:
  PerfTables(StoredTables& tables, ProfileBuilder& builder) : tables_(tables), builder_(builder) {}

  void read() {
    tables_.each("selected_events", {"name"}, [&](const StoredRow& row) {
      if (row.id() != 0) {
        event_names_.add(row.id(), builder_.string(row.text(0)));
      }
    });
    read_threads();
    read_code();
    read_samples();
    read_calls();
    report();
  }

 private:
  void read_threads() {
    tables_.each("threads", {"pid", "tid"}, [&](const StoredRow& row) {
      threads_.add(row.id(), {.pid = row.integer(0), .tid = row.integer(1)});
    });
    tables_.each("comms", {"comm", "c_thread_id"}, [&](const StoredRow& row) {
      StringId name = builder_.string(row.text(0));
      comms_.add(row.id(), name);
      thread_names_.add(row.integer(1), name);  // the last name of a thread
    });
  }

  void read_code() {
    tables_.each("dsos", {"long_name", "short_name", "build_id"}, [&](const StoredRow& row) {
      if (row.id() == 0) {
        return;
      }
      std::string_view path = row.text(0).empty() ? row.text(1) : row.text(0);
      if (path.starts_with("[kernel") || path.ends_with(".ko") || path.find(".ko.") != path.npos) {
        kernel_.add(row.id(), true);
      }
      StringId text = builder_.string(path);
      modules_.add(row.id(),
                   builder_.module({.path = text, .build_id = builder_.string(row.text(2))}));
    });
    tables_.each("symbols", {"dso_id", "sym_start", "sym_end", "name"}, [&](const StoredRow& row) {
      StoredSymbol symbol{.dso = row.integer(0),
                          .start = static_cast<uint64_t>(row.integer(1)),
                          .end = static_cast<uint64_t>(row.integer(2))};
      symbol.name = builder_.string(row.text(3));
      if (row.id() != 0 && row.text(3) != kUnknownName) {
        symbol.function = builder_.function(
            {.name = symbol.name, .module = modules_.of(symbol.dso), .address = symbol.start});
      }
      symbols_.add(row.id(), symbol);
    });
    read_load_addresses();
    tables_.each("call_paths", {"parent_id", "symbol_id", "ip"}, [&](const StoredRow& row) {
      // The root is a child of row 0, and both are the empty stack.
      bool is_root = row.id() == 0 || (row.integer(0) == 0 && row.integer(1) == 0);
      auto address = static_cast<uint64_t>(row.integer(2));
      paths_.add(row.id(),
                 is_root ? kEmptyStack
                         : builder_.stack(paths_.of(row.integer(0), kEmptyStack),
                                          frame(row.integer(1), 0, address)));
      path_symbols_.add(row.id(), row.integer(1));
    });
  }

  // Where samples found each dso: the address in the process minus the one as linked. A dso that
  // several processes have at different addresses has none.
  void read_load_addresses() {
    tables_.each("samples", {"dso_id", "symbol_id", "sym_offset", "ip"}, [&](const StoredRow& row) {
      StoredSymbol symbol = symbols_.of(row.integer(1));
      auto ip = static_cast<uint64_t>(row.integer(3));
      uint64_t linked = symbol.start + static_cast<uint64_t>(row.integer(2));
      if (row.integer(0) == 0 || row.integer(1) == 0 || ip == 0) {
        return;
      }
      LoadAddress known = load_addresses_.of(row.integer(0));
      bool is_same = !known.is_known || known.offset == ip - linked;
      load_addresses_.add(
          row.integer(0),
          {.offset = ip - linked, .is_known = true, .is_one = known.is_one && is_same});
    });
  }

  // As linked; 0 if unknown.
  uint64_t linked_address(const StoredSymbol& symbol, int64_t dso, uint64_t ip) const {
    LoadAddress load = load_addresses_.of(dso);
    uint64_t linked = load.is_known && load.is_one ? ip - load.offset : ip;
    bool is_inside = symbol.function.valid() && linked >= symbol.start && linked < symbol.end;
    bool is_nameless = !symbol.function.valid() && load.is_known && load.is_one;
    return is_inside || is_nameless ? linked : 0;
  }

  // `dso`: of a sample, whose symbol may be unknown.
  FrameId frame(int64_t symbol_id, int64_t dso, uint64_t ip) {
    StoredSymbol symbol = symbols_.of(symbol_id);
    dso = symbol.dso != 0 ? symbol.dso : dso;
    bool is_kernel = kernel_.of(dso, false) || static_cast<int64_t>(ip) < 0;
    return builder_.frame({.function = symbol.function,
                           .module = modules_.of(dso),
                           .address = linked_address(symbol, dso, ip),
                           .mode = is_kernel ? Mode::kKernel : Mode::kUser});
  }

  ThreadId thread(int64_t thread_id, int64_t comm_id) {
    auto [known, is_new] = made_threads_.try_emplace({thread_id, comm_id});
    if (is_new && thread_id != 0) {
      StoredThread stored = threads_.of(thread_id);
      StringId command = comms_.of(comm_id);
      ProcessId process = builder_.process({.pid = stored.pid, .name = command});
      known->second = builder_.thread(
          {.tid = stored.tid, .process = process, .name = thread_names_.of(thread_id, command)});
    }
    return known->second;
  }

  // perf's clocks count nanoseconds; other events count themselves.
  EventId event(int64_t event_id, bool has_period) {
    auto [known, is_new] = made_events_.try_emplace({event_id, has_period});
    if (is_new) {
      StringId name = event_names_.of(event_id, builder_.string(kUnknownName));
      std::string_view text = builder_.text(name);
      bool is_clock = text.starts_with("cpu-clock") || text.starts_with("task-clock");
      std::string unit(!has_period ? "samples" : is_clock ? "nanoseconds" : text);
      known->second = builder_.event(
          {.name = name,
           .unit = builder_.string(unit),
           .kind = is_clock && has_period ? Quantity::kCpuTime : Quantity::kUnknown});
    }
    return known->second;
  }

  void read_samples() {
    tables_.each("samples",
                 {"evsel_id",
                  "thread_id",
                  "comm_id",
                  "dso_id",
                  "symbol_id",
                  "ip",
                  "time",
                  "cpu",
                  "period",
                  "call_path_id"},
                 [&](const StoredRow& row) {
                   if (row.id() == 0) {
                     return;
                   }
                   bool has_period = !row.is_null(8) && row.integer(8) > 0;
                   int64_t weight = has_period ? row.integer(8) : 1;
                   if (!limit_.allows(weight, 1)) {
                     ++too_heavy_;
                     return;
                   }
                   StackId stack = paths_.of(row.integer(9), kEmptyStack);
                   if (stack == kEmptyStack && (row.integer(4) != 0 || row.integer(3) != 0)) {
                     auto ip = static_cast<uint64_t>(row.integer(5));
                     stack = builder_.stack(kEmptyStack, frame(row.integer(4), row.integer(3), ip));
                   }
                   builder_.add_sample({.time_ns = row.integer(6) == 0 ? kNoTime : row.integer(6),
                                        .weight = weight,
                                        .stack = stack,
                                        .thread = thread(row.integer(1), row.integer(2)),
                                        .event = event(row.integer(0), has_period),
                                        .cpu = cpu_or_none(row, 7)});
                 });
  }

  void read_calls() {
    tables_.each("calls",
                 {"thread_id", "comm_id", "call_path_id", "call_time", "return_time", "parent_id"},
                 [&](const StoredRow& row) {
                   if (row.id() == 0) {
                     return;
                   }
                   StringId name = symbols_.of(path_symbols_.of(row.integer(2))).name;
                   int64_t begin = row.integer(3);
                   spans_.add(row.id(),
                              builder_.add_span({.begin_ns = begin,
                                                 .end_ns = std::max(begin, row.integer(4)),
                                                 .thread = thread(row.integer(0), row.integer(1)),
                                                 .name = name,
                                                 .kind = SpanKind::kCall,
                                                 .parent = spans_.of(row.integer(5))}));
                 });
  }

  void report() {
    if (too_heavy_ > 0) {
      builder_.add_loss(
          {.reason = "the weights are too large to be added up", .count = too_heavy_});
    }
    uint64_t switches = 0;
    tables_.each("context_switches", {}, [&](const StoredRow&) { ++switches; });
    if (switches > 0) {
      builder_.add_loss({.reason = "wick does not read the context switches of a database",
                         .what = "context switches",
                         .count = switches,
                         .severity = LossClass::kNotice});
    }
  }

  StoredTables& tables_;
  ProfileBuilder& builder_;
  RowsById<StringId> event_names_;
  RowsById<StoredThread> threads_;
  RowsById<StringId> comms_;
  RowsById<StringId> thread_names_;
  RowsById<ModuleId> modules_;
  RowsById<bool> kernel_;
  RowsById<StoredSymbol> symbols_;
  RowsById<LoadAddress> load_addresses_;
  RowsById<StackId> paths_;
  RowsById<int64_t> path_symbols_;
  RowsById<SpanId> spans_;
  std::map<std::pair<int64_t, int64_t>, ThreadId> made_threads_;
  std::map<std::pair<int64_t, bool>, EventId> made_events_;
  WeightLimit limit_;
  uint64_t too_heavy_ = 0;
};

}  // namespace

void read_perf_tables(StoredTables& tables, ProfileBuilder& builder) {
  PerfTables(tables, builder).read();
}

}  // namespace wick::sqlite
