// SPDX-License-Identifier: Apache-2.0
// Files that no accident produces: valid checksums over wrong content, sizes without data,
// compression bombs, and files that a newer wick may write.

#include <ctime>

#include <gtest/gtest.h>
#include <zstd.h>

#include "formats/native/testing.h"

namespace wick::native {
namespace {

FileChunk chunk_of(std::string_view type, uint32_t rows, const std::string& payload) {
  auto size = static_cast<uint32_t>(payload.size());
  return {
      .header = {.type = type_code(type), .rows = rows, .stored_bytes = size, .plain_bytes = size},
      .payload = payload};
}

// Numbers the chunks in order.
std::string numbered_file(std::vector<FileChunk> chunks) {
  for (size_t i = 0; i < chunks.size(); ++i) {
    chunks[i].header.sequence = static_cast<uint32_t>(i);
  }
  return file_of(chunks);
}

// The result must be a valid profile with a loss, or an error message.
void expect_survived(const std::string& file, std::string_view what) {
  Result<Profile> profile = read(file);
  if (!profile) {
    EXPECT_TRUE(profile.error().message.ends_with('.')) << profile.error().message;
    return;
  }
  EXPECT_TRUE(validate(*profile)) << what;
  EXPECT_FALSE(reader_losses(*profile).empty()) << what;
}

TEST(NativeCrafted, FilesWithoutAProfileAreErrorsThatSayWhy) {
  EXPECT_EQ(read("").error().message, "test.wick is empty: nothing was recorded into it.");
  EXPECT_NE(read(std::string(kMagic)).error().message.find("only 8 bytes"), std::string::npos);
  EXPECT_EQ(read("main;work 7\nmain;idle 2\n").error().message,
            "test.wick is not a .wick file, or is damaged beyond recovery.");
}

TEST(NativeCrafted, AFileHeaderAloneIsARecordingThatWasCut) {
  Result<Profile> profile = read(encode_file_header());
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_TRUE(has_loss(*profile, "the file ends early"));
}

TEST(NativeCrafted, ANewerVersionAsksForANewerWick) {
  std::string file = write(rich_profile());
  file.replace(0, kFileHeaderBytes, encode_file_header(7));
  EXPECT_EQ(
      read(file).error().message,
      "test.wick has version 7 of the wick format; this wick reads up to version 1. Read it with "
      "a newer wick.");
}

TEST(NativeCrafted, ANewerVersionOfOneTableIsLostAndCounted) {
  std::vector<FileChunk> chunks = chunks_of(write(rich_profile()));
  for (FileChunk& chunk : chunks) {
    if (chunk.header.type == type_of(ProfileTable::kSamples)) {
      chunk.header.version = 7;
    }
  }
  Result<Profile> profile = read(file_of(chunks));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(find_loss(*profile, "lost with damaged parts", "samples").count, 11U);
  Loss loss = find_loss(*profile, "damaged and skipped");
  EXPECT_NE(profile->strings[loss.detail].find("a newer wick"), std::string::npos);
}

TEST(NativeCrafted, UnknownChunksAreNamedAndPassedOver) {
  std::vector<FileChunk> chunks = chunks_of(write(rich_profile()));
  chunks.insert(chunks.begin() + 2, chunk_of("zap\x1b", 5, "anything at all"));
  Result<Profile> profile = read(numbered_file(chunks));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(exact_text(*profile, false), exact_text(rich_profile(), false));
  ASSERT_EQ(reader_losses(*profile).size(), 1U);
  Loss loss = find_loss(*profile, "a newer wick");
  EXPECT_EQ(loss.count, 1U);
  EXPECT_EQ(loss.severity, LossClass::kNotice);
  EXPECT_NE(profile->strings[loss.detail].find("'zap\\x1b' from row 0, 5"), std::string::npos)
      << profile->strings[loss.detail];
}

TEST(NativeCrafted, UnknownColumnsAreNamedAndPassedOver) {
  ProfileBuilder builder;
  builder.event({builder.string("e"), builder.string("u")});
  builder.add_sample({.weight = 5});
  Profile written = builder.finish();
  std::vector<FileChunk> chunks = chunks_of(write(written));
  for (FileChunk& chunk : chunks) {
    ASSERT_EQ(chunk.header.compression, Compression::kNone);
    if (chunk.header.type == type_of(ProfileTable::kSamples)) {
      PayloadWriter extra;
      extra.bytes(900, "new in version 3");
      chunk.payload = extra.payload() + chunk.payload;
      chunk.header.stored_bytes = static_cast<uint32_t>(chunk.payload.size());
      chunk.header.plain_bytes = chunk.header.stored_bytes;
    }
  }
  Result<Profile> profile = read(file_of(chunks));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(exact_text(*profile, false), exact_text(written, false));
  Loss loss = find_loss(*profile, "skipped: only a newer wick knows them");
  EXPECT_EQ(loss.count, 1U);
  EXPECT_NE(profile->strings[loss.detail].find("column 900 of samples"), std::string::npos);
}

TEST(NativeCrafted, ValuesOfANewerWickAreReadAsUnknown) {
  Profile written = rich_profile();
  written.frames[FrameId(1)].mode = Mode(200);
  written.frames[FrameId(2)].origin = FrameOrigin(201);
  written.frames[FrameId(3)].flags = 0x81;
  written.losses[0].severity = LossClass(9);
  Result<Profile> profile = read(write(written));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->frames[FrameId(1)].mode, Mode::kUnknown);
  EXPECT_EQ(profile->frames[FrameId(3)].flags, kInlined);
  EXPECT_EQ(find_loss(*profile, "read as unknown").count, 4U);
}

// Replaces every number of every header by others and corrects the header's checksum.
TEST(NativeCrafted, ImpossibleHeadersAreSurvived) {
  std::vector<FileChunk> chunks = chunks_of(write_in_rounds(2));
  constexpr uint32_t kHuge = 0xFFFF'FFFF;
  for (size_t i = 0; i < chunks.size(); ++i) {
    for (uint32_t value : {0U, 1U, 2U, 70'000U, 1U << 24, (1U << 24) + 1, kHuge - 1, kHuge}) {
      std::vector<FileChunk> changed = chunks;
      ChunkHeader& header = changed[i].header;
      const ChunkHeader original = header;
      auto with = [&](std::string_view field, auto set) {
        header = original;
        set();
        if (encode_chunk_header(header) != encode_chunk_header(original)) {
          expect_survived(file_of(changed), fmt::format("chunk {} {} {}", i, field, value));
        }
      };
      with("rows", [&] { header.rows = value; });
      with("first row", [&] { header.first_row = value; });
      with("large first row", [&] { header.first_row = uint64_t{value} << 32 | value; });
      with("stored", [&] { header.stored_bytes = value; });
      with("plain", [&] { header.plain_bytes = value; });
      with("sequence", [&] { header.sequence = value; });
      with("compression", [&] { header.compression = static_cast<Compression>(value); });
    }
  }
}

// Changes every byte of every uncompressed payload and corrects all checksums. The result must
// still be valid.
TEST(NativeCrafted, ImpossiblePayloadsAreSurvived) {
  std::vector<FileChunk> chunks = chunks_of(write_in_rounds(2, kFewThreads));
  for (FileChunk& chunk : chunks) {
    if (chunk.header.compression == Compression::kZstd) {
      std::string plain(chunk.header.plain_bytes, '\0');
      ZSTD_decompress(plain.data(), plain.size(), chunk.payload.data(), chunk.payload.size());
      chunk.payload = plain;
      chunk.header.compression = Compression::kNone;
      chunk.header.stored_bytes = chunk.header.plain_bytes;
    }
  }
  for (size_t i = 0; i < chunks.size(); ++i) {
    std::vector<FileChunk> changed = chunks;
    for (size_t at = 0; at < chunks[i].payload.size(); ++at) {
      for (unsigned mask : {0x01U, 0x80U, 0xFFU}) {
        changed[i].payload[at] =
            static_cast<char>(static_cast<uint8_t>(chunks[i].payload[at]) ^ mask);
        Result<Profile> profile = read(file_of(changed));
        EXPECT_TRUE(!profile || validate(*profile));
      }
      changed[i].payload[at] = chunks[i].payload[at];
    }
  }
}

TEST(NativeCrafted, AHugeRowNumberDoesNotAllocateTheRowsBefore) {
  std::vector<FileChunk> chunks = chunks_of(write(rich_profile()));
  for (FileChunk& chunk : chunks) {
    chunk.header.first_row = 0xF000'0000;
  }
  Result<Profile> profile = read(file_of(chunks));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->frames.size(), 1U);  // the one named [damaged]
  EXPECT_GT(find_loss(*profile, "damaged and skipped").count, 0U);
}

TEST(NativeCrafted, EndlessConstantRowsAreStopped) {
  PayloadWriter payload;
  for (uint16_t column = 1; column <= 7; ++column) {
    payload.words(column, std::vector<uint64_t>{0});
  }
  FileChunk chunk = chunk_of("fram", kMaxRows, payload.payload());
  std::vector<FileChunk> chunks(200, chunk);
  for (size_t i = 0; i < chunks.size(); ++i) {
    chunks[i].header.first_row = i * kMaxRows;
  }
  Result<Profile> profile = read(numbered_file(chunks));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_LT(profile->frames.size() * sizeof(Frame), size_t{300} << 20);
  Loss loss = find_loss(*profile, "damaged and skipped");
  EXPECT_NE(profile->strings[loss.detail].find("more than such a file can need"),
            std::string::npos);
}

TEST(NativeCrafted, APackedBombIsRefusedBeforeItUnpacks) {
  std::string plain(size_t{1} << 26, '\0');
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 1));
  FileChunk chunk = chunk_of("strg", 1, packed);
  chunk.header.first_row = 1;
  chunk.header.compression = Compression::kZstd;
  for (uint32_t claimed : {0U, 100U, kMaxPayloadBytes, 1U << 26}) {
    chunk.header.plain_bytes = claimed;
    Result<Profile> profile = read(file_of({chunk}));
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(find_loss(*profile, "damaged and skipped").count, 1U);
  }
}

