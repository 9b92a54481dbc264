// SPDX-License-Identifier: Apache-2.0
// LiveFiles: finds the file that a process has mapped, during a recording.
//
// The kernel reports path, device and inode, but not the build. So wick opens the file when the
// kernel reports its first mapping: through the process as long as it runs, otherwise by its path
// if that is still the same inode. From then on wick knows its build id for all processes that map
// it, however short they run.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "stream/event.h"
#include "symbolize/module_files.h"

namespace wick {

class LiveFiles {
 public:
  struct Identity {
    std::string path;                  // as the profile shows it
    std::string build_id;              // raw; empty if the file has none
    std::unique_ptr<OpenedFile> file;  // if this call opened it
  };
  Identity identify(const MapEvent& map, std::string path);
  // Whether a memory file contains a program or a library, not the code of a run-time compiler.
  bool is_elf(const MapEvent& map);

 private:
  std::string numbered(std::string path, const std::string& key);

  std::unordered_map<std::string, std::string> build_ids_;              // by file
  std::unordered_map<std::string, std::vector<std::string>> files_at_;  // files without build id,
                                                                        // by path
  std::unordered_map<std::string, bool> memory_files_;                  // whether they are ELF
};

}  // namespace wick
