// SPDX-License-Identifier: Apache-2.0
// LiveFiles: which file a process has mapped, while it is being recorded.
//
// The kernel reports path, device and inode, and not the build. So the file is opened when its
// first mapping is reported: through the process as long as it lives, else by its path if that is
// still the same inode. After that its build id is known for all processes that map it, however
// short they live.
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
    std::string build_id;              // raw; empty when the file has none
    std::unique_ptr<OpenedFile> file;  // when it was opened just now
  };
  Identity identify(const MapEvent& map, std::string path);

 private:
  std::string numbered(std::string path, const std::string& key);

  std::unordered_map<std::string, std::string> build_ids_;              // by file
  std::unordered_map<std::string, std::vector<std::string>> files_at_;  // without one, by path
};

}  // namespace wick
