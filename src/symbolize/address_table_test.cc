// SPDX-License-Identifier: Apache-2.0
// Tables of resolved addresses, which can be cached in files.
#include "symbolize/address_table.h"

#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "elf/dwarf_testing.h"
#include "symbolize/module_resolver.h"
#include "tests/support/files.h"

namespace wick {
namespace {

std::string text_of(const AddressView& view) {
  std::string text;
  std::vector<uint32_t> frames;
  for (const AddressEntry& entry : view.entries) {
    text += fmt::format("{:x}:", entry.address);
    view.frames_of(entry, frames);
    for (uint32_t number : frames) {
      const AddressFrame& frame = view.frames[number];
      bool known = frame.function != AddressFrame::kNone;
      text += fmt::format(
          " {}:{}", known ? view.string(view.functions[frame.function].name) : "?", frame.line);
    }
    text += "\n";
  }
  return text;
}

AddressTable three_addresses() {
  AddressTable table;
  DwarfChains chains;
  chains.functions = {{.name = "leaf"}, {.linkage_name = "_ZN1a6middleEv"}, {.name = "outer"}};
  chains.frames = {{.function = 2, .line = 1},
                   {.function = 1, .line = 2, .caller = 0},
                   {.function = 0, .line = 3, .caller = 1}};
  chains.innermost = {2};
  constexpr uint64_t kAddress = 0x30;
  table.add({&kAddress, 1}, chains, [](uint64_t /*address*/, bool has_name) {
    EXPECT_TRUE(has_name);
    return NamedRange{0x20, 0x20, "symbol"};
  });
  table.add(0x10, NamedRange{0x10, 0x8, "_ZN1a1bEv"});
  table.add(0x18, {});
  return table;
}

constexpr const char* kThreeAddresses =
    "10: a::b:0\n"
    "18:\n"
    "30: symbol:1 a::middle:2 leaf:3\n";

TEST(AddressTable, EntriesAreSortedAndNamedFromSymbolsFirst) {
  AddressTable table = three_addresses();
  EXPECT_EQ(text_of(table.view()), kThreeAddresses);
  EXPECT_EQ(table.view().find(0x18)->innermost, AddressFrame::kNone) << "known to be unknown";
  EXPECT_EQ(table.view().find(0x19), nullptr);
}

TEST(AddressTable, BytesComeBackAndCutOnesDoNot) {
  std::string bytes = three_addresses().bytes();
  std::vector<uint64_t> aligned(bytes.size() / 8 + 1);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  Bytes all(reinterpret_cast<const std::byte*>(aligned.data()), bytes.size());
  std::optional<AddressView> view = AddressView::parse(all);
  ASSERT_TRUE(view);
  EXPECT_EQ(text_of(*view), kThreeAddresses);
  for (size_t size = 0; size < all.size(); ++size) {
    EXPECT_FALSE(AddressView::parse(all.first(size))) << size;
  }
}

// Whichever byte is wrong, every accepted table can be read safely.
TEST(AddressTable, WrongNumbersAreFound) {
  std::string bytes = three_addresses().bytes();
  std::vector<uint64_t> aligned(bytes.size() / 8 + 1);
  size_t refused = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(0xFF);
    std::memcpy(aligned.data(), damaged.data(), damaged.size());
    if (std::optional<AddressView> view = AddressView::parse(
            Bytes(reinterpret_cast<const std::byte*>(aligned.data()), damaged.size()))) {
      EXPECT_FALSE(text_of(*view).empty());
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 40U);
}

TEST(AddressTable, TablesAreMerged) {
  AddressTable all;
  all.add(three_addresses().view());
  all.add(0x28, NamedRange{0x20, 0x20, "symbol"});
  EXPECT_EQ(text_of(all.view()),
            "10: a::b:0\n"
            "18:\n"
            "28: symbol:0\n"
            "30: symbol:1 a::middle:2 leaf:3\n");
}

class ModuleResolverTest : public ::testing::Test {
 protected:
  ModuleResolverTest() : cache_(scratch_.file("kept"), FileCache::kDefaultLimit) {
    testing::DwarfParts program = testing::inlined_program(4);
    program.build_id = std::string(20, '\x5a');
    testing::write_file(scratch_.file("program"), program.elf());
    file_ = open_elf(scratch_.file("program"));
  }
  // `opened` says whether some addresses had to be looked up.
  std::string found(const std::vector<uint64_t>& addresses, bool& opened) {
    WorkerPool pool(1);
    ModuleResolver resolver({}, cache_, {.binary = &file_->image, .path = file_->path}, true);
    resolver.find(addresses, pool);
    resolver.save();
    opened = resolver.cached_answers() < addresses.size();
    std::string text;
    for (const AddressView& view : resolver.views()) {
      for (uint64_t address : addresses) {
        if (const AddressEntry* entry = view.find(address)) {
          AddressView one = view;
          one.entries = {entry, 1};
          text += text_of(one);
        }
      }
    }
    return text;
  }

  testing::ScratchDir scratch_;
  FileCache cache_;
  std::unique_ptr<OpenedFile> file_;
};

TEST_F(ModuleResolverTest, WhatWasFoundOnceIsNotLookedUpAgain) {
  bool opened = false;
  std::string first = found({0x1004, 0x1024}, opened);
  EXPECT_TRUE(opened);
  EXPECT_NE(first.find("1024: outer:200 middle:30 shared_name:50"), std::string::npos) << first;
  EXPECT_EQ(found({0x1004, 0x1024}, opened), first);
  EXPECT_FALSE(opened);
  EXPECT_EQ(found({0x1024}, opened), first.substr(first.find("1024")));
  EXPECT_FALSE(opened);
  found({0x1004, 0x1008, 0x1024}, opened);
  EXPECT_TRUE(opened) << "one of them is new";
  found({0x1004, 0x1008, 0x1024}, opened);
  EXPECT_FALSE(opened);
}

TEST_F(ModuleResolverTest, ADamagedFileIsMadeAgain) {
  bool opened = false;
  std::string first = found({0x1004, 0x1024}, opened);
  std::string path = scratch_.file("kept/names/" + std::string(40, '5'));
  for (size_t i = 1; i < 40; i += 2) {
    path[path.size() - 40 + i] = 'a';
  }
  std::string bytes = testing::read_file(path);
  ASSERT_FALSE(bytes.empty());
  bytes[bytes.size() - 3] = '!';
  testing::write_file(path, bytes);
  EXPECT_EQ(found({0x1004, 0x1024}, opened), first);
  EXPECT_TRUE(opened);
  EXPECT_EQ(found({0x1004, 0x1024}, opened), first);
  EXPECT_FALSE(opened);
}

}  // namespace
}  // namespace wick
