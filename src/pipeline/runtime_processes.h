// SPDX-License-Identifier: Apache-2.0
// RuntimeProcesses: the processes that generate code while they run, with the files that they write
// about it (symbolize/runtime_code.h). One thread reports mappings; any thread may call find().
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "pipeline/loaded_kind.h"
#include "stream/event.h"
#include "symbolize/jit_dump.h"
#include "symbolize/runtime_code.h"

namespace wick {

class RuntimeProcesses {
 public:
  // `live`: the processes run now, and their files stay open.
  RuntimeProcesses(std::string symfs, bool live) : symfs_(std::move(symfs)), live_(live) {}

  // Opens the files at once: the directory tree of a process is no longer reachable after its end.
  void on_map(const MapEvent& map, LoadedKind kind);
  // With its own descriptors; none if the process is not known to generate code.
  std::optional<RuntimeProcess> find(int32_t pid) const;
  // The code at an address as its dump has it, and its number in the dump, which is not 0. If
  // memory was used again, this is the code of that time; without a time, or if the dump has times
  // of another clock, the last one. Empty if the process wrote none. The first call for a process
  // reads its dump.
  struct Dumped {
    Bytes code;
    uint32_t number = 0;
  };
  Dumped dumped_code_at(int32_t pid, uint64_t address, int64_t time_ns);

 private:
  std::string symfs_;
  bool live_;
  mutable std::mutex mutex_;
  std::unordered_map<int32_t, RuntimeProcess> processes_;

  struct DumpedCode {
    MappedFile file;
    JitDump dump;
  };
  std::mutex reading_dumps_;
  std::unordered_map<std::string, DumpedCode> dumps_;  // by path
};

}  // namespace wick
