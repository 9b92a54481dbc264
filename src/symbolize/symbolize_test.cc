// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "symbolize/cached_kallsyms.h"
#include "symbolize/demangle.h"
#include "symbolize/kernel_symbols.h"
#include "symbolize/text_symbols.h"

namespace wick {
namespace {

TextSymbols kallsyms(std::string_view text) {
  return TextSymbols::from_kallsyms(std::string(text));
}
TextSymbols perf_map(std::string_view text) {
  return TextSymbols::from_perf_map(std::string(text));
}
std::string name_at(const TextSymbols& symbols, uint64_t address) {
  std::optional<NamedRange> found = symbols.find(address);
  return found ? std::string(found->name) : "-";
}

TEST(NmText, FunctionsHaveSizesAndNamesHaveBlanks) {
  TextSymbols symbols = TextSymbols::from_nm(
      "                 U undefined\n"
      "ffffffff80000000 T no_size\n"
      "ffffffff80000010 b looks_like_a_size\n"
      "ffffffff80100100 0000000000000040 t <kernel::A as kernel::B>::read\r\n"
      "ffffffff80100000 0000000000000080 T kernel::main\n"
      "ffffffff80100000 0000000000000080 t __alias\n"
      "ffffffff80200000 0000000000000010 D data\n");
  EXPECT_EQ(name_at(symbols, 0xffff'ffff'8010'007f), "kernel::main");
  EXPECT_EQ(name_at(symbols, 0xffff'ffff'8010'0080), "-");
  EXPECT_EQ(symbols.find_before(0xffff'ffff'8010'0080)->name, "kernel::main");
  EXPECT_EQ(name_at(symbols, 0xffff'ffff'8010'0110), "<kernel::A as kernel::B>::read");
  EXPECT_EQ(name_at(symbols, 0xffff'ffff'8020'0000), "-");
  EXPECT_EQ(name_at(symbols, 0xffff'ffff'8000'0000), "-");
  EXPECT_FALSE(symbols.find_before(0x1000));
  EXPECT_EQ(symbols.skipped_lines(), 1U);
}

TEST(NmText, WithoutSizesFunctionsReachToTheNextSymbol) {
  TextSymbols symbols = TextSymbols::from_nm("1000 T one\n1100 d data\n2000 t two two\n");
  EXPECT_EQ(name_at(symbols, 0x10ff), "one");
  EXPECT_EQ(name_at(symbols, 0x1100), "-");
  EXPECT_EQ(name_at(symbols, 0x2001), "two two");
}

TEST(Kallsyms, FunctionsReachToTheNextSymbolOfAnyKind) {
  TextSymbols symbols = kallsyms(
      "ffffffff81000000 T _text\n"
      "ffffffff81000000 T _stext\n"
      "ffffffff81000000 T startup_64\n"
      "ffffffff81000000 t startup_64_local\n"
      "ffffffff81000100 t do_work\t[ext4]\n"
      "ffffffff81000200 d data\n"
      "ffffffff81000300 W weak\n");
  EXPECT_EQ(name_at(symbols, 0xffffffff81000000), "startup_64") << "the best of four names";
  EXPECT_EQ(name_at(symbols, 0xffffffff810001ff), "do_work");
  EXPECT_EQ(name_at(symbols, 0xffffffff81000200), "-");
  EXPECT_EQ(name_at(symbols, 0xffffffff81000300), "weak");
  EXPECT_EQ(name_at(symbols, 0xffffffff90000000), "-") << "the length of the last one is unknown";
  EXPECT_EQ(name_at(symbols, 0x1000), "-");
  EXPECT_EQ(symbols.kernel_text(), 0xffffffff81000000);
}

TEST(Kallsyms, NamesOfTheKernelItselfComeLast) {
  TextSymbols symbols = kallsyms(
      "1000 T __pi_memcpy\n"
      "1000 t memcpy\n"
      "2000 T __ia32_sys_read\n"
      "2000 T __x64_sys_read\n"
      "3000 T end\n");
  EXPECT_EQ(name_at(symbols, 0x1000), "memcpy");
  EXPECT_EQ(name_at(symbols, 0x2000), "__x64_sys_read");
}

TEST(Kallsyms, AHiddenListIsEmptyAndBadLinesAreCounted) {
  EXPECT_TRUE(kallsyms("0000000000000000 T _text\n0000000000000000 t f\n").empty());
  EXPECT_EQ(kallsyms("nonsense\n1000 T f\n12 T\n\n").skipped_lines(), 3);
}

class CachedKallsymsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(::mkdtemp(directory_.data()), nullptr);
    path_ = directory_ + "/cache/kallsyms";
    CachedKallsyms::save(path_, "boot 1", list_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  void replace_file(std::string_view text) const { std::ofstream(path_, std::ios::binary) << text; }
  std::string file() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string directory_ = ::testing::TempDir() + "wick-kept-XXXXXX";
  std::string path_;
  TextSymbols list_ = kallsyms(
      "ffffffff81000000 T _text\n"
      "ffffffff81000000 T startup_64\n"
      "ffffffff81000100 t do_work\t[ext4]\n"
      "ffffffff81000200 d data\n"
      "ffffffff81000300 W weak\n"
      "ffffffff81000310 t a\n");
};

TEST_F(CachedKallsymsTest, AnswersAsTheListItWasMadeOf) {
  std::optional<CachedKallsyms> cached = CachedKallsyms::open(path_, "boot 1");
  ASSERT_TRUE(cached);
  EXPECT_EQ(cached->kernel_text(), list_.kernel_text());
  for (uint64_t address = 0xffffffff80ffff00; address < 0xffffffff81003000; ++address) {
    std::optional<NamedRange> here = cached->find(address);
    std::optional<NamedRange> there = list_.find(address);
    ASSERT_EQ(here.has_value(), there.has_value()) << address;
    if (here) {
      ASSERT_EQ(here->name, there->name);
      ASSERT_EQ(here->start, there->start);
      ASSERT_EQ(here->size, there->size);
    }
  }
}

TEST_F(CachedKallsymsTest, IsForOneEditionAndForItsOwnerAlone) {
  EXPECT_FALSE(CachedKallsyms::open(path_, "boot 2"));
  EXPECT_FALSE(CachedKallsyms::open(path_ + "-not-there", "boot 1"));
  EXPECT_EQ(std::filesystem::status(path_).permissions(), std::filesystem::perms(0600));
}

TEST_F(CachedKallsymsTest, DamagedItNeverReadsOutside) {
  std::string whole = file();
  for (size_t size = 0; size <= whole.size(); ++size) {
    replace_file(whole.substr(0, size));
    std::optional<CachedKallsyms> cached = CachedKallsyms::open(path_, "boot 1");
    EXPECT_EQ(cached.has_value(), size > whole.find('\n')) << "the first line says what it is";
    if (cached) {
      EXPECT_FALSE(cached->find(0));
      EXPECT_FALSE(cached->find(UINT64_MAX));
      std::optional<NamedRange> found = cached->find(0xffffffff81000180);
      EXPECT_TRUE(!found || std::string_view("do_work").starts_with(found->name)) << size;
      EXPECT_TRUE(found || size < whole.size()) << size;
    }
  }
}

// perf record --kcore stores copies of both lists with the recording.
TEST(KernelSymbols, TheListsOfTheRecordingNameTextAndModules) {
  std::string directory = ::testing::TempDir() + "wick-kcore-XXXXXX";
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  std::ofstream(directory + "/kallsyms") << "ffffffff81000000 T _text\n"
                                            "ffffffff81000100 T do_work\n"
                                            "ffffffff81000200 T do_more\n"
                                            "ffffffffc0200010 t nf_hook\t[nf_tables]\n"
                                            "ffffffffc0200020 t nf_end\t[nf_tables]\n";
  std::ofstream(directory + "/modules") << "nf_tables 4096 0 - Live 0xffffffffc0200000\n";
  KernelSymbols kernel = KernelSymbols::find(
      FileSearch{}, {.build_id = "another kernel", .kallsyms = directory + "/kallsyms"});
  EXPECT_EQ(kernel.problem(), "");
  std::optional<NamedRange> text = kernel.find_text(0x180);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->name, "do_work");
  EXPECT_EQ(text->start, 0x100);
  for (std::string_view spelled : {"[nf_tables]", "/lib/modules/6.1/net/nf-tables.ko.xz"}) {
    std::optional<NamedRange> module = kernel.find_module(spelled, 0x18);
    ASSERT_TRUE(module) << spelled;
    EXPECT_EQ(module->name, "nf_hook");
    EXPECT_EQ(module->start, 0x10);
  }
  EXPECT_FALSE(kernel.find_module("[ext4]", 0x18));
  std::filesystem::remove_all(directory);
}

TEST(PerfMap, NamesKeepTheirBlanksAndTheLaterLineCounts) {
  TextSymbols symbols = perf_map(
      "7f0010 20 py::main:/a b.py\n"
      "0x7f0040 0x10 f(int, char)\n"
      "7f0010 8 reused\n"
      "7f003c 8 begins earlier\n");
  EXPECT_EQ(name_at(symbols, 0x7f0010), "reused");
  EXPECT_EQ(name_at(symbols, 0x7f0018), "py::main:/a b.py") << "the rest is still valid";
  EXPECT_EQ(name_at(symbols, 0x7f0043), "begins earlier");
  EXPECT_EQ(name_at(symbols, 0x7f0044), "f(int, char)");
  EXPECT_EQ(name_at(symbols, 0x7f004f), "f(int, char)");
  EXPECT_EQ(name_at(symbols, 0x7f0050), "-");
  EXPECT_EQ(perf_map("x y z\n10 0 empty\n10 zz n\n20\n").skipped_lines(), 4);
}

TEST(PerfMap, CutAnywhereItNeverReadsOutside) {
  std::string_view text = "7f0010 20 py::main\n0x7f0040 0x10 f\n";
  for (size_t size = 0; size <= text.size(); ++size) {
    std::string cut(text.substr(0, size));
    std::string name = name_at(perf_map(cut), 0x7f0044);
    EXPECT_TRUE(name == "-" || name == "f") << cut;
    EXPECT_TRUE(name == "f" || size < text.size()) << "the whole has it";
    EXPECT_EQ(name_at(kallsyms(cut), 0x7f0044), "-") << cut << ": it is another format";
  }
}

TEST(Demangle, LikePerfWithoutParameters) {
  EXPECT_EQ(demangled("main"), "main");
  EXPECT_EQ(demangled("_ZN3foo3barEi"), "foo::bar");
  EXPECT_EQ(demangled("_ZN1fILi1EE1gIiEEvT_S_"), "f<1>::g<int>");
  EXPECT_EQ(demangled("_ZN12_GLOBAL__N_13midEv"), "(anonymous namespace)::mid");
  EXPECT_EQ(demangled("_ZNKSt6vectorIiSaIiEEcvbEv"),
            "std::vector<int, std::allocator<int> >::operator bool");
}

TEST(Demangle, RustInBothSchemes) {
  EXPECT_EQ(demangled("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE"),
            "core::fmt::Write::write_fmt");
  EXPECT_EQ(demangled("_RNvCs4fqI2P2rA04_11rust_export3foo"), "rust_export::foo");
}

TEST(Demangle, HostileNamesEndSoonAndStayAsTheyAre) {
  // f<a<int, int>, a<that, that>, ...>: each type contains the previous one twice, 2^40 words in
  // 500 bytes.
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string bomb = "_Z1fI1aIiiE";
  for (size_t level = 0; level < 40; ++level) {
    size_t number = level + 1;
    std::string before =
        number < 36 ? std::string(1, kDigits[number]) : std::string("1") + kDigits[number - 36];
    bomb += "S0_IS" + before + "_S" + before + "_E";
  }
  bomb += "Evv";
  EXPECT_EQ(demangled(bomb), bomb);
  std::string deep = "_Z1f" + std::string(10'000, 'P') + "i";
  EXPECT_LE(demangled(deep).size(), 100'000U);
  for (std::string_view odd : {"_Z", "_R", "_ZN", "_ZN9999999999foo", "_ZZZZZZZ", "_RNvC"}) {
    EXPECT_EQ(demangled(odd), odd);
  }
}

}  // namespace
}  // namespace wick
