// SPDX-License-Identifier: Apache-2.0
// The tests pass events one by one and compare the profile as text.
#include "pipeline/pipeline.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "elf/testing.h"
#include "profile/dump.h"
#include "profile/names.h"
#include "profile/validate.h"
#include "symbolize/jit_testing.h"
#include "symbolize/kernel_testing.h"
#include "tests/support/files.h"

namespace wick {
namespace {

TEST(AddressSpace, ANewMappingReplacesWhatItCovers) {
  AddressSpace space;
  space.map({0x1000, 0x5000, 0, LoadedId(0)});
  space.map({0x2000, 0x3000, 0x100, LoadedId(1)});
  ASSERT_EQ(space.mappings().size(), 3);
  EXPECT_EQ(space.find(0x1fff)->loaded, LoadedId(0));
  EXPECT_EQ(space.find(0x2000)->loaded, LoadedId(1));
  EXPECT_EQ(space.find(0x3000)->loaded, LoadedId(0));
  EXPECT_EQ(space.find(0x3000)->file_offset, 0x2000) << "what is left of it still shows its bytes";
  EXPECT_EQ(space.find(0x5000), nullptr);
  space.map({0, 0x10000, 0, LoadedId(2)});
  EXPECT_EQ(space.mappings().size(), 1);
  space.map({0x4000, 0x4000, 0, LoadedId(3)});
  EXPECT_EQ(space.mappings().size(), 1) << "an empty mapping is none";
}

TEST(AddressSpace, MappingsThatOnlyTouchBothStay) {
  AddressSpace space;
  space.map({0x2000, 0x3000, 0, LoadedId(0)});
  space.map({0x1000, 0x2000, 0, LoadedId(1)});
  space.map({0x3000, 0x4000, 0, LoadedId(2)});
  EXPECT_EQ(space.mappings().size(), 3);
}

class PipelineTest : public ::testing::Test {
 protected:
  PipelineTest() {
    pipeline.on_host({Architecture::kX86_64});
    pipeline.on_event_kind({0, "cpu-clock", "nanoseconds"});
  }
  static EventContext at(int64_t time_ns, int32_t pid = 7, int32_t tid = 7) {
    return {.time_ns = time_ns, .pid = pid, .tid = tid, .cpu = 1};
  }
  void map(int32_t pid, uint64_t start, std::string_view path, uint64_t offset = 0) {
    pipeline.on_map({.at = at(0, pid, pid),
                     .start = start,
                     .size = 0x1000,
                     .file_offset = offset,
                     .path = path});
  }
  void sample(EventContext when, std::vector<uint64_t> user, std::vector<uint64_t> kernel = {}) {
    pipeline.on_sample({.at = when,
                        .address = kernel.empty() ? user[0] : kernel[0],
                        .weight = 10,
                        .mode = kernel.empty() ? Mode::kUser : Mode::kKernel,
                        .kernel_chain = kernel,
                        .user_chain = user});
    pipeline.on_checkpoint();  // the chains end here
  }
  std::string stacks() {
    Profile profile = pipeline.finish();
    EXPECT_TRUE(validate(profile));
    return dump(profile);
  }

