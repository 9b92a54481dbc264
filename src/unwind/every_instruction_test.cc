// SPDX-License-Identifier: Apache-2.0
// Runs the unwinder after every single instruction of a real program (x86-64): a child is stepped
// through lazy binding, PLT stubs, prologues and epilogues, string functions, the vdso, an
// exception and a signal handler. At each step the unwinder must find the whole stack, down to
// _start.
#if defined(__x86_64__)

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cwchar>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unwind/process_testing.h"
#include "unwind/unwind.h"

namespace wick {
namespace {

using testing::MapsLine;
using testing::ProcessModules;
using testing::read_maps;

volatile uint64_t g_sink = 0;

int compare_ints(const void* a, const void* b) {
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}
void on_signal(int number) {
  g_sink = g_sink + static_cast<uint64_t>(number);
}
[[gnu::noinline]] uint64_t with_alignment(uint64_t seed) {
  alignas(64) volatile uint64_t room[8] = {seed};
  return room[0] + std::wcslen(L"wide");
}

// Calls functions that the test program has not called before, so that each goes through the
// dynamic linker once.
[[gnu::noinline]] void exercise() {
  char text[200];
  std::snprintf(text, sizeof(text), "%g %s %d", 3.25, "words", 42);
  g_sink = g_sink + std::strlen(text) + static_cast<uint64_t>(::strverscmp("a1", "a2"));
  int numbers[] = {5, 3, 9, 1};
  std::qsort(numbers, 4, sizeof(int), compare_ints);
  g_sink = g_sink + static_cast<uint64_t>(std::strtod("1.5e3", nullptr));
  g_sink = g_sink + with_alignment(7);
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  g_sink = g_sink + static_cast<uint64_t>(now.tv_nsec);
  std::signal(SIGUSR1, on_signal);
  ::raise(SIGUSR1);
  try {
    g_sink = g_sink + static_cast<uint64_t>(std::string("short").at(g_sink | 1000));
  } catch (const std::exception& error) {
    g_sink = g_sink + std::strlen(error.what());
  }
}

// `caller` is shared with the parent: from this address on, all frames must stay the same.
[[gnu::noinline]] void child_main(volatile uint64_t* caller) {
  *caller = reinterpret_cast<uint64_t>(__builtin_return_address(0));
  ::raise(SIGSTOP);
  exercise();
  *caller = 0;
}

UnwindRegisters from_user_regs(const user_regs_struct& regs) {
  UnwindRegisters registers;
  const unsigned long long values[] = {regs.rax,
                                       regs.rdx,
                                       regs.rcx,
                                       regs.rbx,
                                       regs.rsi,
                                       regs.rdi,
                                       regs.rbp,
                                       regs.rsp,
                                       regs.r8,
                                       regs.r9,
                                       regs.r10,
                                       regs.r11,
                                       regs.r12,
                                       regs.r13,
                                       regs.r14,
                                       regs.r15,
                                       regs.rip};
  for (size_t i = 0; i < std::size(values); ++i) {
    registers.set(i, values[i]);
  }
  return registers;
}

// A stopped child.
class Tracee {
 public:
  explicit Tracee(pid_t pid) : pid_(pid), modules_(std::make_unique<ProcessModules>(name())) {
    for (const MapsLine& line : read_maps(name())) {
      stack_end_ = line.path == "[stack]" ? line.end : stack_end_;
    }
  }

  StackEnd unwind(std::vector<UnwoundFrame>& frames) {
    user_regs_struct regs = {};
    ::ptrace(PTRACE_GETREGS, pid_, nullptr, &regs);
    pc = regs.rip;
    if (modules_->find(pc) == nullptr) {
      modules_ = std::make_unique<ProcessModules>(name());
      ++generation_;
    }
    stack_.resize(stack_end_ - regs.rsp);
    iovec local = {stack_.data(), stack_.size()};
    iovec remote = {reinterpret_cast<void*>(regs.rsp), stack_.size()};
    ::process_vm_readv(pid_, &local, 1, &remote, 1, 0);
    UnwindInput input{.registers = from_user_regs(regs), .stack = stack_};
    input.stack_goes_on = false;
    input.address_space = generation_;
    frames.clear();
    return unwind_stack(input, *modules_, cache_, frames);
  }
  // An address as text: "libc.so.6+1234".
  std::string location(uint64_t address) const {
    for (const MapsLine& line : read_maps(name())) {
      if (address >= line.begin && address < line.end) {
        std::string file = line.path.substr(line.path.rfind('/') + 1);
        return fmt::format("{}+{:x}", file, address - line.begin + line.offset);
      }
    }
    return fmt::format("{:x}", address);
  }

  uint64_t pc = 0;

 private:
  std::string name() const { return std::to_string(pid_); }

  pid_t pid_;
  std::unique_ptr<ProcessModules> modules_;
  uint64_t stack_end_ = 0;
  uint32_t generation_ = 0;
  std::vector<std::byte> stack_;
  UnwindCache cache_;
};

TEST(EveryInstruction, FindsTheWholeStack) {
  constexpr int kMaxSteps = 150'000;
  auto* caller = static_cast<volatile uint64_t*>(
      ::mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  pid_t pid = ::fork();
  if (pid == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
      ::_exit(77);
    }
    child_main(caller);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  if (!WIFSTOPPED(status)) {
    GTEST_SKIP() << "this machine does not let a process trace its child";
  }
  Tracee tracee(pid);
  std::vector<UnwoundFrame> frames;
  tracee.unwind(frames);
  auto find_tail = [&](uint64_t address) {
    return std::ranges::find(frames, address, &UnwoundFrame::address);
  };
  const std::vector<UnwoundFrame> tail(find_tail(*caller), frames.end());
  ASSERT_GT(tail.size(), 3U);
  int steps = 0;
  int broken = 0;
  int rewritten = 0;
  for (; steps < kMaxSteps; ++steps) {
    int signal = WSTOPSIG(status);
    bool deliver = signal != SIGTRAP && signal != SIGSTOP;
    ::ptrace(PTRACE_SINGLESTEP, pid, nullptr, deliver ? signal : 0);
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    if (!WIFSTOPPED(status) || *caller == 0) {
      break;
    }
    StackEnd end = tracee.unwind(frames);
    bool whole = end == StackEnd::kComplete &&
                 std::ranges::equal(std::vector(find_tail(*caller), frames.end()), tail);
    bool entering_catch = !whole && tracee.location(tracee.pc).starts_with("libgcc_s");
    if (entering_catch) {
      ++rewritten;
    } else if (!whole && ++broken < 10) {
      std::string stack;
      for (const UnwoundFrame& frame : frames) {
        stack += fmt::format(" {}", tracee.location(frame.address));
      }
      ADD_FAILURE() << fmt::format("end {} of{}", static_cast<int>(end), stack);
    }
  }
  ::kill(pid, SIGKILL);
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(broken, 0);
  EXPECT_LT(rewritten, 100);
  EXPECT_GT(steps, 5000);
  EXPECT_LT(steps, kMaxSteps);
  RecordProperty("steps", steps);
}

}  // namespace
}  // namespace wick

#endif
