// SPDX-License-Identifier: Apache-2.0
// Caches the unwind tables of files between runs: compiling the table of libc takes two
// milliseconds, that of libLLVM sixty; reading a cached one takes a tenth of that.
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
