// SPDX-License-Identifier: Apache-2.0
// ElfNames: the names in one ELF file and its debug information. The sources for programs,
// libraries, the kernel's image and kernel modules share it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/name_source.h"
#include "pipeline/naming_context.h"
#include "symbolize/module_resolver.h"

namespace wick {

class ElfNames : public ModuleNames {
 public:
  // `path` is the module's, for notes. `files` are the files that this object must keep open, if it
  // has opened them itself.
  ElfNames(NamingContext& context,
           std::string path,
           const ModuleDwarf::Source& source,
           uint64_t base = 0,
           ModuleFiles files = {})
      : context_(context),
        path_(std::move(path)),
        files_(std::move(files)),
        source_(source),
        base_(base),
        resolver_(context.files(), context.options().cache, source, context.options().inlines) {}

  void find(std::span<const uint64_t> addresses) override;
  NameAnswers answers() override { return {.views = resolver_.views(), .base = base_}; }
  bool adds_lines() const override { return true; }
  std::optional<uint64_t> linked_address(uint64_t file_offset) const override;
  void report(NameNotes& notes, NameFiles& files) const override;
  void save() override { resolver_.save(); }

 private:
  NamingContext& context_;
  std::string path_;
  ModuleFiles files_;
  ModuleDwarf::Source source_;
  uint64_t base_;
  ModuleResolver resolver_;
};

}  // namespace wick
