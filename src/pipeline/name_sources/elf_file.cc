// SPDX-License-Identifier: Apache-2.0
// Programs and libraries: the symbol table and the debug information of the mapped file. While a
// recording is open, its modules keep this file open, even if it was deleted since.
#include <sys/stat.h>

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
      report_change(module, open.path, notes);
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
      notes.add(files.other_build  ? "the file found is another build than the recorded one"
                : files.is_not_elf ? "the recorded file is not an ELF file, so it has no names"
                                   : "the recorded file was not found",
                module.path);
      return nullptr;
    }
    ModuleDwarf::Source source = ModuleDwarf::Source::of(files);
    report_change(module, source.path, notes);
    return std::make_unique<ElfNames>(context_, module.path, source, 0, std::move(files));
  }

 private:
  // Without a build id, a file that was written after the recording may be another build. Its names
  // are used all the same: a copy of the recorded file is as new.
  void report_change(const ModuleToName& module, const std::string& path, NameNotes& notes) const {
    struct stat status = {};
    bool is_live = context_.loaded() != nullptr && context_.loaded()->is_live();
    bool is_known = context_.recorded_ns() != kNoTime && !is_live;
    if (!is_known || !module.build_id.empty() || ::stat(path.c_str(), &status) != 0) {
      return;
    }
    constexpr int64_t kSecond = 1'000'000'000;
    int64_t changed_ns = status.st_mtim.tv_sec * kSecond + status.st_mtim.tv_nsec;
    if (changed_ns > context_.recorded_ns()) {
      notes.add(
          "the file is newer than the recording, and without a build id wick cannot verify that it "
          "is the recorded one: its names may be wrong",
          module.path);
    }
  }

  NamingContext& context_;
};

}  // namespace

std::unique_ptr<NameSource> make_elf_source(NamingContext& context) {
  return std::make_unique<ElfSource>(context);
}

}  // namespace wick
