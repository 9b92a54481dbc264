// SPDX-License-Identifier: Apache-2.0
// From the path and build id in a recording to the files on this machine that hold code, unwind
// information and symbols.
//
//     binary       SYMFS/path, path itself, the build-id cache of perf (~/.debug)
//     its symbols  DEBUG_DIR/.build-id/ab/cdef.debug, DEBUG_DIR/ab/cdef.debug, any file in a
//                  directory that the user named, then by .gnu_debuglink: next to the file, in
//                  .debug/ next to it, and under DEBUG_DIR
//
// A file counts only if its build id is the recorded one: names from another build are worse than
// no names. If the recording has no build id, the path decides. A file with that build id may have
// been stripped or cut since then: perf's copy, or the next debug file, is used instead if it has
// more.
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

// A file in a directory that the user named.
struct ListedFile {
  std::string build_id;  // raw
  std::string path;
};

struct FileSearch {
  std::string symfs;                           // all recorded paths are below this directory
  std::vector<std::string> debug_dirs;         // searched in this order
  std::vector<ListedFile> listed;              // of the directories that the user named
  std::string build_id_cache;                  // perf's; empty for none
  std::map<std::string, std::string> fetched;  // debug files from servers, by build id in hex
};

// The default paths of Debian, Fedora and perf: /usr/lib/debug and ~/.debug.
FileSearch default_file_search();

// The ELF files in a directory, not in those below it, that have a build id. Of several files with
// one build id, the one with most symbols comes first.
std::vector<ListedFile> list_files_by_build_id(const std::string& directory);

struct OpenedFile {
  std::string path;
  MappedFile file;
  OwnedBytes unpacked;  // of a packed file; else empty
  ElfImage image;
};

// Whether the file has a full symbol table, not only that of the dynamic linker.
bool has_symbols(const ElfImage& image);

// Ends with a slash; empty for a name without a directory.
std::string directory_of(std::string_view path);

struct ModuleFiles {
  std::unique_ptr<OpenedFile> binary;  // the mapped file: code and .eh_frame; may be null
  std::unique_ptr<OpenedFile> debug;   // separate file with symbols and DWARF; may be null
  bool other_build = false;            // the path has a file, but of another build
  bool is_not_elf = false;  // the path has a file of another format, and nothing else fits
};

// `build_id` is raw, empty if the recording does not have it. `binary` is the mapped file, if it is
// already open: a running process gives access to files that are deleted, or in another mount
// namespace.
ModuleFiles find_module_files(const FileSearch& search,
                              const std::string& path,
                              std::string_view build_id,
                              std::unique_ptr<OpenedFile> binary = nullptr);

// The paths where a debug file of that build and path may be, in order; also by the link of the
// binary, if that is available.
std::vector<std::string> debug_file_paths(const FileSearch& search,
                                          const std::string& path,
                                          std::string_view build_id,
                                          const ElfImage* binary);

// Whether a file has the recorded build id. Recordings pad short build ids with zeros to 20 bytes,
// or cut them there.
bool is_same_build(std::string_view recorded, Bytes found);

// "ab/cdef...": the layout of directories of build ids. The id is raw.
std::string build_id_path(std::string_view build_id);

// Opens an ELF file, packed (xz, zstd) or not; null if it is absent or not an ELF file.
std::unique_ptr<OpenedFile> open_elf(const std::string& path);

// The debug file of an available binary, by build id or by its link; or null.
std::unique_ptr<OpenedFile> find_debug_file(const FileSearch& search,
                                            const std::string& path,
                                            const ElfImage& binary);

// The path of a debug file of this module that is cut short: a copy or a download has not finished,
// or the disk was full. Empty if there is none. `binary` may be null.
std::string find_cut_debug_file(const FileSearch& search,
                                const std::string& path,
                                std::string_view build_id,
                                const ElfImage* binary);

// The file of that build in a directory for debug files, or null. The id is raw.
std::unique_ptr<OpenedFile> open_debug_by_build_id(const FileSearch& search,
                                                   std::string_view build_id);

}  // namespace wick
