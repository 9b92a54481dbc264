// SPDX-License-Identifier: Apache-2.0
#include "kernel_records/layout.h"

#include <array>

namespace wick::kernel_records {
namespace {

constexpr std::array<std::string_view, 23> kKernelNames = {"",
                                                           "MMAP",
                                                           "LOST",
                                                           "COMM",
                                                           "EXIT",
                                                           "THROTTLE",
                                                           "UNTHROTTLE",
                                                           "FORK",
                                                           "READ",
                                                           "SAMPLE",
                                                           "MMAP2",
                                                           "AUX",
                                                           "ITRACE_START",
                                                           "LOST_SAMPLES",
                                                           "SWITCH",
                                                           "SWITCH_CPU_WIDE",
                                                           "NAMESPACES",
                                                           "KSYMBOL",
                                                           "BPF_EVENT",
                                                           "CGROUP",
                                                           "TEXT_POKE",
                                                           "AUX_OUTPUT_HW_ID",
                                                           "CALLCHAIN_DEFERRED"};

}  // namespace

std::string_view kernel_record_name(uint32_t type) {
  return type < kKernelNames.size() ? kKernelNames[type] : "";
}

}  // namespace wick::kernel_records
