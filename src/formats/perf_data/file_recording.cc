// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_data/file_recording.h"

#include <fmt/format.h>

namespace wick::perf_data {
namespace {

bool is_used(uint32_t type) {
  switch (type) {
    case kAuxtraceInfo:
    case kAuxtraceError:
    case kThreadMap:
    case kCpuMap:
    case kStatConfig:
    case kStat:
    case kStatRound:
    case kFinishedInit:
    case kBpfMetadata:
    case kSchedstatCpu:
    case kSchedstatDomain:
    case kSimpleperfCallchain:
    case kSimpleperfDebug:
      return false;
    default:
      return !record_name(type).empty();
  }
}

}  // namespace

void FileContents::report(EventSink& sink) const {
  auto report_type = [&](uint32_t type, uint64_t count) {
    report_record_count(type, record_name(type), count, is_used(type), sink);
  };
  for (uint32_t type = kFirstToolRecord; type < tool_records_.size(); ++type) {
    report_type(type, tool_records_[type]);
  }
  for (uint32_t i = 0; i < simpleperf_records_.size(); ++i) {
    report_type(kFirstSimpleperfRecord + i, simpleperf_records_[i]);
  }
  for (const FeatureRow& row : features_) {
    std::string_view name = feature_name(row.feature);
    if (!row.used) {
      std::string key = name.empty() ? fmt::format("feature of unknown number {}", row.feature)
                                     : fmt::format("feature {}", name);
      sink.on_fact(key, fmt::format("{} bytes, not used", row.bytes));
    }
  }
}

}  // namespace wick::perf_data
