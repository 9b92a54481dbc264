// SPDX-License-Identifier: Apache-2.0
// Symbol tables that the tests write row by row: sizes, overlaps, aliases and hostile rows.
//
// The order among aliases follows perf, except where symbols.h says otherwise. The names of PLT
// stubs are compared with objdump's, on real programs.
#include "elf/symbols.h"

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <link.h>

#include "base/mapped_file.h"
#include "elf/plt.h"
#include "elf/testing.h"
#include "isa/testing.h"
#include "tests/support/files.h"

namespace wick {
namespace {

using testing::ElfWriter;
using testing::ScratchDir;

struct Row {
  std::string name;
  uint64_t address = 0;
  uint64_t size = 0;
  uint8_t type = STT_FUNC;
  uint8_t binding = STB_GLOBAL;
  uint8_t visibility = STV_DEFAULT;
};

// A file with a code section at [0x1000, 0x2000), nops after `code`, and a symbol table.
std::string file_with(const std::vector<Row>& rows,
                      const std::string& table = ".symtab",
                      std::string code = "") {
  code.resize(0x1000, '\x90');
  ElfWriter writer;
  uint32_t text = writer.add(
      {.name = ".text", .contents = code, .flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x1000});
  writer.load_section(text, PF_R | PF_X);
  std::string names(1, '\0');
  std::string symbols = ElfWriter::symbol(0, 0, 0, 0);
  for (const Row& row : rows) {
    symbols += ElfWriter::symbol(static_cast<uint32_t>(names.size()),
                                 row.address,
                                 row.size,
                                 static_cast<uint16_t>(text),
                                 row.type,
                                 row.binding);
    symbols[symbols.size() - sizeof(Elf64_Sym) + offsetof(Elf64_Sym, st_other)] =
        static_cast<char>(row.visibility);
    names += row.name + '\0';
  }
  uint32_t strings = writer.add({.name = ".strtab", .contents = names, .type = SHT_STRTAB});
  writer.add({.name = table, .contents = symbols, .type = SHT_SYMTAB, .link = strings});
  return writer.bytes();
}

class Symbols {
 public:
  explicit Symbols(const std::vector<Row>& rows)
      : bytes_(file_with(rows)), image_(*ElfImage::parse(as_bytes(bytes_))) {
    table = SymbolTable::from(image_);
  }
  std::string at(uint64_t address) const {
    std::optional<Symbol> symbol = table.find(address);
    return symbol ? std::string(symbol->name) : "-";
  }
  SymbolTable table;

