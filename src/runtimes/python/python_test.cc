// SPDX-License-Identifier: Apache-2.0
// Reads processes that tests/testing.h has written, in the layout of each version: whole ones, and
// damaged and hostile ones.
#include <string>

#include <gtest/gtest.h>

#include "runtimes/frame_list_copy.h"
#include "runtimes/python/process.h"
#include "runtimes/python/tasks_testing.h"
#include "runtimes/python/testing.h"
#include "tests/support/golden.h"

namespace wick::python {
namespace {

using FrameList = StackFindings::FrameList;
using testing::described;
using testing::WrittenPython;

constexpr size_t kMaxFrames = 200'000;

PythonProcess process_of(WrittenPython& python) {
  return {python.memory, python.runtime, python.layout};
}

class WrittenVersions : public ::testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(All, WrittenVersions, ::testing::Range(8U, 15U));

TEST_P(WrittenVersions, DescriptionsGiveTheSameLayout) {
  WrittenPython python(GetParam());
  if (GetParam() < 13) {
    return;
  }
  Result<Layout> layout =
      layout_from_debug_offsets(as_bytes(described(python.layout, python.version)), python.version);
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->thread.frame, python.layout.thread.frame);
  EXPECT_EQ(layout->thread.tid, python.layout.thread.tid);
  EXPECT_EQ(layout->interpreter.threads, python.layout.interpreter.threads);
  EXPECT_EQ(layout->runtime.interpreters, python.layout.runtime.interpreters);
  EXPECT_EQ(layout->lock.pointer, python.layout.lock.pointer);
  EXPECT_EQ(layout->lock.holder, python.layout.lock.holder);
  EXPECT_EQ(layout->lock.locked, python.layout.lock.locked);
  EXPECT_EQ(layout->frame.mark, python.layout.frame.mark);
  EXPECT_EQ(layout->frame.position, python.layout.frame.position);
  EXPECT_EQ(layout->frame.code_mask, python.layout.frame.code_mask);
  EXPECT_EQ(layout->code.begin, python.layout.code.begin);
  EXPECT_EQ(layout->code.first_line, python.layout.code.first_line);
  EXPECT_EQ(layout->code.lines, python.layout.code.lines);
  EXPECT_EQ(layout->object.ascii_data, python.layout.object.ascii_data);
  EXPECT_EQ(layout->object.text_kind_bit, 2U);
}

TEST_P(WrittenVersions, FramesOfAllThreadsOfAllInterpreters) {
  WrittenPython python(GetParam());
  uint64_t key = python.code("key");
  uint64_t parse = python.code("parse");
  uint64_t load = python.code("load");
  uint64_t first = python.interpreter();
  uint64_t second = python.interpreter();
  python.thread(first, 100, python.list({{key, 4, true}, {parse, 0, false}, {load, 8, true}}));
  python.thread(first, 101, 0);
  python.thread(second, 102, python.list({{parse, 2, true}}));
  PythonProcess process = process_of(python);

  std::vector<FrameList> lists = process.threads();
  ASSERT_EQ(lists.size(), 3U);
  EXPECT_EQ(lists[0].tid, 100);
  EXPECT_EQ(lists[1].tid, 101);
  EXPECT_EQ(lists[2].tid, 102);
  EXPECT_NE(lists[0].words[0], 0U);
  EXPECT_LE(lists[0].node_bytes, CopiedFrameList::kMaxNodeBytes);
  EXPECT_LE(lists[0].code_bytes, CopiedFrameList::kMaxCodeBytes);

  FrameListCopy copy = copy_frame_list(python.memory, lists[0], kMaxFrames);
  EXPECT_TRUE(copy.is_known);
  EXPECT_FALSE(copy.is_cut);
  std::vector<InterpreterFrame> frames = process.frames(copy.list());
  bool all_are_entries = GetParam() < 11;
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[0].position, 4U);
  EXPECT_TRUE(frames[0].is_entry);
  EXPECT_EQ(frames[1].is_entry, all_are_entries);
  EXPECT_TRUE(frames[2].is_entry);
  EXPECT_EQ(process.code(frames[0])->name, "key");
  EXPECT_EQ(process.code(frames[1])->name, "parse");
  EXPECT_EQ(process.code(frames[2])->name, "load");
  EXPECT_EQ(process.code(frames[2])->file, "file.py");
  EXPECT_EQ(process.code(frames[2])->first_line, 10U);

