// SPDX-License-Identifier: Apache-2.0
// The unwinder on real stacks of x86-64: this process unwinds itself, and the test compares the
// result with the compiler's own unwinder.
//
// A Snapshot copies registers and stack at one moment, as a recorder does. All callers must be
// equal, down to the start of the thread: through alloca, aligned frames, the C library and signal
// handlers.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "unwind/process_testing.h"
#include "unwind/unwind.h"

namespace wick {
namespace {

using testing::MapsLine;
using testing::ProcessModules;
using testing::read_maps;

// DWARF numbers of x86-64 in the order of the kernel's register lists.
UnwindRegisters from_context(const ucontext_t& context) {
  static constexpr std::pair<int, size_t> kOrder[] = {{REG_RAX, 0},
                                                      {REG_RDX, 1},
                                                      {REG_RCX, 2},
                                                      {REG_RBX, 3},
                                                      {REG_RSI, 4},
                                                      {REG_RDI, 5},
                                                      {REG_RBP, 6},
                                                      {REG_RSP, 7},
                                                      {REG_R8, 8},
                                                      {REG_R9, 9},
                                                      {REG_R10, 10},
                                                      {REG_R11, 11},
                                                      {REG_R12, 12},
                                                      {REG_R13, 13},
                                                      {REG_R14, 14},
                                                      {REG_R15, 15},
                                                      {REG_RIP, 16}};
  UnwindRegisters registers;
  for (auto [kernel, dwarf] : kOrder) {
    registers.set(dwarf, static_cast<uint64_t>(context.uc_mcontext.gregs[kernel]));
  }
  return registers;
}

// Registers and stack of this thread at one moment, and the result of the compiler's unwinder.
struct Snapshot {
  UnwindRegisters registers;
  std::vector<std::byte> stack;
  std::vector<uint64_t> expected;
};

_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* out) {
  int before = 0;
  uint64_t address = _Unwind_GetIPInfo(context, &before);
  if (address != 0) {
    static_cast<std::vector<uint64_t>*>(out)->push_back(address);
  }
  return _URC_NO_REASON;
}

// The bytes above the stack pointer up to the end of its mapping.
__attribute__((no_sanitize("address"))) void copy_stack(uint64_t sp, std::vector<std::byte>& out) {
  for (const MapsLine& line : read_maps("self")) {
    if (sp >= line.begin && sp < line.end) {
      out.resize(line.end - sp);
      const auto* from = reinterpret_cast<const std::byte*>(sp);
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] = from[i];
      }
    }
  }
}

__attribute__((noinline)) void capture(Snapshot& snapshot) {
  snapshot.expected.clear();
  snapshot.expected.reserve(1000);
  ucontext_t context;
  ::getcontext(&context);
  snapshot.registers = from_context(context);
  copy_stack(snapshot.registers.values[7], snapshot.stack);
  _Unwind_Backtrace(note_frame, &snapshot.expected);
}

struct Unwound {
  StackEnd end = StackEnd::kComplete;
  std::vector<UnwoundFrame> frames;
};

Unwound unwind(const Snapshot& snapshot, const ProcessModules& modules = ProcessModules("self")) {
  UnwindInput input{.registers = snapshot.registers, .stack = snapshot.stack};
  UnwindCache cache;
  Unwound result;
  result.end = unwind_stack(input, modules, cache, result.frames);
  return result;
}

// All callers are the same; the innermost address differs, because the two captures are two calls.
void expect_same(const Snapshot& snapshot) {
  Unwound result = unwind(snapshot);
  EXPECT_EQ(result.end, StackEnd::kComplete);
  std::vector<uint64_t> ours;
  for (const UnwoundFrame& frame : result.frames) {
    ours.push_back(frame.address);
  }
  ASSERT_FALSE(ours.empty());
  ASSERT_FALSE(snapshot.expected.empty());
  ours.erase(ours.begin());
  std::vector<uint64_t> theirs(snapshot.expected.begin() + 1, snapshot.expected.end());
  EXPECT_EQ(ours, theirs);
  EXPECT_GT(ours.size(), 5U);
}

__attribute__((noinline)) void recurse(int depth, Snapshot& snapshot) {
  volatile char room[100];
  room[0] = static_cast<char>(depth);
  if (depth == 0) {
    capture(snapshot);
  } else {
    recurse(depth - 1, snapshot);
  }
  room[1] = room[0];
}

TEST(OwnStack, PlainCalls) {
  Snapshot snapshot;
  recurse(50, snapshot);
  expect_same(snapshot);
}

// Frames of variable size are found through rbp.
__attribute__((noinline)) void with_alloca(size_t size, Snapshot& snapshot) {
  auto* room = static_cast<volatile char*>(__builtin_alloca(size));
  room[0] = 1;
  capture(snapshot);
  room[size - 1] = room[0];
}

// Frames that align the stack find their CFA by an expression.
__attribute__((noinline)) void with_alignment(size_t size, Snapshot& snapshot) {
  alignas(128) volatile char room[256];
  room[0] = static_cast<char>(size);
  with_alloca(size, snapshot);
  room[1] = room[0];
}

