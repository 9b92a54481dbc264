// SPDX-License-Identifier: Apache-2.0
// Records threads that have lists as interpreters have them, and compares each copied list with the
// one that the thread had at that instruction.
//
// Each thread alternates between two lists: it sets its head, and runs in a function of that list.
// So a sample's address says which list the thread had, and a copy of another moment differs from it.
// The recorded process is a fork of the test: it has the lists at the same addresses, and the test
// compares with its own ones.
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "record/event_names.h"
#include "record/frame_list_program.h"
#include "record/session.h"
#include "stream/sinks.h"

// The functions of the two lists. The linker says where such a section begins and ends.
#define RUNS_IN(section_name) extern "C" __attribute__((noinline, section(section_name))) void

RUNS_IN("in_first_code") in_first(uint64_t rounds) {
  for (uint64_t round = 0; round < rounds; ++round) {
    asm volatile("");
  }
}

RUNS_IN("in_second_code") in_second(uint64_t rounds) {
  for (uint64_t round = 0; round < rounds; ++round) {
    asm volatile("");
  }
}

extern "C" const char __start_in_first_code, __stop_in_first_code, __start_in_second_code,
    __stop_in_second_code;

namespace wick {
namespace {

using Clock = std::chrono::steady_clock;
using FrameList = StackFindings::FrameList;

// As a recorded program has them. The pointer to the code has a mark in its lowest bit.
struct Code {
  uint64_t other = 0;
  std::array<uint64_t, 2> content = {};
};
struct Node {
  uint64_t code = 0;
  uint64_t content = 0;
  const Node* next = nullptr;
};
constexpr uint64_t kMark = 1;
constexpr uint64_t kUnreadable = 0x10;

enum class Stack : uint8_t { kShort, kDeep, kAlternate };

// The task of a thread: where `pointer` leads, or an entry of a table, whose others have other keys or
// were removed.
struct Task {
  static constexpr uint64_t kKey = 77;
  static constexpr size_t kName = 3;         // the pointer to it, in the object
  static constexpr size_t kIndexWords = 16;  // before the entries

  // `after`: how many entries follow that of the task.
  void make(bool in_table, bool has_logarithm, size_t after) {
    exists = true;
    is_in_table = in_table;
    logarithm = has_logarithm;
    for (size_t i = 0; i < object.size(); ++i) {
      object[i] = 1000 + i;
    }
    for (size_t i = 0; i < name.size(); ++i) {
      name[i] = 2000 + i;
    }
    object[kName] = reinterpret_cast<uint64_t>(name.data());
    constexpr uint64_t kIndexBytes = 8 * kIndexWords;
    size_t entries = 2 + after;
    table.resize(3 + kIndexWords + 3 * entries);
    table[1] = has_logarithm ? uint64_t{std::bit_width(kIndexBytes) - 1U} << 8 : kIndexBytes;
    table[2] = entries;
    for (size_t i = 0; i < entries; ++i) {
      bool is_task = i == 1;
      bool was_removed = i == 2;
      uint64_t* entry = table.data() + 3 + kIndexWords + 3 * i;
      entry[1] = is_task || was_removed ? kKey : i;
      entry[2] =
          was_removed ? 0 : reinterpret_cast<uint64_t>(is_task ? object.data() : name.data());
    }
    pointer = in_table ? table.data() : object.data();
  }

  FrameList::Task description() const {
    if (!exists) {
      return {};
    }
    return {.pointer = reinterpret_cast<uint64_t>(&pointer),
            .is_in_table = is_in_table,
            .has_logarithm = logarithm,
            .entries = 24,
            .count = 16,
            .key = kKey,
            .name = 8 * kName};
  }
  bool is_right(const CopiedTask* copy) const {
    if (!exists || copy == nullptr) {
      return exists == (copy != nullptr);
    }
    if (is_too_far) {
      return copy->address == 0;
    }
    return copy->address == reinterpret_cast<uint64_t>(object.data()) &&
           std::memcmp(copy->object.data(), object.data(), sizeof object) == 0 &&
           std::memcmp(copy->name.data(), name.data(), sizeof name) == 0;
  }

  bool exists = false;
  bool is_in_table = false;
  bool logarithm = false;
  bool is_too_far = false;  // from the end of the table
  std::array<uint64_t, CopiedTask::kObjectBytes / 8> object = {};
  std::array<uint64_t, CopiedTask::kNameBytes / 8> name = {};
  std::vector<uint64_t> table;
  const uint64_t* pointer = nullptr;
};

// What a thread has.
struct Case {
  const char* name = "";
  std::array<std::vector<Node>, 2> lists;
  std::array<size_t, 2> copied = {};  // nodes that can be copied
  std::array<bool, 2> is_cut = {};
  Stack stack = Stack::kShort;
  bool is_indirect = false;
  bool is_another_thread = false;  // its check word has another value
  bool is_forgotten = false;       // after a few samples
  Task task;

