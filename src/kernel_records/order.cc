// SPDX-License-Identifier: Apache-2.0
#include "kernel_records/order.h"

#include <algorithm>

namespace wick::kernel_records {

void Order::open(const std::byte* record, uint64_t time, RunHome& home) {
  close();
  open_run_ = {.at = record, .end = record, .home = &home, .time = time, .sequence = sequence_++};
  open_ = true;
  home.run_opened();
}

void Order::close() {
  if (open_) {
    heap_.push_back(open_run_);
    std::ranges::push_heap(heap_, later);
    open_ = false;
  }
}

void Order::finish_round() {
  flush(newest_of_last_round_);
  newest_of_last_round_ = newest_;
}

const Order::Run* Order::second() const {
  if (heap_.size() < 2) {
    return nullptr;
  }
  return heap_.size() > 2 && later(heap_[1], heap_[2]) ? &heap_[2] : &heap_[1];
}

// The scanner checked these bytes, but a file can change while wick reads it.
bool Order::advance(Run& run, uint32_t size) {
  do {
    if (size < kRecordHeaderBytes || size > static_cast<size_t>(run.end - run.at)) {
      ++broken_runs_;
      run.at = run.end;
      return false;
    }
    run.at += size;
    if (static_cast<size_t>(run.end - run.at) < kRecordHeaderBytes) {
      run.at = run.end;
      return false;
    }
    Record record{run.at, load_header(run.at, recording_.order)};
    size = record.size();
    run.time = size <= static_cast<size_t>(run.end - run.at)
                   ? recording_.events.time_of(record, recording_.order)
                   : 0;
  } while (run.time == 0);
  return true;
}

void Order::follow(Run& run, uint64_t limit, const Run* next) {
  const std::byte* begin = run.at;
  while (true) {
    Record record{run.at, load_header(run.at, recording_.order)};
    bool whole = record.size() >= kRecordHeaderBytes &&
                 record.size() <= static_cast<size_t>(run.end - run.at);
    if (whole) [[likely]] {
      taker_.take(record, run.time);
    }
    if (!advance(run, record.size()) || run.time > limit ||
        (next != nullptr && later(run, *next)) ||
        static_cast<size_t>(run.at - begin) > kLongStretch) {
      break;
    }
  }
  run.home->passed(begin, run.at);
}

void Order::sift_down_top() {
  Run run = heap_.front();
  size_t free_slot = 0;
  while (true) {
    size_t child = 2 * free_slot + 1;
    if (child + 1 < heap_.size() && later(heap_[child], heap_[child + 1])) {
      ++child;
    }
    if (child >= heap_.size() || !later(run, heap_[child])) {
      break;
    }
    heap_[free_slot] = heap_[child];
    free_slot = child;
  }
  heap_[free_slot] = run;
}

void Order::flush(uint64_t limit) {
  close();
  while (!heap_.empty() && heap_.front().time <= limit) {
    follow(heap_.front(), limit, second());
    const Run& top = heap_.front();
    if (top.at != top.end) {
      sift_down_top();
    } else {
      RunHome* home = top.home;
      std::ranges::pop_heap(heap_, later);
      heap_.pop_back();
      home->run_finished();
    }
    taker_.pause();
  }
  delivered_up_to_ = std::max(delivered_up_to_, std::min(limit, newest_));
}

}  // namespace wick::kernel_records
