// SPDX-License-Identifier: Apache-2.0
// debuginfod: fetches debug files from servers for the modules that lack them. It has no names
// itself: the other sources find the files by build id. All requests share one deadline, and wick
// accepts a file only if it is of the requested build (symbolize/module_files.cc).
#include "symbolize/debuginfod.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "elf/dwarf_sections.h"
#include "pipeline/name_source.h"
#include "pipeline/naming_context.h"
#include "symbolize/kernel_module.h"

namespace wick {
namespace {

class DebuginfodSource : public NameSource {
 public:
  explicit DebuginfodSource(NamingContext& context) : context_(context) {}

  std::vector<bool> prepare(std::span<const ModuleToName> modules, NameNotes& notes) override {
    std::vector<bool> was_fetched(modules.size());
    if (context_.options().debuginfod.empty()) {
      return was_fetched;
    }
    std::vector<std::string> wanted(modules.size());  // build ids in hexadecimal digits
    std::vector<std::string> build_ids;
    for (size_t row = 0; row < modules.size(); ++row) {
      wanted[row] = hex_digits(lacking_build_id(modules[row]));
      if (!wanted[row].empty()) {
        build_ids.push_back(wanted[row]);
      }
    }
    DebuginfodFetched fetched = fetch(build_ids, notes);
    for (size_t row = 0; row < modules.size(); ++row) {
      was_fetched[row] = fetched.files.contains(wanted[row]);
    }
    context_.add_fetched(std::move(fetched.files));
    return was_fetched;
  }

  std::unique_ptr<ModuleNames> open(const ModuleToName& /*module*/, NameNotes& /*notes*/) override {
    return nullptr;
  }

 private:
  DebuginfodFetched fetch(std::span<const std::string> build_ids, NameNotes& notes) const {
    const FileCache& cache = context_.options().cache;
    std::string directory;
    if (cache.is_on()) {
      directory = cache.directory() + "/debuginfod";
      ::mkdir(directory.c_str(), 0700);
    }
    DebuginfodOptions options{.urls = context_.options().debuginfod,
                              .directory = directory,
                              .patience = context_.options().debuginfod_patience};
    if (context_.options().on_download) {
      options.on_progress = [&](size_t done) {
        context_.options().on_download(done, build_ids.size());
      };
    }
    DebuginfodFetched fetched = fetch_debug_files(build_ids, options);
    if (!fetched.problem.empty()) {
      notes.add("debuginfod was not used", fetched.problem, 0);
    }
    if (fetched.missing > 0) {
      notes.add("debuginfod does not have all debug information",
                fmt::format("{} of {} files", fetched.missing, build_ids.size()),
                0);
    }
    if (fetched.wrong > 0) {
      notes.add(
          "a debuginfod server sent files that are not of the recorded build, or too large; "
          "they are not used",
          fmt::format("{} of {} files", fetched.wrong, build_ids.size()),
          0);
    }
    if (fetched.unreachable > 0) {
      notes.add(fmt::format("no debuginfod server could be used{}; check DEBUGINFOD_URLS and the "
                            "network",
                            fetched.connection_problem.empty()
                                ? ""
                                : fmt::format(" ({})", fetched.connection_problem)),
                fmt::format("{} of {} files", fetched.unreachable, build_ids.size()),
                0);
    }
    if (fetched.unfinished > 0) {
      notes.add("debuginfod timed out; downloaded files are cached, run again to continue",
                fmt::format("{} of {} files", fetched.unfinished, build_ids.size()),
                0);
    }
    return fetched;
  }

  // The build id, raw, of missing debug information; empty if it is available or the build is
  // unknown.
  std::string lacking_build_id(const ModuleToName& module) const {
    const FileSearch& search = context_.files();
    std::string build_id = module.build_id;
    bool has_lines = true;
    if (module.kind == CodeKind::kKernelText) {
      build_id = build_id.empty() ? running_kernel_build_id() : build_id;
      KernelImage image = find_kernel_image(search, build_id, context_.kernel_release());
      has_lines = image.file != nullptr && has_dwarf(image.file->image);
    } else if (module.kind == CodeKind::kKernelModule) {
      std::unique_ptr<OpenedFile> file =
          find_kernel_module(search, module.path, build_id, context_.kernel_release());
      has_lines = file != nullptr && has_dwarf(file->image);
    } else if (module.kind == CodeKind::kFile) {
      ModuleFiles files = find_module_files(search, module.path, build_id);
      has_lines = (files.binary != nullptr && has_dwarf(files.binary->image)) ||
                  files.debug != nullptr || open_debug_by_build_id(search, build_id) != nullptr;
    }
    return has_lines ? "" : build_id;
  }

  NamingContext& context_;
};

}  // namespace

std::unique_ptr<NameSource> make_debuginfod_source(NamingContext& context) {
  return std::make_unique<DebuginfodSource>(context);
}

}  // namespace wick
