// SPDX-License-Identifier: Apache-2.0
// Feature sections: perf's notes about the machine, the command and the events. In file mode they
// follow the data; in pipe mode each is in a HEADER_FEATURE record. Most become facts. A few are
// needed for reading: the architecture, names of events, build ids.
//
// A text is a length in 4 bytes and as many bytes, padded with NULs. A list is a number in 4 bytes
// and as many items. The layouts are above the functions that read them.
#pragma once

#include "base/bytes.h"
#include "formats/perf_data/file_recording.h"

namespace wick::perf_data {

class FeatureReader {
 public:
  explicit FeatureReader(FileRecording& recording) : recording_(recording) {}

  // Reads one section. Some sections need the host to be announced first; read_late says which.
  void read(uint32_t feature, Bytes section);
  // Build ids and symbols go to the sink immediately, so they must wait for the host and the
  // events.
  static bool read_late(uint32_t feature);

 private:
  bool read_known(uint32_t feature, Bytes section);

  FileRecording& recording_;
};

// Reads one {header, pid 4, build id 20, its size 1, 3, path}, as in the BUILD_ID section and in
// HEADER_BUILD_ID records. `record` is all of it.
void read_build_id(Bytes record, FileRecording& recording);

}  // namespace wick::perf_data