  // Of the running thread:
  struct Holder {
    uint64_t other = 0;
    const Node* volatile head = nullptr;
  };
  Holder holder;
  Holder* volatile pointer = &holder;
  volatile uint64_t which = 0;
  uint64_t check = 7;

  FrameList description(int32_t tid) const {
    auto address = [](const auto* of) { return reinterpret_cast<uint64_t>(of); };
    return {.tid = tid,
            .head = is_indirect ? address(&pointer) : address(&holder.head),
            .through = is_indirect ? uint32_t{offsetof(Holder, head)} : FrameList::kDirect,
            .next = offsetof(Node, next),
            .node_bytes = sizeof(Node),
            .code = offsetof(Node, code),
            .code_mask = ~kMark,
            .code_begin = offsetof(Code, content),
            .code_bytes = sizeof(Code::content),
            .check = address(&check),
            .expected = is_another_thread ? 8U : 7U,
            .words = {address(&which), 0},
            .task = task.description()};
  }
};

// Written by the recorded threads.
struct Shared {
  std::atomic<int32_t> tid = 0;
  std::atomic<uint64_t> interrupted = 0;  // the address of the stack pointer in a handler's frame
};

std::vector<Node> list_of(size_t nodes, std::vector<Code>& codes) {
  std::vector<Node> made(nodes);
  for (size_t i = 0; i < nodes; ++i) {
    const Code& code = codes[(i + nodes) % codes.size()];
    made[i] = {.code = reinterpret_cast<uint64_t>(&code) | kMark,
               .content = nodes * 10'000 + i,
               .next = i + 1 < nodes ? &made[i + 1] : nullptr};
  }
  return made;
}

std::vector<Code> some_codes() {
  std::vector<Code> codes(7);
  for (size_t i = 0; i < codes.size(); ++i) {
    codes[i].content = {i + 100, i + 200};
  }
  return codes;
}

void alternate(Case& of, Clock::time_point end) {
  constexpr uint64_t kRounds = 100'000;
  while (Clock::now() < end) {
    of.which = 1;
    of.holder.head = of.lists[0].data();
    in_first(kRounds);
    of.which = 2;
    of.holder.head = of.lists[1].data();
    in_second(kRounds);
  }
}

// NOLINTNEXTLINE(misc-no-recursion): it makes a deep stack
void alternate_deep(Case& of, Clock::time_point end, int depth) {
  std::array<volatile char, 1000> room;
  room[0] = static_cast<char>(depth);
  if (depth > 0) {
    alternate_deep(of, end, depth - 1);
  } else {
    alternate(of, end);
  }
  room[1] = room[0];
}

thread_local Case* handled = nullptr;
thread_local Shared* handled_shared = nullptr;
thread_local Clock::time_point handled_until;

void handle(int /*number*/, siginfo_t* /*info*/, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  handled_shared->interrupted = reinterpret_cast<uint64_t>(&registers.gregs[REG_RSP]);
#else
  handled_shared->interrupted = reinterpret_cast<uint64_t>(&registers.sp);
#endif
  alternate(*handled, handled_until);
}

void alternate_in_handler(Case& of, Shared& shared, Clock::time_point end) {
  handled = &of;
  handled_shared = &shared;
  handled_until = end;
  std::vector<char> room(64 * 1024);
  stack_t stack = {};
  stack.ss_sp = room.data();
  stack.ss_size = room.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGUSR1, &action, nullptr);
  ::raise(SIGUSR1);
  stack.ss_flags = SS_DISABLE;
  ::sigaltstack(&stack, nullptr);
}

void run_case(Case& of, Shared& shared, Clock::time_point end) {
  shared.tid = ::gettid();
  switch (of.stack) {
    case Stack::kShort:
      alternate(of, end);
      break;
    case Stack::kDeep:
      alternate_deep(of, end, 40);
      break;
    case Stack::kAlternate:
      alternate_in_handler(of, shared, end);
      break;
  }
}

// The lists of all threads, and what their samples have shown.
class Lists : public IgnoringSink, public StackFeedback {
 public:
  struct Seen {
    int samples = 0;  // in one of the functions, from the first one with a list on
    int with_list = 0;
    int without_list_after = 0;  // in succession, at the end
    int with_stack = 0;  // with a list, and with a part of a stack that a program has copied
    int wrong = 0;
  };

  explicit Lists(std::vector<Case>& cases)
      : cases_(cases), seen_(cases.size()), reported_(cases.size()) {
    void* memory = ::mmap(nullptr,
                          cases.size() * sizeof(Shared),
                          PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS,
                          -1,
                          0);
    shared_ = {static_cast<Shared*>(memory), cases.size()};
    for (Shared& one : shared_) {
      new (&one) Shared;
    }
  }
  ~Lists() override { ::munmap(shared_.data(), shared_.size_bytes()); }
  Lists(const Lists&) = delete;
  Lists& operator=(const Lists&) = delete;

