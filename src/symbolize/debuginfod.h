// Debug information from servers, by build id, when it is asked for.
//
// wick speaks no HTTP: debuginfod-find does the work where it is installed, else curl, which puts
// the files into a directory of ours. Both read the servers' addresses from DEBUGINFOD_URLS. A few
// run at once, in the order that is given, and all of them together have a limited time: what has
// not come by then is done without.
#pragma once

#include <chrono>
#include <map>
#include <span>
#include <string>

namespace wick {

struct DebuginfodOptions {
  std::string urls;       // separated by blanks
  std::string directory;  // for what curl brings
  std::chrono::milliseconds patience = std::chrono::seconds(30);
  size_t at_once = 4;
};

struct DebuginfodFetched {
  std::map<std::string, std::string> files;  // path by build id in hexadecimal digits
  size_t missing = 0;                        // no server has it
  size_t unfinished = 0;                     // the time was over
  std::string problem;                       // why nothing could be asked for, as a sentence
};

DebuginfodFetched fetch_debug_files(std::span<const std::string> build_ids,
                                    const DebuginfodOptions& options);

}  // namespace wick
