// SPDX-License-Identifier: Apache-2.0
// The difficulty is time. Records have raw TSC values, and the rate of the TSC is unknown until the
// end, so time_ns of a sample is the TSC until resolve_times() converts it. The rate follows from
// the ticks: the kernel samples at a fixed interval, so the steps between neighbouring samples of a
// CPU are multiples of one tick (estimate_tick), and a tick has kTimerCounts counts of a timer at 1
// GHz.
//
//   lane_of      which CPU a record belongs to. If the record does not say, rings follow each other
//                and a TSC that starts over begins the next CPU.
//   check_time   rejects time stamps far in the future until a second one confirms them
//
// A rejected time never drops a sample: the sample counts, without a time.
#include "formats/redox/assembly.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/frame_address.h"
#include "base/path.h"

namespace wick::redox {
namespace {

// The sampling timer counts down from this, at 1 GHz under KVM.
constexpr double kTimerCounts = 0xFFFFF;
constexpr size_t kMaxSteps = 1 << 20;
constexpr size_t kFewestSteps = 8;
constexpr double kLeastLikelyGhz = 0.8;
constexpr double kMostLikelyGhz = 6.5;
constexpr double kMaxTicksInAStep = 200;  // more ticks cannot be counted reliably

std::string cpu_name(uint32_t cpu) {
  return cpu == kNoCpuReported ? "CPU unknown" : fmt::format("CPU {}", cpu);
}

// The program of a context. In brackets, because it is not a file of this machine.
std::string user_module(std::string_view context) {
  if (context.empty()) {
    return "[user]";
  }
  std::string_view name = file_name_of(context);
  return name.starts_with('[') ? std::string(name) : fmt::format("[{}]", name);
}

bool is_likely(double ghz) {
  return ghz >= kLeastLikelyGhz && ghz <= kMostLikelyGhz;
}

std::string rate_text(double ghz, bool is_estimated) {
  std::string_view doubt = is_likely(ghz) ? " (estimated)" : " (estimated, unlikely)";
  return fmt::format("{:.4f} GHz{}", ghz, is_estimated ? doubt : "");
}

// Hostile rings may contain any times.
uint64_t interval_ns(double tick, double ghz) {
  constexpr double kLongest = 1e18;
  return ghz > 0 ? static_cast<uint64_t>(std::llround(std::clamp(tick / ghz, 0.0, kLongest))) : 0;
}

}  // namespace

Assembly::Lane& Assembly::lane_of(const Record& record) {
  uint32_t cpu = record.cpu;
  if (cpu == kNoCpuReported && lanes_.empty()) {
    cpu = options_.cpu;
  } else if (cpu == kNoCpuReported) {
    const Lane& ring = lanes_[ring_];
    bool starts_over = options_.rings_follow && ring.samples > 1 && record.tsc < ring.last &&
                       ring.last - record.tsc > (ring.last - ring.first) / 4;
    if (!starts_over) {
      return lanes_[ring_];
    }
    cpu = ring.cpu + 1;
  }
  auto [lane, is_new] = lane_of_cpu_.try_emplace(cpu, lanes_.size());
  if (is_new) {
    lanes_.push_back({.cpu = cpu});
  }
  ring_ = lane->second;
  return lanes_[ring_];
}

uint64_t Assembly::check_time(Lane& lane, uint64_t tsc) {
  if (lane.first == kNoTsc) {
    lane.first = lane.last = tsc;
    return tsc;
  }
  if (tsc < lane.last) {
    ++lane.backwards;
    lane.first = std::min(lane.first, tsc);
    return tsc;
  }
  bool confirmed =
      lane.jumped_to != kNoTsc && tsc >= lane.jumped_to && tsc - lane.jumped_to < kWildStep;
  if (tsc - lane.last > kWildStep && !confirmed) {
    lane.jumped_to = tsc;
    ++wild_times_;
    return kNoTsc;
  }
  lane.jumped_to = kNoTsc;
  if (steps_.size() < kMaxSteps && tsc > lane.last) {
    steps_.push_back(tsc - lane.last);
  }
  lane.last = tsc;
  return tsc;
}

std::string_view Assembly::context_name(const Record& record) const {
  if (!record.context_name.empty()) {
    return record.context_name;
  }
  auto found = options_.context_names.find(record.context);
  return found == options_.context_names.end() ? std::string_view() : found->second;
}

FrameId Assembly::frame_of(uint64_t address, bool leaf, const Record& record) {
  bool user = is_user_address(address);
  std::string path = user ? user_module(context_name(record)) : "[redox]";
  uint64_t inside = FrameAddress::in_chain(address, leaf || address == 0).lookup();
  return builder_.frame({.module = builder_.module({.path = builder_.string(path), .build_id = {}}),
                         .address = inside,
                         .mode = user ? Mode::kUser : Mode::kKernel,
                         .origin = leaf ? FrameOrigin::kSampled : FrameOrigin::kFramePointer});
}

StackId Assembly::stack_of(const Record& record) {
  StackId stack = kEmptyStack;
  for (size_t i = record.addresses.size(); i-- > 0;) {
    stack = builder_.stack(stack, frame_of(record.addresses[i], i == 0, record));
  }
  return stack;
}

ThreadId Assembly::thread_of(const Record& record, uint32_t cpu) {
  std::string_view name = context_name(record);
  if (record.context == kNoContext && name.empty()) {
    ProcessId kernel = builder_.process({.pid = 0, .name = builder_.string("kernel")});
    int64_t tid = cpu == kNoCpuReported ? 0 : static_cast<int64_t>(cpu);
    return builder_.thread({.tid = tid, .process = kernel, .name = builder_.string(cpu_name(cpu))});
  }
  int64_t id = record.context == kNoContext ? -1 : static_cast<int64_t>(record.context);
  StringId shown =
      builder_.string(name.empty() ? fmt::format("context {}", id) : std::string(name));
  ProcessId process = builder_.process({.pid = id, .name = shown});
  return builder_.thread({.tid = id, .process = process, .name = shown});
}

void Assembly::take(const Record& record, uint64_t words) {
  Lane& lane = lane_of(record);
  ++records_;
  ++lane.samples;
  lane.words += words;
  Sample sample{.stack = stack_of(record),
                .thread = thread_of(record, lane.cpu),
                .ending = record.cut        ? StackEnd::kCopyTooShort
                          : record.too_deep ? StackEnd::kTooDeep
                                            : StackEnd::kComplete};
  if (lane.cpu < kNoCpu) {
    sample.cpu = static_cast<uint16_t>(lane.cpu);
  }
  if (record.tsc != kNoTsc) {
    uint64_t tsc = check_time(lane, record.tsc);
    sample.time_ns = tsc == kNoTsc ? kNoTime : static_cast<int64_t>(tsc);
  } else if (record.seconds >= 0 && record.seconds < 9e9) {
    has_seconds_ = true;
    sample.time_ns = std::llround(record.seconds * 1e9);
  }
  builder_.add_sample(sample);
}

double Assembly::estimate_tick() const {
  if (steps_.size() < kFewestSteps) {
    return 0;
  }
  // On a busy CPU most steps are one tick. On an idle one the shortest tenth of them still are.
  std::vector<uint64_t> sorted = steps_;
  auto tenth = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 10);
  std::ranges::nth_element(sorted, tenth);
  auto tick = static_cast<double>(*tenth);
  // Each step is a whole number of ticks. The total time divided by the total number of ticks gets
  // more exact the longer the recording is.
  for (int round = 0; round < 3; ++round) {
    double time = 0;
    double ticks = 0;
    for (uint64_t step : steps_) {
      double number = std::round(static_cast<double>(step) / tick);
      bool certain = number >= 1 && number <= (round == 0 ? 3 : kMaxTicksInAStep);
      time += certain ? static_cast<double>(step) : 0;
      ticks += certain ? number : 0;
    }
    tick = ticks > 0 ? time / ticks : tick;
  }
  return tick;
}

