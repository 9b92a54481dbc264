// SPDX-License-Identifier: Apache-2.0
#include "kernel_records/account.h"

#include <algorithm>

#include <fmt/format.h>

namespace wick::kernel_records {
namespace {

bool is_used(uint32_t type) {
  switch (type) {
    case kUnthrottle:
    case kItraceStart:
    case kNamespaces:
    case kBpfEvent:
    case kTextPoke:
    case kAuxOutputHwId:
      return false;
    default:
      return !kernel_record_name(type).empty();
  }
}

}  // namespace

void report_record_count(
    uint32_t type, std::string_view name, uint64_t count, bool is_used, EventSink& sink) {
  if (count == 0) {
    return;
  }
  std::string key = name.empty() ? fmt::format("records of unknown type {}", type)
                                 : fmt::format("records {}", name);
  sink.on_fact(key, fmt::format("{}{}", count, is_used ? "" : ", not used"));
}

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

void Account::report_records(EventSink& sink) const {
  for (uint32_t type = 0; type < records_.size(); ++type) {
    report_record_count(type, kernel_record_name(type), records_[type], is_used(type), sink);
  }
}

void Account::report_losses(EventSink& sink) const {
  for (const Loss& loss : losses_) {
    sink.on_lost({.at = {},
                  .count = loss.count,
                  .what = loss.what,
                  .reason = loss.reason,
                  .detail = loss.detail,
                  .notice = loss.notice});
  }
}

}  // namespace wick::kernel_records
