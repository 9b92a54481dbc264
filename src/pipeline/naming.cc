// SPDX-License-Identifier: Apache-2.0
// Coordinates naming: keeps the sources of each module open, passes them new addresses, and lets
// ProfileNaming apply the answers.
#include "pipeline/naming.h"

#include <algorithm>

#include "base/escape.h"
#include "base/input.h"
#include "base/whole_input.h"
#include "pipeline/profile_naming.h"
#include "symbolize/text_symbols.h"

namespace wick {

Naming::Naming(NameOptions options, LoadedModules* loaded) : context_(std::move(options), loaded) {
  for (const NameSourceRow& row : name_source_rows()) {
    sources_.push_back(row.make(context_));
  }
}

Naming::~Naming() = default;

Naming::Key Naming::key_of(const ModuleToName& module) {
  return {module.path, module.build_id, module.kind};
}

ModuleSources& Naming::sources_of(const ModuleToName& module) {
  std::unique_ptr<ModuleSources>& known = modules_[key_of(module)];
  if (known == nullptr) {
    known = std::make_unique<ModuleSources>(module, sources_);
  }
  return *known;
}

void Naming::look_up(std::span<const AddressesToName> modules,
                     const NamingContext::RecordedKernel& kernel) {
  std::lock_guard lock(mutex_);
  context_.set_live(true);
  context_.set_kernel(kernel);
  for (const AddressesToName& one : modules) {
    looked_up_ += sources_of(one.module).look_up(one.addresses, false);
  }
}

// Files that a source fetched may help modules that were opened before: they are opened again.
void Naming::prepare(std::span<const WantedModule> wanted, NameNotes& notes) {
  std::vector<const WantedModule*> fresh;
  for (const WantedModule& one : wanted) {
    if (prepared_.insert(key_of(one.module)).second) {
      fresh.push_back(&one);
    }
  }
  std::ranges::stable_sort(fresh, std::ranges::greater(), &WantedModule::samples);
  std::vector<ModuleToName> modules;
  for (const WantedModule* one : fresh) {
    modules.push_back(one->module);
  }
  for (const std::unique_ptr<NameSource>& source : sources_) {
    std::vector<bool> was_fetched = source->prepare(modules, notes);
    for (size_t row = 0; row < modules.size(); ++row) {
      if (was_fetched[row]) {
        modules_.erase(key_of(modules[row]));
      }
    }
  }
}

Profile Naming::name(Profile profile, const Request& request) {
  std::lock_guard lock(mutex_);
  context_.set_live(!request.is_last);
  ProfileNaming naming(std::move(profile), context_);
  context_.set_kernel(naming.recorded_kernel());
  context_.set_recorded(naming.recorded_until());
  std::vector<WantedModule> wanted = naming.wanted_modules(request.loaded);
  NameNotes notes;
  prepare(wanted, notes);
  naming.add(notes);
  for (const WantedModule& one : wanted) {
    ModuleSources& sources = sources_of(one.module);
    looked_up_ += naming.apply(one, sources, request.is_last);
    naming.report(one, sources, request.report);
    if (request.is_last) {
      sources.save();
      modules_.erase(key_of(one.module));
    }
  }
  if (request.is_last) {
    close();
  }
  return naming.finish(context_.opened_symbol_files());
}

// Closes modules that were looked up during the recording but are not in the last profile.
void Naming::close() {
  for (const auto& [key, sources] : modules_) {
    sources->save();
  }
  modules_.clear();
}

Source recorded_host(const Profile& profile) {
  auto is_host = [](const Source& source) { return !source.guest_of.valid(); };
  auto found = std::ranges::find_if(profile.sources, is_host);
  return found == profile.sources.end() ? Source() : *found;
}

bool lacks_names(const Profile& profile) {
  bool has_addresses = false;
  for (const Frame& frame : profile.frames) {
    if (frame.module.valid() && frame.function.valid()) {
      return false;
    }
    has_addresses = has_addresses || (frame.module.valid() && frame.address != 0);
  }
  return has_addresses;
}

Result<> check_kallsyms(const std::string& path) {
  Input input = TRY(Input::open(path, nullptr));
  WholeInput whole(input);
  TextSymbols list = TextSymbols::from_kallsyms(std::string(whole.text()));
  if (list.kernel_text() != 0) {
    return {};
  }
  bool is_hidden = list.skipped_lines() == 0 && !whole.text().empty() &&
                   (list.empty() || list[list.size() - 1].start == 0);
  return fail_usage(
      "--kallsyms: {} does not list the functions of a kernel{}.",
      terminal_text(path),
      is_hidden
          ? ": its addresses are hidden. As root, copy /proc/kallsyms of the machine that recorded"
          : ". It must have the form of /proc/kallsyms, with _text or _stext");
}

Profile with_names(Profile profile, const NameOptions& options, std::vector<NamedModule>* report) {
  return Naming(options).name(std::move(profile), {.is_last = true, .report = report});
}

}  // namespace wick
