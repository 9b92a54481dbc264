// SPDX-License-Identifier: Apache-2.0
// Tests the binary profiles of gperftools on made-up words and, for the corpus, against the text
// that pprof prints about the same files.
#include "formats/gperftools/gperftools.h"

#include <map>

#include <gtest/gtest.h>

#include "base/lines.h"
#include "base/parse_number.h"
#include "profile/names.h"
#include "profile/validate.h"
#include "tests/support/files.h"

namespace wick::gperftools {
namespace {

constexpr std::string_view kMaps =
    "build=/build\n"
    "00400000-00500000 r-xp 00001000 08:01 17 $build/prog\n"
    "00600000-00700000 rw-p 00000000 08:01 17 /bin/prog\n"
    "7f0000000000-7f0000100000 r-xp 00000000 08:01 18 /lib/libc.so.6\n";

std::string words_of(const std::vector<uint64_t>& words, size_t size, bool is_big_endian) {
  std::string bytes;
  for (uint64_t word : words) {
    for (size_t at = 0; at < size; ++at) {
      size_t shift = 8 * (is_big_endian ? size - 1 - at : at);
      bytes += static_cast<char>(word >> shift & 0xFFU);
    }
  }
  return bytes;
}

Result<Profile> read_bytes(std::string bytes) {
  Input input = Input::from_text("test.prof", std::move(bytes));
  return read(input, {});
}

// The process addresses of each row, leaf first, after its count.
using Rows = std::multimap<uint64_t, std::vector<uint64_t>>;
Rows rows_of(const Profile& profile) {
  Rows rows;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    std::vector<uint64_t> addresses;
    StackId stack = profile.samples.stack[row];
    for (; stack != kEmptyStack; stack = profile.stacks.parent(stack)) {
      const Frame& frame = profile.frames[profile.stacks.frame(stack)];
      uint64_t address = frame.address;
      for (const ModuleMapping& mapping : profile.mappings) {
        if (mapping.module == frame.module && frame.module.valid()) {
          address = frame.address - mapping.file_offset + mapping.start;
        }
      }
      addresses.push_back(address);
    }
    rows.emplace(profile.samples.count[row], std::move(addresses));
  }
  return rows;
}

TEST(Gperftools, WordsOfAllSizesAndOrders) {
  std::vector<uint64_t> words = {0, 3, 0, 10'000, 0, 2, 2, 0x400010, 0x400021, 1, 1, 0x9, 0, 1, 0};
  for (size_t size : {size_t{4}, size_t{8}}) {
    for (bool is_big_endian : {false, true}) {
      std::string bytes = words_of(words, size, is_big_endian) + std::string(kMaps);
      EXPECT_TRUE(sniff(as_bytes(bytes)));
      Result<Profile> profile = read_bytes(bytes);
      ASSERT_TRUE(profile && validate(*profile));
      EXPECT_EQ(rows_of(*profile), (Rows{{2, {0x400010, 0x400020}}, {1, {0x9}}}));
      EXPECT_EQ(profile->samples.weight[0], 20'000'000);
      EXPECT_EQ(profile->events[EventId(0)].period, 10'000'000U);
      EXPECT_TRUE(profile->losses.empty());
      const Frame& frame = profile->frames[FrameId(0)];
      EXPECT_EQ(profile->strings[profile->modules[frame.module].path], "/build/prog");
      EXPECT_EQ(frame.address, 0x1020U);
      EXPECT_EQ(process_name(*profile, ProcessId(0)), "prog");
    }
  }
}

TEST(Gperftools, FramesOfTheSignalHandlerAreRemoved) {
  std::vector<uint64_t> words = {0, 3, 0, 10'000, 0};
  for (uint64_t i = 0; i < 40; ++i) {
    words.insert(words.end(), {1, 4, 0x400000 + i, 0x77, 0x400000 + i, 0x400100});
  }
  words.insert(words.end(), {0, 1, 0});
  Result<Profile> profile = read_bytes(words_of(words, 8, false));
  ASSERT_TRUE(profile);
  EXPECT_EQ(rows_of(*profile).begin()->second, (std::vector<uint64_t>{0x400000, 0x4000FF}));
}

TEST(Gperftools, CutAtEveryByteAndLies) {
  std::vector<uint64_t> words = {0, 3, 0, 10'000, 0, 2, 2, 0x400010, 0x400021, 0, 1, 0};
  std::string bytes = words_of(words, 8, false) + std::string(kMaps);
  for (size_t size = 0; size < bytes.size(); ++size) {
    Result<Profile> cut = read_bytes(bytes.substr(0, size));
    ASSERT_TRUE(!cut || validate(*cut)) << size;
    // Files of Go have no text.
    bool is_whole =
        size == words.size() * 8 || (size > words.size() * 8 && bytes[size - 1] == '\n');
    EXPECT_EQ(cut && cut->losses.empty(), is_whole) << size;
  }
  // A line that was cut does not say where its file is.
  Result<Profile> cut = read_bytes(bytes.substr(0, words.size() * 8 + kMaps.find("/prog")));
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->mappings.size(), 0U);
  for (uint64_t lie : {uint64_t{3}, UINT64_MAX, UINT64_MAX / 8}) {
    words[6] = lie;  // addresses
    Result<Profile> profile = read_bytes(words_of(words, 8, false));
    ASSERT_TRUE(profile && validate(*profile));
  }
  words[6] = 2;
  words[5] = UINT64_MAX;  // samples
  Result<Profile> profile = read_bytes(words_of(words, 8, false));
  ASSERT_TRUE(profile && validate(*profile));
  EXPECT_EQ(profile->samples.size(), 0U);
  EXPECT_EQ(profile->losses.at(0).count, 1U);
}

// Lines of pprof's text: "  542 5420000000: 19 17 18" under Samples, "  19: 0x42ed43 M=1" under
// Locations.
Rows expected_rows(const std::string& text) {
  std::map<uint64_t, uint64_t> addresses;
  std::vector<std::pair<uint64_t, std::vector<uint64_t>>> samples;
  bool in_locations = false;
  for_each_line(text, [&](std::string_view line) {
    in_locations = in_locations || line.starts_with("Locations");
    size_t colon = line.find(": ");
    if (colon == std::string_view::npos || !line.starts_with(' ')) {
      return;
    }
    std::string_view left = trimmed(line.substr(0, colon));
    std::string_view right = line.substr(colon + 2);
    if (in_locations) {
      std::string_view address = right.substr(0, right.find(' '));
      addresses[*parse_number<uint64_t>(left)] = parse_hex(address.substr(2)).value_or(0);
      return;
    }
    auto& [count, ids] = samples.emplace_back();
    count = *parse_number<uint64_t>(left.substr(0, left.find(' ')));
    for (right = trimmed(right); !right.empty();) {
      std::string_view word = right.substr(0, right.find(' '));
      ids.push_back(*parse_number<uint64_t>(word));
      right = trimmed(right.substr(word.size()));
    }
  });
  Rows rows;
  for (auto& [count, ids] : samples) {
    for (uint64_t& id : ids) {
      id = addresses.at(id);
    }
    if (count > 0) {
      rows.emplace(count, ids);
    }
  }
  return rows;
}

TEST(GperftoolsCorpus, StacksAsPprofReadsThem) {
  for (std::string_view name : {"cppbench.cpu", "gobench.cpu", "go.crc32.cpu", "java.cpu"}) {
    std::string path = testing::corpus_path(fmt::format("pprof/testdata/{}", name));
    SKIP_WITHOUT_CORPUS(path);
    Result<Profile> profile = read_bytes(testing::read_file(path));
    ASSERT_TRUE(profile && validate(*profile)) << name;
    Rows expected = expected_rows(testing::read_file(path + ".string"));
    EXPECT_GT(expected.size(), 5U);
    EXPECT_EQ(rows_of(*profile).size(), expected.size()) << name;
    auto sorted = [](const Rows& rows) {
      std::vector<std::pair<uint64_t, std::vector<uint64_t>>> list(rows.begin(), rows.end());
      std::ranges::sort(list);
      return list;
    };
    EXPECT_EQ(sorted(rows_of(*profile)), sorted(expected)) << name;
  }
}

TEST(GperftoolsCorpus, JavaHasNames) {
  std::string path = testing::corpus_path("pprof/testdata/java.cpu");
  SKIP_WITHOUT_CORPUS(path);
  Result<Profile> profile = read_bytes(testing::read_file(path));
  ASSERT_TRUE(profile);
  auto leaf = [&](size_t row) { return profile->stacks.frame(profile->samples.stack[row]); };
  EXPECT_EQ(frame_name(*profile, leaf(0)), "VM");
  EXPECT_EQ(frame_name(*profile, leaf(1)), "com.example.function06");
  EXPECT_EQ(profile->strings[line_file(*profile, profile->frames[leaf(1)])], "source.java");
  EXPECT_EQ(profile->frames[leaf(1)].line, 6U);
}

}  // namespace
}  // namespace wick::gperftools
