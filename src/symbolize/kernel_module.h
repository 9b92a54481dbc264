// A module of the kernel as a file (.ko): the lines and inlined functions that its list of names
// lacks.
//
//     by build id   DEBUG_DIR/.build-id/ab/cdef.debug, and what a server sent
//     by path       as recorded, or for "[ext4]" where /lib/modules/RELEASE/modules.dep says;
//                   below SYMFS and DEBUG_DIR, packed (.xz, .zst) or not, as .ko or .ko.debug
//
// A module is a relocatable file: the kernel decides where its sections stand. Their order follows
// from the file (elf/image.h); where the module is loaded right now the kernel says it. The
// kernel's list has the last word: functions must begin where they are listed, else this is another
// build or another layout, and the file is not used.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "symbolize/kernel_symbols.h"
#include "symbolize/module_files.h"

namespace wick {

// `module` as recordings call it: "[ext4]", ".../ext4.ko.xz". `build_id` raw; empty when unknown.
// Null when there is none; one with debug information comes first.
std::unique_ptr<OpenedFile> find_kernel_module(const FileSearch& search,
                                               std::string_view module,
                                               std::string_view build_id,
                                               const std::string& release);

// From /sys/module/NAME/sections, for a module that is loaded at `start`: one file a section, with
// its address. Changes nothing where they cannot be read.
void move_sections_as_loaded(const std::string& directory, uint64_t start, ElfImage& image);

struct KernelModuleFile {
  std::unique_ptr<OpenedFile> file;  // may be null
  bool elsewhere = false;            // there is one, with functions elsewhere than they are listed
};
// With its sections where they were; the addresses are distances from the module's start that the
// list must agree about.
KernelModuleFile find_module_as_loaded(const FileSearch& search,
                                       const KernelSymbols& kernel,
                                       std::string_view module,
                                       std::string_view build_id,
                                       std::span<const uint64_t> addresses);

}  // namespace wick
