// SPDX-License-Identifier: Apache-2.0
#include "pipeline/name_quality.h"

#include <algorithm>

#include <fmt/format.h>

#include "elf/dwarf_sections.h"
#include "profile/names.h"
#include "symbolize/debian_package.h"

namespace wick {
namespace {

struct Seen {
  uint64_t samples = 0;
  bool has_addresses = false;  // addresses that could have names
  bool names = false;
  bool lines = false;
};

std::vector<Seen> look_at_modules(const Profile& profile) {
  std::vector<Seen> seen(profile.modules.size());
  for (const Frame& frame : profile.frames) {
    if (frame.module.valid()) {
      Seen& module = seen[frame.module.index()];
      module.has_addresses = module.has_addresses || frame.address != 0;
      module.names = module.names || has_symbol(profile, frame);
      module.lines = module.lines || frame.line > 0;
    }
  }
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    StackId stack = profile.samples.stack[row];
    if (stack != kEmptyStack) {
      ModuleId module = profile.frames[profile.stacks.frame(stack)].module;
      if (module.valid()) {
        seen[module.index()].samples += profile.samples.count[row];
      }
    }
  }
  return seen;
}

std::string joined(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", path);
  }
  return text;
}

// Explains from the available files.
void explain_file(const FileSearch& search, std::string_view build_id, ModuleLack& lack) {
  ModuleFiles files = find_module_files(search, lack.module, build_id);
  std::string id(build_id);
  if (files.binary != nullptr) {
    id = as_text(files.binary->image.build_id());
  }
  std::vector<std::string> paths;
  if (files.binary == nullptr) {
    paths.push_back(search.symfs + lack.module);
  }
  std::vector<std::string> debug_paths = debug_file_paths(
      search, lack.module, id, files.binary != nullptr ? &files.binary->image : nullptr);
  paths.insert(paths.end(), debug_paths.begin(), debug_paths.end());
  lack.looked_in = joined(paths);
  bool has_lines = (files.binary != nullptr && has_dwarf(files.binary->image)) ||
                   (files.debug != nullptr && has_dwarf(files.debug->image)) ||
                   (files.binary != nullptr &&
                    find_debug_file(search, lack.module, files.binary->image) != nullptr);
  if (has_lines) {
    lack.why = "the profile was made without them";
    lack.remedy = "wick symbolize FILE";
    return;
  }
  if (files.binary == nullptr) {
    lack.why = files.other_build ? "the file found is another build" : "the file was not found";
    lack.remedy = "--symfs DIR with a copy of the file";
    return;
  }
  lack.why = "the file has no debug information, and no debug file was found";
  std::string package = debian_debug_package(debian_package_of(lack.module));
  lack.remedy = package.empty() ? "build it with -g" : "apt install " + package;
}

void explain_map(const FileSearch& search, ModuleLack& lack) {
  if (::access((search.symfs + lack.module).c_str(), F_OK) == 0) {
    lack.why =
        "this perf map has no function at the sampled addresses: it was cut, or written by "
        "another process with the same number";
    lack.remedy = "write the complete map to that path, then `wick symbolize FILE`";
    return;
  }
  lack.why = "the program that generated this code wrote no perf map";
  lack.remedy =
      "node --perf-basic-prof, PYTHONPERFSUPPORT=1, java "
      "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit";
}

}  // namespace

std::vector<ModuleLack> lacking_names(const Profile& profile, const FileSearch& search) {
  std::vector<Seen> seen = look_at_modules(profile);
  std::vector<ModuleLack> lacking;
  for (size_t row = 0; row < seen.size(); ++row) {
    const Module& module = profile.modules[ModuleId::from_index(row)];
    std::string path(profile.strings[module.path]);
    bool is_kernel = path.starts_with("[kernel");
    bool is_complete = seen[row].lines || (is_kernel && seen[row].names);
    if (is_complete || !seen[row].has_addresses || (!path.starts_with('/') && !is_kernel)) {
      continue;
    }
    ModuleLack lack{.module = path, .samples = seen[row].samples};
    lack.lacks = seen[row].names ? "lines and inlined functions" : "names and lines";
    if (is_kernel) {
      lack.why = "/proc/kallsyms hid its addresses, or this is another kernel";
      lack.remedy = "sysctl kernel.kptr_restrict=0 before recording, or --kallsyms FILE";
    } else if (path.starts_with("/tmp/perf-")) {
      lack.lacks = "names";
      explain_map(search, lack);
      if (seen[row].names) {
        continue;
      }
    } else {
      explain_file(search, bytes_of_hex(profile.strings[module.build_id]), lack);
    }
    lacking.push_back(std::move(lack));
  }
  std::ranges::stable_sort(lacking, std::ranges::greater(), &ModuleLack::samples);
  return lacking;
}

}  // namespace wick