 private:
  std::string bytes_;
  ElfImage image_;
};

TEST(Symbols, HoldTheirBytesAndNoMore) {
  Symbols symbols({{"second", 0x1100, 0x10}, {"first", 0x1000, 0x20}});
  EXPECT_EQ(symbols.at(0xFFF), "-");
  EXPECT_EQ(symbols.at(0x1000), "first");
  EXPECT_EQ(symbols.at(0x101F), "first");
  EXPECT_EQ(symbols.at(0x1020), "-");
  EXPECT_EQ(symbols.at(0x1100), "second");
  EXPECT_EQ(symbols.at(0x1110), "-");
  EXPECT_EQ(symbols.table.size(), 2U);
}

TEST(Symbols, WithoutSizeReachToTheNextOrTheEndOfTheSection) {
  Symbols symbols({{"a", 0x1000, 0}, {"b", 0x1100, 0x10}, {"c", 0x1200, 0}});
  EXPECT_EQ(symbols.at(0x10FF), "a");
  EXPECT_EQ(symbols.at(0x1110), "-");
  EXPECT_EQ(symbols.at(0x1FFF), "c");
  EXPECT_EQ(symbols.at(0x2000), "-");
  EXPECT_EQ(symbols.table.find(0x1050)->size, 0x100U);
}

// A stripped library may have one symbol without a size, and hundreds of functions after it.
TEST(Symbols, WithoutSizeReachAsFarAsTheirCode) {
  // je +2; nop; ret; nop; ret; (another function) nop; ret
  std::string code = isa::testing::code_of("74 02  90  c3  90  c3  90  c3");
  std::string file = file_with({{"loop", 0x1000, 0}}, ".symtab", code);
  ElfImage image = *ElfImage::parse(as_bytes(file));
  SymbolTable table = SymbolTable::from(image);
  EXPECT_EQ(table.find(0x1005)->name, "loop");
  EXPECT_FALSE(table.find(0x1006));
}

// _start of the C library: call main; hlt. What follows is another function.
TEST(Symbols, WithoutSizeEndAtAHalt) {
  // call +0; hlt; nop; ret
  std::string code = isa::testing::code_of("e8 00 00 00 00  f4  90  c3");
  std::string file = file_with({{"_start", 0x1000, 0}}, ".symtab", code);
  ElfImage image = *ElfImage::parse(as_bytes(file));
  SymbolTable table = SymbolTable::from(image);
  EXPECT_EQ(table.find(0x1005)->name, "_start");
  EXPECT_FALSE(table.find(0x1006));
}

TEST(Symbols, TheStubThatSignalHandlersReturnToHasAName) {
  // ret; mov $15,%rax; syscall; ret
  std::string code = isa::testing::code_of("c3  48 c7 c0 0f 00 00 00  0f 05  c3");
  std::vector<Row> rows = {{"setjmp", 0x1000, 0}, {"sigaction", 0x1010, 4}};
  std::string file = file_with(rows, ".dynsym", code);
  ElfImage image = *ElfImage::parse(as_bytes(file));
  SymbolTable table = SymbolTable::from(image);
  EXPECT_EQ(table.find(0x1008)->name, "__restore_rt");
  EXPECT_EQ(table.find(0x1000)->name, "setjmp");
}

TEST(Symbols, InnermostWins) {
  Symbols symbols({{"outer", 0x1000, 0x100}, {"inner", 0x1040, 0x20}, {"label", 0x1080, 0}});
  EXPECT_EQ(symbols.at(0x103F), "outer");
  EXPECT_EQ(symbols.at(0x1040), "inner");
  EXPECT_EQ(symbols.at(0x1060), "outer");
  EXPECT_EQ(symbols.at(0x1090), "outer");  // a label inside a function is not a function
  Symbols crossing({{"a", 0x1000, 0x20}, {"b", 0x1010, 0x20}, {"c", 0x1100, 1}});
  EXPECT_EQ(crossing.at(0x100F), "a");
  EXPECT_EQ(crossing.at(0x1025), "b");
  EXPECT_EQ(crossing.at(0x1030), "-");
}

TEST(Symbols, BestNameOfAliases) {
  auto best = [](const Row& a, const Row& b) {
    std::string one = Symbols({a, b}).at(0x1000);
    EXPECT_EQ(Symbols({b, a}).at(0x1000), one) << "must not depend on the order";
    return one;
  };
  EXPECT_EQ(best({"empty", 0x1000, 0}, {"a", 0x1000, 4}), "a");
  EXPECT_EQ(best({"untyped", 0x1000, 4, STT_NOTYPE}, {"a", 0x1000, 4}), "a");
  EXPECT_EQ(best({"weakly", 0x1000, 4, STT_FUNC, STB_WEAK}, {"a", 0x1000, 4, STT_FUNC, STB_LOCAL}),
            "a");
  EXPECT_EQ(best({"locally", 0x1000, 4, STT_FUNC, STB_LOCAL}, {"a", 0x1000, 4}), "a");
  EXPECT_EQ(best({"__long_name", 0x1000, 4}, {"a", 0x1000, 4}), "a");
  EXPECT_EQ(best({"abc", 0x1000, 4}, {"a", 0x1000, 4}), "abc");
  EXPECT_EQ(best({"b", 0x1000, 4}, {"a", 0x1000, 4}), "a");
  // Unlike perf, which takes the local name.
  EXPECT_EQ(best({"write", 0x1000, 4, STT_FUNC, STB_WEAK},
                 {"__GI_write", 0x1000, 4, STT_FUNC, STB_LOCAL}),
            "write");
  EXPECT_EQ(best({"memcpy", 0x1000, 4, STT_FUNC, STB_LOCAL}, {"__pi_memcpy", 0x1000, 4}), "memcpy");
  EXPECT_EQ(best({"abcd", 0x1000, 4}, {"abc@@GLIBC_2.34", 0x1000, 4}), "abcd");
}

TEST(Symbols, VersionsAreNoPartOfNames) {
  auto name = [](const std::string& stored) { return Symbols({{stored, 0x1000, 4}}).at(0x1000); };
  EXPECT_EQ(name("memcpy@@GLIBC_2.14"), "memcpy");
  EXPECT_EQ(name("memcpy@GLIBC_2.2.5"), "memcpy");
  EXPECT_EQ(name("f@@libx_1"), "f");
  for (const char* whole : {"memcpy@plt", "f@4", "@f", "f@", "f@@", "?f@@YAXXZ", "f[abi:cxx11]"}) {
    EXPECT_EQ(name(whole), whole);
  }
}

TEST(Symbols, OnlyFunctions) {
  Symbols symbols({{"data", 0x1000, 4, STT_OBJECT},
                   {"indirect", 0x1010, 4, STT_GNU_IFUNC},
                   {"assembly", 0x1020, 0, STT_NOTYPE},
                   {"unseen", 0x1040, 0, STT_NOTYPE, STB_GLOBAL, STV_HIDDEN},
                   {"", 0x1030, 4}});
  EXPECT_EQ(symbols.at(0x1000), "-");
  EXPECT_EQ(symbols.at(0x1010), "indirect");
  EXPECT_EQ(symbols.at(0x1025), "assembly");
  EXPECT_EQ(symbols.at(0x1045), "unseen") << "by other files, but it has the code";
  EXPECT_EQ(symbols.table.size(), 3U);
}

TEST(Symbols, HostileTables) {
  Symbols symbols({{"wraps", 0x1000, UINT64_MAX}, {"fine", 0x1010, 0x10}, {"high", UINT64_MAX, 8}});
  EXPECT_EQ(symbols.at(0x1011), "fine");
  // Deep nesting, then one lookup in each: linear, no recursion.
  std::vector<Row> nested;
  for (uint64_t i = 0; i < 0x700; ++i) {
    nested.push_back({"f" + std::to_string(i), 0x1000 + i, 0x1000 - 2 * i});
  }
  Symbols deep(nested);
  EXPECT_EQ(deep.at(0x1000 + 0x6FF), "f" + std::to_string(0x6FF));
  EXPECT_EQ(deep.at(0x1FFF), "f0");
}

TEST(Symbols, DebugFileFirst) {
  std::string stripped = file_with({{"exported", 0x1000, 0x10}}, ".dynsym");
  std::string debug = file_with({{"exported", 0x1000, 0x10}, {"hidden", 0x1010, 0x10}});
  Result<ElfImage> image = ElfImage::parse(as_bytes(stripped));
  Result<ElfImage> debug_image = ElfImage::parse(as_bytes(debug));
  ASSERT_TRUE(image && debug_image);
  EXPECT_FALSE(SymbolTable::from(*image).find(0x1010).has_value());
  SymbolTable both = SymbolTable::from(*image, &*debug_image);
  EXPECT_EQ(both.find(0x1010)->name, "hidden");
  EXPECT_EQ(both.size(), 2U);
}

struct OwnFile {
  MappedFile file;
  std::unique_ptr<ElfImage> image;
  SymbolTable table;
};
OwnFile open_file(const std::string& path) {
  OwnFile own;
  if (Result<MappedFile> file = MappedFile::open(path)) {
    own.file = std::move(*file);
    if (Result<ElfImage> image = ElfImage::parse(own.file.bytes())) {
      own.image = std::make_unique<ElfImage>(std::move(*image));
      own.table = SymbolTable::from(*own.image);
    }
  }
  return own;
}

TEST(Symbols, OwnLibrariesByTheirExports) {
  for (const char* name : {"qsort_r", "getenv", "strtol"}) {
    void* function = ::dlsym(RTLD_DEFAULT, name);  // &getenv may be a stub of a program without PIE
    Dl_info info = {};
    ASSERT_NE(::dladdr(function, &info), 0);
    OwnFile library = open_file(info.dli_fname);
    ASSERT_NE(library.image, nullptr);
    auto base = reinterpret_cast<uint64_t>(info.dli_fbase);
    uint64_t address = reinterpret_cast<uint64_t>(info.dli_saddr) - base;
    std::optional<Symbol> symbol = library.table.find(address + 1);
    ASSERT_TRUE(symbol.has_value());
    EXPECT_EQ(symbol->address, address);
  }
}

// wick and objdump agree on the names of PLT stubs that objdump supports.
void compare_with_objdump(const std::string& path) {
  SCOPED_TRACE(path);
  OwnFile own = open_file(path);
  ASSERT_NE(own.image, nullptr);
  std::string command =
      fmt::format("objdump -d '{}' 2>/dev/null | grep -E '^[0-9a-f]+ <.*@plt>:$'", path);
  FILE* pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char line[4096];
  int compared = 0;
  while (std::fgets(line, sizeof(line), pipe) != nullptr) {
    std::string text = line;
    uint64_t address = std::strtoull(line, nullptr, 16);
    size_t begin = text.find('<') + 1;
    std::string name = text.substr(begin, text.rfind('>') - begin);
    if (name.starts_with("*ABS*")) {
      continue;  // objdump does not name indirect functions
    }
    std::optional<Symbol> symbol = own.table.find(address);
    EXPECT_EQ(symbol ? symbol->name : "-", name) << fmt::format("{:x}", address);
    ++compared;
  }
  ::pclose(pipe);
  EXPECT_GT(compared, 0);
}

TEST(Plt, StubsAreNamedAsObjdumpNamesThem) {
  if (std::system("command -v objdump > /dev/null && command -v gcc > /dev/null") != 0) {
    GTEST_SKIP() << "gcc or binutils are not installed";
  }
  ScratchDir scratch;
  testing::write_file(scratch.file("a.c"),
                      "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
                      "void* kept = (void*)puts;\n"
                      "int main(int n, char** v) { printf(\"%d\", n); puts(v[0]); free(v[0]);\n"
                      "return (int)strlen(v[n - 1]) + (kept != 0) + (getenv(v[0]) != 0); }\n");
  std::string program = scratch.file("a");
  int built = 0;
  for (const char* how : {"gcc",
                          "gcc -fcf-protection -Wl,-z,ibtplt",
                          "gcc -no-pie",
                          "gcc -fuse-ld=lld",
                          "gcc -fuse-ld=mold",
                          "i686-linux-gnu-gcc",
                          "i686-linux-gnu-gcc -fPIE -pie"}) {
    std::string command = fmt::format(
        "{} -O1 -fno-builtin '{}' -o '{}' 2>/dev/null", how, scratch.file("a.c"), program);
    if (std::system(command.c_str()) == 0) {
      SCOPED_TRACE(how);
      if (std::string(how).find("mold") == std::string::npos) {
        compare_with_objdump(program);
      } else {
        // objdump does not support mold's stubs.
        OwnFile own = open_file(program);
        std::vector<PltStub> stubs = find_plt_stubs(*own.image);
        EXPECT_GE(stubs.size(), 4U);
      }
      ++built;
    }
  }
  EXPECT_GT(built, 0);
}

TEST(Plt, Aarch64StubsInTheCorpus) {
  std::string path = testing::corpus_path("parca-testdata/vendored/arm64/libc.so.6");
  SKIP_WITHOUT_CORPUS(path);
  OwnFile libc = open_file(path);
  ASSERT_NE(libc.image, nullptr);
  std::vector<PltStub> stubs = find_plt_stubs(*libc.image);
  EXPECT_GT(stubs.size(), 5U);
  for (const PltStub& stub : stubs) {
    EXPECT_TRUE(stub.size == 16 || stub.size == 24) << stub.size;
    EXPECT_TRUE(!stub.name.empty() || stub.target != 0);
  }
}

}  // namespace
}  // namespace wick
