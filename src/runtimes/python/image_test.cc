// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/image.h"

#include <gtest/gtest.h>

#include "base/mapped_file.h"
#include "elf/testing.h"
#include "runtimes/python/testing.h"
#include "runtimes/runtimes.h"

namespace wick::python {
namespace {

using testing::WrittenPython;
using wick::testing::CfiWriter;
using wick::testing::ElfWriter;

constexpr uint64_t kCode = 0x1000;
constexpr uint64_t kConstants = 0x3000;
constexpr uint64_t kData = 0x5000;
constexpr uint32_t kFlags = 0x7;  // of segments: all rights

// A file with code, constants and data; each test adds symbols.
class File {
 public:
  explicit File(std::string constants = "", std::string data = std::string(64, '\0'))
      : constants_(std::move(constants)), data_(std::move(data)) {}

  File& symbol(std::string_view name, uint64_t address, uint64_t size, uint8_t type = STT_OBJECT) {
    symbols_ += ElfWriter::symbol(
        static_cast<uint32_t>(names_.size()), address, size, address == 0 ? SHN_UNDEF : 1, type);
    names_ += std::string(name) + '\0';
    return *this;
  }
  File& runtime_section() {
    data_name_ = ".PyRuntime";
    return *this;
  }
  File& code(uint64_t offset, const std::string& bytes) {
    code_.replace(offset, bytes.size(), bytes);
    return *this;
  }
  File& unwind_entry(uint64_t begin, uint64_t size) {
    frames_.fde(cie_, begin, size, "");
    return *this;
  }

  std::string bytes(const std::string& table = ".dynsym") const {
    ElfWriter elf;
    elf.load_section(elf.add({".text", code_, SHT_PROGBITS, SHF_EXECINSTR, kCode}), PF_R | PF_X);
    elf.load_section(elf.add({".rodata", constants_, SHT_PROGBITS, SHF_ALLOC, kConstants}), PF_R);
    elf.load_section(elf.add({data_name_, data_, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, kData}),
                     PF_R | PF_W);
    elf.add(
        {".eh_frame", frames_.bytes() + std::string(4, '\0'), SHT_PROGBITS, SHF_ALLOC, kFrames});
    uint32_t names = elf.add({".strtab", names_, SHT_STRTAB});
    elf.add({table,
             symbols_,
             table == ".dynsym" ? uint32_t{SHT_DYNSYM} : uint32_t{SHT_SYMTAB},
             0,
             0,
             names});
    return elf.bytes();
  }
  std::unique_ptr<InterpreterImage> find(std::string_view path = "python3",
                                         const std::string& table = ".dynsym") const {
    return find_python(*ElfImage::parse(as_bytes(stored_ = bytes(table))), path);
  }

 private:
  static constexpr uint64_t kFrames = 0x7000;

