// Names of the code that a process made while it ran, from what its run-time compiler wrote:
//
//     jit-PID.dump    where the process mapped it (jit_dump.h): names and lines
//     perf-PID.map    in /tmp of the process (text_symbols.h): names
//
// A process may live in a directory tree of its own, where it has another number: then the files
// are there, under that number. /proc/PID shows that tree only as long as the process lives, and
// some programs remove such files when they end. So while recording RuntimeProcess takes hold of
// both when the process makes code, and reads the files when names are wanted.
//
// /tmp is everybody's. A file counts only if it belongs to the user that runs wick, to root, or to
// the owner of the process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/descriptor.h"
#include "symbolize/jit_dump.h"
#include "symbolize/text_symbols.h"

namespace wick {

class RuntimeProcess {
 public:
  // A process of a recording. `symfs` is what all recorded paths are below.
  RuntimeProcess(int32_t pid, std::string symfs)
      : pid_(pid), inner_pid_(pid), symfs_(std::move(symfs)) {}
  // A process that runs right now, or ended just before.
  static RuntimeProcess live(int32_t pid);

  // Where it mapped its dump.
  void set_dump(std::string path);

  int32_t pid() const { return pid_; }
  int32_t inner_pid() const { return inner_pid_; }
  const std::string& dump_path() const { return dump_path_; }
  // Path of its map, as seen from the root of its directory tree.
  std::string map_path() const;
  // Keeps both files open, if they are there and were not kept before: they stay readable when
  // removed.
  void hold_files();
  const Descriptor& held_map() const { return map_; }
  const Descriptor& held_dump() const { return dump_; }
  // Opens a path of the process. Not valid when it is not there or belongs to someone else, which
  // `refused` then tells.
  Descriptor open(const std::string& path, bool& refused) const;

 private:
  int32_t pid_;
  int32_t inner_pid_;  // its number in its own directory tree
  std::string symfs_;
  // The root of that tree, if it is not ours, and what keeps its mounts when the process is gone.
  Descriptor root_;
  Descriptor mounts_;
  Descriptor map_;
  Descriptor dump_;
  std::optional<uid_t> owner_;
  std::string dump_path_;
};

// "/tmp/perf-PID.map", as modules of generated code are called: the number, or none.
std::optional<int32_t> pid_of_perf_map(std::string_view path);
// Whether a mapped file is a dump, by its name: jit-PID.dump.
bool is_jit_dump(std::string_view path);

class RuntimeCode {
 public:
  explicit RuntimeCode(const RuntimeProcess& process);

  std::optional<NamedCode> find(uint64_t address) const;
  // Empty when the process wrote none.
  const JitDump& dump() const { return dump_; }
  // A file that belongs to someone else and was not used, or empty.
  const std::string& refused() const { return refused_; }
  uint64_t damaged() const { return dump_.damaged(); }

 private:
  JitDump dump_;
  TextSymbols map_;
  std::string refused_;
};

}  // namespace wick
