// SPDX-License-Identifier: Apache-2.0
// Tests stacks that continue beyond their copy.
#include <array>
#include <atomic>

#include <gtest/gtest.h>
#include <unistd.h>

#include "pipeline/live_stack.h"
#include "pipeline/pipeline.h"
#include "pipeline/stitching.h"
#include "profile/dump.h"
#include "unwind/signal_frame.h"

namespace wick {
namespace {

class LiveStackTest : public ::testing::Test {
 protected:
  LiveStackTest() : memory_(200'000) {
    for (size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] = static_cast<std::byte>(i * 7 / 5);
    }
  }
  uint64_t address(size_t at) const { return reinterpret_cast<uint64_t>(memory_.data() + at); }

  std::vector<std::byte> memory_;
  RunningProcesses running_;
};

TEST_F(LiveStackTest, ShowsTheMemoryOfAProcess) {
  LiveStack live(running_, ::getpid());
  for (size_t at : {1000U, 5000U, 70'000U, 199'992U, 1000U}) {
    std::array<std::byte, 8> word = {};
    ASSERT_TRUE(live.read(address(at), word)) << at;
    EXPECT_TRUE(std::equal(word.begin(), word.end(), memory_.begin() + static_cast<long>(at)));
  }
}

TEST_F(LiveStackTest, NobodyThereAndNothingThereAreNoHarm) {
  std::array<std::byte, 8> word = {};
  EXPECT_FALSE(LiveStack(running_, -5).read(address(0), word));
  LiveStack live(running_, ::getpid());
  EXPECT_FALSE(live.read(8, word));
  EXPECT_FALSE(live.read(UINT64_MAX - 3, word));
}

// A stack whose frames are 0x10 apart, from depth `inner` out to depth `outer`. The address of a
// frame is its depth.
UnwoundStack stack(uint64_t inner, uint64_t outer, StackEnd ending) {
  UnwoundStack found{.ending = ending};
  found.frames.push_back({.address = FrameAddress::exact(0xFFFF),
                          .mode = Mode::kKernel,
                          .origin = FrameOrigin::kSampled});
  found.first_unwound = 1;
  for (uint64_t depth = inner; depth-- > outer;) {
    found.frames.push_back(
        {.address = FrameAddress::exact(depth), .mode = Mode::kUser, .origin = FrameOrigin::kCfi});
    found.stack_pointers.push_back(0x10000 - 0x10 * depth);
  }
  return found;
}

// Has no memory, and counts the reads.
class CountingMemory : public ProcessMemory {
 public:
  std::atomic<int> asked = 0;
  size_t read_some(int32_t /*pid*/, uint64_t /*address*/, std::span<std::byte> /*out*/) override {
    ++asked;
    return 0;
  }
};

// A stack that continues beyond its copy: during a recording, wick reads the remainder from the
// process.
int times_asked_for_memory(bool is_live) {
  CountingMemory memory;
  Pipeline pipeline(NameOptions{}, {.is_live = is_live, .memory = &memory});
  pipeline.on_host({Architecture::kAarch64});
  pipeline.on_event_kind({0, "cpu-clock", "nanoseconds"});
  EventContext at = {.time_ns = 5, .pid = ::getpid(), .tid = ::getpid()};
  pipeline.on_map({.at = at, .start = 0x10000, .size = 0x1000, .path = "/no/such/program"});
  // Frame pointers from 0x7000 up to the end of the copy, and one that points beyond.
  std::array<uint64_t, 4> stack = {0x7010, 0x10020, 0x9000, 0x10030};
  std::array<uint64_t, 4> values = {0x7000, 0, 0x7000, 0x10010};  // x29, x30, sp, pc
  pipeline.on_sample({.at = at,
                      .address = 0x10010,
                      .mode = Mode::kUser,
                      .user_registers = {.width = RegisterValues::Width::k64,
                                         .mask = uint64_t{0b1111} << 29,
                                         .values = values},
                      .user_stack = std::as_bytes(std::span(stack)),
                      .stack_bytes_asked = sizeof stack});
  pipeline.on_checkpoint();
  pipeline.finish();
  return memory.asked;
}

TEST(LiveMemory, ARecordingThatIsReadNeverAsksForIt) {
  EXPECT_EQ(times_asked_for_memory(false), 0);
  EXPECT_GT(times_asked_for_memory(true), 0) << "else this test shows nothing";
}

// A signal handler at 0x10010, called by the stub at 0x20010 (of AArch64: known without its bytes),
// which interrupted 0x10100 on another stack.
class HandlerStackTest : public ::testing::Test {
 protected:
  static constexpr int32_t kUnknownProcess = 0x7FFFFFF0;  // nothing can be read from this process
  static constexpr uint64_t kStack = 0x7000;
  static constexpr uint64_t kSignalFrame = kStack + 16;
  static constexpr uint64_t kOtherStack = 0x900000;
  static constexpr SignalFrameLayout kLayout =
      signal_frame_layout(UnwindArch::kAarch64, kRtSignalForm);

