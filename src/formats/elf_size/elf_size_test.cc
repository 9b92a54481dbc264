// SPDX-License-Identifier: Apache-2.0
#include "formats/elf_size/elf_size.h"

#include <gtest/gtest.h>

#include "formats/elf_size/symbol_path.h"
#include "profile/names.h"
#include "profile/validate.h"
#include "tests/support/files.h"

namespace wick::elf_size {
namespace {

using Path = std::vector<std::string_view>;

TEST(SymbolPath, NamespacesTemplatesAndCrates) {
  EXPECT_EQ(containers_of("memcpy"), Path{});
  EXPECT_EQ(containers_of("wick::native::read"), (Path{"wick", "wick::native"}));
  EXPECT_EQ(containers_of("std::vector<a::B, c>::push_back"),
            (Path{"std", "std::vector", "std::vector<a::B, c>"}));
  EXPECT_EQ(containers_of("std::sort<int*>"), (Path{"std", "std::sort"}));
  EXPECT_EQ(containers_of("<kernel::scheme::Root as kernel::Scheme>::kread"),
            (Path{"kernel", "kernel::scheme", "kernel::scheme::Root"}));
  EXPECT_EQ(containers_of("<alloc::vec::Vec<T> as core::Drop>::drop"),
            (Path{"alloc", "alloc::vec", "alloc::vec::Vec", "alloc::vec::Vec<T>"}));
  EXPECT_EQ(containers_of("vtable for a::B"), (Path{"a", "a::B"}));
  EXPECT_EQ(containers_of("a::(anonymous namespace)::f"), (Path{"a", "a::(anonymous namespace)"}));
  EXPECT_EQ(containers_of("a::f(int)::{lambda(x::y)#1}::operator()"),
            (Path{"a", "a::f(int)", "a::f(int)::{lambda(x::y)#1}"}));
}

TEST(SymbolPath, OperatorsAreNoBrackets) {
  EXPECT_EQ(containers_of("a::operator<< <int>"), (Path{"a", "a::operator<< "}));
  EXPECT_EQ(containers_of("a::B::operator->"), (Path{"a", "a::B"}));
  EXPECT_EQ(containers_of("a::B::operator()"), (Path{"a", "a::B"}));
}

TEST(SymbolPath, HostileNamesGiveBoundedPaths) {
  std::string deep;
  for (int i = 0; i < 10'000; ++i) {
    deep += "a::";
  }
  EXPECT_LE(containers_of(deep).size(), 33U);
  for (std::string_view name :
       {"<", "<<<<", "::", ">::<", "<a as", "&", "[", "operator", "((((", "->>"}) {
    (void)containers_of(name);
  }
}

Result<Profile> read_bytes(std::string bytes) {
  Input input = Input::from_text("program", std::move(bytes));
  Result<Profile> profile = read(input, FlagValues());
  EXPECT_TRUE(!profile || validate(*profile));
  return profile;
}

uint64_t bytes_in(const Profile& profile) {
  uint64_t sum = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    sum += static_cast<uint64_t>(profile.samples.weight[row]);
  }
  return sum;
}

// This test program itself, and truncated copies of it.
TEST(ElfSize, EveryByteIsCountedOnce) {
  std::string bytes = testing::read_file("/proc/self/exe");
  Result<Profile> profile = read_bytes(bytes);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(bytes_in(*profile), bytes.size());
  EXPECT_TRUE(profile->losses.empty());
  bool found = false;
  for (const Function& function : profile->functions) {
    found = found || profile->strings[function.name] == "wick::elf_size::containers_of";
  }
  EXPECT_TRUE(found);
  for (size_t size :
       {size_t{0}, size_t{3}, size_t{64}, size_t{1000}, bytes.size() / 2, bytes.size() - 1}) {
    Result<Profile> cut = read_bytes(bytes.substr(0, size));
    if (cut) {
      EXPECT_EQ(bytes_in(*cut), size);
      ASSERT_FALSE(cut->losses.empty()) << size;
      EXPECT_EQ(cut->losses.back().count, bytes.size() - size);
    } else {
      EXPECT_TRUE(cut.error().message.ends_with('.')) << cut.error().message;
    }
  }
}

}  // namespace
}  // namespace wick::elf_size
