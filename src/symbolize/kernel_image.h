// The kernel as a file: vmlinux with symbols and perhaps debug information, as distributions put it
// into their debug packages and as a kernel's own build leaves it behind.
//
//     by build id     DEBUG_DIR/.build-id/ab/cdef.debug, perf's cache (~/.debug)
//     by release      /boot, /usr/lib/debug/boot, /lib/modules/RELEASE and its build directory,
//                     also below DEBUG_DIR and SYMFS
//     by name         DEBUG_DIR/vmlinux, SYMFS/vmlinux, SYMFS/boot/vmlinux
//
// Only a file with the recorded build id counts; of those, one with debug information comes first.
//
// A kernel is linked for one address and moved to another at every boot (KASLR), all of its text by
// the same distance. Profiles hold distances from _text, so the linked address of a place is that
// distance from the file's own _text, wherever the kernel stood.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "symbolize/module_files.h"

namespace wick {

struct KernelImage {
  std::unique_ptr<OpenedFile> file;  // null when there is none
  uint64_t text = 0;                 // linked address of _text
};

// `build_id` raw; `release` as in `uname -r`.
KernelImage find_kernel_image(const FileSearch& search,
                              std::string_view build_id,
                              const std::string& release);

// Where it would be looked for, first to last.
std::vector<std::string> kernel_image_places(const FileSearch& search,
                                             std::string_view build_id,
                                             const std::string& release);

}  // namespace wick
