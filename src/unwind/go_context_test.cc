// SPDX-License-Identifier: Apache-2.0
// A small Go program: main.main, from 0x1000, calls runtime.systemstack, from 0x1040, which calls the
// function that saves registers, at 0x10C0. The code of both is that of Go 1.24. The program starts
// at 0x1100.
#include "unwind/go_context.h"

#include <string>

#include <gtest/gtest.h>

#include "elf/go_testing.h"
#include "elf/testing.h"
#include "isa/testing.h"
#include "unwind/testing.h"

namespace wick {
namespace {

constexpr uint64_t kGoText = 0x1000;
constexpr uint64_t kGoReturns = 0x1020;  // to main.main
constexpr uint64_t kGoInside = 0x1074;   // where systemstack's call returns to
constexpr uint64_t kGoStart = 0x1110;
constexpr uint64_t kGoFrames = 0x5000;

std::string go_code() {
  std::string code(0x200, '\x90');
  auto put = [&](uint64_t address, std::string_view digits) {
    std::string bytes = isa::testing::code_of(digits);
    code.replace(address - kGoText, bytes.size(), bytes);
  };
  put(kGoReturns - 5, "e8 20 00 00 00");
  put(0x1040,
      "55 48 89 e5 48 8b 7c 24 10 64 48 8b 04 25 f8 ff ff ff 48 8b 58 30 48 3b 43 50 74 65 48 8b 13"
      "48 39 d0 74 5d 48 3b 83 c0 00 00 00 75 5d e8 4e 00 00 00 ff d7");
  put(0x10C0,
      "4c 8d 0d 21 0e 00 00 4d 89 4e 40 4c 8d 4c 24 08 4d 89 4e 38 49 c7 46 58 00 00 00 00"
      "49 89 6e 68 c3");
  return code;
}

struct GoProgram {
  explicit GoProgram(const std::string& code, std::string_view name = "runtime.systemstack") {
    testing::ElfWriter writer;
    uint32_t text = writer.add({.name = ".text",
                                .contents = code,
                                .flags = SHF_ALLOC | SHF_EXECINSTR,
                                .address = kGoText});
    writer.load_section(text, PF_R | PF_X);
    writer.add({.name = ".gopclntab",
                .contents = testing::go_table_with_frames(kGoText, 2, name),
                .flags = SHF_ALLOC,
                .address = 0x500000});
    testing::CfiWriter frames(kGoFrames);
    frames.fde(frames.usual_cie(), 0x1100, 0x40, testing::undefined(16));
    writer.add({.name = ".eh_frame",
                .contents = frames.bytes(),
                .flags = SHF_ALLOC,
                .address = kGoFrames});
    bytes = writer.bytes();
    image = std::make_unique<ElfImage>(*ElfImage::parse(as_bytes(bytes)));
  }
  std::string bytes;
  std::unique_ptr<ElfImage> image;
};

TEST(GoContext, IsReadFromTheCodeOfTheRuntime) {
  std::optional<GoContextLayout> found = read_go_context(*GoProgram(go_code()).image);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->m, 0x30);
  EXPECT_EQ(found->thread_number, 0x48);
  EXPECT_EQ(found->current, 0xC0);
  EXPECT_EQ(found->stack_pointer, 0x38);
  EXPECT_EQ(found->pc, 0x40);
  EXPECT_EQ(found->frame_pointer, 0x68);
}

TEST(GoContext, OtherCodeHasNone) {
  EXPECT_FALSE(read_go_context(*GoProgram(go_code(), "main.other").image));
  EXPECT_FALSE(read_go_context(*GoProgram(std::string(0x200, '\x90')).image));
  EXPECT_FALSE(read_go_context(*GoProgram(go_code().substr(0, 0xC8)).image)) << "cut";
}

TEST(GoContext, DamagedCodeGivesAPlausibleLayoutOrNone) {
  for (size_t at = 0x40; at < 0xE8; ++at) {
    for (int value = 0; value < 256; value += 11) {
      std::string damaged = go_code();
      damaged[at] = static_cast<char>(value);
      std::optional<GoContextLayout> found = read_go_context(*GoProgram(damaged).image);
      int32_t between = found ? found->frame_pointer - found->stack_pointer : 16;
      EXPECT_TRUE(between > 8 && between < 64) << at << " " << value;
    }
  }
}

// The program at the addresses of its file, with its code.
class GoModules : public ModuleLookup {
 public:
  explicit GoModules(const GoProgram& program)
      : program_(program), table_(UnwindTable::compile(*program.image)) {}
  const MappedModule* find(uint64_t address) const override {
    return address - kGoText < 0x200 ? &module_ : nullptr;
  }
  Bytes code_at(uint64_t address) const override { return program_.image->bytes_at(address); }