  copy = copy_frame_list(python.memory, lists[1], kMaxFrames);
  EXPECT_TRUE(copy.is_known);
  EXPECT_TRUE(process.frames(copy.list()).empty());
}

// One thread with everything that is read; fuzz/targets.cc reads it again, damaged.
TEST_P(WrittenVersions, IsInTheCorpusOfTheFuzzer) {
  using Form = WrittenPython::Form;
  WrittenPython python(GetParam());
  uint64_t name = python.text(
      "gr\xf6\xdf"
      "e",
      1,
      Form::kCompact);
  std::string table = python.layout.code.lines_kind == Layout::Lines::kLocations
                          ? std::string("\xf3\x02\x01\x01\x01\x80\x00", 7)
                          : std::string("\x04\x01\x06\x02", 4);
  uint64_t code = python.code(name, python.text("f.py", 1, Form::kPointer), 3, table);
  uint64_t interpreter = python.interpreter();
  testing::WrittenTasks tasks(python);
  uint64_t coroutine = tasks.coroutine(code);
  uint64_t frames = tasks.run(coroutine, python.list({{code, 4, true}, {code, 6, true}}));
  uint64_t thread = python.thread(interpreter, 100, frames);
  uint64_t task = tasks.task(name, coroutine);
  uint64_t whole = tasks.future();
  tasks.wait(tasks.task(tasks.number(7), tasks.coroutine(code, whole)), whole);
  tasks.gather(task, whole);
  tasks.enter(interpreter, thread, whole, task);
  ASSERT_EQ(process_of(python).threads().size(), 1U);
  wick::testing::expect_golden("fuzz/corpus/python/3." + std::to_string(GetParam()),
                               python.memory.bytes());
}

TEST_P(WrittenVersions, AThreadInTwoInterpretersHasOneList) {
  WrittenPython python(GetParam());
  uint64_t older = python.interpreter();
  uint64_t newer = python.interpreter();
  uint64_t idle = python.interpreter();
  python.thread(older, 100, python.list({{python.code("outer"), 0, true}}));
  python.thread(newer, 100, python.list({{python.code("inner"), 0, true}}));
  python.thread(idle, 100, 0);
  PythonProcess process = process_of(python);
  std::vector<FrameList> lists = process.threads();
  ASSERT_EQ(lists.size(), 1U);
  FrameListCopy copy = copy_frame_list(python.memory, lists[0], kMaxFrames);
  EXPECT_FALSE(copy.is_cut);
  std::vector<InterpreterFrame> frames = process.frames(copy.list());
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(process.code(frames[0])->name, "inner");
  EXPECT_EQ(process.code(frames[1])->name, "outer");
}

TEST_P(WrittenVersions, OneThreadHoldsTheLock) {
  WrittenPython python(GetParam());
  uint64_t interpreter = python.interpreter();
  uint64_t first = python.thread(interpreter, 100, 0);
  python.thread(interpreter, 101, 0);
  PythonProcess process = process_of(python);
  std::vector<FrameList> lists = process.threads();
  auto use = [&](size_t thread) {
    FrameListCopy copy = copy_frame_list(python.memory, lists[thread], kMaxFrames);
    return process.lock_use(lists[thread], copy.list());
  };
  EXPECT_EQ(use(0), LockUse::kFree);
  python.memory.put<uint64_t>(lists[0].words[0], first);
  python.memory.put<int32_t>(lists[0].words[1], 1);
  EXPECT_EQ(use(0), LockUse::kHolds);
  EXPECT_EQ(use(1), LockUse::kOtherHolds);
  python.memory.put<int32_t>(lists[0].words[1], 0);  // 3.12 and later remember the last holder
  EXPECT_EQ(use(0), LockUse::kFree);
  python.memory.put<int32_t>(lists[0].words[1], -1);
  EXPECT_EQ(use(0), LockUse::kUnknown);
  EXPECT_EQ(process.lock_use(lists[0], {}), LockUse::kUnknown);
}

