// SPDX-License-Identifier: Apache-2.0
// Writes the tasks of asyncio into the memory of a process (testing.h), for any layout. Tests and the
// corpus of the fuzzer only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtimes/python/dictionary.h"
#include "runtimes/python/testing.h"

namespace wick::python::testing {

class WrittenTasks {
 public:
  explicit WrittenTasks(WrittenPython& python)
      : python_(python),
        task_type_(type("_asyncio.Task")),
        future_type_(type("_asyncio.Future")),
        coroutine_type_(type("coroutine")),
        integer_type_(type("int")),
        function_type_(type("function")),
        wakeup_type_(type(python.version.minor < 10 ? "TaskWakeupMethWrapper"
                                                    : "builtin_function_or_method")),
        other_type_(type("other")) {}

  using Entries = std::vector<std::pair<uint64_t, uint64_t>>;  // keys and values; value 0: removed
  uint64_t dictionary(const Entries& entries, bool has_text_keys) {
    const Layout::Object& layout = python_.layout.object;
    WrittenMemory& memory = python_.memory;
    bool is_short = has_text_keys && layout.has_table_logarithms;
    constexpr uint8_t kSlotsLogarithm = 7;
    constexpr size_t kIndexBytes = size_t{1} << kSlotsLogarithm;
    uint32_t first = entries_offset(layout) + 8 + kIndexBytes;
    size_t entry_bytes = is_short ? 16 : 24;
    uint64_t table = memory.allocate(first + entries.size() * entry_bytes);
    if (layout.has_table_logarithms) {
      memory.put<uint8_t>(table + 8, kSlotsLogarithm);
      memory.put<uint8_t>(table + 9, kSlotsLogarithm);
      memory.put<uint8_t>(table + 10, is_short ? 1 : 0);
    } else {
      memory.put<uint64_t>(table + 8, kIndexBytes);
    }
    memory.put<uint64_t>(table + entries_offset(layout), entries.size());
    for (size_t i = 0; i < entries.size(); ++i) {
      uint64_t key = table + first + (i + 1) * entry_bytes - 16;
      memory.put(key, entries[i].first);
      memory.put(key + 8, entries[i].second);
    }
    uint64_t address = memory.allocate(DictionaryTable::kTable + 16);
    memory.put(address + DictionaryTable::kTable, table);
    return address;
  }

  // Suspended; it waits for an object, or for 0.
  uint64_t coroutine(uint64_t code, uint64_t awaited = 0) {
    const Layout::Coroutine& layout = python_.layout.coroutine;
    WrittenMemory& memory = python_.memory;
    constexpr size_t kBytes = 256;
    constexpr uint32_t kStackEntries = 3;
    uint64_t address = python_.object_of(coroutine_type_, kBytes);
    uint64_t frame = address + layout.frame;
    if (layout.frame_is_pointer) {
      frame = memory.allocate(kBytes);
      memory.put(address + layout.frame, frame);
    }
    python_.node_at(frame, code, 4, 0, 0);
    if (layout.frame_is_pointer) {
      memory.put(frame + python_.layout.frame.owner, address);
    } else {
      memory.put(frame + python_.layout.frame.owner, Layout::kGenerator);
    }
    using Top = Layout::Coroutine::Top;
    uint64_t stack =
        layout.top_kind == Top::kNumber ? frame + layout.stack : memory.allocate(kStackEntries * 8);
    memory.put(stack + (kStackEntries - 1) * 8, awaited);
    if (layout.top_kind == Top::kPointer) {
      memory.put(frame + layout.top, stack + kStackEntries * 8);
    } else {
      memory.put<uint32_t>(frame + layout.top, kStackEntries);
    }
    if (layout.top_kind == Top::kDepth) {
      memory.put(frame + layout.stack, stack);
    }
    return address;
  }
  uint64_t frame_of(uint64_t coroutine) {
    const Layout::Coroutine& layout = python_.layout.coroutine;
    uint64_t frame = coroutine + layout.frame;
    return layout.frame_is_pointer ? python_.word(frame) : frame;
  }
  // It runs, called by the frames from `next` on.
  uint64_t run(uint64_t coroutine, uint64_t next) {
    uint64_t frame = frame_of(coroutine);
    if (python_.layout.frame.entries == Layout::Entries::kShims) {
      next = python_.node(0, 0, Layout::kFirstShim, next);
    }
    python_.memory.put(frame + python_.layout.frame.next, next);
    return frame;
  }

