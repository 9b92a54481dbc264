// SPDX-License-Identifier: Apache-2.0
// Names and lines of kernels and their modules: from the image and the list of the build that was
// recorded, never from another kernel.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "elf/testing.h"
#include "pipeline/pipeline.h"
#include "profile/dump.h"
#include "profile/names.h"
#include "profile/validate.h"
#include "symbolize/jit_testing.h"
#include "symbolize/kernel_testing.h"
#include "tests/support/files.h"

namespace wick {
namespace {

// The kernel is loaded at another address than its linked one; its image has the lines, its list
// the names that the image lacks.
TEST(KernelNaming, LinesAndInlinedFunctionsComeFromTheImageOfThatBuild) {
  testing::ScratchDir scratch;
  testing::write_file(scratch.file("vmlinux"), testing::kernel_elf("a kernel of our own."));
  testing::write_file(scratch.file("kallsyms"),
                      "ffffffff9a000000 T _text\n"
                      "ffffffff9a000800 T outer\n"
                      "ffffffff9a000900 T patched_in\n"
                      "ffffffff9a000a00 T _etext\n");
  for (bool with_image : {true, false}) {
    FileSearch search;
    search.debug_dirs = {with_image ? scratch.file("") : scratch.file("absent")};
    Pipeline pipeline(NameOptions{.files = search, .kallsyms = scratch.file("kallsyms")});
    pipeline.on_host({Architecture::kX86_64});
    pipeline.on_event_kind({0, "cpu-clock", "nanoseconds"});
    pipeline.on_map({.at = {.pid = -1, .tid = 0},
                     .start = 0xffffffff9a000000,
                     .size = 0x100000,
                     .file_offset = 0xffffffff9a000000,
                     .path = "[kernel.kallsyms]_text",
                     .build_id = "a kernel of our own."});
    std::vector<uint64_t> chain = {0xffffffff9a000824, 0xffffffff9a000911};
    pipeline.on_sample({.at = {.time_ns = 1, .pid = 7, .tid = 7},
                        .address = chain[0],
                        .weight = 10,
                        .mode = Mode::kKernel,
                        .kernel_chain = chain});
    Profile profile = pipeline.finish();
    ASSERT_TRUE(validate(profile));
    std::string names;
    StackId stack = profile.samples.stack[0];
    for (; stack != kEmptyStack; stack = profile.stacks.parent(stack)) {
      const Frame& frame = profile.frames[profile.stacks.frame(stack)];
      const Function& function = profile.functions[frame.function];
      names += fmt::format("{} {}:{} {:x}\n",
                           profile.strings[function.name],
                           profile.strings[function.file],
                           frame.line,
                           function.address);
    }
    EXPECT_EQ(
        names,
        with_image
            ? "shared_name /src/inc/b.h:50 0\nmiddle /src/inc/b.h:30 0\nouter /src/a.c:200 800\n"
              "patched_in :0 900\n"
            : "outer :0 800\npatched_in :0 900\n");
  }
}

// The host's list of kernel symbols does not apply to a guest's kernel, modules or programs.
TEST(KernelNaming, GuestsGetNoNamesOfTheHost) {
  testing::ScratchDir scratch;
  testing::write_file(scratch.file("kallsyms"),
                      "ffffffff9a000000 T _text\n"
                      "ffffffff9a000800 T host_function\n"
                      "ffffffff9a000a00 T _etext\n"
                      "ffffffffc0200000 t host_module_function\t[fake]\n");
  testing::write_file(scratch.file("modules"), "fake 4096 0 - Live 0xffffffffc0200000\n");
  Pipeline pipeline(NameOptions{.files = {}, .kallsyms = scratch.file("kallsyms")});
  pipeline.on_host({Architecture::kX86_64});
  pipeline.on_event_kind({0, "cpu-clock", "nanoseconds"});
  EventContext kernel = {.pid = -1, .tid = -1, .machine = MachineId{1}};
  pipeline.on_map({.at = kernel,
                   .start = 0xffffffff9a000000,
                   .size = 0x100000,
                   .file_offset = 0xffffffff9a000000,
                   .path = "[guest.kernel.kallsyms]_text",
                   .mode = Mode::kGuestKernel});
  pipeline.on_map({.at = kernel,
                   .start = 0xffffffffc0200000,
                   .size = 0x1000,
                   .path = "[fake]",
                   .mode = Mode::kGuestKernel});
  for (uint64_t address : {0xffffffff9a000810, 0xffffffffc0200010}) {
    pipeline.on_sample({.at = {.time_ns = 1, .pid = 7, .tid = 7, .machine = MachineId{1}},
                        .address = address,
                        .mode = Mode::kGuestKernel});
  }
  std::string text = dump(pipeline.finish());
  EXPECT_EQ(text.find("host_"), std::string::npos) << text;
  EXPECT_NE(text.find("virtual machines has no names"), std::string::npos) << text;
}

// The kernel chooses the addresses of a module's sections, and its list must agree with the file.
TEST(KernelNaming, LinesOfModulesComeFromTheirFile) {
  testing::ScratchDir scratch;
  std::string path = scratch.file("fake.ko");
  testing::write_file(path, testing::module_elf("a module of our own."));
  testing::write_file(scratch.file("modules"), "fake 4096 0 - Live 0xffffffffc0200000\n");
  auto named = [&](std::string_view outer_at, std::string_view build_id) {
    testing::write_file(scratch.file("kallsyms"),
                        fmt::format("ffffffff9a000000 T _text\nffffffff9a000a00 T _etext\n"
                                    "ffffffffc0200000 t first\t[fake]\n"
                                    "ffffffffc02000{} t outer\t[fake]\n",
                                    outer_at));
    Pipeline pipeline(NameOptions{.files = {}, .kallsyms = scratch.file("kallsyms")});
    pipeline.on_event_kind({0, "cpu-clock", "nanoseconds"});
    pipeline.on_map({.at = {.pid = -1, .tid = 0},
                     .start = 0xffffffffc0200000,
                     .size = 0x1000,
                     .path = path,
                     .build_id = build_id});
    pipeline.on_sample({.at = {.time_ns = 1, .pid = 7, .tid = 7},
                        .address = 0xffffffffc0200000 + testing::kModuleOuter + 0x24,
                        .weight = 10,
                        .mode = Mode::kKernel});
    Profile profile = pipeline.finish();
    std::string names;
    for (StackId stack = profile.samples.stack[0]; stack != kEmptyStack;
         stack = profile.stacks.parent(stack)) {
      const Frame& frame = profile.frames[profile.stacks.frame(stack)];
      const Function& function = profile.functions[frame.function];
      names +=
          fmt::format("{}:{} {:x}\n", profile.strings[function.name], frame.line, function.address);
    }
    return names;
  };
  std::string with_lines = "shared_name:50 0\nmiddle:30 0\nouter:200 40\n";
  EXPECT_EQ(named("40", "a module of our own."), with_lines);
  EXPECT_EQ(named("40", ""), with_lines);
  EXPECT_EQ(named("50", "a module of our own."), "outer:0 50\n") << "laid out in another way";
  EXPECT_EQ(named("40", "of some other build."), "outer:0 40\n");
}

}  // namespace
}  // namespace wick
