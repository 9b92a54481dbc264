// SPDX-License-Identifier: Apache-2.0
// The kernel's text: lines and inlined functions from its image (vmlinux), if one of that build is
// available. The kernel's symbol list names the other addresses (kallsyms.cc).
#include "pipeline/elf_names.h"

namespace wick {
namespace {

class KernelImageSource : public NameSource {
 public:
  explicit KernelImageSource(NamingContext& context) : context_(context) {}

  std::unique_ptr<ModuleNames> open(const ModuleToName& module, NameNotes& /*notes*/) override {
    if (module.kind != CodeKind::kKernelText || !context_.options().inlines) {
      return nullptr;
    }
    const KernelImage& image = context_.kernel().image();
    if (image.file == nullptr) {
      return nullptr;
    }
    return std::make_unique<ElfNames>(
        context_, module.path, ModuleDwarf::Source::of(*image.file), image.text);
  }

 private:
  NamingContext& context_;
};

}  // namespace

std::unique_ptr<NameSource> make_kernel_image_source(NamingContext& context) {
  return std::make_unique<KernelImageSource>(context);
}

}  // namespace wick
