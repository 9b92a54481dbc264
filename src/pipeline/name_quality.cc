// SPDX-License-Identifier: Apache-2.0
// Reads from the profile which modules lack names or lines, then looks for the files that would have
// them, as naming does, and says what it has met. The kind of the module decides which files these
// are: explain() has a branch for each. A file with debug information is asked for the very addresses
// that lack lines, so that advice to use it is never in vain.
#include "pipeline/name_quality.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "elf/dwarf_sections.h"
#include "pipeline/symbol_file.h"
#include "profile/names.h"
#include "profile/runtimes.h"
#include "symbolize/debian_package.h"
#include "symbolize/module_dwarf.h"
#include "symbolize/runtime_code.h"

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

// Whether the debug information has lines for code of the module that has none in the profile. It
// may describe other parts of the file only: a library that was linked into it, or none at all.
bool has_missing_lines(const Profile& profile, ModuleId module, const ModuleDwarf& dwarf) {
  constexpr size_t kMostAddresses = 64;  // finding a line can mean to read a unit of megabytes
  if (profile.modules[module].address_kind == AddressKind::kFileOffset) {
    return true;  // the file that says which addresses these are was absent until now
  }
  size_t asked = 0;
  std::vector<DwarfFrame> found;
  for (const Frame& frame : profile.frames) {
    if (frame.module != module || frame.address == 0 || frame.line > 0) {
      continue;
    }
    found.clear();
    dwarf.find(frame.address, found);
    if (std::ranges::any_of(found, [](const DwarfFrame& one) { return one.line > 0; })) {
      return true;
    }
    if (++asked == kMostAddresses) {
      break;
    }
  }
  return false;
}

// Explains from the available files.
void explain_file(const Profile& profile,
                  ModuleId module,
                  const FileSearch& search,
                  MissingNames& missing) {
  std::string build_id = bytes_of_hex(profile.strings[profile.modules[module].build_id]);
  ModuleFiles files = find_module_files(search, missing.module, build_id);
  std::string id = build_id;
  if (files.binary != nullptr) {
    id = as_text(files.binary->image.build_id());
  }
  std::vector<std::string> paths;
  if (files.binary == nullptr) {
    paths.push_back(search.symfs + missing.module);
  }
  std::vector<std::string> debug_paths = debug_file_paths(
      search, missing.module, id, files.binary != nullptr ? &files.binary->image : nullptr);
  paths.insert(paths.end(), debug_paths.begin(), debug_paths.end());
  missing.searched = joined(paths);
  const ElfImage* binary = files.binary != nullptr ? &files.binary->image : nullptr;
  std::unique_ptr<OpenedFile> debug = std::move(files.debug);
  if (debug == nullptr && binary != nullptr) {
    debug = find_debug_file(search, missing.module, *binary);
  }
  bool is_described = (binary != nullptr && has_dwarf(*binary)) ||
                      (debug != nullptr && !debug->image.is_cut() && has_dwarf(debug->image));
  if (is_described) {
    ModuleDwarf::Source source{.binary = binary,
                               .debug = debug != nullptr ? &debug->image : nullptr,
                               .path = missing.module,
                               .debug_path = debug != nullptr ? debug->path : ""};
    bool was_unused = has_missing_lines(profile, module, ModuleDwarf(search, source));
    missing.why = was_unused ? "the profile was made without them"
                             : "the file's debug information does not describe this code";
    missing.remedy = was_unused ? "wick symbolize FILE" : "build this code with -g";
    return;
  }
  if (std::string cut = find_cut_debug_file(search, missing.module, id, binary); !cut.empty()) {
    missing.why = fmt::format("its debug file is cut short: {}", cut);
    missing.remedy = "install or copy its debug file again, then `wick symbolize FILE`";
    return;
  }
  if (files.is_not_elf) {
    missing.why = "the file is not an ELF file, so it has no names that wick can read";
    return;
  }
  if (files.binary == nullptr) {
    missing.why = files.other_build ? "the file found is another build" : "the file was not found";
    missing.remedy = "--symfs DIR with a copy of the file";
    return;
  }
  missing.why = "the file has no debug information, and no debug file was found";
  std::string advice = debian_debug_advice(debian_package_of(missing.module));
  missing.remedy = advice.empty() ? "build it with -g, or name its debug file's directory with "
                                    "--debug-dir"
                                  : advice;
}

bool is_kernel_path(std::string_view path) {
  return path.starts_with("[kernel");
}

