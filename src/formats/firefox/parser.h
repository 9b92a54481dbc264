// SPDX-License-Identifier: Apache-2.0
// Reads the JSON of a Firefox profile into the columns of tables.h. It stops at the end of the
// JSON, or where the JSON is damaged; everything before that is in the result.
#pragma once

#include "formats/firefox/cells.h"

namespace wick::firefox {

class Parser {
 public:
  Parser(JsonReader& json, ProfileBuilder& builder) : json_(json), cells_(json, builder) {}

  RawProfile run();
  uint64_t wrong_values() const { return cells_.wrong_values(); }
  // Processes inside processes inside ... that were too deep to be real.
  uint64_t skipped_processes() const { return skipped_processes_; }

 private:
  static constexpr size_t kMaxProcessDepth = 8;

  void read_profile(size_t process, size_t depth);
  bool read_profile_part(size_t process, size_t depth);
  void read_processes(size_t depth);
  void read_meta(size_t process);
  bool read_meta_number();
  void read_categories(RawProcess& process);
  void read_category(RawProcess& process);
  void read_event();
  void read_marker_schemas();
  void read_marker_schema();
  void read_schema_fields(std::vector<StringId>& fields);
  void read_libs(std::vector<Library>& libs);
  void read_lib(Library& lib);
  void read_strings(std::vector<StringId>& strings);
  bool read_code_table(CodeTables& code);
  void read_shared();
  void read_threads(size_t process);
  void read_thread(size_t process);
  bool read_thread_value(RawThread& thread);
  bool read_thread_table(RawThread& thread);
  void read_samples(SampleTable& samples);
  void read_markers(MarkerTable& markers);
  void read_counters(size_t process);
  void read_counter(RawCounter& counter);
  void read_counter_groups(RawCounter& counter);
  void read_counter_group(RawCounter& counter);
  void read_counter_samples(RawCounter& counter);

  StringId text_value() { return json_.next(), cells_.text(); }
  double number_value() { return json_.next(), cells_.number(); }
  int64_t integer_value() { return json_.next(), cells_.address(); }

  JsonReader& json_;
  CellReader cells_;
  RawProfile raw_;
  uint64_t skipped_processes_ = 0;
};

}  // namespace wick::firefox
