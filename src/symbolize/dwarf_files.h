// SPDX-License-Identifier: Apache-2.0
// Finds the other files with parts of a module's debug information:
//
//     alternate   the file with the entries that dwz moved: the path in .gnu_debugaltlink, relative
//                 to the file with that section (and to the target of a symbolic link to it), in
//                 DEBUG_DIR/.dwz, or by build id in DEBUG_DIR/.build-id
//     package     NAME.dwp next to the binary
//     split       the path in the skeleton: as it is, below the compiler's directory, or, for
//                 programs that were moved with their .dwo files, next to the binary
//
// A file with the right name but another build id is rejected.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "elf/dwarf_info.h"
#include "symbolize/module_files.h"

namespace wick {

class DwarfFileSearch : public DwarfFiles {
 public:
  // `path` and `image` belong to the file with .debug_info: the binary, or its debug file. The
  // image must outlive this object.
  DwarfFileSearch(const FileSearch& search, std::string path, const ElfImage& image)
      : search_(search), path_(std::move(path)), image_(image) {}

  const ElfImage* alternate() override;
  const ElfImage* package() override;
  const ElfImage* split(std::string_view directory, std::string_view name) override;

 private:
  const ElfImage* add(std::unique_ptr<OpenedFile> file);
  std::vector<std::string> alternate_paths(const std::string& named) const;

  FileSearch search_;
  std::string path_;
  const ElfImage& image_;
  std::vector<std::unique_ptr<OpenedFile>> opened_;
};

}  // namespace wick
