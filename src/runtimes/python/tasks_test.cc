// SPDX-License-Identifier: Apache-2.0
// Tasks of asyncio in processes that tasks_testing.h has written, in the layout of each version.
#include "runtimes/python/tasks.h"

#include <cstring>
#include <memory>

#include <gtest/gtest.h>

#include "runtimes/frame_list_copy.h"
#include "runtimes/python/process.h"
#include "runtimes/python/tasks_testing.h"

namespace wick::python {
namespace {

using State = InterpreterTask::State;
using testing::WrittenPython;
using testing::WrittenTasks;

// A thread whose task "fetch" runs; main() waits for gather() of it.
class Written {
 public:
  explicit Written(uint32_t minor) : python(minor), tasks(python) {
    interpreter = python.interpreter();
    uint64_t run = python.list({{python.code("run_forever"), 0, true}});
    coroutine = tasks.coroutine(python.code("fetch"));
    thread = python.thread(interpreter, 100, tasks.run(coroutine, run));
    task = tasks.task(python.text("download 7"), coroutine);
    uint64_t whole = tasks.future();
    uint64_t inner = tasks.coroutine(python.code("wait_for_all"), whole);
    outer = tasks.task(tasks.number(1), tasks.coroutine(python.code("main"), inner));
    tasks.wait(outer, whole);
    tasks.gather(task, whole);
    loop = tasks.future();
    tasks.enter(interpreter, thread, loop, task);
  }

  InterpreterTask read(const CopiedTask* copied = nullptr) {
    if (process == nullptr) {
      process = std::make_unique<PythonProcess>(python.memory, python.runtime, python.layout);
      list = process->threads().at(0);
    }
    copy = copy_frame_list(python.memory, list, 1000);
    CopiedFrameList copied_list = copy.list();
    copied_list.task = copied;
    frames = process->frames(copied_list);
    return process->task(list, copied_list, frames);
  }
  // As the recorder copies it.
  CopiedTask sampled(uint64_t address, uint64_t key) {
    CopiedTask copied = {.key = key, .address = address};
    python.memory.read_some(address, copied.object);
    python.memory.read_some(python.word(address + python.layout.task.name), copied.name);
    return copied;
  }
  std::vector<std::string> names(const std::vector<InterpreterFrame>& of) {
    std::vector<std::string> all;
    for (const InterpreterFrame& frame : of) {
      all.push_back(process->code(frame).value_or(InterpretedCode()).name);
    }
    return all;
  }

