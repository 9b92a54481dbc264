// SPDX-License-Identifier: Apache-2.0
// A live recording of any number of short processes: what stays of one that ended, in bytes.
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include "pipeline/pipeline.h"
#include "profile/validate.h"

#if defined(__SANITIZE_ADDRESS__)
extern "C" size_t __sanitizer_get_current_allocated_bytes();  // g++'s packages lack its header
#endif

namespace wick {
namespace {

size_t allocated_bytes() {
#if defined(__SANITIZE_ADDRESS__)
  return __sanitizer_get_current_allocated_bytes();
#else
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

constexpr int32_t kShell = 5'000'000;  // above every pid of Linux: the kernel does not know it
constexpr int64_t kApart = 5'000'000;  // 200 processes a second

class ShortProcesses {
 public:
  ShortProcesses() {
    pipeline.on_host({Architecture::kX86_64});
    pipeline.on_event_kind({0, "cpu-clock", "nanoseconds"});
    pipeline.on_comm({.at = at(kShell), .name = "sh"});
    map(kShell, 0x10000, "/no/such/sh");
  }

  // A shell starts a program, which runs for two samples. Every fourth is seen before its exec.
  void run(bool as_processes) {
    time_ns_ += kApart;
    int32_t pid = as_processes ? ++last_pid_ : kShell;
    if (as_processes) {
      pipeline.on_fork({.at = at(pid), .parent_pid = kShell, .parent_tid = kShell});
    }
    if (last_pid_ % 4 == 0) {
      sample(pid, 0x10010);
    }
    if (as_processes) {
      pipeline.on_comm({.at = at(pid), .name = "cc1plus", .exec = true});
      for (uint64_t file = 0; file < 6; ++file) {
        map(pid, 0x10000 * (file + 1), fmt::format("/no/such/{}", file));
      }
    }
    sample(pid, 0x10020);
    sample(pid, 0x20030);
    if (as_processes) {
      pipeline.on_exit({.at = at(pid)});
    }
  }

  // As capture records.
  Pipeline pipeline{NameOptions{}, {.stitches = true, .is_live = true}};

 private:
  EventContext at(int32_t pid) const {
    return {.time_ns = time_ns_, .pid = pid, .tid = pid, .cpu = 0};
  }
  void map(int32_t pid, uint64_t start, std::string_view path) {
    pipeline.on_map({.at = at(pid), .start = start, .size = 0x1000, .path = path});
  }
  void sample(int32_t pid, uint64_t address) {
    std::vector<uint64_t> chain = {address};
    pipeline.on_sample(
        {.at = at(pid), .address = address, .weight = 1, .mode = Mode::kUser, .user_chain = chain});
    pipeline.on_checkpoint();
  }

  int64_t time_ns_ = 1;
  int32_t last_pid_ = kShell;
};

// What `count` more programs add to the memory, after as many before.
size_t growth(bool as_processes, int count) {
  ShortProcesses machine;
  for (int i = 0; i < count; ++i) {
    machine.run(as_processes);
  }
  machine.pipeline.with_profile_so_far([](const Profile&) {});
  size_t before = allocated_bytes();
  for (int i = 0; i < count; ++i) {
    machine.run(as_processes);
  }
  machine.pipeline.with_profile_so_far([](const Profile&) {});
  size_t after = allocated_bytes();
  return after > before ? after - before : 0;
}

TEST(DeadProcesses, LeaveTheirRowsAndLittleElse) {
  constexpr int kCount = 12'000;  // a minute of 200 processes a second
  size_t processes = growth(true, kCount);
  size_t samples = growth(false, kCount);
  ASSERT_GT(processes, samples);
  EXPECT_LE((processes - samples) / kCount, 200) << processes << " bytes, " << samples;
}

TEST(DeadProcesses, AreInTheProfileWithTheirParentsAndEnds) {
  ShortProcesses machine;
  constexpr int kCount = 3'000;
  for (int i = 0; i < kCount; ++i) {
    machine.run(true);
  }
  Profile profile = machine.pipeline.finish();
  EXPECT_TRUE(validate(profile));
  int programs = 0;
  for (const Process& process : profile.processes) {
    if (profile.strings[process.name] == "cc1plus") {
      ++programs;
      ASSERT_TRUE(process.parent.valid());
      EXPECT_EQ(profile.strings[profile.processes[process.parent].name], "sh");
      EXPECT_NE(process.end_ns, kNoTime);
    }
  }
  EXPECT_EQ(programs, kCount);
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const Thread& thread = profile.threads[profile.samples.thread[row]];
    EXPECT_EQ(profile.processes[thread.process].pid, thread.tid);
    EXPECT_GE(profile.samples.time_ns[row], thread.begin_ns);
    EXPECT_LE(profile.samples.time_ns[row], thread.end_ns);
  }
}

}  // namespace
}  // namespace wick
