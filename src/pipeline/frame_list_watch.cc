// SPDX-License-Identifier: Apache-2.0
#include "pipeline/frame_list_watch.h"

#include <algorithm>
#include <ctime>
#include <random>
#include <system_error>
#include <utility>

#include "base/helper_thread.h"
#include "pipeline/memory_of_process.h"

namespace wick {
namespace {

using namespace std::chrono_literals;

// Of random length: readings in step with the program's calls would always see the same one.
constexpr int kShortestPauseUs = 150;
constexpr int kLongestPauseUs = 350;
constexpr int kPause = 3;  // times what reading takes
// Of readings that say what was there in between.
constexpr int64_t kLongestGapNs = 3'000'000;
constexpr int64_t kHeldNs = 2'000'000;
constexpr int kHeldReadings = 6;
constexpr int64_t kWatchNs = 50'000'000;
constexpr int64_t kKeepNs = 400'000'000;
constexpr size_t kMaxRuns = 256;    // of a thread
constexpr size_t kMaxChanges = 64;  // of the innermost node, in a run
constexpr size_t kMaxWatched = 64;
constexpr size_t kMaxNodes = 256;
constexpr int kAttempts = 2;

int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / 1ns;
}

// Of this thread: on a loaded machine, time in which other programs run is no cost.
int64_t cpu_ns() {
  timespec used = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

}  // namespace

FrameListWatch::~FrameListWatch() {
  {
    std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void FrameListWatch::watch(int32_t pid, const StackFindings::FrameList& list) {
  std::lock_guard lock(mutex_);
  if (!thread_.joinable()) {
    try {
      thread_ = start_helper_thread([this] { run(); });
    } catch (const std::system_error&) {
      return;
    }
  }
  std::shared_ptr<Watched>& watched = watched_[list.tid];
  if (watched == nullptr && watched_.size() > kMaxWatched) {
    watched_.erase(list.tid);
    return;
  }
  bool is_same = watched != nullptr && watched->pid == pid && watched->list == list;
  if (!is_same) {
    watched = std::make_shared<Watched>(Watched{.pid = pid, .list = list, .runs = {}});
  }
  watched->until_ns = now_ns() + kWatchNs;
  if (std::exchange(is_idle_, false)) {
    changed_.notify_one();
  }
}

FrameListWatch::Found FrameListWatch::at(int32_t tid, int64_t time_ns) const {
  std::lock_guard lock(mutex_);
  auto watched = watched_.find(tid);
  if (watched == watched_.end()) {
    return {};
  }
  const std::deque<Run>& runs = watched->second->runs;
  auto run = std::ranges::find_if(runs, [&](const Run& one) { return one.end_ns >= time_ns; });
  if (run == runs.end()) {
    return {};
  }
  bool is_long = run->end_ns - run->held_since_ns >= kHeldNs && run->readings >= kHeldReadings;
  Found found = {.copy = run->copy, .is_held = run->held_since_ns <= time_ns && is_long};
  for (const auto& [since_ns, node] : run->innermost) {
    if (since_ns <= time_ns) {
      found.copy.nodes.front() = node;
    }
  }
  return found;
}

void FrameListWatch::run() {
  struct Reading {
    std::shared_ptr<Watched> watched;
    int32_t pid = -1;
    StackFindings::FrameList list;
  };
  std::minstd_rand random{std::random_device()()};
  std::uniform_int_distribution pause(kShortestPauseUs, kLongestPauseUs);
  std::vector<Reading> readings;
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    int64_t begin = now_ns();
    readings.clear();
    for (auto& [tid, watched] : watched_) {
      if (watched->until_ns >= begin) {
        readings.push_back({watched, watched->pid, watched->list});
      }
    }
    std::erase_if(watched_,
                  [&](const auto& one) { return one.second->until_ns + kKeepNs < begin; });
    if (readings.empty()) {
      is_idle_ = true;
      changed_.wait(lock, [&] { return is_ending_ || !is_idle_; });
      continue;
    }
    lock.unlock();
    int64_t used = cpu_ns();
    for (Reading& reading : readings) {
      read(*reading.watched, reading.pid, reading.list);
    }
    std::chrono::nanoseconds took(cpu_ns() - used);
    lock.lock();
    changed_.wait_for(
        lock,
        std::max<std::chrono::nanoseconds>(kPause * took, std::chrono::microseconds(pause(random))),
        [&] { return is_ending_; });
  }
}

void FrameListWatch::read(Watched& watched, int32_t pid, const StackFindings::FrameList& list) {
  MemoryOfProcess memory(memory_, pid);
  int64_t begin = now_ns();
  Run* last = watched.runs.empty() ? nullptr : &watched.runs.back();
  std::optional<Node> innermost;
  if (last != nullptr) {
    innermost = read_again(memory, list, last->copy);
  }
  if (!innermost) {
    FrameListCopy copy = copy_steady_frame_list(memory, list, kMaxNodes, kAttempts);
    int64_t end = now_ns();
    on_change_(pid, copy.list());
    add(watched, {.copy = std::move(copy), .held_since_ns = end, .end_ns = end, .innermost = {}});
    return;
  }
  bool was_watched = begin - last->end_ns <= kLongestGapNs;
  if (!was_watched || last->innermost.size() == kMaxChanges) {
    Run next = {.copy = last->copy,
                .held_since_ns = was_watched ? last->held_since_ns : now_ns(),
                .end_ns = was_watched ? begin : now_ns(),
                .readings = was_watched ? last->readings + 1 : 1,
                .innermost = {}};
    if (!next.copy.nodes.empty()) {
      next.copy.nodes.front() = *innermost;
    }
    add(watched, std::move(next));
    return;
  }
  std::lock_guard lock(mutex_);
  last->end_ns = begin;
  ++last->readings;
  last->copy.is_steady |= !last->copy.is_cut || last->copy.nodes.size() == kMaxNodes;
  if (last->copy.nodes.empty()) {
    return;
  }
  const Node& before =
      last->innermost.empty() ? last->copy.nodes.front() : last->innermost.back().second;
  if (before.node != innermost->node) {
    last->innermost.emplace_back(now_ns(), *innermost);
  }
}

void FrameListWatch::add(Watched& watched, Run run) {
  std::lock_guard lock(mutex_);
  std::deque<Run>& runs = watched.runs;
  while (runs.size() >= kMaxRuns || (!runs.empty() && runs.front().end_ns + kKeepNs < run.end_ns)) {
    runs.pop_front();
  }
  runs.push_back(std::move(run));
}

}  // namespace wick