  WrittenPython python;
  WrittenTasks tasks;
  uint64_t interpreter = 0;
  uint64_t thread = 0;
  uint64_t coroutine = 0;
  uint64_t task = 0;
  uint64_t outer = 0;
  uint64_t loop = 0;
  std::unique_ptr<PythonProcess> process;
  StackFindings::FrameList list;
  FrameListCopy copy;
  std::vector<InterpreterFrame> frames;
};

class TaskVersions : public ::testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(All, TaskVersions, ::testing::Range(8U, 15U));

TEST_P(TaskVersions, NameCoroutineAndAwaiters) {
  Written written(GetParam());
  InterpreterTask found = written.read();
  ASSERT_EQ(found.state, State::kKnown);
  EXPECT_EQ(found.name, "download 7");
  EXPECT_EQ(written.names({written.frames[found.root]}), std::vector<std::string>{"fetch"});
  EXPECT_EQ(written.names(found.awaiters), (std::vector<std::string>{"wait_for_all", "main"}));
  EXPECT_NE(written.list.task.pointer, 0U);
  EXPECT_EQ(found.where.key, written.list.task.is_in_table ? written.loop : 0);
}

TEST_P(TaskVersions, TheCopyOfTheSampleCounts) {
  Written written(GetParam());
  CopiedTask copied = written.sampled(written.task, written.loop);
  // The task has ended, and its memory has another name.
  uint64_t other = written.python.text("another task");
  written.python.memory.put(written.task + written.python.layout.task.name, other);
  InterpreterTask found = written.read(&copied);
  ASSERT_EQ(found.state, State::kKnown);
  EXPECT_EQ(found.name, "download 7");
  EXPECT_EQ(found.where.key, written.loop);
}

TEST_P(TaskVersions, NumbersAreNames) {
  Written written(GetParam());
  uint64_t number = written.tasks.number(70'000);
  written.python.memory.put(written.task + written.python.layout.task.name, number);
  EXPECT_EQ(written.read().name, "Task-70000");
}

TEST_P(TaskVersions, ATaskOfAnotherCoroutineIsNotThatOfTheSample) {
  Written written(GetParam());
  CopiedTask copied = written.sampled(written.outer, written.loop);
  InterpreterTask found = written.read(&copied);
  EXPECT_EQ(found.name, "download 7") << "the one that runs a moment later is that of the frames";
  written.python.memory.put(written.task + written.python.layout.task.coroutine, written.outer);
  EXPECT_EQ(written.read(&copied).state, State::kUnknown);
}

TEST_P(TaskVersions, WithoutAsyncioOrCoroutines) {
  WrittenPython plain(GetParam());
  plain.thread(plain.interpreter(), 7, plain.list({{plain.code("work"), 0, true}}));
  PythonProcess process(plain.memory, plain.runtime, plain.layout);
  StackFindings::FrameList list = process.threads().at(0);
  FrameListCopy copy = copy_frame_list(plain.memory, list, 1000);
  std::vector<InterpreterFrame> frames = process.frames(copy.list());
  EXPECT_EQ(process.task(list, copy.list(), frames).state, State::kNone);
}

TEST_P(TaskVersions, ThreadsHaveTheirOwnTask) {
  Written written(GetParam());
  uint64_t second = written.tasks.task(written.python.text("second"), written.outer);
  written.tasks.enter(written.interpreter,
                      written.thread,
                      written.loop,
                      written.task,
                      {{written.outer, second}, {written.outer + 8, second}});
  EXPECT_EQ(written.read().name, "download 7");
}

TEST_P(TaskVersions, TasksThatWaitForEachOtherEnd) {
  Written written(GetParam());
  written.tasks.wait(written.task, written.outer);
  EXPECT_EQ(written.read().awaiters.size(), 2U);
  // A coroutine that waits for itself.
  Written itself(GetParam());
  uint64_t loops = itself.tasks.coroutine(itself.python.code("loops"));
  uint64_t frame = itself.tasks.frame_of(loops);
  const Layout::Coroutine& layout = itself.python.layout.coroutine;
  uint64_t stack =
      layout.top_kind == Layout::Coroutine::Top::kNumber
          ? frame + layout.stack
          : itself.python.word(frame + (layout.top_kind == Layout::Coroutine::Top::kDepth
                                            ? layout.stack
                                            : layout.top)) -
                (layout.top_kind == Layout::Coroutine::Top::kDepth ? 0 : 24);
  itself.python.memory.put(stack + 16, loops);
  itself.python.memory.put(itself.outer + itself.python.layout.task.coroutine, loops);
  EXPECT_LE(itself.read().awaiters.size(), Tasks::kMaxAwaiters);
}

TEST_P(TaskVersions, HostileMemoryIsBounded) {
  Written written(GetParam());
  WrittenPython& python = written.python;
  // A name of a gigabyte, of which only a part is there.
  uint64_t name = python.text("long name");
  python.memory.put(name + python.layout.object.text_length, uint64_t{1} << 30);
  python.memory.put(written.task + python.layout.task.name, name);
  EXPECT_LT(written.read().name.size(), 5000U);
  // Tables of 2^60 entries.
  Written tables(GetParam());
  if (tables.python.layout.task.running == Layout::kAbsent) {
    uint64_t table = tables.python.word(
        tables.python.word(tables.interpreter + tables.python.layout.task.modules) +
        DictionaryTable::kTable);
    tables.python.memory.put(table + entries_offset(tables.python.layout.object),
                             uint64_t{1} << 60);
    tables.python.memory.reads = 0;
    EXPECT_EQ(tables.read().state, State::kUnknown);
    EXPECT_LT(tables.python.memory.reads, 200U);
  }
  // Every word of a task is wrong, one after the other.
  for (uint32_t at = 0; at < 192; at += 8) {
    for (uint64_t value : {uint64_t{0}, ~uint64_t{0}, written.task, written.outer}) {
      Written wrong(GetParam());
      wrong.python.memory.put(wrong.task + at, value);
      wrong.python.memory.reads = 0;
      wrong.read();
      EXPECT_LT(wrong.python.memory.reads, 2000U) << at;
    }
  }
}

}  // namespace
}  // namespace wick::python
