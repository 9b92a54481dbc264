// SPDX-License-Identifier: Apache-2.0
#include "toy_jit/accounting.h"

#include "common/clocks.h"

namespace toy_jit {

void Accounting::enter(size_t function) {
  int64_t now = charge();
  stack_.push_back(function);
  Account& account = accounts_[function];
  ++account.calls;
  if (account.active++ == 0) {
    account.entered_ns = now;
  }
}

void Accounting::leave() {
  int64_t now = charge();
  Account& account = accounts_[stack_.back()];
  stack_.pop_back();
  if (--account.active == 0) {
    account.total_ns += now - account.entered_ns;
  }
}

int64_t Accounting::all_ns() const {
  int64_t all = 0;
  for (const Account& account : accounts_) {
    all += account.self_ns;
  }
  return all;
}

void Accounting::reset() {
  accounts_.assign(accounts_.size(), Account{});
}

int64_t Accounting::charge() {
  int64_t now = workloads::thread_cpu_ns();
  if (!stack_.empty()) {
    accounts_[stack_.back()].self_ns += now - last_ns_;
  }
  last_ns_ = now;
  return now;
}

}  // namespace toy_jit
