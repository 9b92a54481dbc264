// SPDX-License-Identifier: Apache-2.0
// Files that were truncated, changed, reordered or made up: the result is an error or a valid
// profile. Nothing is lost silently, and everything that the headers still describe is counted.

#include <random>

#include <gtest/gtest.h>

#include "formats/native/testing.h"

namespace wick::native {
namespace {

// Whatever has happened to the file, the result must be usable and correct. Only a file without any
// usable part may be an error.
void expect_honest(const std::string& file, const std::string& original, std::string_view what) {
  Result<Profile> profile = read(file);
  if (!profile) {
    bool no_chunk = file.find(kSyncMark) == std::string::npos;
    EXPECT_TRUE(no_chunk) << what << ": " << profile.error().message;
    EXPECT_TRUE(profile.error().message.ends_with('.')) << profile.error().message;
    return;
  }
  Result<> valid = validate(*profile);
  EXPECT_TRUE(valid) << what << ": " << valid.error().message;
  EXPECT_FALSE(reader_losses(*profile).empty()) << what << ": nothing was reported";
  if (exact_text(*profile, false) != original) {
    bool reported = std::ranges::any_of(reader_losses(*profile), [](const Loss& loss) {
      return loss.severity == LossClass::kDataLoss;
    });
    EXPECT_TRUE(reported) << what << ": the profile differs, but no loss of data is reported";
  }
}

TEST(NativeDamage, ACutAtAnyByteIsReported) {
  std::string file = write_in_rounds(2, kFewThreads);
  std::string original = exact_text(rich_profile(2, kFewThreads), false);
  for (size_t size = 0; size < file.size(); ++size) {
    expect_honest(file.substr(0, size), original, fmt::format("cut at {}", size));
  }
}

TEST(NativeDamage, AChangedByteIsReported) {
  std::string file = write_in_rounds(1, kFewThreads);
  std::string original = exact_text(rich_profile(1, kFewThreads), false);
  for (size_t at = 0; at < file.size(); ++at) {
    for (unsigned mask : {0x01U, 0x80U, 0xFFU}) {
      std::string changed = file;
      changed[at] = static_cast<char>(static_cast<uint8_t>(changed[at]) ^ mask);
      expect_honest(changed, original, fmt::format("byte {} ^ {:#x}", at, mask));
      EXPECT_TRUE(sniff(as_bytes(changed)));
    }
  }
}

TEST(NativeDamage, EveryByteMissingOrInsertedIsReported) {
  std::string file = write_in_rounds(1, kFewThreads);
  std::string original = exact_text(rich_profile(1, kFewThreads), false);
  for (size_t at = 0; at < file.size(); ++at) {
    std::string shorter = file;
    shorter.erase(at, 1);
    expect_honest(shorter, original, fmt::format("without byte {}", at));
    std::string longer = file;
    longer.insert(at, 1, 'x');
    expect_honest(longer, original, fmt::format("one more byte at {}", at));
  }
}

// Written = read + reported as lost, for each event and for the number of samples.
void expect_conserved(const Profile& profile, const Profile& written, std::string_view what) {
  constexpr std::string_view kReason = "lost with damaged parts";
  std::map<uint32_t, Cost> found = sums_by_event(profile);
  uint64_t samples = find_loss(profile, kReason, "samples").count;
  uint64_t expected = 0;
  for (const auto& [event, cost] : sums_by_event(written)) {
    ASSERT_TRUE(profile.events.contains(EventId(event))) << what;
    const Event& row = profile.events[EventId(event)];
    std::string unit(profile.strings[row.unit]);
    std::string kind = fmt::format(
        "weight of {} in {}{}", profile.strings[row.name], row.scale == 100 ? "1/100 " : "", unit);
    uint64_t lost = find_loss(profile, kReason, kind).count;
    EXPECT_EQ(static_cast<uint64_t>(found[event].weight) + lost, static_cast<uint64_t>(cost.weight))
        << what << ": " << kind;
    samples += found[event].count;
    expected += cost.count;
  }
  EXPECT_EQ(samples, expected) << what;
}

TEST(NativeDamage, WeightsAreConservedWhateverChunkIsLost) {
  std::string file = write_in_rounds(3);
  Profile written = rich_profile(3);
  for (const FileChunk& chunk : chunks_of(file)) {
    if (chunk.header.type == kEndType) {
      continue;
    }
    std::string letters = type_letters(chunk.header.type);
    for (size_t at : {chunk.offset + 3, chunk.offset + 30, chunk.offset + kChunkHeaderBytes + 1}) {
      std::string changed = file;
      changed[at] = static_cast<char>(changed[at] ^ 0x10);
      Result<Profile> profile = read(changed);
      ASSERT_TRUE(profile) << profile.error().message;
      expect_conserved(*profile, written, fmt::format("{} byte {}", letters, at));
      EXPECT_EQ(find_loss(*profile, "damaged and skipped").count, 1U) << letters;
      EXPECT_FALSE(has_loss(*profile, "ends early"));
    }
  }
}

TEST(NativeDamage, ACutInsideSamplesOfOneEventStillGivesTheirWeight) {
  ProfileBuilder builder;
  EventId event = builder.event({builder.string("cpu-clock"), builder.string("nanoseconds")});
  for (int i = 0; i < 50; ++i) {
    builder.add_sample({.time_ns = i * i, .weight = 10 + i, .count = 2, .event = event});
  }
  Profile written = builder.finish();
  std::string file = write(written);
  for (const FileChunk& chunk : chunks_of(file)) {
    if (chunk.header.type == type_of(ProfileTable::kSamples)) {
      Result<Profile> profile = read(file.substr(0, chunk.offset + kChunkHeaderBytes + 20));
      ASSERT_TRUE(profile) << profile.error().message;
      EXPECT_EQ(profile->samples.size(), 0U);
      EXPECT_TRUE(has_loss(*profile, "ends early"));
      expect_conserved(*profile, written, "cut");
    }
  }
}

// A short recording whose stacks and names come up over time, in one piece.
TEST(NativeDamage, AFinishedFileKeepsTheSamplesBeforeACut) {
  constexpr int kSamples = 5000;
  ProfileBuilder builder;
  EventId event = builder.event({builder.string("cpu-clock"), builder.string("nanoseconds")});
  for (int i = 0; i < kSamples; ++i) {
    StringId name = builder.string(fmt::format("function_{}", i / 5));
    FrameId frame = builder.frame({.function = builder.function({.name = name})});
    Branch branch = {.edge = builder.edge({.from = frame, .to = frame})};
    builder.add_sample({.time_ns = i,
                        .stack = builder.stack(kEmptyStack, frame),
                        .event = event,
                        .branches = builder.branch_set(std::span(&branch, 1))});
  }
  Profile written = builder.finish();
  std::string file = write(written);
  struct Cut {
    size_t percent;
    size_t least_samples;
  };
  for (const auto& [percent, least_samples] :
       {Cut{50, kSamples / 4}, Cut{70, kSamples / 2}, Cut{90, kSamples * 3 / 4}}) {
    Result<Profile> profile = read(file.substr(0, file.size() * percent / 100));
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_TRUE(has_loss(*profile, "ends early"));
    EXPECT_EQ(find_loss(*profile, "show as [damaged]").count, 0U) << percent;
    EXPECT_GE(profile->samples.size(), least_samples) << percent;
    for (size_t row = 0; row < profile->samples.size(); ++row) {
      Sample sample = profile->samples[row];
      FunctionId function = profile->frames[profile->stacks.frame(sample.stack)].function;
      ASSERT_EQ(profile->strings[profile->functions[function].name],
                fmt::format("function_{}", row / 5));
    }
  }
}

TEST(NativeDamage, WhatPointsIntoLostRowsIsShownAsDamaged) {
  std::string file = write_in_rounds(2);
  for (ProfileTable table : {ProfileTable::kStrings,
                             ProfileTable::kFunctions,
                             ProfileTable::kFrames,
                             ProfileTable::kStacks,
                             ProfileTable::kThreads,
                             ProfileTable::kProcesses,
                             ProfileTable::kEvents,
                             ProfileTable::kModules}) {
    std::vector<FileChunk> chunks = chunks_of(file);
    auto first = std::ranges::find(
        chunks, type_of(table), [](const FileChunk& chunk) { return chunk.header.type; });
    uint32_t rows = first->header.rows;
    std::string changed = file;
    changed[first->offset + kChunkHeaderBytes] ^= 1;
    Result<Profile> profile = read(changed);
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->samples.size(), 16U);
    std::string_view name = info_of(table).name;
    EXPECT_EQ(find_loss(*profile, "lost with damaged parts", name).count, rows) << name;
    EXPECT_GT(find_loss(*profile, "show as [damaged]").count, 0U) << name;
    EXPECT_NE(exact_text(*profile).find("[damaged]"), std::string::npos) << name;
    bool frames_lost = table == ProfileTable::kFrames || table == ProfileTable::kStacks;
    EXPECT_EQ(has_loss(*profile, "samples kept their weight"), frames_lost) << name;
  }
}

TEST(NativeDamage, FramesAboveALostStackAreKept) {
  Profile written = rich_profile();
  std::string bytes;
  Output out = Output::to_text(bytes);
  NativeWriter writer(out);
  ASSERT_TRUE(writer.append(written));
  StackId child = written.stacks.append(StackId(2), FrameId(0));
  written.samples.push_back({.weight = 7, .stack = child});
  ASSERT_TRUE(writer.finish(written));
  for (const FileChunk& chunk : chunks_of(bytes)) {
    if (chunk.header.type == type_of(ProfileTable::kStacks)) {
      bytes[chunk.offset + kChunkHeaderBytes] ^= 1;
      break;
    }
  }
  Result<Profile> profile = read(bytes);
  ASSERT_TRUE(profile) << profile.error().message;
  Sample last = profile->samples[profile->samples.size() - 1];
  EXPECT_EQ(last.weight, 7);
  EXPECT_EQ(profile->stacks.frame(last.stack), FrameId(0));
  StackId parent = profile->stacks.parent(last.stack);
  FunctionId function = profile->frames[profile->stacks.frame(parent)].function;
  EXPECT_EQ(profile->strings[profile->functions[function].name], "[damaged]");
  EXPECT_EQ(profile->stacks.parent(parent), kEmptyStack);
}

TEST(NativeDamage, BytesAfterTheEndAreCounted) {
  std::string file = write(rich_profile());
  Result<Profile> profile = read(file + "garbage");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(exact_text(*profile, false), exact_text(rich_profile(), false));
  EXPECT_EQ(find_loss(*profile, "continues after its end").count, 7U);
}

TEST(NativeDamage, AFileBehindACutFileIsNotMixedIntoIt) {
  std::string cut = write_in_rounds(3);
  cut.resize(cut.size() / 2);
  Result<Profile> alone = read(cut);
  Result<Profile> both = read(cut + write_in_rounds(5));
  ASSERT_TRUE(alone && both);
  EXPECT_EQ(exact_text(*both, false), exact_text(*alone, false));
  EXPECT_GT(find_loss(*both, "another profile begins inside the file").count, 0U);
}

TEST(NativeDamage, ChunksThatStandTwiceAreReadOnce) {
  std::vector<FileChunk> chunks = chunks_of(write(rich_profile(2)));
  std::vector<FileChunk> twice;
  for (const FileChunk& chunk : chunks) {
    twice.insert(twice.end(), chunk.header.type == kEndType ? 1 : 2, chunk);
  }
  Result<Profile> profile = read(file_of(twice));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(exact_text(*profile, false), exact_text(rich_profile(2), false));
  ASSERT_EQ(reader_losses(*profile).size(), 1U);
  Loss loss = find_loss(*profile, "occur twice");
  EXPECT_EQ(loss.count, chunks.size() - 1);
  EXPECT_EQ(loss.severity, LossClass::kNotice);
}

TEST(NativeDamage, AChunkOutOfOrderIsCountedAsLost) {
  std::vector<FileChunk> chunks = chunks_of(write_in_rounds(3));
  std::string original = exact_text(rich_profile(3), false);
  for (size_t i = 1; i + 1 < chunks.size(); ++i) {
    std::vector<FileChunk> swapped = chunks;
    std::swap(swapped[i - 1], swapped[i]);
    std::string file = file_of(swapped);
    expect_honest(file, original, fmt::format("chunk {} early", i));
    expect_conserved(*read(file), rich_profile(3), fmt::format("chunk {} early", i));
  }
}

TEST(NativeDamage, RandomBytesAreRefusedOrReported) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    std::string bytes(random() % 2000, '\0');
    std::ranges::generate(bytes, [&] { return static_cast<char>(random()); });
    EXPECT_FALSE(read(bytes));
    expect_honest(encode_file_header() + bytes, "", "garbage after a header");
  }
}

TEST(NativeDamage, SeveralChangesAtOnceAreReported) {
  std::string file = write_in_rounds(3, kFewThreads);
  std::string original = exact_text(rich_profile(3, kFewThreads), false);
  std::mt19937 random(2);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string changed = file;
    for (size_t change = 0; change <= random() % 8; ++change) {
      size_t at = random() % changed.size();
      size_t size = std::min<size_t>(random() % 100, changed.size() - at);
      if (random() % 2 == 0) {
        changed.replace(at, size, std::string(size, static_cast<char>(random())));
      } else {
        changed.erase(at, size);
      }
    }
    if (changed != file) {
      expect_honest(changed, original, fmt::format("trial {}", trial));
    }
  }
}

}  // namespace
}  // namespace wick::native
