// Feature sections: what perf wrote down about the machine, the command and the events. In file
// mode they follow the data; in pipe mode each comes in a HEADER_FEATURE record. Most become facts,
// a few are needed for reading: the architecture, names of events, build ids.
//
// A text here is a length in 4 bytes and as many bytes, filled up with NULs; a list is a number in
// 4 bytes and as many items. Layouts stand beside the functions that read them.
#pragma once

#include "base/bytes.h"
#include "formats/perf_data/file_recording.h"

namespace wick::perf_data {

class FeatureReader {
 public:
  explicit FeatureReader(FileRecording& recording) : recording_(recording) {}

  // Reads one section. Some parts need the host announced first; read_late says which.
  void read(uint32_t feature, Bytes section);
  // Build ids and symbols are told to the sink right away, so they wait for host and kinds.
  static bool read_late(uint32_t feature);

 private:
  bool read_known(uint32_t feature, Bytes section);

  FileRecording& recording_;
};

// One {header, pid 4, build id 20, its size 1, 3, path}, as in the BUILD_ID section and in
// HEADER_BUILD_ID records; `record` is all of it.
void read_build_id(Bytes record, FileRecording& recording);

}  // namespace wick::perf_data
