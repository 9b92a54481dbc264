#include "formats/perf_data/account.h"

#include <algorithm>

#include <fmt/format.h>

namespace wick::perf_data {
namespace {

bool is_used(uint32_t type) {
  switch (type) {
    case kUnthrottle:
    case kItraceStart:
    case kNamespaces:
    case kBpfEvent:
    case kCgroup:
    case kTextPoke:
    case kAuxOutputHwId:
    case kIdIndex:
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

void tell_records(uint32_t type, uint64_t count, EventSink& sink) {
  if (count == 0) {
    return;
  }
  std::string_view name = record_name(type);
  std::string key = name.empty() ? fmt::format("records of unknown type {}", type)
                                 : fmt::format("records {}", name);
  sink.on_fact(key, fmt::format("{}{}", count, is_used(type) ? "" : ", not used"));
}

}  // namespace

void Account::lose(Loss loss) {
  auto same = std::ranges::find_if(losses_, [&](const Loss& known) {
    return known.reason == loss.reason && known.what == loss.what;
  });
  if (same == losses_.end()) {
    losses_.push_back(std::move(loss));
  } else {
    same->count += loss.count;
  }
}

void Account::tell(EventSink& sink) const {
  for (uint32_t type = 0; type < records_.size(); ++type) {
    tell_records(type, records_[type], sink);
  }
  for (uint32_t i = 0; i < simpleperf_records_.size(); ++i) {
    tell_records(kFirstSimpleperfRecord + i, simpleperf_records_[i], sink);
  }
  for (const FeatureRow& row : features_) {
    std::string_view name = feature_name(row.feature);
    if (!row.used) {
      std::string key = name.empty() ? fmt::format("feature of unknown number {}", row.feature)
                                     : fmt::format("feature {}", name);
      sink.on_fact(key, fmt::format("{} bytes, not used", row.bytes));
    }
  }
  for (const Loss& loss : losses_) {
    sink.on_lost({.at = {},
                  .count = loss.count,
                  .what = loss.what,
                  .reason = loss.reason,
                  .detail = loss.detail,
                  .notice = loss.notice});
  }
}

}  // namespace wick::perf_data
