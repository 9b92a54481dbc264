// SPDX-License-Identifier: Apache-2.0
// A module of the kernel as a file (.ko): the lines and inlined functions that its list of names
// lacks.
//
//     by build id   DEBUG_DIR/.build-id/ab/cdef.debug, and files that a server sent
//     by path       as recorded, or for "[ext4]" the path in /lib/modules/RELEASE/modules.dep;
//                   below SYMFS and DEBUG_DIR, packed (.xz, .zst) or not, as .ko or .ko.debug
//
// A module is a relocatable file: the kernel chooses the addresses of its sections. Their order
// follows from the file (elf/image.h); for a loaded module the kernel gives the addresses. The
// kernel's list is decisive: functions must start at their listed addresses, otherwise the file is
// another build or has another layout, and wick does not use it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "symbolize/kernel_symbols.h"
#include "symbolize/module_files.h"

namespace wick {

// `module` as in recordings: "[ext4]", ".../ext4.ko.xz". `build_id` is raw; empty if unknown. Null
// if there is no such file; one with debug information comes first.
std::unique_ptr<OpenedFile> find_kernel_module(const FileSearch& search,
                                               std::string_view module,
                                               std::string_view build_id,
                                               const std::string& release);

// Reads /sys/module/NAME/sections for a module that is loaded at `start`: one file for each
// section, with its address. Changes nothing if they cannot be read.
void move_sections_as_loaded(const std::string& directory, uint64_t start, ElfImage& image);

struct KernelModuleFile {
  std::unique_ptr<OpenedFile> file;  // may be null
  bool elsewhere = false;            // a file exists, but its functions are at other addresses
};
// The file with its sections at their real addresses. `addresses` are offsets from the module's
// start, at which the file and the list must agree.
KernelModuleFile find_module_as_loaded(const FileSearch& search,
                                       const KernelSymbols& kernel,
                                       std::string_view module,
                                       std::string_view build_id,
                                       std::span<const uint64_t> addresses);

}  // namespace wick