  uint64_t future() { return python_.object_of(future_type_, kFutureBytes); }
  uint64_t task(uint64_t name, uint64_t coroutine) {
    uint64_t address = python_.object_of(task_type_, kFutureBytes);
    python_.memory.put(address + python_.layout.task.name, name);
    python_.memory.put(address + python_.layout.task.coroutine, coroutine);
    return address;
  }
  uint64_t number(uint32_t value) {
    uint64_t address = python_.object_of(integer_type_, 32);
    python_.memory.put<uint64_t>(address + 16, 8);
    python_.memory.put(address + 24, value);
    return address;
  }
  // The task waits for the future, as `await` does it.
  void wait(uint64_t task, uint64_t future) {
    WrittenMemory& memory = python_.memory;
    memory.put(task + python_.layout.task.waiter, future);
    if (python_.layout.task.awaited_by != Layout::kAbsent) {
      memory.put(future + python_.layout.task.awaited_by, task);
      return;
    }
    uint64_t callback = python_.object_of(wakeup_type_, 32);
    memory.put(callback + python_.layout.task.resumed, task);
    memory.put(future + kCallback, callback);
  }
  // The result of one future is a part of that of another one, as in gather().
  void gather(uint64_t part, uint64_t whole) {
    WrittenMemory& memory = python_.memory;
    if (python_.layout.task.awaited_by != Layout::kAbsent) {
      memory.put(part + python_.layout.task.awaited_by,
                 python_.word(whole + python_.layout.task.awaited_by));
      return;
    }
    uint64_t cell = python_.object_of(other_type_, 24);
    memory.put(cell + 16, whole);
    uint64_t closure = python_.object_of(other_type_, 40);
    memory.put<uint64_t>(closure + 16, 2);
    memory.put(closure + 32, cell);
    uint64_t function = python_.object_of(function_type_, 128);
    memory.put(function + python_.layout.task.closure, closure);
    memory.put(part + kCallback, function);
  }
  // From now on, the thread runs the task, whose loop is `loop`. `others`: of other threads.
  void enter(
      uint64_t interpreter, uint64_t thread, uint64_t loop, uint64_t task, Entries others = {}) {
    WrittenMemory& memory = python_.memory;
    if (python_.layout.task.running != Layout::kAbsent) {
      memory.put(thread + python_.layout.task.running, task);
      return;
    }
    others.insert(others.begin(), {{loop, 0}, {loop, task}});
    uint64_t tasks = dictionary(others, false);
    uint64_t module = python_.object_of(other_type_, 32);
    memory.put(
        module + 16,
        dictionary({{python_.text("_x"), 1}, {python_.text("_current_tasks"), tasks}}, true));
    uint64_t modules =
        dictionary({{python_.text("sys"), 1}, {python_.text("_asyncio"), module}}, true);
    memory.put(interpreter + python_.layout.task.modules, modules);
  }

  uint64_t type(std::string_view name) { return python_.type(name, 0); }

 private:
  static constexpr size_t kFutureBytes = 192;
  static constexpr uint32_t kCallback = 24;

  WrittenPython& python_;
  uint64_t task_type_;
  uint64_t future_type_;
  uint64_t coroutine_type_;
  uint64_t integer_type_;
  uint64_t function_type_;
  uint64_t wakeup_type_;
  uint64_t other_type_;
};

}  // namespace wick::python::testing
