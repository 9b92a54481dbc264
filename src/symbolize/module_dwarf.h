// SPDX-License-Identifier: Apache-2.0
// ModuleDwarf: the debug information of one module from all its files: the binary, its separate
// debug file, and the files that those refer to (dwarf_files.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "elf/dwarf_info.h"
#include "symbolize/dwarf_files.h"
#include "symbolize/module_files.h"

namespace wick {

class ModuleDwarf {
 public:
  // The files. The images must outlive this object; `binary` or `debug` may be null, but not both.
  struct Source {
    const ElfImage* binary = nullptr;
    const ElfImage* debug = nullptr;
    std::string path;        // of the binary
    std::string debug_path;  // of the debug file, if there is one

    static Source of(const OpenedFile& binary);
    static Source of(const ModuleFiles& files);
  };
  ModuleDwarf(const FileSearch& search, const Source& source);

  // Whether there is no debug information for any address.
  bool empty() const { return info_ == nullptr || info_->empty(); }
  // As DwarfInfo::find().
  void find(uint64_t address, std::vector<DwarfFrame>& frames) const {
    if (info_ != nullptr) {
      info_->find(address, frames);
    }
  }
  const DwarfInfo* info() const { return info_.get(); }
  // Whether it has searched for a debug file and found one that is not cut.
  bool has_whole_debug_file() const { return searched_ != nullptr && !searched_->image.is_cut(); }
  // Missing or damaged parts, as sentences without a full stop; further reading may find more.
  std::vector<const char*> shortcomings() const;

 private:
  void open(const FileSearch& search, const ElfImage& image, const std::string& path);

  std::unique_ptr<OpenedFile> searched_;  // a debug file that was found only now
  std::unique_ptr<DwarfFileSearch> files_;
  std::unique_ptr<DwarfInfo> info_;
  bool lacks_alternate_ = false;  // the file with dwz's shared entries is missing
};

}  // namespace wick