// musl's descriptions are a ring; that of the only thread points to itself twice, as glibc's do.
TEST_P(WrittenVersions, ThreadsOfMusl) {
  WrittenPython python(GetParam());
  uint64_t interpreter = python.interpreter();
  std::vector<uint64_t> ring;
  auto add = [&](int32_t tid) {
    uint64_t thread = python.thread(interpreter, tid, 0);
    uint64_t description = python.memory.allocate(64);
    python.memory.put(description, description);
    python.memory.put(description + 0x30, tid);
    python.memory.put(thread + python.layout.thread.pthread, description);
    ring.push_back(description);
    for (size_t i = 0; i < ring.size(); ++i) {
      python.memory.put(ring[i] + 0x10, ring[(i + ring.size() - 1) % ring.size()]);
      python.memory.put(ring[i] + 0x18, ring[(i + 1) % ring.size()]);
    }
  };
  PythonProcess process = process_of(python);
  for (int32_t tid = 100; tid < 103; ++tid) {
    add(tid);
    std::vector<FrameList> lists = process.threads();
    ASSERT_EQ(lists.size(), ring.size());
    EXPECT_EQ(lists.back().tid, tid);
  }
}

TEST_P(WrittenVersions, ALockThatIsNotInUseSaysNothing) {
  WrittenPython python(GetParam());
  if (GetParam() < 13) {
    return;
  }
  constexpr uint32_t kEnabled = 20;
  python.layout.lock.enabled = kEnabled;
  Layout layout = *layout_from_debug_offsets(as_bytes(described(python.layout, python.version)),
                                             python.version);
  ASSERT_EQ(layout.lock.enabled, kEnabled);
  uint64_t interpreter = python.interpreter();
  uint64_t thread = python.thread(interpreter, 100, 0);
  uint64_t lock = python.word(interpreter + layout.lock.pointer);
  python.memory.put<uint64_t>(lock + layout.lock.holder, thread);
  python.memory.put<int32_t>(lock + layout.lock.locked, 1);
  PythonProcess process(python.memory, python.runtime, layout);
  auto use = [&] {
    FrameList list = process.threads().at(0);
    return process.lock_use(list, copy_frame_list(python.memory, list, kMaxFrames).list());
  };
  EXPECT_EQ(use(), LockUse::kUnknown);
  python.memory.put<int32_t>(lock + kEnabled, 1);
  EXPECT_EQ(use(), LockUse::kHolds);
}

TEST_P(WrittenVersions, AThreadThatHasEndedIsNotRead) {
  WrittenPython python(GetParam());
  uint64_t interpreter = python.interpreter();
  uint64_t thread = python.thread(interpreter, 100, python.list({{python.code("f"), 0, true}}));
  FrameList list = process_of(python).threads().at(0);
  uint32_t checked = python.layout.thread.tid == Layout::kAbsent ? python.layout.thread.pthread
                                                                 : python.layout.thread.tid;
  python.memory.put<uint64_t>(thread + checked, 0);
  EXPECT_FALSE(copy_frame_list(python.memory, list, kMaxFrames).is_known);
  EXPECT_TRUE(process_of(python).threads().empty());
}

TEST_P(WrittenVersions, AFunctionThatHasNotStartedIsAtItsStart) {
  WrittenPython python(GetParam());
  uint64_t interpreter = python.interpreter();
  uint64_t code = python.code("f");
  python.thread(interpreter, 100, python.list({{code, -2, true}, {code, 1 << 30, true}}));
  PythonProcess process = process_of(python);
  FrameListCopy copy = copy_frame_list(python.memory, process.threads().at(0), kMaxFrames);
  std::vector<InterpreterFrame> frames = process.frames(copy.list());
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].position, 0U);
  EXPECT_EQ(frames[1].position, 1U << 30);
}

