// SPDX-License-Identifier: Apache-2.0
// Writes a perf.data file that perf itself can read: header, ids and attributes first, then the
// kernel's records, and notes about the machine at the end (layout.h shows it).
//
// The header has the size of the data, which is known only at the end. If the file is cut off
// before, the size is 0, and perf reads such a file to its end. Records must arrive in order of
// time. Then FINISHED_ROUND may be written at any point, because nothing older follows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/output.h"
#include "kernel_records/record_writer.h"
#include "stream/event.h"

namespace wick::perf_data {

// The content of the notes.
struct WrittenHost {
  std::string name;
  std::string release;  // of the kernel
  std::string architecture;
  std::string version;  // of the recorder
  std::vector<std::string> command_line;
  uint32_t cpus = 0;
};

class Writer : public kernel_records::RecordWriter {
 public:
  // `out` must be able to overwrite (Output::growing) and outlive the writer.
  Writer(Output& out, WrittenHost host) : out_(out), host_(std::move(host)) {}

  void begin(std::vector<kernel_records::WrittenEvent> events) override;
  void write(const kernel_records::Record& record, uint64_t time) override;
  void finish_round() override;
  // A file that was mapped, or the kernel ("[kernel.kallsyms]"), and its build id, raw. Other
  // programs need it to recognise the file later.
  void add_build_id(std::string_view path, std::string_view build_id);
  // Writes the features, and a header with the locations of all sections.
  void finish();

  void on_map(const MapEvent& event) override;
  void on_comm(const CommEvent& event) override;

 private:
  std::string feature(uint32_t number) const;
  std::string header(uint64_t data_bytes, uint64_t features) const;
  void write_record(uint32_t type, uint16_t misc, const std::string& body);

  Output& out_;
  WrittenHost host_;
  std::vector<kernel_records::WrittenEvent> events_;
  std::string build_ids_;  // the section
  uint64_t attrs_offset_ = 0;
  uint64_t attrs_bytes_ = 0;
  uint64_t data_offset_ = 0;
  uint64_t first_time_ = 0;
  uint64_t last_time_ = 0;
  bool round_is_open_ = false;
};

}  // namespace wick::perf_data
