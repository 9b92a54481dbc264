// SPDX-License-Identifier: Apache-2.0
// The records that perf itself writes between those of the kernel. In file mode the header has most
// of their content, too; in pipe mode they replace the header.
#pragma once

#include "base/bytes.h"
#include "formats/perf_data/features.h"
#include "formats/perf_data/file_recording.h"

namespace wick::perf_data {

class ToolRecords {
 public:
  explicit ToolRecords(FileRecording& recording) : recording_(recording), features_(recording) {}

  // True if this record can change how others are read (attributes, ids): all earlier records must
  // be delivered first.
  static bool changes_events(uint32_t type) {
    return type == kHeaderAttr || type == kHeaderFeature || type == kSimpleperfEventId ||
           type == kSimpleperfSplitEnd;
  }

  // The scanner handles rounds, compressed data and trace data.
  void take(const Record& record);

 private:
  void read_attr(Bytes body);
  void read_event_update(Bytes body);
  void read_id_index(Bytes body);
  void read_time_conversion(Bytes body);

  FileRecording& recording_;
  FeatureReader features_;
};

}  // namespace wick::perf_data