 private:
  const GoProgram& program_;
  UnwindTable table_;
  MappedModule module_{kGoText, kGoText + 0x200, 0, &table_};
};

// The memory of the goroutine, from kGoroutineStack on.
constexpr uint64_t kGoroutineStack = 0xC000'0000;
class GoroutineMemory : public StackMemory {
 public:
  std::array<uint64_t, 8> words = {};
  bool read(uint64_t address, std::span<std::byte> out) override {
    uint64_t at = address - kGoroutineStack;
    if (at + out.size() > sizeof words) {
      return false;
    }
    std::ranges::copy(std::as_bytes(std::span(words)).subspan(at, out.size()), out.begin());
    return true;
  }
};

// A thread on its own stack, in a function that systemstack has called.
class LeftGoroutineTest : public ::testing::Test {
 protected:
  LeftGoroutineTest() {
    // The function in the role of systemstack returns to main.main, which has 24 bytes and was
    // called by the start.
    memory_.words = {kGoReturns, 0, 0, 0, kGoStart};
    words_ = {kGoInside, kOwner, 0, 0};
    input_.registers.set(16, 0x1002);  // main.main before its frame: it could be any function
    input_.registers.set(7, 0x7000);
    input_.stack = std::as_bytes(std::span(words_));
    input_.stack_goes_on = false;
    input_.beyond = &memory_;
    input_.left = LeftContext{.owner = kOwner, .pc = 0x1002, .sp = kGoroutineStack, .fp = 0};
  }
  StackEnd unwind(std::string_view name = "runtime.systemstack") {
    GoProgram program(go_code(), name);
    GoModules modules(program);
    UnwindCache cache;
    frames_.clear();
    return unwind_stack(input_, modules, cache, frames_);
  }
  std::vector<uint64_t> addresses() const {
    std::vector<uint64_t> addresses;
    for (const UnwoundFrame& frame : frames_) {
      addresses.push_back(frame.address);
    }
    return addresses;
  }

  static constexpr uint64_t kOwner = 0xC000'1000;
  std::array<uint64_t, 4> words_ = {};
  GoroutineMemory memory_;
  UnwindInput input_;
  std::vector<UnwoundFrame> frames_;
};

TEST_F(LeftGoroutineTest, ItsCallersFollow) {
  EXPECT_EQ(unwind(), StackEnd::kComplete);
  EXPECT_EQ(addresses(), (std::vector<uint64_t>{0x1002, kGoInside, kGoReturns, kGoStart}));
  EXPECT_EQ(frames_[2].sp, kGoroutineStack + 8);
}

// morestack and mcall save the registers of their caller.
TEST_F(LeftGoroutineTest, TheRegistersMayBeThoseOfTheCaller) {
  input_.left->pc = kGoReturns;
  input_.left->sp = kGoroutineStack + 8;
  for (const char* name : {"runtime.systemstack", "runtime.mcall"}) {
    EXPECT_EQ(unwind(name), StackEnd::kComplete);
    EXPECT_EQ(addresses(), (std::vector<uint64_t>{0x1002, kGoInside, kGoReturns, kGoStart}))
        << name;
  }
}

TEST_F(LeftGoroutineTest, TheCallMustBeProven) {
  memory_.words[0] = kGoStart;
  EXPECT_EQ(unwind(), StackEnd::kSwitched) << "no call of systemstack";
  memory_.words[0] = kGoReturns;
  input_.beyond = nullptr;
  EXPECT_EQ(unwind(), StackEnd::kSwitched) << "its stack is not available";
  input_.left.reset();
  EXPECT_EQ(unwind(), StackEnd::kSwitched);
  EXPECT_EQ(addresses(), (std::vector<uint64_t>{0x1002, kGoInside}));
}

TEST_F(LeftGoroutineTest, TheSchedulerRunsForNone) {
  input_.left = LeftContext{};
  EXPECT_EQ(unwind("runtime.mcall"), StackEnd::kComplete);
  EXPECT_EQ(addresses(), (std::vector<uint64_t>{0x1002, kGoInside}));
  // It has chosen the next one, which is not the one that has called mcall.
  input_.left =
      LeftContext{.owner = kOwner + 8, .pc = kGoReturns, .sp = kGoroutineStack + 8, .fp = 0};
  EXPECT_EQ(unwind("runtime.mcall"), StackEnd::kComplete);
  EXPECT_EQ(addresses().size(), 2U);
}

// As nanotime1 does where the scheduler calls it.
TEST_F(LeftGoroutineTest, AFunctionThatStaysOnItsStackHasAFramePointer) {
  std::array<uint64_t, 8> words = {kGoInside, 0, 0, kGoReturns, 0, 0, 0, kGoStart};
  input_.stack = std::as_bytes(std::span(words));
  input_.beyond = nullptr;
  input_.left = LeftContext{};
  EXPECT_EQ(unwind("runtime.nanotime1"), StackEnd::kSwitched) << "no start is known";
  EXPECT_EQ(addresses(), (std::vector<uint64_t>{0x1002, kGoInside}));
  input_.registers.set(6, 0x7010);
  EXPECT_EQ(unwind("runtime.nanotime1"), StackEnd::kComplete);
  EXPECT_EQ(addresses(), (std::vector<uint64_t>{0x1002, kGoInside, kGoReturns, kGoStart}));
  words[3] = kGoStart;
  EXPECT_EQ(unwind("runtime.nanotime1"), StackEnd::kSwitched) << "no call of it";
}

// A goroutine whose callers lead to the runtime again.
TEST_F(LeftGoroutineTest, HostileMemoryEndsTheWalk) {
  memory_.words = {kGoReturns, 0, 0, 0, kGoInside, kGoReturns, kGoInside, kGoReturns};
  EXPECT_EQ(unwind(), StackEnd::kSwitched);
  EXPECT_LT(frames_.size(), 8U);
}

}  // namespace
}  // namespace wick