void Assembly::resolve_times(Profile& profile, double ghz) const {
  Column<int64_t> times;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    int64_t tsc = profile.samples.time_ns[row];
    constexpr double kMaxTime = 9e18;  // 285 years: beyond that the rate is wrong
    double time = ghz > 0 ? static_cast<double>(tsc) / ghz : 0;
    bool known = tsc != kNoTime && ghz > 0 && std::abs(time) < kMaxTime;
    times.push_back(known ? static_cast<int64_t>(time) : kNoTime);
  }
  profile.samples.time_ns = std::move(times);
}

void Assembly::report(double tick, double ghz) {
  constexpr std::string_view kNames[] = {
      "rings of Redox, first generation", "rings of Redox, second generation", "text of Redox"};
  builder_.add_fact("recorded", kNames[static_cast<size_t>(generation_)]);
  if (ghz > 0) {
    builder_.add_fact("TSC rate", rate_text(ghz, options_.tsc_ghz == 0));
    if (tick > 0) {
      builder_.add_fact("tick", fmt::format("{:.0f} ns", tick / ghz));
    }
  }
  builder_.add_fact("a missing tick is",
                    generation_ == Generation::kSecond ? "idle or lost" : "user, idle or lost");
  uint64_t backwards = 0;
  for (const Lane& lane : lanes_) {
    backwards += lane.backwards;
    std::string text = fmt::format("{} samples", lane.samples);
    if (lane.words > 0) {
      text += fmt::format(", {} of {} words ({:.1f} % full)",
                          lane.words,
                          kRingWords,
                          100 * static_cast<double>(lane.words) / kRingWords);
    }
    builder_.add_fact(fmt::format("ring of {}", cpu_name(lane.cpu)), text);
    if (lane.words + kMaxWords >= kRingWords) {
      builder_.add_loss({.reason = "full: later samples are missing",
                         .what = "rings",
                         .detail = cpu_name(lane.cpu)});
    }
  }
  if (backwards > 0) {
    builder_.add_loss({.reason = "time stamps that go backwards",
                       .what = "samples",
                       .detail = "the TSC is not the same on all CPUs, or the ring is damaged",
                       .count = backwards,
                       .severity = LossClass::kNotice});
  }
  if (wild_times_ > 0) {
    builder_.add_loss({.reason = "time stamps hours after the previous ones are ignored",
                       .what = "samples",
                       .detail = "the samples count, without a time",
                       .count = wild_times_,
                       .severity = LossClass::kNotice});
  }
  if (!has_seconds_ && options_.tsc_ghz == 0) {
    note_estimate(ghz);
  }
}