  std::string code_ = std::string(0x1000, '\x90');
  std::string constants_;
  std::string data_;
  std::string data_name_ = ".data";
  std::string names_ = std::string(1, '\0');
  std::string symbols_ = std::string(sizeof(Elf64_Sym), '\0');
  CfiWriter frames_ = CfiWriter(kFrames);
  uint64_t cie_ = frames_.usual_cie();
  mutable std::string stored_;
};

std::string number(uint64_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

TEST(PythonImage, OtherFilesAreNot) {
  EXPECT_EQ(File().find(), nullptr);
  EXPECT_EQ(File().symbol("_PyRuntimeState", kData, 8).find(), nullptr);
  // An extension that uses the interpreter.
  EXPECT_EQ(File().symbol("_PyRuntime", 0, 0).find(), nullptr);
  EXPECT_EQ(File("", "xdebugpyxdebugpy").find(), nullptr);
}

TEST(PythonImage, IsFoundByItsVariable) {
  for (const char* table : {".dynsym", ".symtab"}) {
    auto image = File(number(0x030B02F0))
                     .symbol("_PyRuntime", kData, 8)
                     .symbol("Py_Version", kConstants, 8)
                     .find("python", table);
    ASSERT_NE(image, nullptr) << table;
    EXPECT_EQ(image->name(), "CPython 3.11.2");
    EXPECT_EQ(image->language(), Language::kPython);
  }
  ASSERT_EQ(interpreters().size(), 1U);
  EXPECT_EQ(interpreters().front().name, "python");
}

TEST(PythonImage, IsFoundByItsSectionOrItsDescription) {
  auto image = File().runtime_section().find("libpython3.11.so.1.0");
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(image->name(), "CPython 3.11");
  image = File("", std::string(16, '\0') + "xdebugpy" + number(0x030D05F0)).find("program");
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(image->name(), "CPython 3.13.5");
  EXPECT_EQ(dynamic_cast<PythonImage&>(*image).runtime(), kData + 16);
}

TEST(PythonImage, TheVersionMayBeANameOrAText) {
  std::string texts(
      "\0"
      "3.45.1\0"
      "3.9.18\0"
      "3.10\0",
      20);
  auto name = [&](const std::string& constants, std::string_view path) {
    return File(constants).symbol("_PyRuntime", kData, 8).find(path)->name();
  };
  EXPECT_EQ(name(texts, "gdb"), "CPython 3.9.18");
  EXPECT_EQ(name(texts, "python3.9"), "CPython 3.9.18");
  EXPECT_EQ(name(texts, "python3.8"), "CPython 3.8");  // the text is of something else
  EXPECT_EQ(name(std::string("\0/usr/3.10.13\0", 14), "python3.10"), "CPython 3.10.13");
  EXPECT_EQ(name(std::string("\0"
                             "13.10.13\0",
                             10),
                 "python3.10"),
            "CPython 3.10");
  EXPECT_EQ(name("", "/usr/lib/libpython3.10.so.1.0"), "CPython 3.10");
  EXPECT_EQ(name(texts + std::string("\0"
                                     "3.8.1\0",
                                     7),
                 "gdb"),
            "CPython of an unknown version");
}

TEST(PythonImage, AnUnknownVersionIsASentence) {
  testing::WrittenMemory memory;
  for (auto [hex, sentence] :
       {std::pair(0x030F00F0, "CPython 3.15.0 is not supported; 3.8 to 3.14 are"),
        std::pair(0x030710F0, "CPython 3.7.16 is not supported; 3.8 to 3.14 are"),
        std::pair(0, "CPython of an unknown version is not supported; 3.8 to 3.14 are")}) {
    auto image = File(number(static_cast<uint64_t>(hex)))
                     .symbol("_PyRuntime", kData, 8)
                     .symbol("Py_Version", kConstants, 8)
                     .find();
    auto process = image->attach(memory, 0);
    ASSERT_FALSE(process);
    EXPECT_EQ(process.error().message, sentence);
  }
}

TEST(PythonImage, AttachesWhenMemoryIsReadable) {
  for (uint32_t minor : {8U, 11U, 12U, 13U, 14U}) {
    WrittenPython python(minor);
    auto image = File(number(0x030001F0 | uint64_t{minor} << 16))
                     .symbol("_PyRuntime", kData, 8)
                     .symbol("Py_Version", kConstants, 8)
                     .find();
    uint64_t bias = python.runtime - kData;
    auto process = image->attach(python.memory, bias);
    ASSERT_TRUE(process) << process.error().message;
    EXPECT_TRUE((*process)->threads().empty());
    python.thread(python.interpreter(), 7, 0);
    EXPECT_EQ((*process)->threads().size(), 1U);
    EXPECT_FALSE(image->attach(python.memory, bias + 0x1000'0000));
  }
}

TEST(PythonImage, EvaluatorByName) {
  auto image = File()
                   .symbol("_PyRuntime", kData, 8)
                   .symbol("_PyEval_EvalFrameDefault", kCode + 0x100, 0x80, STT_FUNC)
                   .symbol("_PyEval_EvalFrameDefault.cold", kCode + 0x10, 0x10, STT_FUNC)
                   .symbol("_PyEval_EvalFrameDefaultX", kCode + 0x400, 0x10, STT_FUNC)
                   .find();
  EXPECT_TRUE(image->is_evaluator(kCode + 0x100));
  EXPECT_TRUE(image->is_evaluator(kCode + 0x17F));
  EXPECT_TRUE(image->is_evaluator(kCode + 0x1F));
  EXPECT_FALSE(image->is_evaluator(kCode + 0x180));
  EXPECT_FALSE(image->is_evaluator(kCode + 0xF));
  EXPECT_FALSE(image->is_evaluator(kCode + 0x400));
}

TEST(PythonImage, EvaluatorWithoutASizeOrAName) {
  File file;
  file.symbol("_PyRuntime", kData, 8)
      .symbol("_PyEval_EvalFrameDefault", kCode + 0x100, 0, STT_FUNC);
  EXPECT_FALSE(file.find()->is_evaluator(kCode + 0x100));
  file.unwind_entry(kCode + 0x100, 0x40);
  EXPECT_TRUE(file.find()->is_evaluator(kCode + 0x13F));
  EXPECT_FALSE(file.find()->is_evaluator(kCode + 0x140));
  EXPECT_FALSE(File().symbol("_PyRuntime", kData, 8).find()->is_evaluator(kCode));
}

TEST(PythonImage, EvaluatorInTwoParts) {
  // je into the middle of one entry, jmp to the start of another, call into a third.
  File file;
  file.code(0x100,
            std::string("\x0f\x84\x0a\x07\x00\x00", 6) + std::string("\xe9\xf5\x07\x00\x00", 5) +
                std::string("\xe8\xf4\x08\x00\x00", 5));
  file.symbol("_PyRuntime", kData, 8)
      .symbol("_PyEval_EvalFrameDefault", kCode + 0x100, 0x20, STT_FUNC);
  for (uint64_t entry : {0x800U, 0x900U, 0xA00U}) {
    file.unwind_entry(kCode + entry, 0x40);
  }
  auto image = file.find();
  EXPECT_TRUE(image->is_evaluator(kCode + 0x800));
  EXPECT_TRUE(image->is_evaluator(kCode + 0x83F));
  EXPECT_FALSE(image->is_evaluator(kCode + 0x900));
  EXPECT_FALSE(image->is_evaluator(kCode + 0xA00));
}

TEST(PythonImage, LibraryOfADistribution) {
  constexpr const char* kPath = "/lib/x86_64-linux-gnu/libpython3.11.so.1.0";
  Result<MappedFile> file = MappedFile::open(kPath);
  if (!file) {
    GTEST_SKIP() << "libpython3.11 is not installed";
  }
  auto image = find_python(*ElfImage::parse(file->bytes()), kPath);
  ASSERT_NE(image, nullptr);
  EXPECT_TRUE(image->name().starts_with("CPython 3.11."));
}

}  // namespace
}  // namespace wick::python
