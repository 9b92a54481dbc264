// SPDX-License-Identifier: Apache-2.0
// The header of a recording and the sections it points to: layout.h shows both. Offsets and sizes
// come from the file, so all of them are checked.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "formats/perf_data/file_recording.h"
#include "kernel_records/fields.h"

namespace wick::perf_data {

struct Section {
  uint64_t offset = 0;
  uint64_t size = 0;
};

struct FileHeader {
  ByteOrder order = ByteOrder::kLittle;
  int version = 2;
  bool pipe = false;
  uint64_t size = 0;
  uint64_t attr_size = 0;
  Section attrs;
  Section data;
  Section event_types;
  std::vector<uint32_t> features;  // in the order of their sections
};

bool has_magic(Bytes head);

// Parses the first kFileHeaderBytes, or as many as there are. The error is the end of a sentence.
Result<FileHeader> parse_file_header(Bytes head);

// The bytes of a section, as far as the file has them.
Bytes section_bytes(Bytes file, const Section& section);

// Reads events and their ids, names of version 1, then features. The host is announced in between,
// so that names and build ids come after it.
void read_attributes(Bytes file, const FileHeader& header, FileRecording& recording);
void read_features(Bytes file, const FileHeader& header, FileRecording& recording);

}  // namespace wick::perf_data
