// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_data/spool.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/descriptor.h"

namespace wick::perf_data {
namespace {

// On disk if possible, else in memory.
int nameless_file() {
  const char* configured = std::getenv("TMPDIR");
  for (const char* directory : {configured, "/var/tmp", "/tmp"}) {
    if (directory != nullptr) {
      int file = ::open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
      if (file >= 0) {
        return file;
      }
    }
  }
  return ::memfd_create("wick", MFD_CLOEXEC);
}

Result<> write_all(int file, Bytes bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return fail("Cannot write a temporary copy of the input: {}. Unpack the input first.",
                  std::strerror(errno));
    }
    bytes = bytes.subspan(written < 0 ? 0 : static_cast<size_t>(written));
  }
  return {};
}

}  // namespace

Result<Spooled> spool(Input& input) {
  Descriptor file(nameless_file());
  Spooled spooled;
  while (true) {
    Result<Bytes> block = input.next();
    if (!block) {
      spooled.error = block.error().message;
      break;
    }
    if (block->empty()) {
      break;
    }
    TRY(write_all(file.get(), *block));
  }
  spooled.file = TRY(MappedFile::map(file.get(), input.name()));
  return spooled;
}

}  // namespace wick::perf_data