// Many headers whose payload is said to be all following bytes must not make the reader read those
// bytes again for each header.
TEST(NativeCrafted, AFileOfHeadersIsReadInLinearTime) {
  std::string file = encode_file_header();
  for (uint32_t i = 0; i < 300'000; ++i) {
    ChunkHeader header{.type = type_code("samp"), .sequence = i, .rows = 1};
    header.stored_bytes = header.plain_bytes = kMaxPayloadBytes - (i % 2 == 0 ? 0 : 1000);
    file += encode_chunk_header(header);
  }
  std::clock_t start = std::clock();  // CPU time: the machine may be busy
  expect_survived(file, "headers");
  expect_survived(encode_file_header() + std::string(1 << 24, '\xFF'), "first bytes of marks");
  std::string marks;
  while (marks.size() < 1 << 24) {
    marks += kSyncMark;
  }
  expect_survived(encode_file_header() + marks, "marks");
  EXPECT_LT(std::clock() - start, 30 * CLOCKS_PER_SEC);
}

TEST(NativeCrafted, RowsWrittenAgainReplaceTheFirst) {
  Profile renamed = rich_profile();
  renamed.functions[FunctionId(1)].line += 7;
  std::vector<FileChunk> chunks = chunks_of(write(rich_profile()));
  for (const FileChunk& later : chunks_of(write(renamed))) {
    if (later.header.type == type_of(ProfileTable::kFunctions)) {
      chunks.insert(chunks.end() - 1, later);  // before the end
    }
  }
  Result<Profile> profile = read(numbered_file(chunks));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(exact_text(*profile), exact_text(renamed));
}

