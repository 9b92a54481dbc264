// SPDX-License-Identifier: Apache-2.0
// The programs are random bytes with a direct call every 32 bytes or so, and the recordings are some
// of the return addresses.
#include "pipeline/load_address.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "elf/testing.h"

namespace wick {
namespace {

constexpr uint64_t kBegin = 0x1240;
constexpr uint64_t kLoaded = 0x7f0012345000;
constexpr size_t kCodeBytes = 256 << 10;

struct Program {
  std::string file;
  std::vector<uint64_t> sites;  // linked return addresses
};

Program program_of(const std::string& code, std::vector<uint64_t> sites) {
  testing::ElfWriter writer;
  uint32_t text = writer.add({.name = ".text", .contents = code, .address = kBegin});
  writer.load_section(text, PF_R | PF_X);
  return {writer.bytes(), std::move(sites)};
}

std::string random_bytes(size_t size, std::mt19937_64& random) {
  std::string bytes(size, '\0');
  std::ranges::generate(bytes, [&] { return static_cast<char>(random()); });
  return bytes;
}

Program random_program(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string code = random_bytes(kCodeBytes, random);
  std::vector<uint64_t> sites;
  for (size_t at = 16; at + 64 < code.size(); at += 8 + random() % 48) {
    code.replace(at, 5, std::string("\xE8\0\0\0\0", 5));
    sites.push_back(kBegin + at + 5);
  }
  return program_of(code, std::move(sites));
}

std::vector<uint64_t> some_returns(const Program& program, size_t count) {
  std::mt19937_64 random(count);
  std::vector<uint64_t> returns;
  for (size_t i = 0; i < count; ++i) {
    returns.push_back(kLoaded + program.sites[random() % program.sites.size()]);
  }
  return returns;
}

std::optional<LoadAddress> found_in(const Program& program, std::span<const uint64_t> returns) {
  Result<ElfImage> image = ElfImage::parse(as_bytes(program.file));
  EXPECT_TRUE(image);
  return find_load_address(*image, returns);
}

TEST(LoadAddress, ReturnAddressesShowIt) {
  for (uint64_t seed = 1; seed < 6; ++seed) {
    Program program = random_program(seed);
    for (size_t count : {size_t{30}, size_t{3000}}) {
      std::optional<LoadAddress> found = found_in(program, some_returns(program, count));
      ASSERT_TRUE(found) << "seed " << seed;
      EXPECT_EQ(found->address, kLoaded);
      EXPECT_EQ(found->after_calls, found->returns);
    }
  }
}

TEST(LoadAddress, AddressesOfLibrariesDoNotMatter) {
  Program program = random_program(7);
  std::vector<uint64_t> returns = some_returns(program, 40);
  for (uint64_t i = 0; i < 40; ++i) {
    returns.push_back(0x7fff'0000'0000 + i * 1237);
  }
  std::optional<LoadAddress> found = found_in(program, returns);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->address, kLoaded);
}

TEST(LoadAddress, TooFewOrStrangeAddressesAreNotGuessed) {
  Program program = random_program(3);
  EXPECT_FALSE(found_in(program, {}));
  EXPECT_FALSE(found_in(program, some_returns(program, 4)));
  for (uint64_t seed = 1; seed < 6; ++seed) {
    EXPECT_FALSE(found_in(random_program(100 + seed), some_returns(random_program(seed), 50)))
        << "another program, seed " << seed;
  }
}

// Each page fits each address.
TEST(LoadAddress, SeveralAnswersAreNone) {
  std::mt19937_64 random(1);
  std::string page(4096, '\x90');
  std::vector<uint64_t> sites;
  for (size_t at = 16; at < 4000; at += 100) {
    page.replace(at, 5, std::string("\xE8\0\0\0\0", 5));
    sites.push_back(kBegin + at + 5);
  }
  EXPECT_FALSE(
      found_in(program_of(page + page + page, sites), some_returns(program_of(page, sites), 30)));
}

}  // namespace
}  // namespace wick