// Says how the rate was estimated, and how to set it.
void Assembly::note_estimate(double ghz) {
  std::string reason = "there are too few samples to estimate the rate of the TSC: no times";
  std::string detail = "--tsc-ghz sets it";
  if (ghz > 0 && is_likely(ghz)) {
    reason = "times are based on an estimated rate of the TSC";
    detail = fmt::format(
        "{:.4f} GHz if the sampling timer runs at 1 GHz, as under KVM; --tsc-ghz sets it", ghz);
  } else if (ghz > 0) {
    reason = "times are probably wrong: no TSC has the estimated rate";
    detail = fmt::format("{:.4f} GHz if the sampling timer runs at 1 GHz; set it with --tsc-ghz{}",
                         ghz,
                         generation_ == Generation::kText
                             ? ", or say how the text writes it: --fields with tsc:dec or tsc:hex"
                             : "");
  }
  builder_.add_loss(
      {.reason = reason, .what = "", .detail = detail, .count = 0, .severity = LossClass::kNotice});
}

Profile Assembly::finish() {
  double tick = estimate_tick();
  double ghz = options_.tsc_ghz > 0 ? options_.tsc_ghz : tick / kTimerCounts;
  builder_.event({.name = builder_.string("tick"),
                  .unit = builder_.string("samples"),
                  .interval_ns = interval_ns(tick, ghz)});
  builder_.add_fact("format", "redox");
  report(tick, ghz);
  Profile profile = builder_.finish();
  if (!has_seconds_) {
    resolve_times(profile, ghz);
  }
  return profile;
}

}  // namespace wick::redox
