// SPDX-License-Identifier: Apache-2.0
#include "profile/steady.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "base/statistics.h"
#include "profile/time_range.h"

namespace wick {
namespace {

constexpr size_t kMinSamples = 200;
constexpr size_t kSamplesPerWindow = 50;
constexpr size_t kMaxWindows = 200;
constexpr double kAllowance = 0.05;

using Shares = std::unordered_map<uint32_t, double>;  // by leaf function

struct Windows {
  int64_t begin_ns = 0;
  double length_ns = 1;
  std::vector<Shares> weights;
};

uint32_t leaf_key(const Profile& profile, StackId stack) {
  FrameId frame = profile.stacks.frame(stack);
  return frame.valid() ? profile.frames[frame].function.value : FunctionId::kNone;
}

Windows cut_into_windows(const Profile& profile, const std::vector<bool>& keep, size_t kept) {
  const SampleColumns& samples = profile.samples;
  TimeRange range = sampled_time(profile);
  size_t count = std::clamp<size_t>(kept / kSamplesPerWindow, 4, kMaxWindows);
  Windows windows{.begin_ns = range.first, .weights = std::vector<Shares>(count)};
  windows.length_ns = (static_cast<double>(range.last) - static_cast<double>(range.first) + 1) /
                      static_cast<double>(count);
  for (size_t row = 0; row < samples.size(); ++row) {
    if (!keep[row] || samples.time_ns[row] == kNoTime) {
      continue;
    }
    double since = static_cast<double>(samples.time_ns[row]) - static_cast<double>(range.first);
    auto window = std::min(static_cast<size_t>(since / windows.length_ns), count - 1);
    auto weight = static_cast<double>(samples.weight[row]);
    windows.weights[window][leaf_key(profile, samples.stack[row])] += weight;
  }
  return windows;
}

void normalise(Shares& shares) {
  double total = 0;
  for (const auto& [function, weight] : shares) {
    total += weight;
  }
  for (auto& [function, weight] : shares) {
    weight = total > 0 ? weight / total : 0;
  }
}

double distance(const Shares& a, const Shares& b) {
  double sum = 0;
  for (const auto& [function, share] : a) {
    auto other = b.find(function);
    sum += std::abs(share - (other == b.end() ? 0 : other->second));
  }
  for (const auto& [function, share] : b) {
    sum += a.contains(function) ? 0 : share;
  }
  return sum / 2;
}

double threshold(const std::vector<double>& middle) {
  double centre = median(middle);
  std::vector<double> deviations;
  for (double value : middle) {
    deviations.push_back(std::abs(value - centre));
  }
  return centre + 3 * 1.4826 * median(deviations) + kAllowance;
}

}  // namespace

Result<SteadyRange> find_steady(const Profile& profile, const std::vector<bool>& keep) {
  if (!profile.has_time()) {
    return fail("--steady needs the time of each sample, and this input has none.");
  }
  auto kept = static_cast<size_t>(std::ranges::count(keep, true));
  if (kept < kMinSamples) {
    return fail(
        "--steady needs at least {} samples to separate phases; there are {}.", kMinSamples, kept);
  }
  Windows windows = cut_into_windows(profile, keep, kept);
  size_t count = windows.weights.size();
  Shares reference;
  for (size_t i = count / 4; i < count - count / 4; ++i) {
    for (const auto& [function, weight] : windows.weights[i]) {
      reference[function] += weight;
    }
  }
  normalise(reference);
  std::vector<double> distances;
  for (Shares& shares : windows.weights) {
    normalise(shares);
    distances.push_back(distance(shares, reference));
  }
  auto quarter = static_cast<std::ptrdiff_t>(count / 4);
  double limit = threshold({distances.begin() + quarter, distances.end() - quarter});
  size_t begin = 0;
  while (begin < count / 4 && distances[begin] > limit) {
    ++begin;
  }
  size_t end = count;
  while (end > count - count / 4 && distances[end - 1] > limit) {
    --end;
  }
  auto at = [&](size_t window) {
    return windows.begin_ns +
           static_cast<int64_t>(std::llround(static_cast<double>(window) * windows.length_ns));
  };
  bool at_limit = begin == count / 4 || end == count - count / 4;
  return SteadyRange{at(begin), at(end) - 1, at_limit};
}

}  // namespace wick
