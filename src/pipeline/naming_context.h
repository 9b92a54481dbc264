// SPDX-License-Identifier: Apache-2.0
// The data that the sources of names of one recording share: where to search files, the kernel's
// symbols, and the open modules of the recording.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/worker_pool.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/name_options.h"
#include "pipeline/symbol_file.h"
#include "symbolize/kernel_symbols.h"

namespace wick {

class NamingContext {
 public:
  // `loaded` is null for a profile from a file, without its recording.
  NamingContext(NameOptions options, LoadedModules* loaded)
      : options_(std::move(options)), files_(options_.files), loaded_(loaded) {}

  const NameOptions& options() const { return options_; }
  const FileSearch& files() const { return files_; }
  LoadedModules* loaded() const { return loaded_; }
  WorkerPool& pool() { return is_live_ ? one_ : all_; }
  // During a recording, naming uses at most one core.
  void set_live(bool is_live) { is_live_ = is_live; }

  // Debug files that a server sent, by build id in hexadecimal digits.
  void add_fetched(std::map<std::string, std::string> files);

  // The known facts about the recorded kernel. Set them before the first use of the kernel's
  // symbols.
  struct RecordedKernel {
    std::string build_id;  // raw
    std::string release;
  };
  void set_kernel(RecordedKernel kernel);
  // When the recording ended, since 1970; kNoTime if unknown.
  void set_recorded(int64_t wall_time_ns) { recorded_ns_ = wall_time_ns; }
  int64_t recorded_ns() const { return recorded_ns_; }
  const std::string& kernel_release() const { return recorded_kernel_.release; }
  const KernelSymbols& kernel();

  // The file of --symbols for the module; null if none is given.
  Result<const SymbolFile*> symbol_file(const std::string& module);
  // Those that have been opened, by module.
  using SymbolFiles = std::map<std::string, SymbolFile>;
  const SymbolFiles& opened_symbol_files() const { return symbols_; }

  // The process that generated code, with its own descriptors: any thread may use it.
  RuntimeProcess runtime_process(int32_t pid) const;

 private:
  NameOptions options_;
  FileSearch files_;
  LoadedModules* loaded_;
  WorkerPool all_;
  WorkerPool one_{1};
  bool is_live_ = false;
  RecordedKernel recorded_kernel_;
  int64_t recorded_ns_ = kNoTime;
  std::optional<KernelSymbols> kernel_;
  SymbolFiles symbols_;
};

}  // namespace wick