  HandlerStackTest() {
    pipeline_.on_host({Architecture::kAarch64});
    pipeline_.on_event_kind({0, "cpu-clock", "nanoseconds"});
    for (auto [start, path] : {std::pair(0x10000U, "/no/such/program"), {0x20000U, "[vdso]"}}) {
      pipeline_.on_map({.at = at_, .start = start, .size = 0x1000, .path = path});
    }
    put(kStack + 8, 0x20010);
    put(kSignalFrame + kLayout.pc, 0x10100);
    put(kSignalFrame + kLayout.sp, kOtherStack);
    put(kSignalFrame + kLayout.fp, kOtherStack);
  }
  void put(uint64_t address, uint64_t value) { stack_[(address - kStack) / 8] = value; }
  StackFindings collect_findings(const StackTail& interrupted) {
    std::array<uint64_t, 4> values = {kStack, 0, kStack, 0x10010};  // x29, x30, sp, pc
    pipeline_.on_sample({.at = at_,
                         .address = 0x10010,
                         .mode = Mode::kUser,
                         .user_registers = {.width = RegisterValues::Width::k64,
                                            .mask = uint64_t{0b1111} << 29,
                                            .values = values},
                         .user_stack = std::as_bytes(std::span(stack_)),
                         .stack_bytes_asked = sizeof stack_,
                         .interrupted_stack = interrupted});
    pipeline_.on_checkpoint();
    return pipeline_.take_stack_findings();
  }

