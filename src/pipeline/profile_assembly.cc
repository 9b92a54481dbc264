#include "pipeline/profile_assembly.h"

#include <algorithm>

#include <fmt/format.h>

#include "profile/validate.h"

namespace wick {
namespace {

constexpr uint32_t kMostKinds = 0xFFFF;

}  // namespace

ProfileAssembly::NamedKind& ProfileAssembly::kind(uint32_t number) {
  number = std::min(number, kMostKinds);
  if (kinds_.size() <= number) {
    kinds_.resize(size_t{number} + 1);
  }
  return kinds_[number];
}

void ProfileAssembly::add_kind(const EventKind& event) {
  kind(event.number) = {std::string(event.name), std::string(event.unit), {}};
}

EventId ProfileAssembly::event_row(uint32_t number) {
  NamedKind& named = kind(number);
  if (!named.row.valid()) {
    named.row = builder_.event({builder_.string(named.name), builder_.string(named.unit)});
  }
  return named.row;
}

void ProfileAssembly::take(Batch& batch) {
  for (const SeenThread& seen : batch.new_threads) {
    add_thread(seen);
  }
  for (size_t i = 0; i < batch.count; ++i) {
    PendingSample& sample = batch.samples[i];
    if (stitches_) {
      stitching_.apply(sample.thread, sample.found);
    }
    add_sample(sample);
  }
}

void ProfileAssembly::add_thread(const SeenThread& seen) {
  if (thread_rows_.size() <= seen.number) {
    thread_rows_.resize(size_t{seen.number} + 1);
  }
  bool is_guest = seen.machine != MachineId::kHost;
  bool is_named = !is_guest || !seen.process_name.empty();
  std::string process_name = is_named ? seen.process_name : fmt::format("[guest/{}]", seen.pid);
  ProcessId process = builder_.process({seen.pid, builder_.string(process_name)});
  thread_rows_[seen.number] = builder_.thread({seen.tid, process, builder_.string(seen.name)});
}

void ProfileAssembly::add_sample(const PendingSample& sample) {
  if (sample.weight > kMostTotalWeight - total_weight_) {
    builder_.add_loss({.reason = "their weights add up to more than fits 62 bits"});
    return;
  }
  total_weight_ += sample.weight;
  has_samples_ = true;
  const FoundStack& found = sample.found;
  bool has_cpu = sample.at.cpu >= 0 && sample.at.cpu < kNoCpu;
  builder_.add_sample(
      {.time_ns = sample.at.time_ns,
       .weight = static_cast<int64_t>(sample.weight),
       .count = 1,
       .stack = stacks_.assemble(found.frames, found.callers_hash, *sample.kernel, *sample.space),
       .thread = thread_rows_[sample.thread],
       .event = event_row(sample.kind),
       .cpu = has_cpu ? static_cast<uint16_t>(sample.at.cpu) : kNoCpu,
       .ending = found.ending});
}

Profile ProfileAssembly::finish() {
  if (!kinds_.empty() && !has_samples_) {
    event_row(0);  // a recording without samples still has an event that they would be of
  }
  Profile profile = builder_.finish();
  order_events(profile);
  return profile;
}

// Rows were made as samples came; the first event is the one that the recorder was told first.
void ProfileAssembly::order_events(Profile& profile) const {
  IdVector<EventId, Event> ordered;
  std::vector<EventId> moved(profile.events.size());  // none: not placed yet
  auto place = [&](EventId row) {
    if (row.valid() && !moved[row.index()].valid()) {
      moved[row.index()] = EventId::from_index(ordered.size());
      ordered.push_back(profile.events[row]);
    }
  };
  for (const NamedKind& named : kinds_) {
    place(named.row);
  }
  for (size_t row = 0; row < moved.size(); ++row) {
    place(EventId::from_index(row));
  }
  profile.events = std::move(ordered);
  profile.samples.event.transform([&](EventId event) { return moved[event.index()]; });
}

}  // namespace wick
