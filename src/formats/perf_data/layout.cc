// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_data/layout.h"

#include <array>

namespace wick::perf_data {
namespace {

constexpr std::array<std::string_view, 23> kToolNames = {"HEADER_ATTR",
                                                         "HEADER_EVENT_TYPE",
                                                         "HEADER_TRACING_DATA",
                                                         "HEADER_BUILD_ID",
                                                         "FINISHED_ROUND",
                                                         "ID_INDEX",
                                                         "AUXTRACE_INFO",
                                                         "AUXTRACE",
                                                         "AUXTRACE_ERROR",
                                                         "THREAD_MAP",
                                                         "CPU_MAP",
                                                         "STAT_CONFIG",
                                                         "STAT",
                                                         "STAT_ROUND",
                                                         "EVENT_UPDATE",
                                                         "TIME_CONV",
                                                         "HEADER_FEATURE",
                                                         "COMPRESSED",
                                                         "FINISHED_INIT",
                                                         "COMPRESSED2",
                                                         "BPF_METADATA",
                                                         "SCHEDSTAT_CPU",
                                                         "SCHEDSTAT_DOMAIN"};

constexpr std::array<std::string_view, 11> kSimpleperfNames = {"",
                                                               "SIMPLEPERF_KERNEL_SYMBOL",
                                                               "SIMPLEPERF_DSO",
                                                               "SIMPLEPERF_SYMBOL",
                                                               "SIMPLEPERF_SPLIT",
                                                               "SIMPLEPERF_SPLIT_END",
                                                               "SIMPLEPERF_EVENT_ID",
                                                               "SIMPLEPERF_CALLCHAIN",
                                                               "SIMPLEPERF_UNWINDING_RESULT",
                                                               "SIMPLEPERF_TRACING_DATA",
                                                               "SIMPLEPERF_DEBUG"};

constexpr std::array<std::string_view, 35> kFeatureNames = {"",
                                                            "TRACING_DATA",
                                                            "BUILD_ID",
                                                            "HOSTNAME",
                                                            "OSRELEASE",
                                                            "VERSION",
                                                            "ARCH",
                                                            "NRCPUS",
                                                            "CPUDESC",
                                                            "CPUID",
                                                            "TOTAL_MEM",
                                                            "CMDLINE",
                                                            "EVENT_DESC",
                                                            "CPU_TOPOLOGY",
                                                            "NUMA_TOPOLOGY",
                                                            "BRANCH_STACK",
                                                            "PMU_MAPPINGS",
                                                            "GROUP_DESC",
                                                            "AUXTRACE",
                                                            "STAT",
                                                            "CACHE",
                                                            "SAMPLE_TIME",
                                                            "MEM_TOPOLOGY",
                                                            "CLOCKID",
                                                            "DIR_FORMAT",
                                                            "BPF_PROG_INFO",
                                                            "BPF_BTF",
                                                            "COMPRESSED",
                                                            "CPU_PMU_CAPS",
                                                            "CLOCK_DATA",
                                                            "HYBRID_TOPOLOGY",
                                                            "PMU_CAPS",
                                                            "CPU_DOMAIN_INFO",
                                                            "E_MACHINE",
                                                            "CLN_SIZE"};

constexpr std::array<std::string_view, 7> kSimpleperfFeatureNames = {"FILE",
                                                                     "META_INFO",
                                                                     "DEBUG_UNWIND",
                                                                     "DEBUG_UNWIND_FILE",
                                                                     "FILE2",
                                                                     "ETM_BRANCH_LIST",
                                                                     "INIT_MAP"};

template <size_t size>
std::string_view at_or_empty(const std::array<std::string_view, size>& names,
                             uint32_t number,
                             uint32_t first) {
  return number >= first && number - first < size ? names[number - first] : "";
}

}  // namespace

std::string_view record_name(uint32_t type) {
  if (type < kFirstToolRecord) {
    return kernel_record_name(type);
  }
  if (type < kFirstSimpleperfRecord) {
    return at_or_empty(kToolNames, type, kFirstToolRecord);
  }
  return at_or_empty(kSimpleperfNames, type, kFirstSimpleperfRecord);
}

std::string_view feature_name(uint32_t feature) {
  if (feature < kFeatureSimpleperfFile) {
    return at_or_empty(kFeatureNames, feature, 0);
  }
  return at_or_empty(kSimpleperfFeatureNames, feature, kFeatureSimpleperfFile);
}

}  // namespace wick::perf_data
