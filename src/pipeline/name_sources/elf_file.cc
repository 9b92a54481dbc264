// SPDX-License-Identifier: Apache-2.0
// Programs and libraries: the symbol table and the debug information of the mapped file. While a
// recording is open, its modules keep this file open, even if it was deleted since.
#include "pipeline/elf_names.h"

namespace wick {
namespace {

class ElfSource : public NameSource {
 public:
  explicit ElfSource(NamingContext& context) : context_(context) {}

  std::unique_ptr<ModuleNames> open(const ModuleToName& module, NameNotes& notes) override {
    if (module.kind != CodeKind::kFile) {
      return nullptr;
    }
    LoadedModules::OpenModule open;
    if (context_.loaded() != nullptr && module.loaded.valid()) {
      open = context_.loaded()->opened(module.loaded);
    }
    if (open.binary != nullptr) {
      ModuleDwarf::Source source{.binary = open.binary,
                                 .debug = open.debug,
                                 .path = open.path,
                                 .debug_path = open.debug_path};
      return std::make_unique<ElfNames>(context_, module.path, source);
    }
    ModuleFiles files;
    if (!open.is_gone) {
      files = find_module_files(context_.files(), module.path, module.build_id);
    }
    if (files.binary == nullptr && files.debug == nullptr) {
      notes.add(files.other_build ? "the file found is another build than the recorded one"
                                  : "the recorded file was not found",
                module.path);
      return nullptr;
    }
    ModuleDwarf::Source source = ModuleDwarf::Source::of(files);
    return std::make_unique<ElfNames>(context_, module.path, source, 0, std::move(files));
  }

 private:
  NamingContext& context_;
};

}  // namespace

std::unique_ptr<NameSource> make_elf_source(NamingContext& context) {
  return std::make_unique<ElfSource>(context);
}

}  // namespace wick
