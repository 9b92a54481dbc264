// SPDX-License-Identifier: Apache-2.0
// Tasks on one thread: coroutines and a queue of those that are ready.
//
// There is no epoll and no timer. A task can only wait for a Notice, and a notice comes from
// another task. If the queue is empty, nothing can ever happen again and the run is over.
#pragma once

#include <coroutine>
#include <deque>
#include <exception>
#include <utility>

namespace echo {

class ReadyQueue {
 public:
  void add(std::coroutine_handle<> task) { ready_.push_back(task); }
  // Resumes tasks, the longest ready first, until none is ready.
  void run();

  // co_await queue.turn(): moves the task to the end of the queue.
  struct Turn {
    ReadyQueue& queue;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> task) const { queue.add(task); }
    void await_resume() const noexcept {}
  };
  Turn turn() { return {*this}; }

 private:
  std::deque<std::coroutine_handle<>> ready_;
};

// One task waits (co_await notice), another gives. A notice given before the wait is stored.
class Notice {
 public:
  explicit Notice(ReadyQueue& queue) : queue_(&queue) {}

  void give() {
    if (waiting_) {
      queue_->add(std::exchange(waiting_, nullptr));
    } else {
      given_ = true;
    }
  }

  bool await_ready() noexcept { return std::exchange(given_, false); }
  void await_suspend(std::coroutine_handle<> task) noexcept { waiting_ = task; }
  void await_resume() const noexcept {}

 private:
  ReadyQueue* queue_;
  std::coroutine_handle<> waiting_;
  bool given_ = false;
};

// A coroutine that starts when it is first resumed; its Task owns it.
class Task {
 public:
  struct promise_type {
    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };

  explicit Task(std::coroutine_handle<> handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) {
      handle_.destroy();
    }
  }

  std::coroutine_handle<> handle() const { return handle_; }
  bool done() const { return handle_.done(); }

 private:
  std::coroutine_handle<> handle_;
};

}  // namespace echo
