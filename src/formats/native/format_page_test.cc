// SPDX-License-Identifier: Apache-2.0
// The example in docs/format.md is a real file: the writer must produce these bytes, and the reader
// must read them. UPDATE_GOLDEN=1 writes the listing into the page again.

#include <cstdlib>

#include <gtest/gtest.h>

#include "formats/native/testing.h"
#include "tests/support/files.h"

namespace wick::native {
namespace {

constexpr std::string_view kBegin = "<!-- example -->\n```\n";
constexpr std::string_view kEnd = "```\n<!-- end of example -->";

// "main;work", sampled three times.
Profile example() {
  ProfileBuilder builder;
  builder.event({builder.string("cpu-clock"), builder.string("nanoseconds")});
  StackId stack = kEmptyStack;
  for (const char* name : {"main", "work"}) {
    FunctionId function = builder.function({.name = builder.string(name)});
    stack = builder.stack(stack, builder.frame({.function = function, .mode = Mode::kUser}));
  }
  for (int64_t time_ns : {5000, 6001, 6999}) {
    builder.add_sample({.time_ns = time_ns, .weight = 1000, .stack = stack, .cpu = 3});
  }
  return builder.finish();
}

// Bytes as lines of hex, with an offset before and a note after them.
class Listing {
 public:
  explicit Listing(std::string_view bytes) : bytes_(bytes) {}

  void field(size_t size, std::string_view note) {
    while (size > 0) {
      size_t width = std::min<size_t>(size, 16);
      std::string hex;
      for (char byte : bytes_.substr(at_, width)) {
        hex += fmt::format("{:02x} ", static_cast<uint8_t>(byte));
      }
      text_ += note.empty() ? fmt::format("{:04x}  {}", at_, hex.substr(0, hex.size() - 1))
                            : fmt::format("{:04x}  {:48} ; {}", at_, hex, note);
      text_ += '\n';
      at_ += width;
      size -= width;
      note = {};
    }
  }
  template <typename T>
  T peek(size_t distance) const {
    return ByteReader(as_bytes(bytes_.substr(at_ + distance))).number<T>();
  }
  size_t at() const { return at_; }
  bool at_end() const { return at_ == bytes_.size(); }
  void blank_line() { text_ += '\n'; }
  const std::string& text() const { return text_; }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
  std::string text_;
};

std::string listing_of(std::string_view file) {
  Listing listing(file);
  listing.field(8, "magic");
  listing.field(4, "version 1, two bytes of 0");
  listing.field(4, "checksum of the file header");
  while (!listing.at_end()) {
    ChunkHeader header = *decode_chunk_header(as_bytes(file.substr(listing.at())));
    listing.blank_line();
    listing.field(8, "sync mark");
    listing.field(4, "checksum of the header");
    listing.field(4, fmt::format("type '{}'", type_letters(header.type)));
    listing.field(8, fmt::format("chunk {}, version 1, not compressed", header.sequence));
    listing.field(8, fmt::format("first row {}", header.first_row));
    listing.field(4, fmt::format("{} rows", header.rows));
    listing.field(8, fmt::format("{} bytes stored and plain", header.stored_bytes));
    listing.field(4, "checksum of the payload");
    bool samples = header.event != kMixedEvents;
    listing.field(8, samples ? fmt::format("all of event {}", header.event) : "no samples");
    listing.field(16, fmt::format("{} samples, weight {}", header.samples, header.weight));
    size_t end = listing.at() + header.stored_bytes;
    while (listing.at() < end) {
      const char* encodings[] = {"constant", "plain", "delta", "bytes"};
      auto size = listing.peek<uint32_t>(4);
      listing.field(kColumnHeaderBytes,
                    fmt::format("column {}, {}, width {}, {} bytes:",
                                listing.peek<uint16_t>(0),
                                encodings[listing.peek<uint8_t>(2)],
                                listing.peek<uint8_t>(3),
                                size));
      listing.field(size, "");
    }
  }
  return listing.text();
}

std::string bytes_of(std::string_view listing) {
  std::string bytes;
  while (!listing.empty()) {
    std::string_view line = listing.substr(0, listing.find('\n'));
    listing.remove_prefix(line.size() + 1);
    line = line.substr(0, line.find(';'));
    for (size_t at = 6; at + 2 <= line.size() && line[at] != ' '; at += 3) {
      std::string digits(line.substr(at, 2));
      bytes += static_cast<char>(std::strtoul(digits.c_str(), nullptr, 16));
    }
  }
  return bytes;
}

TEST(FormatPage, TheWorkedExampleIsARealFile) {
  std::string path = testing::source_path("docs/format.md");
  std::string page = testing::read_file(path);
  size_t begin = page.find(kBegin);
  size_t end = page.find(kEnd);
  ASSERT_TRUE(begin < end && end != std::string::npos);
  begin += kBegin.size();
  std::string file = write(example());
  std::string listing = listing_of(file);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    page.replace(begin, end - begin, listing);
    testing::write_file(path, page);
    return;
  }
  std::string shown = page.substr(begin, end - begin);
  EXPECT_EQ(shown, listing) << "UPDATE_GOLDEN=1 rewrites it; read the diff.";
  EXPECT_EQ(bytes_of(shown), file);
  Result<Profile> profile = read(bytes_of(shown));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(exact_text(*profile), exact_text(example()));
  EXPECT_TRUE(profile->losses.empty());
}

TEST(FormatPage, ListsEveryTableWithItsTypeAndName) {
  std::string page = testing::read_file(testing::source_path("docs/format.md"));
  for (const TableInfo& table : kTables) {
    std::string row = fmt::format("| `{}` | {} |", table.type, table.name);
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

// The line of a table, "| `type` | name | 1 column ...; 2 column ... |".
std::string line_of(const std::string& page, ProfileTable table) {
  size_t begin = page.find(fmt::format("| `{}` | {} |", info_of(table).type, info_of(table).name));
  return begin == std::string::npos ? "" : page.substr(begin, page.find('\n', begin) - begin);
}

TEST(FormatPage, ListsEveryColumnWithItsNumberAndName) {
  std::string page = testing::read_file(testing::source_path("docs/format.md"));
  const Profile profile;
  visit_tables(
      [&](ProfileTable table, const auto& rows) {
        std::string line = line_of(page, table);
        for_each_column<RowOf<decltype(rows)>>([&](const auto& column) {
          std::string entry = fmt::format(" {} `{}`", column.number, column.name);
          EXPECT_NE(line.find(entry), std::string::npos)
              << info_of(table).name << ":" << entry << " is not in docs/format.md";
        });
      },
      profile);
}

}  // namespace
}  // namespace wick::native
