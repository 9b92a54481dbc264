// SPDX-License-Identifier: Apache-2.0
#include "base/input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/lines.h"
#include "tests/support/files.h"

namespace wick {
namespace {

std::string read_all(Input& input, std::string* error = nullptr) {
  std::string text;
  while (true) {
    Result<Bytes> block = input.next();
    if (!block) {
      if (error != nullptr) {
        *error = block.error().message;
      }
      return text;
    }
    if (block->empty()) {
      return text;
    }
    text += as_text(*block);
  }
}

std::string gzipped(std::string_view text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 1000, '\0');
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd_packed(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

// A text longer than one block, so that stages are called several times.
std::string long_text() {
  std::string text;
  for (int i = 0; i < 300000; ++i) {
    text += fmt::format("line {}\n", i);
  }
  return text;
}

class InputFile : public ::testing::Test {
 protected:
  Result<Input> open(std::string_view bytes) {
    std::string path = scratch_.file("input");
    testing::write_file(path, bytes);
    return Input::open(path, nullptr);
  }
  testing::ScratchDir scratch_;
};

TEST_F(InputFile, PlainTextArrivesAsItIs) {
  std::string text = long_text();
  Result<Input> input = open(text);
  ASSERT_TRUE(input);
  EXPECT_EQ(as_text(input->head()), text.substr(0, input->head().size()));
  EXPECT_GE(input->head().size(), Input::kHeadBytes);
  EXPECT_EQ(read_all(*input), text);
}

TEST_F(InputFile, CompressedInputIsUnpacked) {
  std::string text = long_text();
  Result<Input> gzip = open(gzipped(text));
  ASSERT_TRUE(gzip);
  EXPECT_EQ(read_all(*gzip), text);
  Result<Input> two_members = open(gzipped("one\n") + gzipped("two\n"));
  ASSERT_TRUE(two_members);
  EXPECT_EQ(read_all(*two_members), "one\ntwo\n");
  Result<Input> zstd = open(zstd_packed(text));
  ASSERT_TRUE(zstd);
  EXPECT_EQ(read_all(*zstd), text);
}

TEST_F(InputFile, CutCompressedInputGivesWhatItHasAndThenAnError) {
  std::string text = long_text();
  for (const std::string& packed : {gzipped(text), zstd_packed(text)}) {
    Result<Input> input = open(packed.substr(0, packed.size() / 2));
    ASSERT_TRUE(input);
    std::string error;
    std::string got = read_all(*input, &error);
    EXPECT_TRUE(text.starts_with(got));
    EXPECT_NE(error.find("cut short"), std::string::npos) << error;
  }
}

TEST_F(InputFile, Utf16BecomesUtf8) {
  std::string little(
      "\xFF\xFE"
      "a\0;\0\xE9\0\x3D\xD8\x25\xDD\n\0",
      14);
  Result<Input> input = open(little);
  ASSERT_TRUE(input);
  EXPECT_EQ(read_all(*input), "a;\xC3\xA9\xF0\x9F\x94\xA5\n");
  std::string big("\xFE\xFF\0a\0\n", 6);
  input = open(big);
  ASSERT_TRUE(input);
  EXPECT_EQ(read_all(*input), "a\n");
  input = open("\xEF\xBB\xBFx\n");
  ASSERT_TRUE(input);
  EXPECT_EQ(read_all(*input), "x\n");
}

TEST_F(InputFile, DirectoriesAndMissingFilesAreNamed) {
  Result<Input> directory = Input::open(scratch_.file(""), nullptr);
  ASSERT_FALSE(directory);
  EXPECT_NE(directory.error().message.find("is a directory"), std::string::npos);
  Result<Input> missing = Input::open(scratch_.file("none"), nullptr);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("No such file"), std::string::npos);
}

std::vector<std::string> lines_of(std::string_view text) {
  Input input = Input::from_text("text", std::string(text));
  LineReader reader(input);
  std::vector<std::string> lines;
  while (std::optional<Line> line = reader.next()) {
    lines.emplace_back(line->text);
    EXPECT_EQ(line->number, lines.size());
  }
  return lines;
}

TEST(Lines, EndAtLfWithOrWithoutCr) {
  EXPECT_EQ(lines_of("a\nb\r\n\nc"), (std::vector<std::string>{"a", "b", "", "c"}));
  EXPECT_TRUE(lines_of("").empty());
  EXPECT_EQ(lines_of("\n"), std::vector<std::string>{""});
}

TEST_F(InputFile, PlainFilesCanBeMapped) {
  std::string text = long_text();
  Result<Input> input = open(text);
  ASSERT_TRUE(input);
  const MappedFile* mapped = input->map();
  ASSERT_NE(mapped, nullptr);
  EXPECT_EQ(as_text(mapped->bytes()), text);
  for (std::string_view start : {"\xEF\xBB\xBF", "\xFF\xFE"}) {
    Result<Input> marked = open(std::string(start) + "text");
    ASSERT_TRUE(marked);
    EXPECT_EQ(marked->map(), nullptr);
  }
}

TEST_F(InputFile, TheHeadHasAWholeLine) {
  Result<Input> input = open(std::string(3 * Input::kHeadBytes, 'x') + " 5\n");
  ASSERT_TRUE(input);
  EXPECT_TRUE(as_text(input->head()).ends_with(" 5\n"));
}

TEST_F(InputFile, StandardInputIsMappedWhereItIsAWholeFile) {
  std::string path = scratch_.file("input");
  testing::write_file(path, "first second");
  int before = ::dup(STDIN_FILENO);
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::dup2(file, STDIN_FILENO), STDIN_FILENO);
  Result<Input> whole = Input::open("-", nullptr);
  ASSERT_TRUE(whole);
  ASSERT_NE(whole->map(), nullptr);
  EXPECT_EQ(as_text(whole->map()->bytes()), "first second");
  ASSERT_EQ(::lseek(STDIN_FILENO, 6, SEEK_SET), 6);
  Result<Input> rest = Input::open("-", nullptr);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->map(), nullptr);
  EXPECT_EQ(read_all(*rest), "second");
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(file);
}

// Tests a plain file, which is mapped window by window, and a compressed one, which arrives in
// blocks.
TEST_F(InputFile, LinesThatCrossBlocksStayWhole) {
  std::string text = long_text();
  text += std::string(9 << 20, 'x') + "\nlast";
  for (const std::string& stored : {text, gzipped(text)}) {
    Result<Input> input = open(stored);
    ASSERT_TRUE(input);
    LineReader reader(*input);
    for (int i = 0; i < 300000; ++i) {
      ASSERT_EQ(reader.next()->text, fmt::format("line {}", i));
    }
    EXPECT_EQ(reader.next()->text.size(), size_t{9 << 20});
    std::optional<Line> last = reader.next();
    ASSERT_TRUE(last);
    EXPECT_EQ(last->text, "last");
    EXPECT_EQ(last->number, 300002U);
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(reader.error(), "");
  }
}

}  // namespace
}  // namespace wick
