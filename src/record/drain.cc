// SPDX-License-Identifier: Apache-2.0
// The thread's loop: wait() until the round is over or a ring needs it sooner, then drain_round()
// copies all rings into blocks, and queues them for the consumer.
//
// Invariant: between two rounds nothing else empties a ring, so a round's horizon (drain.h) holds
// for all of them.
#include "record/drain.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <poll.h>

#include "base/helper_thread.h"
#include "record/machine.h"

namespace wick::record {
namespace {

// Rounds have a random length, between a third of the longest and the longest. If the recorder woke
// up in step with the sampling clock, samples would never hit it, and its CPU time would count as
// the program's: 2.4 % too much at 4999 Hz, 1.0 % with random rounds. For the same reason a ring
// must not get so full that it wakes the drain.
constexpr int kLongestCloseMs = 60;
constexpr int kLongestSteadyMs = 240;
constexpr uint64_t kCloseNs = 300'000'000;
constexpr double kMaxFilled = 0.5;
// A ring whose event has hung up no longer wakes the drain.
constexpr int kHungUpRoundMs = 10;
constexpr size_t kBlockBytes = 256 * 1024 + kMaxRecordBytes;
// Memory that is used for the first time costs a page fault for every 4 KB.
constexpr size_t kSpareBlocks = 16;
constexpr size_t kMostUnpackedRounds = 8;
constexpr size_t kMaxQueuedBytes = 256 << 20;
constexpr int kFullQueueMs = 10;
// Waking the consumer costs as much as unwinding a hundred samples, so it gets many at once. It
// must not get them too late: wick reads the stack beyond a copy from the process, which continues
// to run in the meantime.
constexpr uint64_t kConsumerNs = 10'000'000;
constexpr size_t kConsumerBytes = 1 << 20;
// So if such a read was necessary, rounds are shorter for a while. A full copy alone is not a
// reason: above the stack of a program's first thread there is often other memory to copy.
constexpr int kShortestPromptMs = 1;
constexpr int kLongestPromptMs = 4;
constexpr uint64_t kPromptNs = 1'000'000'000;
// A round delivers what the one before it has copied.
constexpr uint64_t kFewRoundsNs = uint64_t{3} * kLongestPromptMs * 1'000'000;
// A program runs most of its functions for the first time soon after its start.
constexpr uint64_t kNamesNs = 200'000'000;
// At most this often in this time: on a machine that starts hundreds of processes a second, all rounds
// would be short.
constexpr int kManyDeliveries = 10;
constexpr uint64_t kManyDeliveriesNs = 1'000'000'000;
// Rounds are also short at the start, when nothing is known about stacks yet.
constexpr uint64_t kFirstPromptNs = 40'000'000;

}  // namespace

std::unique_ptr<kernel_records::Block> pack(Piece& piece) {
  if (piece.bytes * 2 >= piece.block->capacity()) {
    return nullptr;
  }
  auto packed = std::make_unique<kernel_records::Block>(piece.bytes);
  std::memcpy(packed->data(), piece.block->data(), piece.bytes);
  return std::exchange(piece.block, std::move(packed));
}

void Pace::begin(uint64_t now) {
  prompt_until_ = now + kFirstPromptNs;
  watch_closely(now);
}

void Pace::speed_up(uint64_t now) {
  extend_prompt(now + kPromptNs);
}

bool Pace::may_deliver_soon(uint64_t now) const {
  return deliveries_ < kManyDeliveries || now - first_delivery_ >= kManyDeliveriesNs;
}

void Pace::deliver_soon(uint64_t now) {
  if (!may_deliver_soon(now)) {
    return;
  }
  if (now - first_delivery_ >= kManyDeliveriesNs) {
    first_delivery_ = now;
    deliveries_ = 0;
  }
  ++deliveries_;
  extend_prompt(now + kFewRoundsNs);
}

void Pace::deliver_names(uint64_t now) {
  extend_prompt(now + kNamesNs);
}

// Two threads may do so.
void Pace::extend_prompt(uint64_t until) {
  uint64_t before = prompt_until_;
  while (before < until && !prompt_until_.compare_exchange_weak(before, until)) {
  }
}

void Pace::watch_closely(uint64_t now) {
  close_until_ = now + kCloseNs;
}

void Pace::adapt_to(double share, uint64_t elapsed_ns) {
  double fits_ms = static_cast<double>(elapsed_ns) / 1e6 * kMaxFilled / std::max(share, 1e-9);
  longest_ms_ = static_cast<int>(std::clamp<double>(fits_ms, kLongestCloseMs, kLongestSteadyMs));
}

int Pace::round_ms(uint64_t now, bool some_hung_up) {
  if (is_prompt(now)) {
    return std::uniform_int_distribution(kShortestPromptMs, kLongestPromptMs)(random_);
  }
  if (some_hung_up) {
    return kHungUpRoundMs;
  }
  int longest = is_close(now) ? kLongestCloseMs : longest_ms_;
  return std::uniform_int_distribution(longest / 3, longest)(random_);
}

Drain::Drain(std::span<Ring> rings, const SampleShape& shape, const Hints& hints)
    : rings_(rings), hints_(hints), shape_(shape) {
  for (Ring& ring : rings_) {
    polled_.push_back(&ring);
  }
}

Drain::~Drain() {
  finish();
}

Result<> Drain::start() {
  TRY(wake_.open());
  TRY(ready_.open());
  thread_ = TRY(try_start_helper_thread([this] { run(); }));
  return {};
}

void Drain::finish() {
  if (!thread_.joinable()) {
    return;
  }
  finishing_ = true;
  wake_.signal();
  thread_.join();
}

std::optional<Round> Drain::take() {
  std::lock_guard lock(mutex_);
  if (queue_.empty()) {
    return {};
  }
  Round round = std::move(queue_.front());
  queue_.pop_front();
  queued_bytes_ -= round.bytes;
  return round;
}

size_t Drain::take_notice() {
  std::lock_guard lock(mutex_);
  ready_.clear();
  return queue_.size();
}

void Drain::run() {
  raise_priority(kDrainPriority);
  pace_.begin(monotonic_ns());
  while (!finishing_) {
    wait();
    drain_round();
  }
  // Twice: the horizon of the second round covers all records of the first.
  drain_round();
  drain_round();
}

void Drain::wait() {
  std::vector<pollfd> waits;
  waits.push_back({wake_.get(), POLLIN, 0});
  for (const Ring* ring : polled_) {
    waits.push_back({rings_wake() ? ring->descriptor() : -1, POLLIN, 0});
  }
  if (queue_is_full()) {
    ::poll(waits.data(), 1, kFullQueueMs);  // full rings would wake poll() immediately
    return;
  }
  uint64_t now = monotonic_ns();
  if (hints_.deep_stacks != nullptr) {
    if (hints_.deep_stacks->reader_wakeup().take()) {
      pace_.deliver_soon(now);
    }
    if (!pace_.is_prompt(now) && pace_.may_deliver_soon(now)) {
      waits.push_back({hints_.deep_stacks->reader_wakeup().descriptor(), POLLIN, 0});
    }
    hints_.deep_stacks->clear();
    if (hints_.deep_stacks->is_in_use() || hints_.deep_stacks->copies_lists()) {
      pace_.watch_closely(now);
    }
    if (!pace_.is_close(now)) {
      waits.push_back({hints_.deep_stacks->descriptor(), POLLIN, 0});
    }
  }
  int most_ms = pace_.round_ms(now, polled_.size() < rings_.size());
  if (::poll(waits.data(), waits.size(), most_ms) <= 0) {
    return;
  }
  for (size_t i = polled_.size(); i > 0; --i) {
    if ((waits[i].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
      polled_.erase(polled_.begin() + static_cast<std::ptrdiff_t>(i - 1));
    }
  }
}

// The kernel wakes a reader whenever it has written this many bytes, read or not, which costs a
// round each time. A ring that cannot fill up within one and a half rounds does not need it.
bool Drain::rings_wake() const {
  return hints_.fill_ns < 1'500'000 * uint64_t{kLongestSteadyMs};
}

Piece Drain::new_piece() {
  std::unique_lock lock(mutex_);
  if (spare_.empty()) {
    lock.unlock();
    return {std::make_unique<kernel_records::Block>(kBlockBytes), 0};
  }
  Piece piece{std::move(spare_.back()), 0};
  spare_.pop_back();
  return piece;
}

void Drain::reuse(std::unique_ptr<kernel_records::Block> block) {
  block->reuse();
  std::lock_guard lock(mutex_);
  if (spare_.size() < kSpareBlocks && block->capacity() == kBlockBytes) {
    spare_.push_back(std::move(block));
  }
}

bool Drain::queue_is_full() {
  std::lock_guard lock(mutex_);
  return queued_bytes_ > kMaxQueuedBytes;
}

bool Drain::consumer_lags() {
  std::lock_guard lock(mutex_);
  return queue_.size() > kMostUnpackedRounds;
}

void Drain::drain_round() {
  // At the end the consumer takes nothing until everything is in the queue; one more round is
  // harmless.
  if (queue_is_full() && !finishing_) {
    return;  // the kernel counts the records that do not fit
  }
  uint64_t now = monotonic_ns();
  Round round{.horizon = horizon_.begin_round(now)};
  double fullest = 0;
  for (Ring& ring : rings_) {
    fullest = std::max(fullest, ring.filled_share());
    // Records that arrive during this loop wait for the next round; otherwise a busy ring would
    // never end it.
    bool all = ring.waiting_bytes() == 0;
    while (!all) {
      Piece piece = new_piece();
      Ring::Copy copy{.out = piece.block->data(), .capacity = piece.block->capacity()};
      all = ring.drain(shape_, copy) || copy.used == 0;
      piece.bytes = copy.used;
      round.bytes += copy.used;
      if (copy.used > 0) {
        round.pieces.push_back(std::move(piece));
      }
    }
  }
  pace_.adapt_to(fullest, now - round.horizon);
  if (consumer_lags()) {
    for (Piece& piece : round.pieces) {
      if (std::unique_ptr<kernel_records::Block> large = pack(piece)) {
        reuse(std::move(large));
      }
    }
  }
  std::lock_guard lock(mutex_);
  queued_bytes_ += round.bytes;
  queue_.push_back(std::move(round));
  if (pace_.is_prompt(now) || now - notified_at_ >= kConsumerNs ||
      queued_bytes_ >= kConsumerBytes || finishing_) {
    notified_at_ = now;
    ready_.signal();
  }
}

}  // namespace wick::record
