// SPDX-License-Identifier: Apache-2.0
// The file that gives profilers the names of generated code: /tmp/perf-PID.map.
//
// One line for each range of code: start and size in hex without 0x, then the name, which is the
// rest of the line. Every line is written at once, so that a profiler that reads the file while the
// program runs sees all functions called so far. The file is removed at the end, also after SIGINT
// and SIGTERM, unless it must stay: perf reads it when it reports, which is after the end.
#pragma once

#include <cstddef>
#include <string>

namespace toy_jit {

class PerfMap {
 public:
  explicit PerfMap(bool keep);
  ~PerfMap();
  PerfMap(const PerfMap&) = delete;
  PerfMap& operator=(const PerfMap&) = delete;

  // On false, see problem.
  bool open();
  bool add(const void* start, size_t size, const std::string& name);
  const std::string& problem() const { return problem_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool keep_;
  int file_ = -1;
  std::string problem_;
};

}  // namespace toy_jit
