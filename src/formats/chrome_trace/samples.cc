// SPDX-License-Identifier: Apache-2.0
#include "formats/chrome_trace/samples.h"

#include <algorithm>

#include "profile/validate.h"

namespace wick::chrome_trace {
namespace {

constexpr int64_t kMaxNs = int64_t{1} << 61;

}  // namespace

uint32_t Samples::number_of(const std::string& id) {
  auto [known, is_new] = numbers_.try_emplace(id, static_cast<uint32_t>(rows_.size()));
  if (is_new) {
    rows_.emplace_back();
  }
  return known->second;
}

void Samples::add_frame(const std::string& id, const StackFrame& frame) {
  rows_[number_of(id)].described = frame;
}

void Samples::add(const TraceEvent& event, ThreadId thread) {
  if (event.weight == 0 && event.count <= 0 && event.frame.empty()) {
    return;  // it ends the sample before it
  }
  bool has_cpu = event.cpu >= 0 && event.cpu < kNoCpu;
  samples_.push_back({.time_ns = event.time_ns,
                      .weight = event.weight,
                      .count = event.count,
                      .frame = event.frame.empty() ? kNone : number_of(event.frame),
                      .thread = thread,
                      .name = event.name,
                      .cpu = has_cpu ? static_cast<uint16_t>(event.cpu) : kNoCpu});
}

bool Samples::takes(int64_t weight) {
  if (weight < 0 || weight >= static_cast<int64_t>(kMaxTotalWeight) - total_) {
    ++damage_.weights;
    return false;
  }
  total_ += weight;
  return true;
}

// The event Profile comes first. It is on the profiled thread; the later parts can come from the
// thread of the profiler.
void Samples::finish_part(const RawPart& raw) {
  const ProfilePart& part = raw.part;
  CpuProfile& profile = profiles_[raw.profile];
  if (!profile.thread.valid()) {
    profile.thread = raw.thread;
  }
  if (part.start_ns) {
    profile.time_ns = *part.start_ns;
  }
  add_nodes(part, profile);
  for (size_t row = 0; row < part.samples.size(); ++row) {
    int64_t delta = row < part.deltas_us.size() ? part.deltas_us[row] : 0;
    bool fits = delta > -kMaxNs / 1000 && delta < kMaxNs / 1000 &&
                std::abs(profile.time_ns + delta * 1000) < kMaxNs;
    profile.time_ns += fits ? delta * 1000 : 0;
    auto known = profile.stacks.find(part.samples[row]);
    damage_.frames += known == profile.stacks.end() ? 1U : 0U;
    profile.samples.emplace_back(profile.time_ns,
                                 known == profile.stacks.end() ? kEmptyStack : known->second);
  }
}

// Times can go backwards in these files.
void Samples::finish_profile(CpuProfile& profile) {
  std::ranges::stable_sort(profile.samples, {}, &std::pair<int64_t, StackId>::first);
  EventId event = builder_.event({.name = builder_.string("time"),
                                  .unit = builder_.string("nanoseconds"),
                                  .kind = Quantity::kWallTime});
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    auto [time, stack] = profile.samples[row];
    bool is_last = row + 1 == profile.samples.size();
    int64_t weight = is_last ? 0 : profile.samples[row + 1].first - time;
    if (takes(weight)) {
      ++added_;
      builder_.add_sample({.time_ns = time,
                           .weight = weight,
                           .stack = stack,
                           .thread = profile.thread,
                           .event = event});
    }
  }
  profile = {};
}

void Samples::add_nodes(const ProfilePart& part, CpuProfile& profile) {
  for (const auto& [parent, child] : part.children) {
    profile.parents.try_emplace(child, parent);
  }
  for (const ProfilePart::Node& node : part.nodes) {
    auto listed = profile.parents.find(node.id);
    bool is_listed = node.parent < 0 && listed != profile.parents.end();
    auto parent = profile.stacks.find(is_listed ? listed->second : node.parent);
    StackId caller = parent == profile.stacks.end() ? kEmptyStack : parent->second;
    profile.stacks[node.id] = node.frame.valid() ? builder_.stack(caller, node.frame) : caller;
  }
}

// Goes up to a frame whose stack is known, then down again.
StackId Samples::stack_of(uint32_t number) {
  std::vector<uint32_t> path;
  StackId stack = kEmptyStack;
  for (uint32_t at = number; at != kNone;) {
    Row& row = rows_[at];
    if (row.state == Row::State::kDone) {
      stack = row.stack;
      break;
    }
    if (row.state == Row::State::kOpen) {
      ++damage_.cycles;
      break;
    }
    row.state = Row::State::kOpen;
    path.push_back(at);
    const std::string& caller = row.described.parent;
    auto parent = numbers_.find(caller);
    bool has_parent = parent != numbers_.end() && !caller.empty();
    // Some tools have a parent 0 in outermost frames.
    damage_.frames += has_parent || caller.empty() || caller == "0" ? 0U : 1U;
    at = has_parent ? parent->second : kNone;
  }
  for (size_t step = path.size(); step-- > 0;) {
    Row& row = rows_[path[step]];
    FrameId frame = row.described.frame;
    stack = frame.valid() ? builder_.stack(stack, frame) : stack;
    row.stack = stack;
    row.state = Row::State::kDone;
  }
  return stack;
}

EventId Samples::event_of(StringId name) {
  StringId samples = builder_.string("samples");
  Event event{.name = name.empty() ? samples : name, .unit = samples};
  for (const KnownEvent& known : known_) {
    if (known.name == event.name) {
      event.unit = known.unit;
      bool is_kind = known.kind >= 0 && known.kind <= static_cast<int64_t>(last_of(Quantity()));
      event.kind = is_kind ? static_cast<Quantity>(known.kind) : Quantity::kUnknown;
      event.period = static_cast<uint64_t>(std::max<int64_t>(known.period, 0));
      event.frequency = static_cast<uint64_t>(std::max<int64_t>(known.frequency, 0));
    }
  }
  return builder_.event(event);
}

void Samples::finish() {
  for (const KnownEvent& known : known_) {
    event_of(known.name);  // in the order of the profile that was written
  }
  std::vector<std::string> order;  // of the first parts; later ones find an empty profile
  std::ranges::stable_sort(parts_, {}, &RawPart::time_ns);
  for (RawPart& part : parts_) {
    finish_part(part);
    order.push_back(part.profile);
    part = {};
  }
  for (const std::string& id : order) {
    finish_profile(profiles_[id]);
  }
  std::ranges::stable_sort(samples_, {}, &RawSample::time_ns);
  for (const RawSample& sample : samples_) {
    bool is_described = sample.frame != kNone && rows_[sample.frame].described.frame.valid();
    damage_.frames += sample.frame != kNone && !is_described ? 1U : 0U;
    if (!takes(sample.weight)) {
      continue;
    }
    ++added_;
    int64_t count = sample.count >= 0 ? sample.count : sample.weight;
    builder_.add_sample({.time_ns = sample.time_ns,
                         .weight = sample.weight,
                         .count = count < (int64_t{1} << 40) ? static_cast<uint64_t>(count) : 0,
                         .stack = sample.frame == kNone ? kEmptyStack : stack_of(sample.frame),
                         .thread = sample.thread,
                         .event = event_of(sample.name),
                         .cpu = sample.cpu});
  }
  samples_ = {};
}

}  // namespace wick::chrome_trace
