// SPDX-License-Identifier: Apache-2.0
// Contents of a text besides samples: lines that perf does not print, and lines that wick cannot
// use. They are counted while reading and reported once, at the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/builder.h"

namespace wick::perf_script {

class Findings {
 public:
  void bad_line(uint64_t number, std::string_view problem);
  // A frame without an event line before it.
  void orphan(uint64_t number);
  // "PERF_RECORD_LOST lost 12" and other records that perf prints on request.
  void record(uint64_t number, std::string_view text);

  // Entries of branch stacks that could not be read.
  void bad_branches(uint64_t entries) { bad_branches_ = entries; }
  void registers() { ++register_lines_; }
  void instruction() { ++instruction_lines_; }
  void source_code() { ++source_code_lines_; }

  // The first bad line, empty if there is none.
  const std::string& first_problem() const { return first_problem_; }
  void report(ProfileBuilder& builder) const;

 private:
  // How often something happened, and where first.
  struct Count {
    uint64_t count = 0;
    uint64_t first = 0;
    void add(uint64_t number, uint64_t more = 1) {
      first = count == 0 ? number : first;
      count += more;
    }
  };

  uint64_t bad_lines_ = 0;
  std::string first_problem_;
  Count orphans_;
  Count lost_;            // samples that records say were lost
  Count lost_unknown_;    // records that do not say how many
  uint64_t records_ = 0;  // of any kind
  uint64_t bad_branches_ = 0;
  uint64_t register_lines_ = 0;
  uint64_t instruction_lines_ = 0;
  uint64_t source_code_lines_ = 0;
};

}  // namespace wick::perf_script
