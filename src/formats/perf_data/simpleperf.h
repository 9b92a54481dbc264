// SPDX-License-Identifier: Apache-2.0
// simpleperf is Android's perf: the same file, with its own records and feature sections. Stacks
// are unwound on the phone, and names are in the file, because the phone is not available later.
//
// Its own records have a size of 32 bits (fields.h). In older versions a record that did not fit 64
// kB was split into SPLIT records, whose bodies together are the record; SPLIT_END ends them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/bytes.h"
#include "formats/perf_data/file_recording.h"

namespace wick::perf_data {

class SimpleperfRecords {
 public:
  explicit SimpleperfRecords(FileRecording& recording) : recording_(recording) {}

  void take(const Record& record);
  void finish();

 private:
  static constexpr size_t kMaxSplitBytes = 256 << 20;

  void take_whole(uint32_t type, Bytes body);
  void read_event_ids(Bytes body);
  void read_kernel_symbols(Bytes body);
  void read_dso(Bytes body);
  void read_symbol(Bytes body);
  void read_unwinding_result(Bytes body);

  FileRecording& recording_;
  std::string split_;
  std::map<uint64_t, std::string> dso_paths_;
  std::map<uint64_t, uint64_t> stop_reasons_;
};

void read_simpleperf_files(Bytes section, FileRecording& recording);
void read_simpleperf_files2(Bytes section, FileRecording& recording);
void read_simpleperf_meta_info(Bytes section, FileRecording& recording);

}  // namespace wick::perf_data
