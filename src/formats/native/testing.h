// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of this folder: a profile with data in every table, an exact comparison, and
// tools to split files into chunks and join them again with valid checksums. Tests only.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "formats/native/layout.h"
#include "formats/native/native.h"
#include "formats/native/rows.h"
#include "formats/native/writer.h"
#include "profile/builder.h"
#include "profile/validate.h"

namespace wick::native {

// The threads of each round. All have a value of their own in some column; three are enough for tests that read a file
// thousands of times.
inline constexpr int kThreads = 7;
inline constexpr int kFewThreads = 3;

// NOLINTBEGIN(readability-function-size): one row of each table
// `round` makes each second of a recording different: round 0 is a part of round 1, and so on.
inline void record_round(ProfileBuilder& builder, int round, int threads) {
  EventId events[] = {
      builder.event({builder.string("cpu-clock"), builder.string("nanoseconds")}),
      builder.event({builder.string("page-faults"), builder.string("faults"), 100})};
  ModuleId module = builder.module({.path = builder.string("/usr/bin/a"),
                                    .build_id = builder.string("00ff17"),
                                    .address_kind = AddressKind::kFileOffset});
  SourceId host = builder.source({.host = builder.string("example"),
                                  .boot_id = builder.string("17-ab"),
                                  .kernel = builder.string("6.1"),
                                  .run = builder.string("before"),
                                  .clock = ClockKind::kMonotonic,
                                  .wall_clock_ns = 1'700'000'000'000'000'000});
  SourceId guest = builder.source({.host = builder.string("guest"), .guest_of = host});
  ProcessId parent = builder.process({.pid = 1, .source = guest});
  ProcessId process = builder.process({.pid = 42,
                                       .name = builder.string("server"),
                                       .source = host,
                                       .parent = parent,
                                       .begin_ns = 5,
                                       .end_ns = 5'000'000,
                                       .command = builder.string("server --port 1"),
                                       .jit_dump = builder.string("/tmp/jit-42.dump")});
  for (int i = 0; i < threads; ++i) {
    int number = round * threads + i;
    ThreadId thread = builder.thread({.tid = 100 + number,
                                      .process = process,
                                      .name = builder.string(fmt::format("t{}", i)),
                                      .begin_ns = number,
                                      .end_ns = number + 100});
    builder.add_thread_name({thread, number + 1, builder.string("renamed")});
    LabelId labels[] = {
        builder.label({.key = builder.string("request"), .text = builder.string("GET /")}),
        builder.label({.key = builder.string("bytes"),
                       .number = -number,
                       .unit = builder.string("bytes"),
                       .is_number = true})};
    LabelSetId label_set = builder.label_set(labels);
    StackId stack = kEmptyStack;
    for (int depth = 0; depth <= i; ++depth) {
      StringId name = builder.string(fmt::format("function_{}_{}", round, depth));
      FunctionId function =
          builder.function({.name = name,
                            .linkage_name = builder.string("_Z1f"),
                            .module = depth % 2 == 0 ? module : ModuleId(),
                            .file = builder.string("a.cc"),
                            .line = static_cast<uint32_t>(depth),
                            .address = 0xFFFF'8000'0000'0000 + static_cast<uint64_t>(number),
                            .flags = kMadeUpName});
      FrameId frame = builder.frame({.function = depth == 3 ? FunctionId() : function,
                                     .module = module,
                                     .address = 0x1000U + static_cast<uint64_t>(depth),
                                     .line = static_cast<uint32_t>(depth),
                                     .mode = Mode::kKernel,
                                     .origin = FrameOrigin::kCfi,
                                     .flags = kInlined | kJit,
                                     .language = Language::kRust,
                                     .file = builder.string("b.inc"),
                                     .column = 17});
      stack = builder.stack(stack, frame);
    }
    EdgeId edge = builder.edge({.from = FrameId(0), .to = FrameId(static_cast<uint32_t>(i % 2))});
    builder.code_block({.begin = FrameId(static_cast<uint32_t>(i % 2)),
                        .end = FrameId(0),
                        .instructions = static_cast<uint32_t>(number + 1),
                        .path = BlockPath::kStraight,
                        .exit = BlockExit::kReturn});
    Branch branches[] = {{edge, 12, kMispredicted}, {edge, 0, kBranchType.put(3)}};
    builder.add_sample({.time_ns = 1'000'000LL * number + i * i,
                        .weight = 1'000'000 + i,
                        .count = static_cast<uint64_t>(1 + i % 2),
                        .stack = stack,
                        .thread = i == 6 ? ThreadId() : thread,
                        .event = events[i % 2],
                        .cpu = i == 5 ? kNoCpu : static_cast<uint16_t>(i),
                        .ending = static_cast<StackEnd>(i % 11),
                        .labels = i == 4 ? kNoLabels : label_set,
                        .branches = i == 3 ? BranchSetId() : builder.branch_set(branches),
                        .group = static_cast<uint32_t>(i / 2)});
    SpanId outer = builder.add_span({number, number + 5, thread, builder.string("off cpu")});
    builder.add_span({.begin_ns = number,
                      .end_ns = number,
                      .kind = SpanKind::kOffCpu,
                      .cpu = 3,
                      .parent = outer,
                      .stack = stack,
                      .waker = thread,
                      .waker_stack = stack,
                      .labels = label_set});
    builder.add_mapping({process, module, 0x1000, 0x9000, 0x200});
  }
  builder.add_sample({.weight = 3});
  builder.add_total_correction({.function = FunctionId(0), .event = events[1], .weight = -round});
  builder.add_mark({round, builder.string("line\xFF of output"), 0.1 * round, round % 2 == 1});
  builder.add_mark({.time_ns = round,
                    .name = builder.string("moment"),
                    .thread = ThreadId(0),
                    .cpu = 1,
                    .kind = builder.string("output"),
                    .labels = LabelSetId(1),
                    .source = host});
  SeriesId memory =
      builder.series({.name = builder.string("memory"), .unit = builder.string("bytes")});
  SeriesId rate = builder.series({.name = builder.string("ipc"),
                                  .kind = SeriesKind::kRate,
                                  .thread = ThreadId(1),
                                  .process = process,
                                  .cpu = 2,
                                  .source = host});
  builder.add_counter({.time_ns = round, .series = memory, .value = -1.5e300});
  builder.add_counter({.time_ns = round, .series = rate, .value = 2, .low = 1, .high = 3});
  LossId loss = builder.add_loss({.reason = "ring full", .detail = "cpu 3"});
  builder.add_loss_moment({.loss = loss,
                           .begin_ns = round,
                           .end_ns = round + 1,
                           .cpu = 3,
                           .thread = ThreadId(0),
                           .count = 1,
                           .source = guest});
  builder.add_loss({.reason = "clock stepped", .what = "times", .severity = LossClass::kNotice});
  builder.add_fact("host", "example");
  builder.add_fact("round", std::to_string(round));
}
// NOLINTEND(readability-function-size)

inline Profile rich_profile(int rounds = 1, int threads = kThreads) {
  ProfileBuilder builder;
  for (int round = 0; round < rounds; ++round) {
    record_round(builder, round, threads);
  }
  return builder.finish();
}

inline std::string write(const Profile& profile) {
  std::string bytes;
  Output out = Output::to_text(bytes);
  EXPECT_TRUE(write(profile, {}, out));
  EXPECT_TRUE(out.finish());
  return bytes;
}

// A file with one flush a round: many chunks of every kind.
inline std::string write_in_rounds(int rounds, int threads = kThreads) {
  std::string bytes;
  Output out = Output::to_text(bytes);
  NativeWriter writer(out);
  for (int round = 1; round < rounds; ++round) {
    EXPECT_TRUE(writer.append(rich_profile(round, threads)));
  }
  EXPECT_TRUE(writer.finish(rich_profile(rounds, threads)));
  return bytes;
}

inline Result<Profile> read(std::string bytes) {
  Input input = Input::from_text("test.wick", std::move(bytes));
  return read(input, {});
}

// Every cell of every table, optionally without losses.
inline std::string exact_text(const Profile& profile, bool with_losses = true) {
  std::string out;
  auto append = std::back_inserter(out);
  auto line = [&](ProfileTable table, const auto& row) {
    out += info_of(table).row_name;
    for_each_column<std::decay_t<decltype(row)>>([&](const auto& column) {
      if constexpr (std::is_same_v<std::decay_t<decltype(column.of(row))>, StringId>) {
        fmt::format_to(append, " '{}'", profile.strings[column.of(row)]);
      } else {
        fmt::format_to(append, " {}", to_word(column.of(row)));
      }
    });
    out += '\n';
  };
  visit_tables(
      [&](ProfileTable table, const auto& rows) {
        for (size_t row = 0; row < rows.size() && (with_losses || table != ProfileTable::kLosses);
             ++row) {
          line(table, row_at(rows, row));
        }
      },
      profile);
  return out;
}

inline std::string all_strings(const Profile& profile) {
  std::string out;
  for (uint32_t i = 0; i < profile.strings.size(); ++i) {
    out += fmt::format("{}\n", profile.strings[StringId{i}]);
  }
  return out;
}

// The losses that the reader added to those of the rich profile.
inline std::vector<Loss> reader_losses(const Profile& profile) {
  std::vector<Loss> losses;
  for (const Loss& loss : profile.losses) {
    std::string_view reason = profile.strings[loss.reason];
    if (reason != "ring full" && reason != "clock stepped") {
      losses.push_back(loss);
    }
  }
  return losses;
}
// The loss whose reason contains `reason` (and whose kind is `what`), or one with count 0.
inline Loss find_loss(const Profile& profile, std::string_view reason, std::string_view what = {}) {
  for (const Loss& loss : reader_losses(profile)) {
    bool reason_fits = profile.strings[loss.reason].find(reason) != std::string_view::npos;
    if (reason_fits && (what.empty() || profile.strings[loss.what] == what)) {
      return loss;
    }
  }
  return {};
}
inline bool has_loss(const Profile& profile, std::string_view reason) {
  return !find_loss(profile, reason).reason.empty();
}

inline std::map<uint32_t, Cost> sums_by_event(const Profile& profile) {
  std::map<uint32_t, Cost> sums;
  for (size_t i = 0; i < profile.samples.size(); ++i) {
    Sample sample = profile.samples[i];
    sums[sample.event.value] += {sample.weight, sample.count};
  }
  return sums;
}

// A chunk of a file and its parts.
struct FileChunk {
  size_t offset = 0;
  ChunkHeader header;
  std::string payload;  // as stored
};

inline std::vector<FileChunk> chunks_of(std::string_view file) {
  std::vector<FileChunk> chunks;
  size_t offset = kFileHeaderBytes;
  while (offset < file.size()) {
    auto header = decode_chunk_header(as_bytes(file.substr(offset)));
    if (!header) {
      ADD_FAILURE() << "no chunk at byte " << offset;
      break;
    }
    std::string payload(file.substr(offset + kChunkHeaderBytes, header->stored_bytes));
    chunks.push_back({offset, *header, payload});
    offset += kChunkHeaderBytes + header->stored_bytes;
  }
  return chunks;
}

// Headers get the checksums of their current content; sizes stay.
inline std::string file_of(const std::vector<FileChunk>& chunks) {
  std::string file = encode_file_header();
  for (const FileChunk& chunk : chunks) {
    ChunkHeader header = chunk.header;
    header.payload_checksum = checksum(as_bytes(chunk.payload));
    file += encode_chunk_header(header);
    file += chunk.payload;
  }
  return file;
}

}  // namespace wick::native
