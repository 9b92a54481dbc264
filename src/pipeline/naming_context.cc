// SPDX-License-Identifier: Apache-2.0
#include "pipeline/naming_context.h"

namespace wick {

void NamingContext::add_fetched(std::map<std::string, std::string> files) {
  files_.fetched.merge(files);
}

void NamingContext::set_kernel(RecordedKernel kernel) {
  if (!kernel_) {
    recorded_kernel_ = std::move(kernel);
  }
}

const KernelSymbols& NamingContext::kernel() {
  if (!kernel_) {
    kernel_ = KernelSymbols::find(files_,
                                  {.build_id = recorded_kernel_.build_id,
                                   .release = recorded_kernel_.release,
                                   .kallsyms = options_.kallsyms});
  }
  return *kernel_;
}

Result<const SymbolFile*> NamingContext::symbol_file(const std::string& module) {
  auto known = symbols_.find(module);
  if (known != symbols_.end()) {
    return &known->second;
  }
  const GivenSymbols* given = find_given(options_, module);
  if (given == nullptr) {
    return nullptr;
  }
  SymbolFile file = TRY(SymbolFile::open(given->path));
  return &symbols_.emplace(module, std::move(file)).first->second;
}

RuntimeProcess NamingContext::runtime_process(int32_t pid) const {
  if (loaded_ != nullptr) {
    if (std::optional<RuntimeProcess> known = loaded_->runtime_process(pid)) {
      return std::move(*known);
    }
  }
  return RuntimeProcess(pid, files_.symfs);
}

}  // namespace wick
