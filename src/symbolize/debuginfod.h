// SPDX-License-Identifier: Apache-2.0
// Downloads debug information from servers by build id, if the user asks for it.
//
// wick does not implement HTTP: it runs debuginfod-find if that is installed, else curl, which
// writes the files to a directory of wick's. Both read the servers' addresses from DEBUGINFOD_URLS.
// A few downloads run at once, in the given order, and all of them together have a time limit. wick
// continues without the files that have not arrived by then.
//
// A server may lie: an answer counts only if it is an ELF file of the requested build. Another
// answer of curl's is deleted, so that the next run asks again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>

namespace wick {

struct DebuginfodOptions {
  std::string urls;       // separated by blanks
  std::string directory;  // for the files that curl downloads
  std::chrono::milliseconds patience = std::chrono::seconds(30);
  size_t at_once = 4;
  uint64_t largest_file = uint64_t{4} << 30;  // curl's downloads end here
  // Called several times a second with the number of files that are done; may be empty.
  std::function<void(size_t done)> on_progress = {};
};

struct DebuginfodFetched {
  std::map<std::string, std::string> files;  // path by build id in hexadecimal digits
  size_t missing = 0;                        // number that no server has
  size_t wrong = 0;                          // number for which a server sent something else
  size_t unreachable = 0;                    // number for which no server has answered
  std::string connection_problem;            // why, of one of them: "Connection refused"
  size_t unfinished = 0;                     // number that the time limit stopped
  std::string problem;                       // why no server could be asked, as a sentence
};

DebuginfodFetched fetch_debug_files(std::span<const std::string> build_ids,
                                    const DebuginfodOptions& options);

}  // namespace wick
