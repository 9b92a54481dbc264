// Finds the files that hold parts of a module's debug information:
//
//     alternate   what dwz moved shared entries to: where .gnu_debugaltlink says, seen from the
//                 file with the section (and from where a symbolic link to it points), in
//                 DEBUG_DIR/.dwz, or by build id in DEBUG_DIR/.build-id
//     package     NAME.dwp beside the binary
//     split       where the skeleton says: as it is, below the directory the compiler ran in, or,
//                 for programs that were moved with their .dwo files, beside the binary
//
// A file of the right name but with another build id is not taken.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "elf/dwarf_info.h"
#include "symbolize/module_files.h"

namespace wick {

class FoundDwarfFiles : public DwarfFiles {
 public:
  // `path` and `image` are of the file with .debug_info: the binary, or its debug file. The image
  // must outlive this.
  FoundDwarfFiles(const FileSearch& search, std::string path, const ElfImage& image)
      : search_(search), path_(std::move(path)), image_(image) {}

  const ElfImage* alternate() override;
  const ElfImage* package() override;
  const ElfImage* split(std::string_view directory, std::string_view name) override;

 private:
  const ElfImage* keep(std::unique_ptr<OpenedFile> file);
  std::vector<std::string> alternate_places(const std::string& named) const;

  FileSearch search_;
  std::string path_;
  const ElfImage& image_;
  std::vector<std::unique_ptr<OpenedFile>> opened_;
};

}  // namespace wick
