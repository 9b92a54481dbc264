// SPDX-License-Identifier: Apache-2.0
// Reads a recording of a host that runs a virtual machine, from the bytes of perf.data to the
// profile.
#include <gtest/gtest.h>

#include "formats/perf_data/testing.h"
#include "pipeline/pipeline.h"
#include "profile/dump.h"
#include "profile/validate.h"
#include "tests/support/files.h"

namespace wick {
namespace {

constexpr uint16_t kKernelMode = 1;
constexpr uint16_t kGuestKernelMode = 4;
constexpr uint16_t kGuestUserMode = 5;
constexpr uint64_t kText = 0xffffffff9a000000;

// perf kvm record: both kernels are loaded at the same address, and QEMU (process 50) has a library
// at the address of the guest's program. The user gave perf the kernel of one guest, without its
// pid.
std::string recording() {
  perf_data::EventAttr attr;
  attr.sample_type = perf_data::kSampleIp | perf_data::kSampleTid;
  perf_data::testing::RecordingBuilder builder;
  builder.add_event({.attr = attr, .ids = {}});
  auto map = [&](uint16_t mode, uint32_t pid, uint64_t start, std::string_view path) {
    uint64_t offset = start == kText ? kText : 0;
    builder.add_record(
        perf_data::kMmap,
        mode,
        builder.out().u32(pid).u32(pid).u64(start).u64(0x10000).u64(offset).path(path));
  };
  map(kKernelMode, UINT32_MAX, kText, "[kernel.kallsyms]_text");
  map(kGuestKernelMode, 0, kText, "[guest.kernel.kallsyms]_text");
  map(0, 50, 0x10000, "/no/such/qemu_library");
  auto sample = [&](uint16_t mode, uint64_t address) {
    builder.add_record(perf_data::kSample, mode, builder.out().u64(address).u32(50).u32(51));
  };
  sample(kKernelMode, kText + 0x810);
  sample(kGuestKernelMode, kText + 0x820);
  sample(kGuestUserMode, 0x10030);
  return builder.file();
}

TEST(Guests, AreNeverLookedUpInTheHost) {
  testing::ScratchDir scratch;
  testing::write_file(scratch.file("kallsyms"),
                      "ffffffff9a000000 T _text\n"
                      "ffffffff9a000800 T host_function\n"
                      "ffffffff9a000a00 T _etext\n");
  Pipeline pipeline(NameOptions{.files = {}, .kallsyms = scratch.file("kallsyms")});
  ASSERT_TRUE(perf_data::read_bytes(as_bytes(recording()), pipeline));
  Profile profile = pipeline.finish();
  ASSERT_TRUE(validate(profile));
  std::string text = dump(profile);
  EXPECT_NE(text.find("host_function@[kernel.kallsyms]+0x810{kernel,sampled}"), std::string::npos)
      << text;
  EXPECT_NE(text.find("[guest.kernel.kallsyms]+0xffffffff9a000820{kernel,sampled}"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("+0x820"), std::string::npos) << text;
  EXPECT_EQ(text.find("qemu_library+"), std::string::npos) << text;
}

}  // namespace
}  // namespace wick
