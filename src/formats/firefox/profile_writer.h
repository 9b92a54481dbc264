// SPDX-License-Identifier: Apache-2.0
// The writer of Firefox profiles; writer.cc describes what it writes. Its parts are in three files:
// the threads with their samples (writer.cc), their markers and the counters (writer_timeline.cc),
// and what belongs to the whole profile (writer_meta.cc).
#pragma once

#include <set>
#include <vector>

#include "formats/firefox/writer_tables.h"
#include "profile/profile.h"

namespace wick::firefox {

// The rows of one written thread.
struct ThreadRows {
  ThreadId thread;  // none: rows without a thread
  std::vector<uint32_t> samples;
  std::vector<uint32_t> spans;
  std::vector<uint32_t> marks;
  bool empty() const { return samples.empty() && spans.empty() && marks.empty(); }
};

class Writer {
 public:
  Writer(const Profile& profile, Output& out)
      : profile_(profile), json_(out), tables_(profile, strings_) {
    collect_rows();
    find_start();
  }

  void run() {
    json_.begin_object();
    write_meta();
    json_.key("pages");
    json_.begin_array();
    json_.end_array();
    json_.key("threads");
    json_.begin_array();
    for (const ThreadRows& rows : threads_) {
      json_.newline();
      write_thread(rows);
    }
    json_.end_array();
    write_counters();
    write_libs();
    write_strings();
    json_.end_object();
  }

 private:
  void collect_rows();
  void find_start();
  Event event() const;
  bool is_time() const { return profile_.strings[event().unit] == "nanoseconds"; }
  int64_t interval_ns() const;

  void write_meta();
  void write_event();
  void write_categories();
  void write_schemas();
  void write_schema(std::string_view type, const std::set<StringId>& keys);
  void write_extra();
  void write_thread(const ThreadRows& rows);
  void write_thread_facts(ThreadId id);
  void write_samples(const ThreadRows& rows);
  void write_weights(const ThreadRows& rows);
  void write_markers(const ThreadRows& rows);
  void write_marker_data(std::string_view type, StackId stack, LabelSetId labels);
  void write_time(int64_t time_ns) { write_ms(json_, time_ns - start_ns_); }
  void write_counters();
  void write_counter(SeriesId id, const std::vector<uint32_t>& points);
  void write_libs();
  void write_strings();
  std::string_view mark_type(const Mark& mark) const {
    return mark.kind.empty() ? "mark" : profile_.strings[mark.kind];
  }

  const Profile& profile_;
  JsonWriter json_;
  WrittenStrings strings_;
  ThreadTables tables_;
  std::vector<ThreadRows> threads_;
  int64_t start_ns_ = 0;
};

}  // namespace wick::firefox