  EventContext at_ = {.time_ns = 5, .pid = kUnknownProcess, .tid = kUnknownProcess};
  std::array<uint64_t, 128> stack_ = {};
  Pipeline pipeline_{NameOptions{}, {.is_live = true}};
};

TEST_F(HandlerStackTest, WhereItKeepsTheOtherStacksPointerIsLearnt) {
  StackFindings findings = collect_findings({});
  ASSERT_EQ(findings.handlers.size(), 1U);
  EXPECT_EQ(findings.handlers[0].tid, kUnknownProcess);
  EXPECT_EQ(findings.handlers[0].address, kSignalFrame + kLayout.sp);
  EXPECT_TRUE(findings.ran_out) << "the next ones shall come sooner";
  EXPECT_TRUE(findings.ends.empty());
  EXPECT_TRUE(pipeline_.take_stack_findings().handlers.empty()) << "they are reported once";
}

TEST_F(HandlerStackTest, AZeroInPlaceOfACallerIsAGuessOfTheStacksEnd) {
  put(kStack + 8, 0);
  StackFindings findings = collect_findings({});
  ASSERT_EQ(findings.ends.size(), 1U);
  EXPECT_EQ(findings.ends[0].tid, kUnknownProcess);
  EXPECT_GT(findings.ends[0].address, kStack);
  EXPECT_TRUE(findings.ends[0].is_guess);
}

TEST_F(HandlerStackTest, TheOtherStackCompletesIt) {
  std::array<uint64_t, 8> other = {0, 0};  // its first frame
  StackTail tail = {
      .stack_pointer = kStack, .address = kOtherStack, .bytes = std::as_bytes(std::span(other))};
  StackFindings findings = collect_findings(tail);
  EXPECT_TRUE(findings.handlers.empty());
  EXPECT_FALSE(findings.ran_out);
  tail.stack_pointer += 8;
  EXPECT_EQ(collect_findings(tail).handlers.size(), 1U) << "of another sample";
  std::string text = dump(pipeline_.finish());
  EXPECT_NE(text.find("program+0x100{user,cfi};[vdso]+0x10{user,cfi};program+0x10{user,sampled}"),
            std::string::npos)
      << text;
}

TEST(KnownRests, FramesThatWereThereBeforeAndAreStillThere) {
  std::vector<UnwoundFrame> frames = {
      {.address = 1, .sp = 10}, {.address = 2, .sp = 20}, {.address = 3, .sp = 30}};
  KnownRests rests;
  EXPECT_FALSE(rests.was_there(7, 100, frames));
  rests.remember(7, 100, frames);
  EXPECT_TRUE(rests.was_there(7, 101, frames));
  EXPECT_TRUE(rests.was_there(7, 101, std::span(frames).last(2))) << "the copy has more";
  EXPECT_FALSE(rests.was_there(7, 99, frames)) << "the sample is older";
  EXPECT_FALSE(rests.was_there(8, 101, frames));
  EXPECT_FALSE(rests.was_there(7, 101, std::span(frames).first(2)));
  frames[1].sp = 21;
  EXPECT_FALSE(rests.was_there(7, 101, frames));
}

TEST(Stitching, AStackThatWasCutIsCompletedFromTheLastWholeOne) {
  Stitching stitching;
  UnwoundStack whole = stack(20, 0, StackEnd::kComplete);
  stitching.apply(7, whole);
  UnwoundStack cut = stack(30, 10, StackEnd::kCopyTooShort);
  stitching.apply(7, cut);
  EXPECT_EQ(cut.ending, StackEnd::kComplete);
  UnwoundStack expected = stack(30, 0, StackEnd::kComplete);
  ASSERT_EQ(cut.frames.size(), expected.frames.size());
  for (size_t i = 0; i < cut.frames.size(); ++i) {
    EXPECT_EQ(cut.frames[i].address.lookup(), expected.frames[i].address.lookup());
    EXPECT_EQ(cut.frames[i].origin == FrameOrigin::kStitched, i > 20) << i;
  }
  EXPECT_EQ(cut.callers_hash, StackAssembly::callers_hash(cut.frames));
  UnwoundStack deeper = stack(45, 25, StackEnd::kCopyTooShort);  // by way of the stitched one
  stitching.apply(7, deeper);
  EXPECT_EQ(deeper.frames.size(), 46U);
}

TEST(Stitching, OtherThreadsAndOtherAddressesAreLeftAlone) {
  Stitching stitching;
  UnwoundStack whole = stack(20, 0, StackEnd::kComplete);
  stitching.apply(7, whole);
  UnwoundStack of_another = stack(30, 10, StackEnd::kCopyTooShort);
  stitching.apply(8, of_another);
  EXPECT_EQ(of_another.ending, StackEnd::kCopyTooShort);
  UnwoundStack elsewhere = stack(30, 10, StackEnd::kCopyTooShort);
  elsewhere.frames.back().address =
      FrameAddress::exact(elsewhere.frames.back().address.lookup() + 1);
  stitching.apply(7, elsewhere);
  EXPECT_EQ(elsewhere.ending, StackEnd::kCopyTooShort);
  UnwoundStack shifted = stack(30, 10, StackEnd::kCopyTooShort);
  for (uint64_t& pointer : shifted.stack_pointers) {
    pointer += 8;
  }
  stitching.apply(7, shifted);
  EXPECT_EQ(shifted.ending, StackEnd::kCopyTooShort);
  UnwoundStack too_deep = stack(60, 40, StackEnd::kCopyTooShort);
  stitching.apply(7, too_deep);
  EXPECT_EQ(too_deep.ending, StackEnd::kCopyTooShort);
}

TEST(Stitching, OtherStacksMayComeBetween) {
  Stitching stitching;
  UnwoundStack whole = stack(20, 0, StackEnd::kComplete);
  whole.callers_hash = 1;
  stitching.apply(7, whole);
  for (uint64_t between = 2; between < 10; ++between) {
    UnwoundStack other = stack(5, 0, StackEnd::kComplete);
    other.callers_hash = between;
    stitching.apply(7, other);
  }
  UnwoundStack cut = stack(30, 10, StackEnd::kCopyTooShort);
  stitching.apply(7, cut);
  EXPECT_EQ(cut.ending, StackEnd::kComplete);
}

TEST(Stitching, AStackWithSeveralPossibleCallersStaysCut) {
  Stitching stitching;
  for (uint64_t caller : {0x100U, 0x200U}) {
    UnwoundStack whole = stack(20, 0, StackEnd::kComplete);
    whole.frames.back().address = FrameAddress::exact(caller);
    whole.callers_hash = caller;
    stitching.apply(7, whole);
  }
  UnwoundStack cut = stack(30, 10, StackEnd::kCopyTooShort);
  stitching.apply(7, cut);
  EXPECT_EQ(cut.ending, StackEnd::kCopyTooShort);
}

// Adds a function of an interpreter outside of every fifth native frame.
UnwoundStack with_functions(UnwoundStack native, uint64_t outermost) {
  UnwoundStack found = native;
  found.frames.resize(native.first_unwound);
  found.stack_pointers.clear();
  auto add_function = [&](uint64_t depth) {
    found.frames.push_back(
        {FrameAddress::exact(depth << 32), Mode::kUser, FrameOrigin::kInterpreter});
    found.stack_pointers.push_back(0);
  };
  uint64_t depth = 0;
  for (size_t i = 0; i < native.stack_pointers.size(); ++i) {
    const UnresolvedFrame& frame = native.frames[native.first_unwound + i];
    found.frames.push_back(frame);
    found.stack_pointers.push_back(native.stack_pointers[i]);
    depth = frame.address.lookup();
    if (depth % 5 == 0) {
      add_function(depth);
    }
  }
  while (depth-- > outermost) {  // their evaluators were cut off
    if (depth % 5 == 0) {
      add_function(depth);
    }
  }
  return found;
}

TEST(Stitching, FunctionsOfAnInterpreterGetIntoTheirPlaces) {
  UnwoundStack whole = with_functions(stack(20, 0, StackEnd::kComplete), 0);
  UnwoundStack cut = with_functions(stack(30, 12, StackEnd::kCopyTooShort), 0);
  UnwoundStack expected = with_functions(stack(30, 0, StackEnd::kComplete), 0);
  Stitching stitching;
  stitching.apply(7, whole);
  UnwoundStack without = stack(30, 12, StackEnd::kCopyTooShort);
  stitching.apply(7, without);
  EXPECT_EQ(without.ending, StackEnd::kComplete);
  EXPECT_EQ(without.frames.size(), 31U) << "the sample has no functions";
  UnwoundStack of_another_function = cut;
  of_another_function.frames.back().address = FrameAddress::exact(1);
  stitching.apply(7, of_another_function);
  EXPECT_EQ(of_another_function.ending, StackEnd::kCopyTooShort);
  stitching.apply(7, cut);
  EXPECT_EQ(cut.ending, StackEnd::kComplete);
  EXPECT_EQ(cut.stack_pointers, expected.stack_pointers);
  ASSERT_EQ(cut.frames.size(), expected.frames.size());
  for (size_t i = 0; i < cut.frames.size(); ++i) {
    EXPECT_EQ(cut.frames[i].address, expected.frames[i].address) << i;
    EXPECT_EQ(is_interpreted(cut.frames[i].origin), is_interpreted(expected.frames[i].origin)) << i;
  }
}

}  // namespace
}  // namespace wick
