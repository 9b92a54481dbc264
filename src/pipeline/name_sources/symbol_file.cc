// SPDX-License-Identifier: Apache-2.0
// --symbols: the kernel of another system or one of its programs, from its ELF file or from the
// output of `nm -CS`. An address between two functions gets the name of the one before it, with kBeyondEnd, so that users
// do not mistake it for that function.
#include "pipeline/elf_names.h"
#include "pipeline/foreign_kernel.h"
#include "symbolize/demangle.h"

namespace wick {
namespace {

class TextNames : public ListedNames {
 public:
  TextNames(const SymbolFile& file, const ModuleToName& module)
      : ListedNames(module.path), file_(file) {}

 protected:
  std::optional<NamedCode> name_of(uint64_t address) override {
    std::optional<NamedRange> function = file_.find(address);
    return function ? std::optional(NamedCode{.function = *function}) : std::nullopt;
  }

 private:
  const SymbolFile& file_;
};

// The names of the file, then those of the gaps.
class SymbolFileNames : public ModuleNames {
 public:
  SymbolFileNames(std::unique_ptr<ModuleNames> names, const SymbolFile& file)
      : names_(std::move(names)), file_(file) {}

  void find(std::span<const uint64_t> addresses) override {
    names_->find(addresses);
    for (uint64_t address : unnamed(addresses)) {
      if (std::optional<NamedRange> before = file_.find_before(address)) {
        std::string shown = demangled(before->name) + std::string(kBeyondEnd);
        gaps_.add_listed(address, NamedCode{.function = {before->start, 0, shown}});
      }
    }
  }
  NameAnswers answers() override {
    NameAnswers answers = names_->answers();
    answers.views.push_back(gaps_.view());
    return answers;
  }
  bool adds_lines() const override { return names_->adds_lines(); }
  void report(NameNotes& notes, NameFiles& files) const override { names_->report(notes, files); }
  void save() override { names_->save(); }

 private:
  std::vector<uint64_t> unnamed(std::span<const uint64_t> addresses) {
    NameAnswers answers = names_->answers();
    return without_names(addresses, answers);
  }

  std::unique_ptr<ModuleNames> names_;
  const SymbolFile& file_;
  AddressTable gaps_;
};

class SymbolFileSource : public NameSource {
 public:
  explicit SymbolFileSource(NamingContext& context) : context_(context) {}

  std::unique_ptr<ModuleNames> open(const ModuleToName& module, NameNotes& notes) override {
    bool is_kernel = module.kind == CodeKind::kOtherSystem;
    if (!is_kernel && module.kind != CodeKind::kOther) {
      return nullptr;
    }
    Result<const SymbolFile*> file = context_.symbol_file(module.path);
    if (file && *file == nullptr) {
      if (is_kernel) {
        notes.add("addresses in another system's kernel have no names",
                  "use --symbols with that kernel, or with the output of `nm -CS`");
      }
      return nullptr;
    }
    if (!file) {
      notes.add("the symbols cannot be read", file.error().message);
      return nullptr;
    }
    std::unique_ptr<ModuleNames> names;
    if (const OpenedFile* elf = (*file)->elf()) {
      names = std::make_unique<ElfNames>(context_, elf->path, ModuleDwarf::Source::of(*elf));
    } else {
      names = std::make_unique<TextNames>(**file, module);
    }
    return std::make_unique<SymbolFileNames>(std::move(names), **file);
  }

 private:
  NamingContext& context_;
};

}  // namespace

std::unique_ptr<NameSource> make_symbol_file_source(NamingContext& context) {
  return std::make_unique<SymbolFileSource>(context);
}

}  // namespace wick