TEST(NativeCrafted, RowsThatOverlapAreTakenOnce) {
  std::vector<FileChunk> chunks = chunks_of(write(rich_profile()));
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (chunks[i].header.type == type_of(ProfileTable::kSamples)) {
      FileChunk again = chunks[i];
      again.header.first_row += 3;
      chunks.insert(chunks.begin() + static_cast<std::ptrdiff_t>(i) + 1, again);
      break;
    }
  }
  Result<Profile> profile = read(numbered_file(chunks));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->samples.size(), 8U + 3U);
  EXPECT_EQ(find_loss(*profile, "rows of the file occur twice").count, 5U);
  EXPECT_TRUE(has_loss(*profile, "sums in the file do not match"));
}

TEST(NativeCrafted, SpansThatEndBeforeTheyBeginAreMomentsAndCounted) {
  Profile written = rich_profile();
  written.spans[2].end_ns = written.spans[2].begin_ns - 1;
  Result<Profile> profile = read(write(written));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->spans[2].end_ns, profile->spans[2].begin_ns);
  EXPECT_EQ(find_loss(*profile, "spans end before they begin").count, 1U);
}

TEST(NativeCrafted, ReferencesToLaterRowsOfTheSameTableAreCut) {
  Profile written = rich_profile();
  written.processes[ProcessId(0)].parent = ProcessId(1);
  written.sources[SourceId(0)].guest_of = SourceId(0);
  written.spans[1].parent = SpanId(1);
  Result<Profile> profile = read(write(written));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_FALSE(profile->processes[ProcessId(0)].parent.valid());
  EXPECT_FALSE(profile->sources[SourceId(0)].guest_of.valid());
  EXPECT_FALSE(profile->spans[1].parent.valid());
  EXPECT_EQ(find_loss(*profile, "refer to data not in the file").count, 3U);
}