TEST_P(WrittenVersions, BeforeTheStartThereAreNoThreads) {
  WrittenPython python(GetParam());
  EXPECT_TRUE(process_of(python).threads().empty());
  python.interpreter();
  EXPECT_TRUE(process_of(python).threads().empty());
}

TEST_P(WrittenVersions, CyclesEnd) {
  WrittenPython python(GetParam());
  uint64_t interpreter = python.interpreter();
  uint64_t code = python.code("f");
  uint64_t own = python.node(code, 0, 0, 0);
  python.memory.put(own + python.layout.frame.next, own);
  uint64_t outer = python.node(code, 0, 0, 0);
  uint64_t inner = python.node(code, 0, 0, outer);
  python.memory.put(outer + python.layout.frame.next, inner);
  uint64_t first = python.thread(interpreter, 100, own);
  uint64_t last = python.thread(interpreter, 101, inner);
  python.memory.put(first + python.layout.thread.next, last);
  python.memory.put(interpreter + python.layout.interpreter.next, interpreter);

  std::vector<FrameList> lists = process_of(python).threads();
  ASSERT_EQ(lists.size(), 2U);
  FrameListCopy copy = copy_frame_list(python.memory, lists[0], kMaxFrames);
  EXPECT_TRUE(copy.is_cut);
  EXPECT_EQ(copy.nodes.size(), 1U);
  copy = copy_frame_list(python.memory, lists[1], 1000);
  EXPECT_TRUE(copy.is_cut);
  EXPECT_EQ(copy.nodes.size(), 1000U);
}

TEST_P(WrittenVersions, TornPointersEndLists) {
  WrittenPython python(GetParam());
  uint64_t interpreter = python.interpreter();
  uint64_t code = python.code("f");
  python.thread(interpreter, 100, python.list({{code, 0, true}}, 0xdead'0000'0000));
  uint64_t torn = python.thread(interpreter, 101, ~uint64_t{7});
  python.memory.put<uint64_t>(torn + python.layout.thread.next, ~uint64_t{0});
  PythonProcess process = process_of(python);
  std::vector<FrameList> lists = process.threads();
  ASSERT_EQ(lists.size(), 1U);
  EXPECT_EQ(copy_frame_list(python.memory, lists[0], kMaxFrames).nodes.size(), 0U);
  EXPECT_FALSE(process.code({.code = 0xdead'0000'0000}));
  EXPECT_FALSE(process.code({.code = ~uint64_t{0}}));
  EXPECT_FALSE(process.code({.code = 0}));
}