TEST(OwnStack, DynamicAndAlignedFrames) {
  Snapshot snapshot;
  with_alignment(1000, snapshot);
  expect_same(snapshot);
}

Snapshot* g_snapshot = nullptr;

int compare_and_capture(const void* a, const void* b) {
  if (g_snapshot->expected.empty()) {
    capture(*g_snapshot);
  }
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

TEST(OwnStack, ThroughTheCLibrary) {
  Snapshot snapshot;
  g_snapshot = &snapshot;
  std::vector<int> numbers = {5, 3, 8, 1};
  std::qsort(numbers.data(), numbers.size(), sizeof(int), compare_and_capture);
  expect_same(snapshot);
}

TEST(OwnStack, ThreadsEndAtTheirStart) {
  Snapshot snapshot;
  std::thread([&] { recurse(5, snapshot); }).join();
  expect_same(snapshot);
}

void handler_captures(int /*signal*/) {
  capture(*g_snapshot);
}

TEST(OwnStack, ThroughASignalHandler) {
  Snapshot snapshot;
  g_snapshot = &snapshot;
  std::signal(SIGUSR1, handler_captures);
  ::raise(SIGUSR1);
  std::signal(SIGUSR1, SIG_DFL);
  expect_same(snapshot);
  Unwound result = unwind(snapshot);
  auto has = [&](FrameSource source) {
    return std::ranges::count(result.frames, source, &UnwoundFrame::source);
  };
  EXPECT_EQ(has(FrameSource::kSignalReturn), 1);
  EXPECT_EQ(has(FrameSource::kInterrupted), 1);
}

// A signal at the first instruction of a function: the unwinder must look up that very address.
__attribute__((noinline, naked)) void illegal() {
  asm("ud2; ret");
}
void handler_captures_and_skips(int /*signal*/, siginfo_t* /*info*/, void* context) {
  capture(*g_snapshot);
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP] += 2;
}

TEST(OwnStack, SignalAtTheFirstInstruction) {
  Snapshot snapshot;
  g_snapshot = &snapshot;
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_sigaction = handler_captures_and_skips;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGILL, &action, &before);
  illegal();
  ::sigaction(SIGILL, &before, nullptr);
  Unwound result = unwind(snapshot);
  EXPECT_EQ(result.end, StackEnd::kComplete);
  auto frame = std::ranges::find(result.frames, FrameSource::kInterrupted, &UnwoundFrame::source);
  ASSERT_NE(frame, result.frames.end());
  EXPECT_EQ(frame->address, reinterpret_cast<uint64_t>(&illegal));
  EXPECT_EQ(frame->frame_address().lookup(), frame->address);
}

TEST(OwnStack, SignalOnAStackOfItsOwn) {
  Snapshot snapshot;
  g_snapshot = &snapshot;
  std::vector<char> room(1 << 18);
  stack_t own = {};
  stack_t before = {};
  own.ss_sp = room.data();
  own.ss_size = room.size();
  ::sigaltstack(&own, &before);
  struct sigaction action = {};
  struct sigaction action_before = {};
  action.sa_handler = handler_captures;
  action.sa_flags = SA_ONSTACK;
  ::sigaction(SIGUSR1, &action, &action_before);
  ::raise(SIGUSR1);
  ::sigaction(SIGUSR1, &action_before, nullptr);
  ::sigaltstack(&before, nullptr);
  // The handler's stack was copied, the interrupted one was not: all frames up to there are known.
  Unwound result = unwind(snapshot);
  EXPECT_EQ(result.end, StackEnd::kOtherStack);
  ASSERT_GE(result.frames.size(), 4U);
  EXPECT_EQ(result.frames.back().source, FrameSource::kInterrupted);
}

std::jmp_buf g_back;

[[noreturn]] __attribute__((noinline)) void never_returns(Snapshot& snapshot) {
  capture(snapshot);
  std::longjmp(g_back, 1);
}
// The call is the last instruction, so the return address is after the function.
[[noreturn]] __attribute__((noinline)) void ends_with_a_call(Snapshot& snapshot) {
  never_returns(snapshot);
}

TEST(OwnStack, CallsThatNeverReturn) {
  Snapshot snapshot;
  if (setjmp(g_back) == 0) {
    ends_with_a_call(snapshot);
  }
  expect_same(snapshot);
}

TEST(OwnStack, CutCopiesAreDistinguished) {
  Snapshot snapshot;
  recurse(50, snapshot);
  ProcessModules modules("self");
  Unwound whole = unwind(snapshot, modules);
  for (size_t size = 0; size < std::min<size_t>(snapshot.stack.size(), 3000); size += 8) {
    Snapshot cut = snapshot;
    cut.stack.resize(size);
    Unwound result = unwind(cut, modules);
    EXPECT_EQ(result.end, StackEnd::kCopyTooShort) << size;
    ASSERT_LE(result.frames.size(), whole.frames.size());
    EXPECT_TRUE(std::equal(result.frames.begin(), result.frames.end(), whole.frames.begin()));
    size += size > 600 ? 200 : 0;
  }
}

}  // namespace
}  // namespace wick

#endif