 public:
  Pipeline pipeline{NameOptions{}};
};

TEST_F(PipelineTest, CallersLieInsideTheirCallInstruction) {
  map(7, 0x10000, "/no/such/program", 0x2000);
  sample(at(5), {0x10010, 0x10020, 0x10030});
  std::string text = stacks();
  EXPECT_NE(
      text.find("program+0x202f{user,fp};program+0x201f{user,fp};program+0x2010{user,sampled}"),
      std::string::npos)
      << text;
}

TEST_F(PipelineTest, EventsAreInTheOrderOfTheRecorder) {
  pipeline.on_event_kind({1, "dummy", "dummy"});
  pipeline.on_event_kind({2, "page-faults", "page-faults"});
  pipeline.on_event_kind({3, "cpu-clock", "nanoseconds"});  // one more of the same name
  for (uint32_t kind : {2U, 3U, 0U, 2U}) {
    pipeline.on_sample(
        {.at = at(kind), .event = kind, .address = 0x10010, .weight = kind, .mode = Mode::kUser});
  }
  Profile profile = pipeline.finish();
  ASSERT_EQ(profile.events.size(), 2) << "those that were sampled";
  EXPECT_EQ(profile.strings[profile.events[EventId(0)].name], "cpu-clock");
  EXPECT_EQ(profile.strings[profile.events[EventId(1)].name], "page-faults");
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    bool fault = profile.samples.weight[row] == 2;
    EXPECT_EQ(profile.samples.event[row], EventId(fault ? 1 : 0)) << row;
  }
}

// The host's kernel and a library of QEMU are at the addresses of the guest's kernel and program.
TEST_F(PipelineTest, AGuestHasItsOwnMemory) {
  constexpr uint64_t kText = 0xffffffff9a000000;
  auto in_guest = [&](int32_t pid, uint32_t machine) {
    EventContext context = at(5, pid, pid);
    context.machine = static_cast<MachineId>(machine);
    return context;
  };
  auto map_kernel = [&](const EventContext& context, std::string_view path) {
    pipeline.on_map(
        {.at = context, .start = kText, .size = 0x1000, .file_offset = kText, .path = path});
  };
  map_kernel(at(0, -1, -1), "[kernel.kallsyms]_text");
  map_kernel(in_guest(-1, 1), "[guest.kernel.kallsyms.50]_text");
  map(50, 0x10000, "/no/such/host_library");
  pipeline.on_map({.at = in_guest(8, 1), .start = 0x10000, .size = 0x1000, .path = "/bin/program"});
  auto sample_at = [&](const EventContext& context, uint64_t address, Mode mode) {
    pipeline.on_sample({.at = context, .address = address, .weight = 1, .mode = mode});
  };
  sample_at(at(1, 50, 50), kText + 1, Mode::kKernel);
  sample_at(in_guest(50, 1), kText + 2, Mode::kGuestKernel);
  sample_at(in_guest(51, 2), kText + 3, Mode::kGuestKernel);
  sample_at(in_guest(50, 1), 0x10004, Mode::kGuestUser);
  sample_at(in_guest(8, 1), 0x10005, Mode::kGuestUser);
  std::string text = stacks();
  auto expect = [&](std::string_view frame) {
    EXPECT_NE(text.find(frame), std::string::npos) << frame << "\n" << text;
  };
  expect("[kernel.kallsyms]+0x1{kernel,sampled}");
  expect("[guest.kernel.kallsyms.50]+0xffffffff9a000002{kernel,sampled}");
  expect("[0xffffffff9a000003]{kernel,sampled}");
  expect("[0x10004]{user,sampled}");
  expect("program+0x5{user,sampled}");
  expect("[guest/51]");
  EXPECT_EQ(text.find("[kernel.kallsyms]+0x3"), std::string::npos) << text;
  EXPECT_EQ(text.find("host_library+"), std::string::npos) << text;
}

TEST_F(PipelineTest, AVdsoOfAnotherMachineIsUnwoundWithoutItsBytes) {
  pipeline.on_host({Architecture::kAarch64});
  map(7, 0x10000, "/no/such/program");
  map(7, 0x20000, "[vdso]");
  // x29 (no frame), x30 (where the program continues), sp, pc.
  std::vector<uint64_t> values = {0, 0x10024, 0x7000, 0x20010};
  std::string stack(64, '\0');
  pipeline.on_sample({.at = at(5),
                      .address = 0x20010,
                      .mode = Mode::kUser,
                      .user_registers = {.width = RegisterValues::Width::k64,
                                         .mask = uint64_t{0b1111} << 29,
                                         .values = values},
                      .user_stack = as_bytes(stack),
                      .stack_bytes_asked = stack.size()});
  std::string text = stacks();
  EXPECT_NE(text.find("program+0x23{"), std::string::npos) << text;
}

TEST_F(PipelineTest, ForksInheritAndExecsForget) {
  map(7, 0x10000, "/no/such/parent");
  pipeline.on_comm({.at = at(1), .name = "parent"});
  pipeline.on_fork({.at = at(2, 8, 8), .parent_pid = 7, .parent_tid = 7});
  sample(at(3, 8, 8), {0x10010});
  pipeline.on_comm({.at = at(4, 8, 8), .name = "child", .exec = true});
  sample(at(5, 8, 8), {0x10010});
  sample(at(6), {0x10010});
  std::string text = stacks();
  EXPECT_NE(text.find("at 3 cpu 1 thread parent 8 of parent 8"), std::string::npos) << text;
  EXPECT_NE(text.find("at 5 cpu 1 thread child 8 of child 8"), std::string::npos) << text;
  EXPECT_NE(text.find("[0x10010]"), std::string::npos)
      << "nothing is mapped after the exec: " << text;
  EXPECT_NE(text.find("parent+0x10"), std::string::npos) << text;
}

TEST_F(PipelineTest, TheRestOfAnExecIsTheOldPrograms) {
  map(7, 0x10000, "/no/such/old");
  pipeline.on_comm({.at = at(1), .name = "new", .exec = true});
  sample(at(2), {0x10010}, {0xFFFF'FFFF'8100'0000});
  map(7, 0x20000, "/no/such/new");
  sample(at(3), {0x10020}, {0xFFFF'FFFF'8100'0000});
  sample(at(4), {0x20010}, {0xFFFF'FFFF'8100'0000});
  sample(at(5), {0x20020});
  sample(at(6), {0x10030}, {0xFFFF'FFFF'8100'0000});
  std::string text = stacks();
  for (std::string_view found : {"old+0x10{", "old+0x20{", "new+0x10{", "new+0x20{"}) {
    EXPECT_NE(text.find(found), std::string::npos) << found << " is not in " << text;
  }
  EXPECT_EQ(text.find("old+0x30{"), std::string::npos) << "the new program runs: " << text;
}

// While exec releases the old program's memory, nothing of its stack can be copied. In the
// registers of perf's order: bx, cx, .., ip; a system call leaves its return address in rcx.
TEST_F(PipelineTest, AKernelStackDuringExecIsComplete) {
  constexpr uint64_t kRcxAndRip = uint64_t{1} << 2 | uint64_t{1} << 8;
  pipeline.on_host({Architecture::kX86_64});
  map(7, 0x10000, "/no/such/program");
  std::array<uint64_t, 1> chain = {0xFFFF'FFFF'8100'0000};
  for (uint64_t rcx : {uint64_t{0x10010}, uint64_t{0x7777}}) {
    std::array<uint64_t, 2> values = {rcx, 0x10010};
    pipeline.on_sample({.at = at(5),
                        .address = chain[0],
                        .mode = Mode::kKernel,
                        .kernel_chain = chain,
                        .user_registers = {.width = RegisterValues::Width::k64,
                                           .mask = kRcxAndRip,
                                           .values = values},
                        .stack_bytes_asked = 8192});
  }
  Profile profile = pipeline.finish();
  ASSERT_EQ(profile.samples.size(), 2U);
  EXPECT_EQ(profile.samples.ending[0], StackEnd::kComplete);
  EXPECT_EQ(profile.samples.ending[1], StackEnd::kNoUserStack) << "a page fault";
}

TEST_F(PipelineTest, AMappingCountsFromItsTimeOn) {
  map(7, 0x10000, "/no/such/first");
  sample(at(5), {0x10010});
  map(7, 0x10000, "/no/such/second");
  sample(at(6), {0x10010});
  std::string text = stacks();
  EXPECT_NE(text.find("first+0x10"), std::string::npos) << text;
  EXPECT_NE(text.find("second+0x10"), std::string::npos) << text;
}

TEST_F(PipelineTest, KernelFramesStandAboveTheUserFramesThatCalled) {
  pipeline.on_map({.at = {.pid = -1, .tid = 0},
                   .start = 0xffffffff81000000,
                   .size = 0x1000000,
                   .file_offset = 0xffffffff81000000,
                   .path = "[kernel.kallsyms]_text",
                   .build_id = "no such kernel ever."});
  pipeline.on_kernel_symbol(
      {.at = at(0), .start = 0xffffffffc0000000, .size = 0x100, .name = "bpf_prog_1"});
  map(7, 0x10000, "/no/such/program");
  sample(at(5), {0x10010, 0x10020}, {0xffffffffc0000010, 0xffffffff81000100});
  std::string text = stacks();
  EXPECT_NE(
      text.find("program+0x1f{user,fp};program+0x10{user,fp};[kernel.kallsyms]+0xff{kernel,chain};"
                "bpf_prog_1@[bpf_prog_1]+0x10{kernel,sampled}"),
      std::string::npos)
      << text;
}

// A system call at the end of a function returns to the next one: its frame is in the call.
TEST_F(PipelineTest, TheFrameOfASystemCallIsInItsInstruction) {
  testing::ScratchDir scratch;
  std::string code(0x100, '\x90');
  code.replace(0x0E, 2, "\x0F\x05");
  std::string returns_from_signal("\x48\xC7\xC0\x0F\0\0\0\x0F\x05", 9);
  code.replace(0x40 - returns_from_signal.size(), returns_from_signal.size(), returns_from_signal);
  testing::ElfWriter writer;
  writer.load_section(writer.add({.name = ".text",
                                  .contents = code,
                                  .flags = SHF_ALLOC | SHF_EXECINSTR,
                                  .address = 0x1000}),
                      PF_R | PF_X);
  std::string program = scratch.file("program");
  std::string bytes = writer.bytes();
  testing::write_file(program, bytes);
  ElfImage image = *ElfImage::parse(as_bytes(bytes));
  map(7, 0x10000, program, 0);
  uint64_t text = 0x10000 + image.segments()[0].offset;
  constexpr uint64_t kInKernel = 0xffffffff81000100;
  sample(at(5), {text + 0x10}, {kInKernel});
  sample(at(6), {text + 0x20}, {kInKernel});  // interrupted
  sample(at(7), {text + 0x10});
  // With registers: rcx has the return address of a system call.
  std::array<uint64_t, 4> values = {text + 0x10, 0, 0x7000, text + 0x10};  // rcx, rbp, rsp, rip
  std::array<uint64_t, 2> stack = {0, 0};
  // The last one: the kernel has restored rcx from the frame of a signal already, and not yet rip.
  const std::array<std::pair<uint64_t, uint64_t>, 3> registers = {
      {{text + 0x10, text + 0x10}, {0, text + 0x10}, {0, text + 0x40}}};
  for (auto [rcx, rip] : registers) {
    values[0] = rcx;
    values[3] = rip;
    pipeline.on_sample({.at = at(8),
                        .address = kInKernel,
                        .mode = Mode::kKernel,
                        .kernel_chain = std::span(&kInKernel, 1),
                        .user_registers = {.width = RegisterValues::Width::k64,
                                           .mask = uint64_t{0b111} << 6 | uint64_t{1} << 2,
                                           .values = values},
                        .user_stack = std::as_bytes(std::span(stack)),
                        .stack_bytes_asked = sizeof stack});
    pipeline.on_checkpoint();
  }
  std::string found = stacks();
  auto count = [&](std::string_view frame) {
    size_t times = 0;
    for (size_t next = found.find(frame); next != std::string::npos;
         next = found.find(frame, next + 1)) {
      ++times;
    }
    return times;
  };
  EXPECT_EQ(count("program+0x100f{user,fp};"), 1U) << found;
  EXPECT_EQ(count("program+0x1020{user,fp};"), 1U) << found;
  EXPECT_EQ(count("program+0x1010{user,sampled}"), 1U) << found;
  EXPECT_EQ(count("program+0x100f{user,cfi};"), 1U) << found;
  EXPECT_EQ(count("program+0x1010{user,cfi};"), 1U) << found;
  EXPECT_EQ(count("program+0x103f{user,cfi};"), 1U) << found;
}

// A program with unwind information for [0x1000, 0x1080), of which the last 16 bytes are its start,
// in a process with a library whose file is missing and one whose file was cut.
class EndsOfStacks : public PipelineTest {
 protected:
  static constexpr uint64_t kProgram = 0x10000;
  static constexpr uint64_t kLibrary = 0x20000;
  static constexpr uint64_t kCut = 0x30000;
  static constexpr uint64_t kPlain = 0x1008;   // nothing on its stack
  static constexpr uint64_t kLarge = 0x1048;   // 64 KB
  static constexpr uint64_t kStarts = 0x1078;  // has no caller

  EndsOfStacks() {
    testing::CfiWriter eh(0x5000);
    uint64_t cie = eh.usual_cie();
    eh.fde(cie, 0x1000, 0x40, "");
    eh.fde(cie, 0x1040, 0x30, testing::def_cfa_offset(0x10008));
    eh.fde(cie, 0x1070, 0x10, testing::undefined(16));
    std::string code(0x80, '\x90');
    code.replace(kStarts - 0x1000 - 2, 2, "\xFF\xD0");  // call *%rax
    testing::ElfWriter writer;
    uint32_t text = writer.add(
        {.name = ".text", .contents = code, .flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x1000});
    writer.load_section(text, PF_R | PF_X);
    writer.add({.name = ".eh_frame", .contents = eh.bytes(), .address = 0x5000});
    std::string bytes = writer.bytes();
    ElfImage image = *ElfImage::parse(as_bytes(bytes));
    testing::write_file(scratch_.file("program"), bytes);
    testing::write_file(scratch_.file("cut"), bytes.substr(0, image.segments()[0].offset));
    text_ = kProgram + image.segments()[0].offset - 0x1000;
    map(7, kProgram, scratch_.file("program"));
    map(7, kLibrary, "/no/such/libc.so");
    map(7, kCut, scratch_.file("cut"));
  }
  // The process address of an address of the program.
  uint64_t at_address(uint64_t linked) const { return text_ + linked; }
  // How a stack ends that is sampled at an address.
  std::string end_of(uint64_t pc, std::vector<uint64_t> words, uint64_t rbp, size_t asked = 0) {
    std::array<uint64_t, 3> values = {rbp, 0x7000, pc};  // rbp, rsp, rip
    size_t bytes = words.size() * sizeof(uint64_t);
    pipeline.on_sample({.at = at(5),
                        .address = pc,
                        .mode = Mode::kUser,
                        .user_registers = {.width = RegisterValues::Width::k64,
                                           .mask = uint64_t{0b111} << 6,
                                           .values = values},
                        .user_stack = std::as_bytes(std::span(words)),
                        .stack_bytes_asked = static_cast<uint32_t>(asked == 0 ? bytes : asked)});
    pipeline.on_checkpoint();
    Profile profile = pipeline.finish();
    return std::string(stack_end_name(profile.samples.ending[0]));
  }

  testing::ScratchDir scratch_;
  uint64_t text_ = 0;
};

TEST_F(EndsOfStacks, KnownStart) {
  EXPECT_EQ(end_of(at_address(kPlain), {at_address(kStarts), 0}, 0), "complete");
}
TEST_F(EndsOfStacks, StartBeyondAMissingFile) {
  EXPECT_EQ(end_of(at_address(kPlain), {kLibrary + 8, 0, 0, at_address(kStarts), 0}, 0x7010),
            "reached its start through a missing file");
}
TEST_F(EndsOfStacks, MissingFile) {
  EXPECT_EQ(end_of(at_address(kPlain), {kLibrary + 8, 0, 0, at_address(kStarts), 0}, 1),
            "the file with the unwind information is missing");
}
TEST_F(EndsOfStacks, FileThatWasCutBeforeItsCode) {
  EXPECT_EQ(end_of(at_address(kPlain), {kCut + text_ - kProgram + kPlain, 0, 0}, 1),
            "the file with the unwind information is missing");
}
TEST_F(EndsOfStacks, LargeFrameWhosePagesAreNotInMemory) {
  EXPECT_EQ(end_of(at_address(kLarge), {1, 2, 3}, 1, 0x4000), "the copied stack ends early");
}
TEST_F(EndsOfStacks, LargeFrameThatIsLargerThanTheCopy) {
  EXPECT_EQ(end_of(at_address(kLarge), {1, 2, 3}, 1), "the copied stack is too short");
}
TEST_F(EndsOfStacks, ZeroWhereUnwindInformationLeads) {
  EXPECT_EQ(end_of(at_address(kPlain), {0, 0, 0}, 1), "the return address is zero");
}

// simpleperf's recordings contain names; code that an interpreter runs is mapped as data.
TEST_F(PipelineTest, NamesOfTheRecordingAreFoundByTheirFileOffset) {
  pipeline.on_symbol({.path = "/no/such/lib.so",
                      .address = 0x5010,
                      .size = 0x10,
                      .name = "_ZN3foo3barEi",
                      .file_offset = 0x1010});
  pipeline.on_symbol({.path = "/no/such/app.vdex",
                      .address = 0x20,
                      .size = 0x10,
                      .name = "app.run",
                      .file_offset = 0x20});
  map(7, 0x10000, "/no/such/lib.so", 0x1000);
  for (std::string_view path : {"/no/such/app.vdex", "/no/such/data"}) {
    pipeline.on_map({.at = at(0),
                     .start = path.ends_with("data") ? 0x30000U : 0x20000U,
                     .size = 0x1000,
                     .path = path,
                     .executable = false});
  }
  sample(at(5), {0x10018, 0x20028, 0x30010});
  std::string text = stacks();
  EXPECT_NE(text.find("[0x3000f]{user,fp};app.run@/no/such/app.vdex+0x27{user,fp};"
                      "foo::bar@/no/such/lib.so+0x1018{user,sampled}"),
            std::string::npos)
      << text;
}

// Python's stub: sub $8,%rsp; call *%rcx; add $8,%rsp; ret. The dump has its bytes.
TEST_F(PipelineTest, GeneratedCodeIsUnwoundByItsDump) {
  testing::ScratchDir scratch;
  std::string dump = scratch.file("jit-7.dump");
  std::string stub("\x48\x83\xEC\x08\xFF\xD1\x48\x83\xC4\x08\xC3", 11);
  testing::write_file(dump, testing::DumpWriter().load(0x50000, 11, "py::f", 1, stub).bytes());
  pipeline.on_host({Architecture::kX86_64});
  map(7, 0x10000, "/no/such/python");
  map(7, 0x50000, "//anon");
  map(7, 0x60000, dump);
  std::array<uint64_t, 3> values = {0, 0x7000, 0x50006};  // rbp, rsp, rip: back from the call
  std::array<uint64_t, 4> stack = {0x1111, 0x10024, 0, 0};
  pipeline.on_sample({.at = at(5),
                      .address = 0x50006,
                      .mode = Mode::kUser,
                      .user_registers = {.width = RegisterValues::Width::k64,
                                         .mask = uint64_t{0b111} << 6,
                                         .values = values},
                      .user_stack = std::as_bytes(std::span(stack)),
                      .stack_bytes_asked = sizeof stack});
  std::string text = stacks();
  EXPECT_NE(text.find("python+0x23{user,code};"), std::string::npos) << text;
}

// A second function with a larger frame was loaded at the same address. A sample is unwound by the
// code of its time, whatever was cached for that address.
TEST_F(PipelineTest, GeneratedCodeThatWasReplacedIsUnwoundByTheCodeOfItsTime) {
  testing::ScratchDir scratch;
  std::string dump = scratch.file("jit-7.dump");
  std::string small("\x48\x83\xEC\x08\xFF\xD1\x48\x83\xC4\x08\xC3", 11);
  std::string large("\x48\x83\xEC\x18\xFF\xD1\x48\x83\xC4\x18\xC3", 11);
  testing::write_file(dump,
                      testing::DumpWriter()
                          .time(100)
                          .load(0x50000, 11, "small", 1, small)
                          .time(200)
                          .load(0x50000, 11, "large", 2, large)
                          .bytes());
  pipeline.on_clock({.kind = ClockKind::kMonotonic});
  map(7, 0x10000, "/no/such/program");
  map(7, 0x50000, "//anon");
  map(7, 0x60000, dump);
  std::array<uint64_t, 3> values = {0, 0x7000, 0x50006};  // rbp, rsp, rip
  std::array<uint64_t, 6> stack = {0x1111, 0x10024, 0x2222, 0x10044, 0, 0};
  for (int64_t time : {150, 250, 160, 260, 50}) {
    pipeline.on_sample({.at = at(time),
                        .address = 0x50006,
                        .weight = 1,
                        .mode = Mode::kUser,
                        .user_registers = {.width = RegisterValues::Width::k64,
                                           .mask = uint64_t{0b111} << 6,
                                           .values = values},
                        .user_stack = std::as_bytes(std::span(stack)),
                        .stack_bytes_asked = sizeof stack});
    pipeline.on_checkpoint();
  }
  Profile profile = pipeline.finish();
  ASSERT_EQ(profile.samples.size(), 5U);
  std::map<int64_t, uint64_t> caller_at;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    StackId caller = profile.stacks.parent(profile.samples.stack[row]);
    ASSERT_NE(caller, kEmptyStack);
    caller_at[profile.samples.time_ns[row]] = profile.frames[profile.stacks.frame(caller)].address;
  }
  EXPECT_EQ(caller_at,
            (std::map<int64_t, uint64_t>{
                {50, 0x23}, {150, 0x23}, {160, 0x23}, {250, 0x43}, {260, 0x43}}));
}

// Code that was loaded at time 200 over older code: the function of a sample depends on its time.
class ReusedAddresses : public PipelineTest {
 protected:
  ReusedAddresses() {
    testing::write_file(dump_,
                        testing::DumpWriter()
                            .time(100)
                            .load(0x50000, 0x100, "old_code", 1)
                            .load(0x50100, 0x100, "lasting_code", 2)
                            .time(200)
                            .load(0x50000, 0x80, "new_code", 3)
                            .bytes());
    map(7, 0x50000, "//anon");
    map(7, 0x60000, dump_);
  }
  Profile profile_of(ClockKind clock) {
    pipeline.on_clock({.kind = clock});
    sample(at(50), {0x50010, 0x50120});
    sample(at(199), {0x50010, 0x50120});
    sample(at(200), {0x50010, 0x50120});
    sample(at(300), {0x50090, 0x50120});
    sample(at(300), {0x50130, 0x50011});
    return pipeline.finish();
  }
  static std::string leaves_of(const Profile& profile) {
    std::string leaves;
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      FrameId leaf = profile.stacks.frame(profile.samples.stack[row]);
      FrameId caller = profile.stacks.frame(profile.stacks.parent(profile.samples.stack[row]));
      for (FrameId id : {caller, leaf}) {
        leaves += profile.strings[profile.functions[profile.frames[id].function].name];
        leaves += id == leaf ? '\n' : ';';
      }
    }
    return leaves;
  }

  testing::ScratchDir scratch_;
  std::string dump_ = scratch_.file("jit-7.dump");
};

TEST_F(ReusedAddresses, ASampleHasTheNameOfItsTime) {
  Profile profile = profile_of(ClockKind::kMonotonic);
  ASSERT_TRUE(validate(profile));
  EXPECT_EQ(leaves_of(profile),
            "lasting_code;old_code\nlasting_code;old_code\nlasting_code;new_code\n"
            "lasting_code;old_code\nnew_code;lasting_code\n");
  EXPECT_TRUE(profile.losses.empty());
}

TEST_F(ReusedAddresses, WithoutACommonClockTheLaterCountsAndItIsSaid) {
  Profile profile = profile_of(ClockKind::kMonotonicRaw);
  ASSERT_TRUE(validate(profile));
  EXPECT_TRUE(leaves_of(profile).starts_with("lasting_code;new_code\nlasting_code;new_code\n"));
  ASSERT_EQ(profile.losses.size(), 1);
  EXPECT_NE(profile.strings[profile.losses[0].detail].find("-k mono"), std::string::npos);
}

// The kernel's text identifies the kernel. A module that is named first must not get names from
// this machine's kernel.
TEST_F(PipelineTest, ModulesOfAnotherKernelAreNotNamedByThisOne) {
  pipeline.on_map({.at = {.pid = -1, .tid = 0},
                   .start = 0xffffffffc0200000,
                   .size = 0x1000,
                   .path = "[ext4]",
                   .build_id = "its own"});
  pipeline.on_map({.at = {.pid = -1, .tid = 0},
                   .start = 0xffffffff81000000,
                   .size = 0x1000000,
                   .file_offset = 0xffffffff81000000,
                   .path = "[kernel.kallsyms]_text",
                   .build_id = "no such kernel ever."});
  sample(at(5), {}, {0xffffffffc0200010});
  sample(at(6), {}, {0xffffffff81000100});
  Profile profile = pipeline.finish();
  ASSERT_EQ(profile.losses.size(), 1);
  EXPECT_NE(profile.strings[profile.losses[0].detail].find("from another kernel"),
            std::string_view::npos)
      << profile.strings[profile.losses[0].detail];
}

TEST_F(PipelineTest, LossesAndFactsTravelAlong) {
  pipeline.on_lost({.at = at(1), .count = 3, .reason = "ring full"});
  pipeline.on_lost({.at = at(2), .count = 4, .reason = "ring full"});
  pipeline.on_fact("host name", "here");
  Profile profile = pipeline.finish();
  ASSERT_EQ(profile.losses.size(), 1);
  EXPECT_EQ(profile.losses[0].count, 7);
  ASSERT_EQ(profile.facts.size(), 1);
}

// Batches have some hundred samples: changes come in the middle of one, and before the last samples
// are processed.
TEST_F(PipelineTest, ChangesBetweenManySamplesCountFromTheirTimeOn) {
  constexpr int kTimes = 40;
  constexpr int kSamples = 37;
  for (int i = 0; i < kTimes; ++i) {
    map(7, 0x10000, "/no/such/user" + std::to_string(i));
    pipeline.on_comm({.at = at(i), .name = "name" + std::to_string(i)});
    pipeline.on_kernel_symbol({.at = at(i),
                               .start = 0xffffffffc0000000,
                               .size = 0x100,
                               .name = "kernel" + std::to_string(i)});
    for (int j = 0; j < kSamples; ++j) {
      sample(at(i), {0x10010}, {0xffffffffc0000010});
    }
    pipeline.on_lost({.at = at(i), .count = 1, .reason = "ring full"});
  }
  Profile profile = pipeline.finish();
  ASSERT_EQ(profile.samples.size(), size_t{kTimes} * kSamples);
  EXPECT_EQ(profile.losses[0].count, kTimes);
  std::string text = dump(profile);
  for (int i = 0; i < kTimes; ++i) {
    std::string line = fmt::format(
        "at {0} cpu 1 thread name39 7 of name39 7 weight 10 count 1 stack "
        "user{0}+0x10{{user,fp}};kernel{0}@[kernel{0}]+0x10{{kernel,sampled}}\n",
        i);
    size_t times = 0;
    for (size_t found = text.find(line); found != std::string::npos;
         found = text.find(line, found + 1)) {
      ++times;
    }
    EXPECT_EQ(times, kSamples) << line << "\n" << text.substr(0, 2000);
    std::string name = fmt::format(" name=name{}\n", i);
    EXPECT_NE(text.find("thread name thread=name39 7" +
                        (i == 0 ? name : fmt::format(" time_ns={}{}", i, name))),
              std::string::npos)
        << name;
  }
  EXPECT_EQ(profile.threads.size(), 1U);
  EXPECT_EQ(profile.thread_names.size(), size_t{kTimes});
  EXPECT_EQ(profile.loss_moments.size(), size_t{kTimes} - 1) << "time 0 is unknown";
}

TEST_F(PipelineTest, AnExecIsAnotherProcessAndThread) {
  map(7, 0x10000, "/no/such/shell");
  pipeline.on_comm({.at = at(1), .name = "shell"});
  pipeline.on_process({.at = at(1), .next_command = "program -x"});
  sample(at(2), {0x10010});
  pipeline.on_comm({.at = at(3), .name = "program", .exec = true});
  map(7, 0x10000, "/no/such/program");
  sample(at(4), {0x10010});
  pipeline.on_exit({.at = at(5)});
  std::string text = dump(pipeline.finish());
  EXPECT_NE(text.find("process shell 7 end_ns=3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("process program 7 begin_ns=3 end_ns=5 command=program -x\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("thread program 7 begin_ns=3 end_ns=5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("at 2 cpu 1 thread shell 7 of shell 7"), std::string::npos) << text;
  EXPECT_NE(text.find("at 4 cpu 1 thread program 7 of program 7"), std::string::npos) << text;
  EXPECT_NE(text.find("mapping process=shell 7 module=/no/such/shell start=65536"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("mapping process=program 7 module=/no/such/program start=65536"),
            std::string::npos)
      << text;
}

TEST_F(PipelineTest, ForksNameTheParentAndAReusedPidIsAnother) {
  pipeline.on_comm({.at = at(1), .name = "server"});
  EventContext child = at(2);
  child.pid = child.tid = 8;
  for (int64_t time : {2, 5}) {
    child.time_ns = time;
    pipeline.on_fork({.at = child, .parent_pid = 7, .parent_tid = 7});
    child.time_ns = time + 1;
    sample(child, {0x10010});
    child.time_ns = time + 2;
    pipeline.on_exit({.at = child});
  }
  std::string text = dump(pipeline.finish());
  EXPECT_NE(text.find("process server 8 parent=server 7 begin_ns=2 end_ns=4\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("process server 8 parent=server 7 begin_ns=5 end_ns=7\n"), std::string::npos)
      << text;
}

TEST_F(PipelineTest, AProcessMayOutliveItsFirstThread) {
  EventContext other = at(4);
  other.tid = 9;
  pipeline.on_comm({.at = at(1), .name = "program"});
  pipeline.on_exit({.at = at(2)});  // before anything is sampled
  sample(other, {0x10010});
  pipeline.on_exit({.at = other});
  Profile profile = pipeline.finish();
  ASSERT_EQ(profile.processes.size(), 1U);
  EXPECT_EQ(profile.processes[ProcessId(0)].end_ns, 4);
  EXPECT_EQ(profile.threads[ThreadId(0)].end_ns, 4);
}

// perf announces running processes without a time.
TEST_F(PipelineTest, AForkWithoutATimeIsNoBeginning) {
  EventContext child = at(0);
  child.pid = child.tid = 8;
  pipeline.on_fork({.at = child, .parent_pid = 7, .parent_tid = 7});
  child.time_ns = 3;
  sample(child, {0x10010});
  Profile profile = pipeline.finish();
  EXPECT_EQ(profile.processes[ProcessId(1)].begin_ns, kNoTime);
  EXPECT_EQ(profile.threads[ThreadId(0)].begin_ns, kNoTime);
}

TEST_F(PipelineTest, ParentsInACircleEnd) {
  for (int32_t pid : {7, 8}) {
    EventContext who = at(1);
    who.pid = who.tid = pid;
    pipeline.on_process({.at = who, .parent_pid = 15 - pid, .begin_ns = pid, .command = "a b"});
    sample(who, {0x10010});
  }
  Profile profile = pipeline.finish();
  EXPECT_TRUE(validate(profile));
  EXPECT_EQ(profile.processes.size(), 2U);
}

TEST_F(PipelineTest, TheHostItsClockAndItsGuestsAreSources) {
  pipeline.on_host({.name = "example", .kernel_release = "6.1"});
  pipeline.on_clock({.kind = ClockKind::kMonotonic,
                     .has_wall_time = true,
                     .time_ns = 5,
                     .wall_time_ns = 105,
                     .boot_id = "17-ab"});
  sample(at(1), {0x10010});
  EventContext guest = at(2);
  guest.machine = MachineId(1);
  sample(guest, {0x10010});
  Profile profile = pipeline.finish();
  ASSERT_EQ(profile.sources.size(), 2U);
  const Source& host = profile.sources[SourceId(0)];
  EXPECT_EQ(profile.strings[host.host], "example");
  EXPECT_EQ(profile.strings[host.boot_id], "17-ab");
  EXPECT_EQ(host.wall_clock_ns, 100);
  EXPECT_EQ(profile.sources[SourceId(1)].guest_of, SourceId(0));
  ASSERT_EQ(profile.processes.size(), 2U) << "the same pid on two machines";
}

TEST_F(PipelineTest, CgroupsBranchesAndGroupsReachTheSamples) {
  map(7, 0x10000, "/no/such/program");
  pipeline.on_cgroup({.at = at(0), .id = 3, .path = "/web"});
  constexpr uint64_t kFlags = 1 | 12U << 4 | uint64_t{2} << 20 | uint64_t{1} << 30;
  BranchEntry branches[] = {{.from = 0x10010, .to = 0x10020, .flags = kFlags},
                            {.from = 0x10030, .to = 0x10010, .flags = 0}};
  for (uint64_t cgroup : {3U, 4U}) {
    SampleEvent event;
    event.at = at(1);
    event.address = 0x10010;
    event.mode = Mode::kUser;
    event.cgroup = cgroup;
    event.group = 9;
    event.branches = branches;
    pipeline.on_sample(event);
  }
  pipeline.on_checkpoint();
  Profile profile = pipeline.finish();
  ASSERT_TRUE(validate(profile));
  std::string text = dump(profile);
  EXPECT_NE(text.find("labels={cgroup=/web}"), std::string::npos) << text;
  EXPECT_NE(text.find("labels={cgroup=4}"), std::string::npos) << text;
  EXPECT_NE(text.find("program+0x10{user,lbr}>program+0x20{user,lbr}/12/0x4081"), std::string::npos)
      << text;
  EXPECT_NE(text.find(" group=9 "), std::string::npos) << text;
  EXPECT_EQ(profile.edges.size(), 2U) << "equal branches are stored once";
}

// The counts of the notices, by their subject.
std::map<std::string, uint64_t> notices(const Profile& profile) {
  std::map<std::string, uint64_t> counts;
  for (const Loss& loss : profile.losses) {
    if (loss.severity == LossClass::kNotice) {
      counts[std::string(profile.strings[loss.what])] += loss.count;
    }
  }
  return counts;
}

TEST_F(PipelineTest, NoticesNameTheContentThatIsNotUsed) {
  map(7, 0x10000, "/no/such/program");
  SampleEvent event;
  event.at = at(1);
  event.address = 0x10010;
  event.mode = Mode::kUser;
  event.memory.source = 1;  // the processor reported nothing
  pipeline.on_sample(event);
  event.memory.source = 2;
  pipeline.on_sample(event);
  pipeline.on_switch({.at = at(2), .leaves = true});
  std::map<std::string, uint64_t> first = notices(pipeline.named(pipeline.cut()));
  EXPECT_EQ(first["context switches"], 1U);
  EXPECT_EQ(first["samples with the address and source of data"], 1U);

  std::array<std::byte, 5> trace = {};
  pipeline.on_aux({.at = at(3), .data = trace});
  pipeline.on_switch({.at = at(4)});
  std::map<std::string, uint64_t> second = notices(pipeline.finish());
  EXPECT_EQ(second["bytes of a hardware trace (Intel PT, CoreSight, SPE)"], 5U);
  EXPECT_EQ(second["context switches"], 0U) << "they belong to the trace";
}

TEST_F(PipelineTest, TheProfileSoFarHoldsEverySample) {
  map(7, 0x10000, "/no/such/program");
  for (size_t i = 1; i <= 1500; ++i) {
    sample(at(static_cast<int64_t>(i)), {0x10010, 0x10020 + i % 7});
    if (i % 100 == 0) {
      pipeline.with_profile_so_far(
          [&](const Profile& profile) { EXPECT_EQ(profile.samples.size(), i); });
    }
  }
  EXPECT_EQ(pipeline.finish().samples.size(), 1500);
}

// Enough samples that another thread looks up their chains: it must be done when the chains end.
TEST_F(PipelineTest, ChainsAreNotReadAfterACheckpoint) {
  map(7, 0x10000, "/no/such/program");
  std::map<uint64_t, size_t> expected;
  for (size_t round = 0; round < 8; ++round) {
    std::vector<std::vector<uint64_t>> chains;
    for (size_t i = 0; i < 3000; ++i) {
      uint64_t leaf = 0x10010 + (i * (round + 1)) % 97;
      chains.push_back({leaf, 0x10020, 0x10030});
      ++expected[leaf - 0x10000];
    }
    for (const std::vector<uint64_t>& chain : chains) {
      pipeline.on_sample(
          {.at = at(1), .address = chain[0], .mode = Mode::kUser, .user_chain = chain});
    }
    pipeline.on_checkpoint();
    for (std::vector<uint64_t>& chain : chains) {
      std::ranges::fill(chain, 0x10fff);
    }
  }
  Profile profile = pipeline.finish();
  std::map<uint64_t, size_t> leaves;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    ++leaves[profile.frames[profile.stacks.frame(profile.samples.stack[row])].address];
  }
  EXPECT_EQ(leaves, expected);
}

TEST_F(PipelineTest, ImpossibleNumbersAreTaken) {
  pipeline.on_map({.at = at(0), .start = UINT64_MAX - 5, .size = UINT64_MAX, .path = "/x"});
  pipeline.on_map(
      {.at = at(0), .start = 0, .size = UINT64_MAX, .file_offset = UINT64_MAX, .path = "/y"});
  pipeline.on_kernel_symbol({.at = at(0), .start = UINT64_MAX, .size = 9, .name = "s"});
  sample(at(1), {0, 0, UINT64_MAX});
  pipeline.on_sample({.at = {.time_ns = INT64_MIN, .pid = -5, .tid = -6, .cpu = 1 << 30},
                      .event = UINT32_MAX,
                      .weight = UINT64_MAX >> 3});
  pipeline.on_sample({.at = at(2), .weight = UINT64_MAX});
  pipeline.on_sample({.at = at(3), .weight = UINT64_MAX >> 2});
  Profile profile = pipeline.finish();
  EXPECT_EQ(profile.samples.size(), 2);
  ASSERT_FALSE(profile.losses.empty());
  EXPECT_NE(profile.strings[profile.losses[0].reason].find("62 bits"), std::string_view::npos);
  EXPECT_EQ(profile.losses[0].count, 2) << "a weight that does not fit costs its sample alone";
  EXPECT_TRUE(validate(profile));
}

}  // namespace
}  // namespace wick