TEST_P(WrittenVersions, ManyFramesAndThreads) {
  WrittenPython python(GetParam());
  uint64_t interpreter = python.interpreter();
  uint64_t code = python.code("f");
  std::vector<WrittenPython::Frame> frames(100'000, {code, 2, false});
  frames.back().is_entry = true;
  uint64_t head = python.list(frames);
  constexpr int32_t kThreads = 6000;
  for (int32_t tid = 1; tid <= kThreads; ++tid) {
    python.thread(interpreter, tid, tid == kThreads ? head : 0);
  }
  PythonProcess process = process_of(python);
  std::vector<FrameList> lists = process.threads();
  ASSERT_EQ(lists.size(), PythonProcess::kMaxThreads);
  ASSERT_EQ(lists.back().tid, kThreads);
  FrameListCopy copy = copy_frame_list(python.memory, lists.back(), kMaxFrames);
  EXPECT_FALSE(copy.is_cut);
  EXPECT_EQ(process.frames(copy.list()).size(), 100'000U);
}

TEST_P(WrittenVersions, CodeThatHasChangedHasNoName) {
  WrittenPython python(GetParam());
  uint64_t interpreter = python.interpreter();
  uint64_t code = python.code("f");
  python.thread(interpreter, 100, python.list({{code, 0, true}}));
  PythonProcess process = process_of(python);
  FrameListCopy copy = copy_frame_list(python.memory, process.threads().at(0), kMaxFrames);
  InterpreterFrame frame = process.frames(copy.list()).at(0);
  EXPECT_TRUE(process.code(frame));
  python.memory.put(code + python.layout.code.name, python.text("another"));
  EXPECT_FALSE(process.code(frame));
}

TEST_P(WrittenVersions, WhatIsNotCodeHasNoName) {
  WrittenPython python(GetParam());
  PythonProcess process = process_of(python);
  EXPECT_FALSE(process.code({.code = python.text("f")}));
  uint64_t code = python.code("f");
  python.memory.put(code + python.layout.object.type, python.type("codes", 0));
  EXPECT_FALSE(process.code({.code = code}));
}

std::string name_in(WrittenPython& python, uint64_t text) {
  PythonProcess process = process_of(python);
  uint64_t code = python.code(text, python.text("file.py"), 1, "");
  std::optional<InterpretedCode> read = process.code({.code = code});
  return read ? read->name : "(none)";
}

TEST_P(WrittenVersions, NamesAreValidUtf8) {
  using Form = WrittenPython::Form;
  WrittenPython python(GetParam());
  EXPECT_EQ(name_in(python, python.text("")), "");
  EXPECT_EQ(name_in(python,
                    python.text("gr\xf6\xdf"
                                "e",
                                1,
                                Form::kCompact)),
            "gr\u00f6\u00dfe");
  EXPECT_EQ(name_in(python, python.text("\xe5\x65\x2c\x67", 2, Form::kCompact)), "\u65e5\u672c");
  EXPECT_EQ(
      name_in(python, python.text(std::string_view("\x00\x04\x01\x00", 4), 4, Form::kCompact)),
      "\U00010400");
  EXPECT_EQ(name_in(python, python.text("abc", 1, Form::kPointer)), "abc");
  // A NUL is a character. A byte of an ASCII text that is none becomes one of Latin 1.
  EXPECT_EQ(name_in(python, python.text(std::string_view("a\0b", 3))), std::string("a\0b", 3));
  EXPECT_EQ(name_in(python, python.text("\xff")), "\u00ff");
  // Half of a pair, as in the names of files that are not UTF-8; and beyond the last character.
  EXPECT_EQ(name_in(python, python.text("\x80\xdc", 2, Form::kCompact)), "\ufffd");
  EXPECT_EQ(name_in(python, python.text("\xff\xff\xff\xff", 4, Form::kCompact)), "\ufffd");
}

TEST_P(WrittenVersions, HugeNamesAreShortened) {
  WrittenPython python(GetParam());
  uint64_t text = python.text(std::string(5000, 'x'));
  EXPECT_EQ(name_in(python, text), std::string(4096, 'x') + "\u2026");
  python.memory.put<uint64_t>(text + python.layout.object.text_length, uint64_t{1} << 30);
  EXPECT_EQ(name_in(python, text), std::string(4096, 'x') + "\u2026");
  // It claims to be longer than memory is.
  uint64_t at_end = python.text("short");
  python.memory.put<uint64_t>(at_end + python.layout.object.text_length, ~uint64_t{0});
  python.memory.bytes().resize(at_end + 80 - testing::WrittenMemory::kBase);
  EXPECT_FALSE(Objects(python.memory, python.layout.object).text(at_end, 4096));
}

TEST_P(WrittenVersions, TornTextIsNone) {
  WrittenPython python(GetParam());
  uint64_t text = python.text("name");
  python.memory.put<uint32_t>(text + python.layout.object.text_state, ~0U);
  EXPECT_EQ(name_in(python, text), "(none)");
  EXPECT_EQ(name_in(python, 0), "(none)");
  EXPECT_EQ(name_in(python, python.bytes("not a text")), "(none)");
  uint64_t code = python.code("f");
  python.memory.put<uint64_t>(code + python.layout.code.lines, 0x1234);
  PythonProcess process = process_of(python);
  EXPECT_EQ(process.code({.code = code})->name, "f");  // it has no lines
  EXPECT_TRUE(process.code({.code = code})->lines.empty());
}

TEST(PythonTags, MarksOfReferencesAreNotPartOfAddresses) {
  WrittenPython python(14);
  uint64_t interpreter = python.interpreter();
  uint64_t code = python.code("f");
  python.thread(interpreter, 100, python.list({{code, 6, true}}));
  PythonProcess process = process_of(python);
  FrameListCopy copy = copy_frame_list(python.memory, process.threads().at(0), kMaxFrames);
  InterpreterFrame frame = process.frames(copy.list()).at(0);
  EXPECT_EQ(frame.code, code);
  EXPECT_EQ(frame.position, 6U);
  EXPECT_NE(frame.fingerprint, 0U);
}

TEST(PythonShims, OneWithoutAFrameIsAnEvaluatorThatRunsNothing) {
  WrittenPython python(12);
  uint64_t interpreter = python.interpreter();
  uint64_t below = python.list({{python.code("f"), 0, true}});
  uint64_t shim = python.node(0, 0, Layout::kFirstShim, below);
  python.thread(interpreter, 100, python.list({{python.code("__del__"), 0, true}}, shim));
  PythonProcess process = process_of(python);
  FrameListCopy copy = copy_frame_list(python.memory, process.threads().at(0), kMaxFrames);
  std::vector<InterpreterFrame> frames = process.frames(copy.list());
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_NE(frames[0].code, 0U);
  EXPECT_EQ(frames[1].code, 0U);
  EXPECT_TRUE(frames[1].is_entry);
  EXPECT_NE(frames[2].code, 0U);
}

TEST(PythonDescription, LyingOffsetsAreRefused) {
  for (uint32_t minor : {13U, 14U}) {
    WrittenPython python(minor);
    std::string good = described(python.layout, python.version);
    ASSERT_TRUE(layout_from_debug_offsets(as_bytes(good), python.version));
    constexpr size_t kNumbers = 24;  // after the cookie, version and flag
    size_t refused = 0;
    size_t numbers = 0;
    for (size_t at = kNumbers; at + 8 <= good.size(); at += 8) {
      for (uint64_t lie : {~uint64_t{0}, uint64_t{1} << 40, uint64_t{8185}}) {
        std::string bad = good;
        std::memcpy(bad.data() + at, &lie, sizeof lie);
        Result<Layout> layout = layout_from_debug_offsets(as_bytes(bad), python.version);
        refused += layout ? 0U : 1U;
        ++numbers;
        if (layout) {  // the number is not used
          EXPECT_LE(layout->frame_bytes(), CopiedFrameList::kMaxNodeBytes);
          EXPECT_LE(layout->fingerprint_bytes(), CopiedFrameList::kMaxCodeBytes);
          EXPECT_LE(layout->code_bytes(), 8200U);
        }
      }
    }
    EXPECT_GT(refused, numbers / 3);
    for (size_t size = 0; size + 8 < good.size(); size += 8) {
      EXPECT_FALSE(layout_from_debug_offsets(as_bytes(good).first(size), python.version));
    }
  }
}

TEST(PythonDescription, AnotherVersionIsRefused) {
  WrittenPython python(13);
  std::string description = described(python.layout, python.version);
  EXPECT_FALSE(layout_from_debug_offsets(as_bytes(description), {3, 14, 0}));
  EXPECT_FALSE(layout_from_debug_offsets({}, {3, 13, 0}));
  EXPECT_FALSE(version_of_debug_offsets(as_bytes("xdebugpy")).is_known());
}

TEST(PythonVersion, ComesFromNumbersAndNames) {
  EXPECT_EQ(Version::from_hex(0x030B02F0).text(), "3.11.2");
  EXPECT_FALSE(Version::from_hex(0x020B02F0).is_known());
  EXPECT_FALSE(Version::from_hex(0x1'030B'02F0).is_known());
  EXPECT_EQ(Version::from_file_name("/usr/bin/python3.9").text(), "3.9");
  EXPECT_EQ(Version::from_file_name("/lib/libpython3.10.so.1.0").text(), "3.10");
  EXPECT_FALSE(Version::from_file_name("/usr/bin/python3").is_known());
  EXPECT_FALSE(Version::from_file_name("/usr/bin/python3.").is_known());
  EXPECT_FALSE(Version::from_file_name("/opt/python3.9/bin/program").is_known());
  EXPECT_FALSE(Version::from_file_name("python3.99999999999999").is_known());
}

}  // namespace
}  // namespace wick::python
