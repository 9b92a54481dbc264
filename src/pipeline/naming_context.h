// SPDX-License-Identifier: Apache-2.0
// What the sources of names of one recording share: where to look for files, the kernel's symbols,
// the modules that the recording has open.
#pragma once

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
  // `loaded` may be null: then the profile was read, and its recording is gone.
  NamingContext(NameSources options, LoadedModules* loaded)
      : options_(std::move(options)), files_(options_.files), loaded_(loaded) {}

  const NameSources& options() const { return options_; }
  const FileSearch& files() const { return files_; }
  LoadedModules* loaded() const { return loaded_; }
  WorkerPool& pool() { return is_live_ ? one_ : all_; }
  // While a recording runs, names take one core at most.
  void set_live(bool is_live) { is_live_ = is_live; }

  // Debug files that a server sent, by build id in hexadecimal digits.
  void add_fetched(std::map<std::string, std::string> files);

  // What is known of the recorded kernel. It counts until the kernel's symbols are first asked for.
  struct RecordedKernel {
    std::string build_id;  // raw
    std::string release;
  };
  void set_kernel(RecordedKernel kernel);
  const std::string& kernel_release() const { return recorded_kernel_.release; }
  const KernelSymbols& kernel();

  // The file of --symbols.
  Result<const SymbolFile*> symbol_file();
  // The same if it has been opened, else null.
  const SymbolFile* opened_symbol_file() const { return symbols_ ? &*symbols_ : nullptr; }

  // Who made generated code, with descriptors of its own: any thread may use it.
  RuntimeProcess runtime_process(int32_t pid) const;

 private:
  NameSources options_;
  FileSearch files_;
  LoadedModules* loaded_;
  WorkerPool all_;
  WorkerPool one_{1};
  bool is_live_ = false;
  RecordedKernel recorded_kernel_;
  std::optional<KernelSymbols> kernel_;
  std::optional<SymbolFile> symbols_;
};

}  // namespace wick
