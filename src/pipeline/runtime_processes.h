// SPDX-License-Identifier: Apache-2.0
// RuntimeProcesses: the processes that make code while they run, with the files that they write
// about it (symbolize/runtime_code.h). One thread reports mappings; any thread may ask.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "pipeline/loaded_kind.h"
#include "stream/event.h"
#include "symbolize/runtime_code.h"

namespace wick {

class RuntimeProcesses {
 public:
  // `live`: the processes run right now, and their files are held open.
  RuntimeProcesses(std::string symfs, bool live) : symfs_(std::move(symfs)), live_(live) {}

  // At once: what a process sees is gone when it ends.
  void on_map(const MapEvent& map, LoadedKind kind);
  // With descriptors of its own; none when the process is not known to make code.
  std::optional<RuntimeProcess> find(int32_t pid) const;

 private:
  std::string symfs_;
  bool live_;
  mutable std::mutex mutex_;
  std::unordered_map<int32_t, RuntimeProcess> processes_;
};

}  // namespace wick
