// SPDX-License-Identifier: Apache-2.0
// Unwind tables of files, cached between runs: compiling that of libc takes two milliseconds, that of
// libLLVM sixty, and reading a cached one a tenth of it.
#pragma once

#include "base/file_cache.h"
#include "elf/image.h"
#include "unwind/table.h"

namespace wick {

// `debug` may be null.
UnwindTable cached_unwind_table(const FileCache& cache,
                                const ElfImage& image,
                                const ElfImage* debug);

}  // namespace wick