void explain_map(const Profile& profile, const FileSearch& search, MissingNames& missing) {
  if (::access((search.symfs + missing.module).c_str(), F_OK) == 0) {
    missing.why =
        "this perf map has no function at the sampled addresses: it was cut, or written by "
        "another process with the same number";
    missing.remedy =
        fmt::format("write the complete map to {}, then `wick symbolize FILE`", missing.module);
    return;
  }
  missing.why = "the program that generated this code wrote no perf map";
  GeneratingRuntimes runtimes = generating_runtimes(profile);
  auto runtime = runtimes.find(file_name_of(missing.module));
  missing.remedy = runtime == runtimes.end() ? "" : runtime->second->names;
}

void explain(const Profile& profile,
             ModuleId module,
             const FileSearch& search,
             MissingNames& missing) {
  if (is_kernel_path(missing.module)) {
    missing.why =
        "the kernel's list of symbols lacks these addresses: /proc/kallsyms hid them, the list is "
        "cut, or it is of another kernel";
    missing.remedy =
        "sysctl kernel.kptr_restrict=0 before recording, or --kallsyms FILE with a complete list";
  } else if (pid_of_perf_map(missing.module)) {
    explain_map(profile, search, missing);
  } else if (is_foreign_program(profile, missing.module)) {
    missing.why = "it is a program of another system";
    missing.remedy =
        fmt::format("--symbols {}=FILE", missing.module.substr(1, missing.module.size() - 2));
  } else if (missing.module.starts_with('/')) {
    explain_file(profile, module, search, missing);
  }
}

// Self weight without names, by module.
struct UnnamedTime {
  double all = 0;
  double unnamed = 0;
  ModuleId module;  // the one with most of it; none if it is not in a module
  double in_module = 0;
};

bool is_unnamed(const Profile& profile, const Frame& frame) {
  return !has_symbol(profile, frame) ||
         profile.strings[profile.functions[frame.function].name] == "[unknown]";
}

UnnamedTime unnamed_time(const Profile& profile) {
  UnnamedTime time;
  std::vector<double> by_module(profile.modules.size() + 1);
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    StackId stack = profile.samples.stack[row];
    if (profile.samples.event[row] != profile.samples.event[0] || stack == kEmptyStack) {
      continue;
    }
    const Frame& leaf = profile.frames[profile.stacks.frame(stack)];
    auto weight = static_cast<double>(profile.samples.weight[row]);
    time.all += weight;
    if (is_unnamed(profile, leaf)) {
      time.unnamed += weight;
      by_module[leaf.module.valid() ? leaf.module.index() : profile.modules.size()] += weight;
    }
  }
  auto most = std::ranges::max_element(by_module);
  auto row = static_cast<size_t>(most - by_module.begin());
  time.module = row < profile.modules.size() ? ModuleId::from_index(row) : ModuleId();
  time.in_module = *most;
  return time;
}

}  // namespace

std::string note_of_unnamed_time(const Profile& profile, const FileSearch& search) {
  constexpr double kLeastShare = 0.1;
  UnnamedTime time = unnamed_time(profile);
  if (time.unnamed <= kLeastShare * time.all || !time.module.valid()) {
    return {};
  }
  MissingNames missing{.module = std::string(profile.strings[profile.modules[time.module].path])};
  if (missing.module == kForeignKernel) {
    return {};  // naming reports it
  }
  explain(profile, time.module, search, missing);
  return fmt::format("{:.1f} % of the self time is in functions without names, {:.1f} % in {}{}",
                     100 * time.unnamed / time.all,
                     100 * time.in_module / time.all,
                     module_name(profile, time.module),
                     missing.remedy.empty() ? "; `wick quality` shows more."
                                            : fmt::format(". To get names: {}.", missing.remedy));
}

std::vector<MissingNames> modules_without_names(const Profile& profile, const FileSearch& search) {
  std::vector<Seen> seen = look_at_modules(profile);
  std::vector<MissingNames> all;
  for (size_t row = 0; row < seen.size(); ++row) {
    ModuleId module = ModuleId::from_index(row);
    std::string path(profile.strings[profile.modules[module].path]);
    bool is_kernel = is_kernel_path(path);
    bool is_complete = seen[row].lines || (is_kernel && seen[row].names);
    if (is_complete || !seen[row].has_addresses || (!path.starts_with('/') && !is_kernel)) {
      continue;
    }
    MissingNames missing{.module = path, .samples = seen[row].samples};
    missing.what = seen[row].names ? "lines and inlined functions" : "names and lines";
    if (pid_of_perf_map(path)) {
      missing.what = "names";
      if (seen[row].names) {
        continue;
      }
    }
    explain(profile, module, search, missing);
    all.push_back(std::move(missing));
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &MissingNames::samples);
  return all;
}

}  // namespace wick
