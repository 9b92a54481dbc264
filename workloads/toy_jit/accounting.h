// SPDX-License-Identifier: Apache-2.0
// CPU time of each function, by the thread's own clock: the truth that a profile is compared with.
//
// The clock is read at each call and each return; the time since the last reading belongs to the
// function that was on top. A reading costs a system call, so for functions that run for less than
// some ten microseconds the result includes the cost of measuring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace toy_jit {

class Accounting {
 public:
  struct Account {
    int64_t calls = 0;
    int64_t self_ns = 0;
    int64_t total_ns = 0;  // including callees; a recursive function counts once
    int64_t active = 0;    // calls that have not returned
    int64_t entered_ns = 0;
  };

  explicit Accounting(size_t functions) : accounts_(functions) {}

  void enter(size_t function);
  void leave();
  const std::vector<Account>& accounts() const { return accounts_; }
  int64_t all_ns() const;
  // Clears all results; only between calls.
  void reset();

 private:
  int64_t charge();

  std::vector<Account> accounts_;
  std::vector<size_t> stack_;
  int64_t last_ns_ = 0;
};

}  // namespace toy_jit
