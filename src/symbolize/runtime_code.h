// SPDX-License-Identifier: Apache-2.0
// Names of code that a process generated, from the files that its JIT compiler wrote:
//
//     jit-PID.dump    where the process mapped it (jit_dump.h): names and lines
//     perf-PID.map    in /tmp of the process (text_symbols.h): names
//
// A process may live in a container with its own directory tree and another pid: then the files are
// there, under that pid. /proc/PID shows that tree only while the process lives, and some programs
// remove such files when they end. So, while recording, RuntimeProcess opens both when the process
// generates code, and reads the files when names are needed.
//
// /tmp is writable for all users. A file counts only if it belongs to the user that runs wick, to
// root, or to the owner of the process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/descriptor.h"
#include "base/mapped_file.h"

namespace wick {

// The number of a running process or thread in its own pid namespace; the same number if unknown.
int32_t innermost_pid(int32_t pid);

class RuntimeProcess {
 public:
  // A process of a recording. All recorded paths are below `symfs`.
  RuntimeProcess(int32_t pid, std::string symfs)
      : pid_(pid), inner_pid_(pid), symfs_(std::move(symfs)) {}
  // A process that is running, or ended just before.
  static RuntimeProcess live(int32_t pid);
  // The same process with its own descriptors, for another thread.
  RuntimeProcess duplicate() const;

  // The path at which it mapped its dump.
  void set_dump(std::string path);

  int32_t pid() const { return pid_; }
  int32_t inner_pid() const { return inner_pid_; }
  const std::string& dump_path() const { return dump_path_; }
  // The path of its map, relative to the root of its directory tree.
  std::string map_path() const;
  // Opens both files if they exist and are not open yet: they stay readable after they are removed.
  void hold_files();
  const Descriptor& held_map() const { return map_; }
  const Descriptor& held_dump() const { return dump_; }
  // Opens a path of the process. The result is not valid if the file is absent or belongs to
  // another user; `refused` reports the latter.
  Descriptor open(const std::string& path, bool& refused) const;

 private:
  int32_t pid_;
  int32_t inner_pid_;  // its pid in its own namespace
  std::string symfs_;
  // The root of that tree, if it is not wick's own, and a descriptor that keeps its mounts alive
  // after the process has ended.
  Descriptor root_;
  Descriptor mounts_;
  Descriptor map_;
  Descriptor dump_;
  std::optional<uid_t> owner_;
  std::string dump_path_;
};

// The pid in "/tmp/perf-PID.map", the name of modules of generated code; or none.
std::optional<int32_t> pid_of_perf_map(std::string_view path);
// Whether a mapped file is a dump, by its name: jit-PID.dump.
bool is_jit_dump(std::string_view path);

// A file that a process wrote about its code, as it is now.
struct RuntimeFile {
  MappedFile file;      // empty when the process wrote none
  std::string refused;  // the path of a file that belongs to another user, or empty
};
RuntimeFile open_jit_dump(const RuntimeProcess& process);
RuntimeFile open_perf_map(const RuntimeProcess& process);

}  // namespace wick
