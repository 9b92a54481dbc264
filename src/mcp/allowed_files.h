// SPDX-License-Identifier: Apache-2.0
// The files that a client may name: those on the command line, and those below its folders.
//
// wick resolves every path (symbolic links, "..") before it decides, and then uses the resolved
// path. A path on the command line is resolved once, at the start, so a link that changes later
// leads to nothing new. A named file need not exist yet: a recording may come later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wick::mcp {

class AllowedFiles {
 public:
  // An Error names a path that cannot be allowed: a pipe, "-", a name in a missing folder.
  static Result<AllowedFiles> of(const std::vector<std::string>& named);

  // The path to open, for a path of the client: absolute, relative to the current directory or to a
  // named folder, or the name of the only such file in the folders. The Error does not reveal
  // whether another file exists.
  Result<std::string> resolve(std::string_view path) const;
  // Whether an existing file, after resolving its path, is allowed.
  bool contains(const std::string& path) const;

  struct File {
    std::string path;   // resolved
    std::string shown;  // as the command line would name it
    uint64_t bytes = 0;
    int64_t modified = 0;   // seconds
    bool is_named = false;  // on the command line, not found in a folder
  };
  struct Listing {
    std::vector<File> files;  // newest first
    bool is_cut = false;      // the folders contain more than wick looks at
  };
  // Allowed regular files, without those in hidden folders.
  Listing files() const;

  // "perf.data and build/profiles", for sentences.
  std::string text() const;

 private:
  struct Root {
    std::string named;
    std::string path;  // resolved
  };
  bool is_below_root(std::string_view path) const;  // resolved
  bool leads_out(const std::string& path) const;
  std::optional<std::string> only_file_named(std::string_view name) const;

  std::vector<Root> roots_;
};

}  // namespace wick::mcp
