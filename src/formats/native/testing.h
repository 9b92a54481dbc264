// What the tests of this folder share: a profile with something in every table, an exact
// comparison, and hands to take files apart and put them together again with right checksums. Tests
// only.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "formats/native/layout.h"
#include "formats/native/native.h"
#include "formats/native/tables.h"
#include "formats/native/writer.h"
#include "profile/builder.h"
#include "profile/validate.h"

namespace wick::native {

// `round` makes each second of a recording different: round 0 is a part of round 1, and so on.
inline void record_round(ProfileBuilder& builder, int round) {
  EventId events[] = {
      builder.event({builder.string("cpu-clock"), builder.string("nanoseconds")}),
      builder.event({builder.string("page-faults"), builder.string("faults"), 100})};
  ModuleId module = builder.module({builder.string("/usr/bin/a"), builder.string("00ff17")});
  ProcessId process = builder.process({.pid = 42, .name = builder.string("server")});
  for (int i = 0; i < 7; ++i) {
    int number = round * 7 + i;
    ThreadId thread = builder.thread(
        {.tid = 100 + number, .process = process, .name = builder.string(fmt::format("t{}", i))});
    StackId stack = kEmptyStack;
    for (int depth = 0; depth <= i; ++depth) {
      StringId name = builder.string(fmt::format("function_{}_{}", round, depth));
      FunctionId function =
          builder.function({.name = name,
                            .linkage_name = builder.string("_Z1f"),
                            .module = depth % 2 == 0 ? module : ModuleId(),
                            .file = builder.string("a.cc"),
                            .line = static_cast<uint32_t>(depth),
                            .address = 0xFFFF'8000'0000'0000 + static_cast<uint64_t>(number)});
      FrameId frame = builder.frame({.function = depth == 3 ? FunctionId() : function,
                                     .module = module,
                                     .address = 0x1000U + static_cast<uint64_t>(depth),
                                     .line = static_cast<uint32_t>(depth),
                                     .mode = Mode::kKernel,
                                     .found = Found::kCfi,
                                     .flags = kInlined | kJit});
      stack = builder.stack(stack, frame);
    }
    builder.add_sample({.time_ns = 1'000'000LL * number + i * i,
                        .weight = 1'000'000 + i,
                        .count = static_cast<uint64_t>(1 + i % 2),
                        .stack = stack,
                        .thread = i == 6 ? ThreadId() : thread,
                        .event = events[i % 2],
                        .cpu = i == 5 ? kNoCpu : static_cast<uint16_t>(i),
                        .ending = static_cast<Ending>(i % 11)});
    builder.add_span({number, number + 5, thread, builder.string("off cpu")});
  }
  builder.add_sample({.weight = 3});
  builder.add_mark({round, builder.string("line\xFF of output"), 0.1 * round, round % 2 == 1});
  builder.add_counter({round, builder.string("memory"), builder.string("bytes"), -1.5e300});
  builder.add_loss({.reason = "ring full", .detail = "cpu 3"});
  builder.add_loss({.reason = "clock stepped", .what = "times", .severity = LossClass::kNotice});
  builder.add_fact("host", "example");
  builder.add_fact("round", std::to_string(round));
}

inline Profile rich_profile(int rounds = 1) {
  ProfileBuilder builder;
  for (int round = 0; round < rounds; ++round) {
    record_round(builder, round);
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
inline std::string write_in_rounds(int rounds) {
  std::string bytes;
  Output out = Output::to_text(bytes);
  NativeWriter writer(out);
  for (int round = 1; round < rounds; ++round) {
    EXPECT_TRUE(writer.append(rich_profile(round)));
  }
  EXPECT_TRUE(writer.finish(rich_profile(rounds)));
  return bytes;
}

inline Result<Profile> read(std::string bytes) {
  Input input = Input::from_text("test.wick", std::move(bytes));
  return read(input, {});
}

// Every cell of every table, losses left out on demand.
inline std::string exact_text(const Profile& profile, bool with_losses = true) {
  std::string out;
  auto line = [&](std::string_view table, auto row) {
    out += table;
    visit_columns(row, [&](uint16_t, auto& field) {
      if constexpr (std::is_same_v<std::decay_t<decltype(field)>, StringId>) {
        out += fmt::format(" '{}'", profile.strings[field]);
      } else {
        out += fmt::format(" {}", to_word(field));
      }
    });
    out += '\n';
  };
  auto lines = [&](std::string_view table, const auto& rows) {
    for (const auto& row : rows) {
      line(table, row);
    }
  };
  lines("module", profile.modules);
  lines("function", profile.functions);
  lines("frame", profile.frames);
  for (size_t i = 0; i < profile.stacks.size(); ++i) {
    StackId stack = StackId::from_index(i);
    line("stack", StackRow{profile.stacks.parent(stack), profile.stacks.frame(stack)});
  }
  lines("process", profile.processes);
  lines("thread", profile.threads);
  lines("event", profile.events);
  for (size_t i = 0; i < profile.samples.size(); ++i) {
    line("sample", profile.samples[i]);
  }
  lines("span", profile.spans);
  lines("mark", profile.marks);
  lines("counter", profile.counters);
  lines("fact", profile.facts);
  if (with_losses) {
    lines("loss", profile.losses);
  }
  return out;
}

inline std::string all_strings(const Profile& profile) {
  std::string out;
  for (uint32_t i = 0; i < profile.strings.size(); ++i) {
    out += fmt::format("{}\n", profile.strings[StringId{i}]);
  }
  return out;
}

// The losses that the reader has added to those of the rich profile.
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
// The loss whose reason holds `reason` (and whose kind is `what`), or one that counts 0.
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

// A chunk of a file, taken apart.
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

// Headers get the checksums of what they hold now; sizes stay as they are.
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