// The first process is in a lost part of the file, its child is not.
TEST(NativeCrafted, AParentThatIsLostIsUnknown) {
  std::string bytes;
  Output out = Output::to_text(bytes);
  NativeWriter writer(out);
  ProfileBuilder builder;
  builder.event({builder.string("e"), builder.string("u")});
  ProcessId parent = builder.process({.pid = 1, .name = builder.string("parent")});
  builder.with_profile_so_far([&](const Profile& profile) { ASSERT_TRUE(writer.append(profile)); });
  for (int pid = 2; pid < 40; ++pid) {
    builder.process({.pid = pid, .name = builder.string("child"), .parent = parent});
  }
  ASSERT_TRUE(writer.finish(builder.finish()));
  std::vector<FileChunk> chunks = chunks_of(bytes);
  std::erase_if(chunks, [](const FileChunk& chunk) {
    return chunk.header.type == type_of(ProfileTable::kProcesses) && chunk.header.first_row == 0;
  });
  Result<Profile> profile = read(file_of(chunks));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->processes[ProcessId(1)].pid, 2);
  EXPECT_FALSE(profile->processes[ProcessId(1)].parent.valid());
  EXPECT_EQ(find_loss(*profile, "refer to data not in the file").count, 38U);
}

TEST(NativeCrafted, LossesWhoseFirstRowsAreLostAreNotMixedUp) {
  std::vector<FileChunk> chunks = chunks_of(write(rich_profile()));
  for (FileChunk& chunk : chunks) {
    if (chunk.header.type == type_of(ProfileTable::kLosses)) {
      chunk.header.first_row = 5;
    }
  }
  Result<Profile> profile = read(file_of(chunks));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_TRUE(has_loss(*profile, "damaged and skipped"));
}

TEST(NativeCrafted, BranchSetsThatShareBranchesAreEmpty) {
  Profile written = rich_profile();
  written.branch_sets[BranchSetId(1)] = written.branch_sets[BranchSetId(0)];
  Result<Profile> profile = read(write(written));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->branch_sets[BranchSetId(0)].count, 2U);
  EXPECT_EQ(profile->branch_sets[BranchSetId(1)].count, 0U);
  EXPECT_EQ(profile->branch_sets[BranchSetId(2)].count, 2U);
}

TEST(NativeCrafted, BranchSetsBeyondTheBranchesAreEmpty) {
  Profile written = rich_profile();
  written.branch_sets[BranchSetId(1)].count = UINT32_MAX;
  Result<Profile> profile = read(write(written));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->branch_sets[BranchSetId(1)].count, 0U);
}

// Columns that an older wick did not write read as unknown, and unknown values are not written.
TEST(NativeCrafted, ColumnsThatAreAbsentHoldTheirInitialValue) {
  std::vector<FileChunk> chunks = chunks_of(write(rich_profile()));
  for (FileChunk& chunk : chunks) {
    if (chunk.header.type == type_of(ProfileTable::kThreads)) {
      PayloadWriter payload;
      std::vector<uint64_t> tids(chunk.header.rows, 17);
      payload.words(1, tids);
      FileChunk made = chunk_of("thrd", chunk.header.rows, payload.payload());
      made.header.sequence = chunk.header.sequence;
      chunk = made;
    }
  }
  Result<Profile> profile = read(file_of(chunks));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_TRUE(reader_losses(*profile).empty());
  EXPECT_EQ(profile->threads[ThreadId(1)], Thread{.tid = 17});
}

TEST(NativeCrafted, WeightsThatOverflowAreRefused) {
  Profile written = rich_profile();
  written.samples.weight.transform([](int64_t) { return std::numeric_limits<int64_t>::max() / 4; });
  std::vector<FileChunk> chunks = chunks_of(write(rich_profile()));
  PayloadWriter payload;
  encode_rows(payload, written.samples, 0, 8);
  for (FileChunk& chunk : chunks) {
    if (chunk.header.type == type_of(ProfileTable::kSamples)) {
      FileChunk made = chunk_of("samp", 8, payload.payload());
      made.header.sequence = chunk.header.sequence;
      chunk = made;
    }
  }
  Result<Profile> profile = read(file_of(chunks));
  ASSERT_FALSE(profile);
  EXPECT_NE(profile.error().message.find("too large to count"), std::string::npos);
}

}  // namespace
}  // namespace wick::native
