// SPDX-License-Identifier: Apache-2.0
#include "symbolize/module_dwarf.h"

namespace wick {

ModuleDwarf::Source ModuleDwarf::Source::of(const OpenedFile& binary) {
  return {.binary = &binary.image, .path = binary.path, .debug_path = {}};
}

ModuleDwarf::Source ModuleDwarf::Source::of(const ModuleFiles& files) {
  Source source = files.binary != nullptr ? of(*files.binary) : Source();
  if (files.debug != nullptr) {
    source.debug = &files.debug->image;
    source.debug_path = files.debug->path;
  }
  return source;
}

ModuleDwarf::ModuleDwarf(const FileSearch& search, const Source& source) {
  if (source.binary != nullptr && has_dwarf(*source.binary)) {
    open(search, *source.binary, source.path);
  } else if (source.debug != nullptr && has_dwarf(*source.debug)) {
    open(search, *source.debug, source.debug_path);
  } else if (source.binary != nullptr) {
    // A binary with a symbol table has not needed a debug file so far.
    searched_ = find_debug_file(search, source.path, *source.binary);
    if (searched_ != nullptr && has_dwarf(searched_->image)) {
      open(search, searched_->image, searched_->path);
    }
  }
}

void ModuleDwarf::open(const FileSearch& search, const ElfImage& image, const std::string& path) {
  files_ = std::make_unique<DwarfFileSearch>(search, path, image);
  info_ = std::make_unique<DwarfInfo>(image, files_.get());
  lacks_alternate_ = image.debug_alt_link().has_value() && !info_->has_alternate();
}

std::vector<const char*> ModuleDwarf::shortcomings() const {
  std::vector<const char*> found;
  if (lacks_alternate_) {
    found.push_back("the file with the shared part of the debug information was not found");
  }
  if (info_ != nullptr && info_->missing_split() > 0) {
    found.push_back("files with split debug information (.dwo, .dwp) were not found");
  }
  // Without the shared part every reference into it leads nowhere, which is not damage.
  if (info_ != nullptr && info_->damaged() > 0 && !lacks_alternate_) {
    found.push_back("the debug information is partly damaged");
  }
  return found;
}

}  // namespace wick