  int run(std::chrono::milliseconds duration) {
    auto end = Clock::now() + duration;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < cases_.size(); ++i) {
      threads.emplace_back([this, i, end] { run_case(cases_[i], shared_[i], end); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    return 0;
  }

  StackFindings take_stack_findings() override {
    StackFindings findings;
    for (size_t i = 0; i < cases_.size(); ++i) {
      int32_t tid = shared_[i].tid;
      bool is_ready =
          tid != 0 && (cases_[i].stack != Stack::kAlternate || shared_[i].interrupted != 0);
      if (is_ready && !reported_[i]) {
        reported_[i] = true;
        by_tid_[tid] = i;
        findings.frame_lists.push_back(cases_[i].description(tid));
        if (uint64_t slot = shared_[i].interrupted) {
          findings.handlers.push_back({tid, slot});
        }
      }
      if (cases_[i].is_forgotten && seen_[i].with_list > 10) {
        findings.frame_lists.push_back({.tid = tid});
      }
    }
    return findings;
  }

  void on_sample(const SampleEvent& sample) override {
    auto found = by_tid_.find(sample.at.tid);
    if (found == by_tid_.end() || sample.mode != Mode::kUser) {
      return;
    }
    auto is_in = [&](const char& begin, const char& end) {
      return sample.address >= reinterpret_cast<uint64_t>(&begin) &&
             sample.address < reinterpret_cast<uint64_t>(&end);
    };
    if (is_in(__start_in_first_code, __stop_in_first_code)) {
      take(found->second, 0, sample);
    } else if (is_in(__start_in_second_code, __stop_in_second_code)) {
      take(found->second, 1, sample);
    }
  }

  const Seen& seen(size_t i) const { return seen_[i]; }

 private:
  void take(size_t number, size_t list, const SampleEvent& sample) {
    Seen& seen = seen_[number];
    const CopiedFrameList& copy = sample.frame_list;
    if (!copy.is_known) {
      seen.samples += seen.with_list > 0 ? 1 : 0;
      ++seen.without_list_after;
      return;
    }
    ++seen.samples;
    ++seen.with_list;
    seen.without_list_after = 0;
    seen.wrong += is_right(cases_[number], list, copy) ? 0 : 1;
    seen.with_stack +=
        sample.stack_tail.bytes.empty() && sample.interrupted_stack.bytes.empty() ? 0 : 1;
  }

  static bool is_right(const Case& of, size_t list, const CopiedFrameList& copy) {
    const std::vector<Node>& expected = of.lists[list];
    if (copy.nodes.size() != of.copied[list] || copy.is_cut != of.is_cut[list] ||
        copy.words != std::array<uint64_t, 3>{list + 1, 0, 0} || !of.task.is_right(copy.task)) {
      return false;
    }
    for (size_t i = 0; i < copy.nodes.size(); ++i) {
      const Node& node = expected[i % expected.size()];
      std::array<uint64_t, 2> code = {};
      if (node.code != kUnreadable) {
        code = reinterpret_cast<const Code*>(node.code & ~kMark)->content;
      }
      if (copy.nodes[i].address != reinterpret_cast<uint64_t>(&node) ||
          std::memcmp(copy.nodes[i].node.data(), &node, sizeof node) != 0 ||
          std::memcmp(copy.nodes[i].code.data(), code.data(), sizeof code) != 0) {
        return false;
      }
    }
    return true;
  }

  std::vector<Case>& cases_;
  std::vector<Seen> seen_;
  std::vector<bool> reported_;
  std::map<int32_t, size_t> by_tid_;
  std::span<Shared> shared_;
};

struct NoWatcher : record::SessionWatcher {
  void on_start() override {}
  bool on_tick(const record::SessionStatus& /*status*/) override { return true; }
};

record::SessionRequest request_of(std::function<int()> body) {
  record::SessionRequest session;
  session.launch.command = {"lists"};
  session.launch.body = std::move(body);
  session.launch.scheduling = record::current_scheduling();
  record::EventRequest event = record::default_event();
  event.frequency = 997;
  session.recorder.events = {event};
  return session;
}

class FrameLists : public testing::Test {
 protected:
  Case& add(const char* name, size_t first, size_t second) {
    Case& made = cases_.emplace_back();
    made.name = name;
    made.lists = {list_of(first, codes_), list_of(second, codes_)};
    made.copied = {first, second};
    return made;
  }

  // Skips the test if lists cannot be copied here.
  void record(Lists& lists) {
    record::HeldSignals signals;
    record::SessionRequest session =
        request_of([&] { return lists.run(std::chrono::milliseconds(1500)); });
    session.recorder.feedback = &lists;
    NoWatcher watcher;
    Result<record::SessionEnd> end = record::run_session(session, lists, watcher, signals);
    if (!end || !end->copies_whole_stacks) {
      GTEST_SKIP() << "BPF is not allowed here (root, or CAP_BPF and CAP_PERFMON; see wick doctor)";
    }
    ASSERT_TRUE(end->child);
    EXPECT_EQ(end->child->status, 0);
  }

  std::vector<Code> codes_ = some_codes();
  std::vector<Case> cases_;
};

TEST_F(FrameLists, AreThoseOfTheSample) {
  cases_.reserve(16);
  add("short and long", 3, 60).task.make(false, false, 0);
  Case& in_struct = add("in a struct", 60, 3);
  in_struct.is_indirect = true;
  in_struct.task.make(true, false, 0);
  add("of a deep recursion", 900, 3).task.make(true, true, 20);
  Case& too_far = add("with a task that many follow", 20, 3);
  too_far.task.make(true, true, 40);
  too_far.task.is_too_far = true;
  add("on a deep stack", 60, 10).stack = Stack::kDeep;
  add("on an alternate stack", 10, 60).stack = Stack::kAlternate;
  Case& cyclic = add("cyclic", 20, 20);
  cyclic.lists[0].back().next = cyclic.lists[0].data();
  cyclic.copied[0] = record::kMaxListNodes;
  cyclic.is_cut[0] = true;
  Case& damaged = add("unreadable", 20, 20);
  damaged.lists[0][11].next = reinterpret_cast<const Node*>(kUnreadable);
  damaged.copied[0] = 12;
  damaged.is_cut[0] = true;
  damaged.lists[1][7].code = kUnreadable;
  add("empty", 0, 5);
  Case& largest = add("as long as possible", record::kMaxListNodes, record::kMaxListNodes + 1);
  largest.copied[1] = record::kMaxListNodes;
  largest.is_cut[1] = true;
  Case& another = add("of another thread", 3, 3);
  another.is_another_thread = true;
  Case& forgotten = add("forgotten", 3, 3);
  forgotten.is_forgotten = true;

  Lists lists(cases_);
  record(lists);
  if (IsSkipped()) {
    return;
  }
  for (size_t i = 0; i < cases_.size(); ++i) {
    SCOPED_TRACE(cases_[i].name);
    const Lists::Seen& seen = lists.seen(i);
    EXPECT_EQ(seen.wrong, 0) << "of " << seen.with_list;
    if (cases_[i].is_another_thread) {
      EXPECT_EQ(seen.with_list, 0);
      continue;
    }
    EXPECT_GT(seen.with_list, 10);
    if (cases_[i].is_forgotten) {
      EXPECT_GT(seen.without_list_after, 10);
      continue;
    }
    // Not a share: with a sanitizer, or on a busy machine, the reader falls behind, and the ring
    // fills.
    if (cases_[i].stack != Stack::kShort) {
      EXPECT_GT(seen.with_stack, 10);
    }
  }
}

// How late the first sample of each process arrives.
struct FirstSamples : IgnoringSink {
  int32_t parent = 0;  // whose processes they are
  void on_fork(const ForkEvent& event) override { parent = event.parent_pid; }
  std::map<int32_t, uint64_t> delay_ns;
  void on_sample(const SampleEvent& sample) override {
    delay_ns.try_emplace(sample.at.pid,
                         record::monotonic_ns() - static_cast<uint64_t>(sample.at.time_ns));
  }
};

// Starts processes that live 50 ms, when rounds have become long.
int run_short_processes(int count) {
  for (int i = 0; i < count; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    pid_t child = ::fork();
    if (child == 0) {
      auto end = Clock::now() + std::chrono::milliseconds(50);
      while (Clock::now() < end) {
        in_first(1000);
      }
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }
  return 0;
}

TEST(NewProcesses, AreSeenWhileTheyRun) {
  constexpr int kProcesses = 4;
  record::HeldSignals signals;
  record::SessionRequest session = request_of([] { return run_short_processes(kProcesses); });
  FirstSamples first;
  NoWatcher watcher;
  Result<record::SessionEnd> end = record::run_session(session, first, watcher, signals);
  if (!end || !end->copies_whole_stacks) {
    GTEST_SKIP() << "BPF is not allowed here (root, or CAP_BPF and CAP_PERFMON; see wick doctor)";
  }
  int in_time = 0;
  first.delay_ns.erase(first.parent);
  for (const auto& [pid, delay] : first.delay_ns) {
    in_time += delay < 30'000'000 ? 1 : 0;
  }
  EXPECT_GE(in_time, kProcesses - 1);
}

}  // namespace
}  // namespace wick
