// SPDX-License-Identifier: Apache-2.0
// The kernel's symbol list, for its text and its modules: from /proc/kallsyms, from a copy that
// came with the recording, or from the symbols of an image (symbolize/kernel_symbols.h).
#include "pipeline/name_source.h"
#include "pipeline/naming_context.h"

namespace wick {
namespace {

class KallsymsNames : public ListedNames {
 public:
  KallsymsNames(NamingContext& context, const ModuleToName& module)
      : ListedNames(module.path), context_(context) {}

  void report(NameNotes& notes, NameFiles& files) const override {
    ListedNames::report(notes, files);
    if (const std::string& problem = context_.kernel().problem(); !problem.empty()) {
      notes.add("the kernel's functions have no names", problem, 0);
    }
  }

 protected:
  std::optional<NamedCode> name_of(uint64_t address) override {
    std::optional<NamedRange> function = context_.kernel().find_in(path(), address);
    return function ? std::optional(NamedCode{.function = *function}) : std::nullopt;
  }

 private:
  NamingContext& context_;
};

class KallsymsSource : public NameSource {
 public:
  explicit KallsymsSource(NamingContext& context) : context_(context) {}

  std::unique_ptr<ModuleNames> open(const ModuleToName& module, NameNotes& /*notes*/) override {
    bool is_kernel = module.kind == CodeKind::kKernelText || module.kind == CodeKind::kKernelModule;
    return is_kernel ? std::make_unique<KallsymsNames>(context_, module) : nullptr;
  }

 private:
  NamingContext& context_;
};

}  // namespace

std::unique_ptr<NameSource> make_kallsyms_source(NamingContext& context) {
  return std::make_unique<KallsymsSource>(context);
}

}  // namespace wick
