// From the path and build id that a recording names to the files that hold code, unwind information
// and symbols today, on this machine.
//
//     what ran     SYMFS/path, path itself, the build-id cache of perf (~/.debug)
//     its symbols  DEBUG_DIR/.build-id/ab/cdef.debug, then by .gnu_debuglink: beside the file, in
//                  .debug/ beside it, and under DEBUG_DIR
//
// A file counts only when its build id is the recorded one: names from another build are worse than
// no names. Where the recording knows no build id the path must do.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "elf/image.h"
#include "elf/unpack.h"

namespace wick {

struct FileSearch {
  std::string symfs;                    // all recorded paths are below this directory
  std::vector<std::string> debug_dirs;  // asked first to last
  std::string build_id_cache;           // perf's, empty for none
  bool live = false;  // the processes run right now: /proc shows the files that they see
  std::map<std::string, std::string> fetched;  // debug files from servers, by build id in hex
};

// Where Debian, Fedora and perf put things: /usr/lib/debug and ~/.debug.
FileSearch default_file_search();

struct OpenedFile {
  std::string path;
  MappedFile file;
  OwnedBytes unpacked;  // of a packed file; else empty
  ElfImage image;
};

// With the slash at its end; empty for a name alone.
std::string directory_of(std::string_view path);

struct ModuleFiles {
  std::unique_ptr<OpenedFile> binary;  // what was mapped: code and .eh_frame; may be null
  std::unique_ptr<OpenedFile> debug;   // symbols and DWARF apart from it; may be null
  bool other_build = false;            // a file of that path is here, but of another build
};

// `build_id` as raw bytes, empty when the recording does not know it. `binary` is what was mapped,
// when it has been opened already: a process that runs shows files that are deleted, or in a
// directory tree of its own.
ModuleFiles find_module_files(const FileSearch& search,
                              const std::string& path,
                              std::string_view build_id,
                              std::unique_ptr<OpenedFile> binary = nullptr);

// Where a debug file of that build and path is looked for, first to last; by the link of the
// binary, if that is here.
std::vector<std::string> debug_file_places(const FileSearch& search,
                                           const std::string& path,
                                           std::string_view build_id,
                                           const ElfImage* binary);

// Whether a file is of the recorded build. Recordings pad short build ids with zeros to 20 bytes,
// or cut them there.
bool is_same_build(std::string_view recorded, Bytes found);

// "ab/cdef...": how directories of build ids are laid out. The id as raw bytes.
std::string build_id_path(std::string_view build_id);

// Opens an ELF file, packed (xz, zstd) or not; null when it is not there or not one.
std::unique_ptr<OpenedFile> open_elf(const std::string& path);

// The debug file of a binary that is here, by build id or by its link; or null.
std::unique_ptr<OpenedFile> find_debug_file(const FileSearch& search,
                                            const std::string& path,
                                            const ElfImage& binary);

// The file of that build in DEBUG_DIR/.build-id, or null. The id as raw bytes.
std::unique_ptr<OpenedFile> open_debug_by_build_id(const FileSearch& search,
                                                   std::string_view build_id);

}  // namespace wick
