// SPDX-License-Identifier: Apache-2.0
// The virtual machines of a recording, numbered from 1 in order of appearance; 0 is the host.
//
// A guest is identified by the pid of the host's process that runs it (QEMU). A record belongs to a
// guest in one of two ways:
//
//     mode of the record   perf kvm record: samples of the host's vCPU threads while these run the
//                          guest. A sample has QEMU's pid; the maps of the guest's kernel have
//                          QEMU's pid, or 0 where perf was given one kernel for all guests.
//     id of the event      perf inject --guest-data: records that were made inside of the guest.
//                          ID_INDEX says which id belongs to which guest; pids are the guest's own.
#pragma once

#include <cstdint>
#include <vector>

#include "stream/event.h"

namespace wick::kernel_records {

class Guests {
 public:
  // The guest whose memory or event belongs to this process of the host.
  MachineId run_by(int32_t host_pid) {
    if (MachineId known = find(host_pid); known != MachineId::kHost) {
      return known;
    }
    if (host_pids_.size() < kMaxGuests) {
      host_pids_.push_back(host_pid);
    }
    return last();
  }

  // The guest in which a thread of this process was sampled. Maps for all guests (pid 0) apply to
  // guests without their own maps.
  MachineId sampled_in(int32_t host_pid) {
    constexpr int32_t kAllGuests = 0;
    MachineId known = find(host_pid);
    known = known == MachineId::kHost ? find(kAllGuests) : known;
    return known == MachineId::kHost ? run_by(host_pid) : known;
  }

 private:
  static constexpr size_t kMaxGuests = 1 << 12;  // a bound for damaged files

  MachineId find(int32_t host_pid) const {
    for (size_t i = 0; i < host_pids_.size(); ++i) {
      if (host_pids_[i] == host_pid) {
        return static_cast<MachineId>(i + 1);
      }
    }
    return MachineId::kHost;
  }
  MachineId last() const { return static_cast<MachineId>(host_pids_.size()); }

  std::vector<int32_t> host_pids_;
};

}  // namespace wick::kernel_records
