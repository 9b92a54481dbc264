// SPDX-License-Identifier: Apache-2.0
#include "pipeline/runtime_processes.h"

#include "profile/unknown.h"

namespace wick {

void RuntimeProcesses::on_map(const MapEvent& map, LoadedKind kind) {
  bool is_dump = kind == LoadedKind::kFile && is_jit_dump(map.path);
  if (kind != LoadedKind::kGenerated && !is_dump) {
    return;
  }
  std::lock_guard lock(mutex_);
  auto known = processes_.find(map.at.pid);
  if (known == processes_.end()) {
    RuntimeProcess process =
        live_ ? RuntimeProcess::live(map.at.pid) : RuntimeProcess(map.at.pid, symfs_);
    known = processes_.emplace(map.at.pid, std::move(process)).first;
  }
  if (is_dump) {
    known->second.set_dump(std::string(map.path));
  }
  if (live_) {
    known->second.hold_files();
  }
}

std::optional<RuntimeProcess> RuntimeProcesses::find(int32_t pid) const {
  std::lock_guard lock(mutex_);
  auto found = processes_.find(pid);
  return found == processes_.end() ? std::nullopt : std::optional(found->second.duplicate());
}

RuntimeProcesses::Dumped RuntimeProcesses::dumped_code_at(int32_t pid,
                                                          uint64_t address,
                                                          int64_t time_ns) {
  std::lock_guard lock(reading_dumps_);
  std::optional<RuntimeProcess> process = find(pid);
  if (!process || process->dump_path().empty()) {
    return {};
  }
  auto [known, is_new] = dumps_.try_emplace(process->dump_path());
  DumpedCode& code = known->second;
  if (is_new) {
    code.file = open_jit_dump(*process).file;
    code.dump = JitDump::parse(code.file.bytes());
  }
  bool has_time = time_ns != kNoTime && code.dump.has_monotonic_times();
  std::optional<uint32_t> function =
      has_time ? code.dump.number_at(address, time_ns) : code.dump.number_at(address);
  if (!function) {
    return {};
  }
  Bytes all = code.dump.code_of(*function, code.file.bytes());
  uint64_t at = address - code.dump.start_of(*function);
  return {.code = at < all.size() ? all.subspan(at) : Bytes(), .number = *function + 1};
}

}  // namespace wick
