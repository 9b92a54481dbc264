// SPDX-License-Identifier: Apache-2.0
// The kernel as a file: vmlinux with symbols and perhaps debug information, from a distribution's
// debug package or from the build of the kernel.
//
//     by build id     DEBUG_DIR/.build-id/ab/cdef.debug, perf's cache (~/.debug)
//     by release      /boot, /usr/lib/debug/boot, /lib/modules/RELEASE and its build directory,
//                     also below DEBUG_DIR and SYMFS
//     by name         DEBUG_DIR/vmlinux, SYMFS/vmlinux, SYMFS/boot/vmlinux
//
// Only a file with the recorded build id counts; among those, one with debug information comes
// first.
//
// A kernel is linked for one address and moved to another at every boot (KASLR), all of its text by
// the same distance. Profiles contain distances from _text. So the linked address of code is the
// file's own _text plus that distance, wherever the kernel was loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "symbolize/module_files.h"

namespace wick {

struct KernelImage {
  std::unique_ptr<OpenedFile> file;  // null if there is none
  uint64_t text = 0;                 // linked address of _text
};

// `build_id` raw; `release` as in `uname -r`.
KernelImage find_kernel_image(const FileSearch& search,
                              std::string_view build_id,
                              const std::string& release);

// The paths to search, in order.
std::vector<std::string> kernel_image_paths(const FileSearch& search,
                                            std::string_view build_id,
                                            const std::string& release);

}  // namespace wick
