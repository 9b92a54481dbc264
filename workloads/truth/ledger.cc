// SPDX-License-Identifier: Apache-2.0
#include "truth/ledger.h"

#include <cstdio>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace truth {
namespace {

constexpr uint64_t kLedgerMagic = 0x7472757468'0001;

Ledger* map_ledger(int descriptor) {
  void* memory = mmap(nullptr, sizeof(Ledger), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Ledger*>(memory);
}

}  // namespace

void Ledger::add_process(pid_t pid, const char* role) {
  int at = process_count.fetch_add(1);
  if (at >= kMaxProcesses) {
    process_count.store(kMaxProcesses);
    return;
  }
  processes[at].pid = pid;
  std::snprintf(processes[at].role, sizeof processes[at].role, "%s", role);
}

Ledger* create_ledger() {
  int descriptor = memfd_create("truth-ledger", MFD_CLOEXEC);
  if (descriptor < 0 || ftruncate(descriptor, sizeof(Ledger)) != 0) {
    return nullptr;
  }
  Ledger* ledger = map_ledger(descriptor);
  if (ledger != nullptr) {
    ledger->magic = kLedgerMagic;
    ledger->descriptor = descriptor;
    ledger->add_process(getpid(), "main");
  }
  return ledger;
}

Ledger* attach_ledger(int descriptor) {
  struct stat file{};
  if (fstat(descriptor, &file) != 0 || file.st_size != sizeof(Ledger)) {
    return nullptr;
  }
  Ledger* ledger = map_ledger(descriptor);
  return ledger != nullptr && ledger->magic == kLedgerMagic ? ledger : nullptr;
}

}  // namespace truth
