// SPDX-License-Identifier: Apache-2.0
#include "unwind/call_site.h"

#include <initializer_list>
#include <vector>

#include <gtest/gtest.h>

namespace wick {
namespace {

using Kind = CallSite::Kind;

CallSite call(UnwindArch arch, std::initializer_list<int> code, uint64_t return_address = 0x1000) {
  std::vector<std::byte> bytes(8 - std::min<size_t>(8, code.size()), std::byte{0x90});
  for (int byte : code) {
    bytes.push_back(static_cast<std::byte>(byte));
  }
  return call_before(arch, bytes, return_address);
}

TEST(CallSite, X86CallsThatNameTheirTarget) {
  CallSite forward = call(UnwindArch::kX86_64, {0xE8, 0x10, 0x02, 0, 0});
  EXPECT_EQ(forward.kind, Kind::kDirect);
  EXPECT_EQ(forward.target, 0x1210U);
  EXPECT_EQ(call(UnwindArch::kX86_64, {0xE8, 0xF0, 0xFF, 0xFF, 0xFF}).target, 0xFF0U);
  EXPECT_EQ(call(UnwindArch::kX86, {0xE8, 0xF0, 0xEF, 0xFF, 0xFF}).target, 0xFFFF'FFF0U);
}

TEST(CallSite, SystemCalls) {
  auto is_before = [](UnwindArch arch, std::string_view code) {
    return is_system_call_before(arch, as_bytes(code));
  };
  using namespace std::string_view_literals;
  EXPECT_TRUE(is_before(UnwindArch::kX86_64, "\x90\x90\x0F\x05"sv));
  EXPECT_FALSE(is_before(UnwindArch::kX86_64, "\x90\x0F\x05\x90"sv));
  EXPECT_TRUE(is_before(UnwindArch::kX86, "\x90\x90\xCD\x80"sv));
  EXPECT_TRUE(is_before(UnwindArch::kX86, "\x90\x90\x0F\x34"sv));
  EXPECT_TRUE(is_before(UnwindArch::kAarch64, "\x01\0\0\xD4"sv));
  EXPECT_FALSE(is_before(UnwindArch::kAarch64, "\x02\0\0\xD4"sv));
}

TEST(CallSite, X86CallsThroughRegistersAndMemory) {
  for (std::initializer_list<int> code :
       {std::initializer_list<int>{0xFF, 0xD0},               // call *%rax
        {0x41, 0xFF, 0xD4},                                   // call *%r12
        {0xFF, 0x10},                                         // call *(%rax)
        {0xFF, 0x50, 0x18},                                   // call *0x18(%rax)
        {0xFF, 0x90, 0x10, 0x01, 0, 0},                       // call *0x110(%rax)
        {0xFF, 0x15, 0x11, 0x22, 0x33, 0},                    // call *0x332211(%rip)
        {0xFF, 0x14, 0xC5, 0x00, 0x10, 0x40, 0},              // call *0x401000(,%rax,8)
        {0xFF, 0x54, 0x24, 0x08},                             // call *8(%rsp)
        {0x43, 0xFF, 0x14, 0xC4},                             // call *(%r12,%r8,8)
        {0x42, 0xFF, 0x94, 0xC0, 0x00, 0x01, 0x00, 0x00}}) {  // call *0x100(%rax,%r8,8)
    EXPECT_EQ(call(UnwindArch::kX86_64, code).kind, Kind::kIndirect) << std::data(code)[0];
  }
}

TEST(CallSite, BytesThatMayBeEitherNameNoTarget) {
  // mov %edi,-0x18(%rbp); mov %eax,%edi; call *%rcx
  EXPECT_EQ(call(UnwindArch::kX86_64, {0x89, 0x7D, 0xE8, 0x89, 0xC7, 0xFF, 0xD1}).kind,
            Kind::kIndirect);
}

TEST(CallSite, LocationsThatHoldTheTarget) {
  EXPECT_EQ(call(UnwindArch::kX86_64, {0xFF, 0x15, 0x00, 0x20, 0, 0}).slot, 0x3000U);
  EXPECT_EQ(call(UnwindArch::kX86_64, {0xFF, 0x15, 0xF0, 0xFF, 0xFF, 0xFF}).slot, 0xFF0U);
  EXPECT_EQ(call(UnwindArch::kX86, {0xFF, 0x15, 0x00, 0x20, 0, 0}).slot, 0U);
  EXPECT_EQ(call(UnwindArch::kX86_64, {0xFF, 0x14, 0x25, 0x00, 0x20, 0, 0}).slot, 0U);
  auto stub = [](UnwindArch arch, std::initializer_list<int> code) {
    std::vector<std::byte> bytes;
    for (int byte : code) {
      bytes.push_back(static_cast<std::byte>(byte));
    }
    return slot_of_stub(arch, bytes, 0x1000);
  };
  // jmp *0x2000(%rip): plain, after endbr64, and with bnd
  EXPECT_EQ(stub(UnwindArch::kX86_64, {0xFF, 0x25, 0x00, 0x20, 0, 0, 0x68}), 0x3006U);
  EXPECT_EQ(stub(UnwindArch::kX86_64, {0xF3, 0x0F, 0x1E, 0xFA, 0xFF, 0x25, 0, 0x20, 0, 0}),
            0x300AU);
  EXPECT_EQ(stub(UnwindArch::kX86_64, {0xF2, 0xFF, 0x25, 0x00, 0x20, 0, 0}), 0x3007U);
  EXPECT_EQ(stub(UnwindArch::kX86_64, {0xFF, 0x25, 0x00, 0x20, 0}), 0U);
  EXPECT_EQ(stub(UnwindArch::kX86_64, {0x55, 0x48, 0x89, 0xE5}), 0U);
  EXPECT_EQ(stub(UnwindArch::kX86_64, {}), 0U);
  EXPECT_EQ(stub(UnwindArch::kAarch64, {0xFF, 0x25, 0x00, 0x20, 0, 0}), 0U);
}

TEST(CallSite, Jumps) {
  auto jumps = [](UnwindArch arch, std::initializer_list<int> code, uint64_t begin, uint64_t end) {
    std::vector<std::byte> bytes;
    for (int byte : code) {
      bytes.push_back(static_cast<std::byte>(byte));
    }
    return has_address_in(jumps_out_of(arch, bytes, 0x1000), begin, end);
  };
  for (std::initializer_list<int> code :
       {std::initializer_list<int>{0x90, 0xE9, 0xFA, 0x00, 0, 0},  // jmp 0x1100
        {0xE9, 0xFB, 0x00, 0, 0},
        {0x0F, 0x84, 0xFA, 0x00, 0, 0}}) {  // je 0x1100
    EXPECT_TRUE(jumps(UnwindArch::kX86_64, code, 0x1100, 0x1110));
    EXPECT_FALSE(jumps(UnwindArch::kX86_64, code, 0x1101, 0x1110));
    EXPECT_FALSE(jumps(UnwindArch::kX86_64, code, 0x1000, 0x1100));
  }
  EXPECT_TRUE(jumps(UnwindArch::kX86_64, {0xEB, 0x10}, 0x1012, 0x1013));
  EXPECT_TRUE(jumps(UnwindArch::kX86_64, {0x74, 0xF0}, 0xFF2, 0xFF3));
  EXPECT_FALSE(jumps(UnwindArch::kX86_64, {0xE9, 0, 0}, 1, UINT64_MAX));
  EXPECT_TRUE(jumps(UnwindArch::kAarch64, {0x40, 0, 0, 0x14}, 0x1100, 0x1104));   // b 0x1100
  EXPECT_FALSE(jumps(UnwindArch::kAarch64, {0x40, 0, 0, 0x94}, 0x1100, 0x1104));  // bl
}

TEST(CallSite, WhatIsNoCall) {
  EXPECT_EQ(call(UnwindArch::kX86_64, {0x90, 0x90}).kind, Kind::kNone);
  EXPECT_EQ(call(UnwindArch::kX86_64, {0xFF, 0xE0}).kind, Kind::kNone);        // jmp *%rax
  EXPECT_EQ(call(UnwindArch::kX86_64, {0xFF, 0x50}).kind, Kind::kNone);        // cut
  EXPECT_EQ(call(UnwindArch::kX86_64, {0xE9, 0, 0, 0, 0}).kind, Kind::kNone);  // jmp
  EXPECT_EQ(call_before(UnwindArch::kX86_64, {}, 0x1000).kind, Kind::kNone);
  EXPECT_EQ(call_before(UnwindArch::kAarch64, {}, 0x1000).kind, Kind::kNone);
}

TEST(CallSite, Aarch64) {
  CallSite back = call(UnwindArch::kAarch64, {0xFF, 0xFF, 0xFF, 0x97});  // bl -4
  EXPECT_EQ(back.kind, Kind::kDirect);
  EXPECT_EQ(back.target, 0xFF8U);
  EXPECT_EQ(call(UnwindArch::kAarch64, {0x02, 0, 0, 0x94}).target, 0x1004U);
  EXPECT_EQ(call(UnwindArch::kAarch64, {0x00, 0x02, 0x3F, 0xD6}).kind, Kind::kIndirect);  // blr x16
  EXPECT_EQ(call(UnwindArch::kAarch64, {0x11, 0x09, 0x3F, 0xD7}).kind, Kind::kIndirect);  // blraa
  EXPECT_EQ(call(UnwindArch::kAarch64, {0xC0, 0x03, 0x5F, 0xD6}).kind, Kind::kNone);      // ret
}

}  // namespace
}  // namespace wick
