// SPDX-License-Identifier: Apache-2.0
// From the path that a compiler recorded to the source file on this machine.
//
// Searched in this order:
//
//     OLD=NEW     from the user: replaces OLD at the start of a path by NEW
//     DIR         from the user: the path below DIR, then without its first directory, and so on
//     SYMFS/path  if recorded files are below a directory
//     path        itself; a relative one starts at the current directory, then at the binary's
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

struct SourceSearch {
  std::vector<std::string> dirs;  // DIR or OLD=NEW
  std::string symfs;
  std::function<bool(const std::string& path)> may_show = {};  // empty: every file
};

// "a:b=c" as --source-dir takes it.
std::vector<std::string> split_source_dirs(std::string_view text);

struct SourceFileText {
  std::string path;
  std::vector<std::string> lines;
  int64_t modified = 0;  // seconds
};
// `binary` is the path of the file with the code. None if there is no such regular file.
std::optional<SourceFileText> find_source(const SourceSearch& search,
                                          const std::string& recorded,
                                          const std::string& binary);

}  // namespace wick
