// SPDX-License-Identifier: Apache-2.0
// Kernel modules: lines and inlined functions from their files (.ko). wick can choose the file only
// when it has the first addresses, because the kernel's symbol list must agree with the file at
// these addresses (symbolize/kernel_module.h).
#include "symbolize/kernel_module.h"

#include "pipeline/elf_names.h"

namespace wick {
namespace {

class KernelModuleNames : public ModuleNames {
 public:
  KernelModuleNames(NamingContext& context, ModuleToName module)
      : context_(context), module_(std::move(module)) {}

  void find(std::span<const uint64_t> addresses) override {
    ++calls_;
    if (!is_open_) {
      is_open_ = true;
      open(addresses);
    }
    if (names_ != nullptr) {
      names_->find(addresses);
    }
  }
  // The kernel's list must agree at all addresses, not only at those of the first call.
  bool has_changed(bool now) override {
    if (!now || calls_ < 2) {
      return false;
    }
    names_.reset();
    is_open_ = false;
    return true;
  }
  NameAnswers answers() override { return names_ != nullptr ? names_->answers() : NameAnswers(); }
  bool adds_lines() const override { return true; }
  void report(NameNotes& notes, NameFiles& files) const override {
    if (is_elsewhere_) {
      notes.add("the file of a kernel module has its functions at other offsets than the kernel",
                module_.path);
    }
    if (names_ != nullptr) {
      names_->report(notes, files);
    }
  }
  void save() override {
    if (names_ != nullptr) {
      names_->save();
    }
  }

 private:
  void open(std::span<const uint64_t> addresses) {
    KernelModuleFile found = find_module_as_loaded(
        context_.files(), context_.kernel(), module_.path, module_.build_id, addresses);
    is_elsewhere_ = found.elsewhere;
    if (found.file != nullptr) {
      ModuleDwarf::Source source = ModuleDwarf::Source::of(*found.file);
      uint64_t base = found.file->image.base();
      ModuleFiles files;
      files.binary = std::move(found.file);
      names_ = std::make_unique<ElfNames>(context_, module_.path, source, base, std::move(files));
    }
  }

  NamingContext& context_;
  ModuleToName module_;
  std::unique_ptr<ElfNames> names_;  // null if no file fits
  int calls_ = 0;
  bool is_open_ = false;
  bool is_elsewhere_ = false;
};

class KernelModuleSource : public NameSource {
 public:
  explicit KernelModuleSource(NamingContext& context) : context_(context) {}

  std::unique_ptr<ModuleNames> open(const ModuleToName& module, NameNotes& /*notes*/) override {
    if (module.kind != CodeKind::kKernelModule || !context_.options().inlines) {
      return nullptr;
    }
    return std::make_unique<KernelModuleNames>(context_, module);
  }

 private:
  NamingContext& context_;
};

}  // namespace

std::unique_ptr<NameSource> make_kernel_module_source(NamingContext& context) {
  return std::make_unique<KernelModuleSource>(context);
}

}  // namespace wick
