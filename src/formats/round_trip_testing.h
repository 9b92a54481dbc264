// SPDX-License-Identifier: Apache-2.0
// Round trips for the tests of formats: a profile, written and read again, must be the same as far
// as the format's row says (Format::retains). The projection is canonical text: one line for each
// set of samples that the format can distinguish, with the sum of their weights.
//
//     testing::expect_round_trip(*find_format("speedscope"), testing::generated_profile(seed));
#pragma once

#include <map>
#include <random>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "formats/formats.h"
#include "profile/builder.h"
#include "profile/names.h"
#include "profile/validate.h"

namespace wick::testing {

// Threads, times, CPUs, labels, inlined and kernel frames, recursion, strange names; whole
// microseconds of CPU time, which all formats can store.
inline Profile generated_profile(uint32_t seed) {
  std::mt19937 random(seed);
  auto pick = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  ProfileBuilder builder;
  EventId event =
      builder.event({.name = builder.string("cpu-clock"), .unit = builder.string("nanoseconds")});
  ModuleId module = builder.module({.path = builder.string("/bin/prog")});
  ProcessId process = builder.process({.pid = 7, .name = builder.string("prog")});
  std::vector<FrameId> frames;
  for (const char* name :
       {"main", "a b", "operator\"\"_x", "f<int>(char const*)", "\xC3\xA9", "g"}) {
    FunctionId function = builder.function({.name = builder.string(name),
                                            .module = module,
                                            .file = builder.string("dir/a.c"),
                                            .line = 1 + pick(99),
                                            .address = 0x1000 + 16 * frames.size()});
    frames.push_back(builder.frame({.function = function,
                                    .module = module,
                                    .address = 0x1004 + 16 * frames.size(),
                                    .line = 1 + pick(99),
                                    .mode = Mode::kUser}));
  }
  for (uint32_t row = 0, rows = 1 + pick(60); row < rows; ++row) {
    StackId stack = kEmptyStack;
    for (uint32_t depth = 1 + pick(12); depth > 0; --depth) {
      stack = builder.stack(stack, frames[pick(static_cast<uint32_t>(frames.size()))]);
    }
    ThreadId thread =
        builder.thread({.tid = 7 + pick(3), .process = process, .name = builder.string("worker")});
    builder.add_sample({.time_ns = int64_t{1'000'000} * row,
                        .weight = int64_t{6000} * (1 + pick(1000)),
                        .count = 1 + pick(3),
                        .stack = stack,
                        .thread = thread,
                        .event = event,
                        .cpu = static_cast<uint16_t>(pick(4))});
  }
  return builder.finish();
}

// The name and weight of each stack, sorted, as folded text has them.
inline std::string stacks_text(const Profile& profile) {
  std::map<std::string, int64_t> weights;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    std::string text;
    StackId at = profile.samples.stack[row];
    for (; at != kEmptyStack; at = profile.stacks.parent(at)) {
      text.insert(0, folded_label(profile, profile.stacks.frame(at)) + (text.empty() ? "" : ";"));
    }
    weights[text] += profile.samples.weight[row];
  }
  std::string lines;
  for (const auto& [text, weight] : weights) {
    lines += fmt::format("{} {}\n", text, weight);
  }
  return lines;
}

inline std::string frame_key(const Profile& profile, FrameId id, PropertySet retained) {
  const Frame& frame = profile.frames[id];
  std::string key = "<" + frame_name(profile, id);
  if (retained.contains(Property::kModules)) {
    key += fmt::format("@{}", module_name(profile, frame.module));
  }
  if (retained.contains(Property::kLines)) {
    key += fmt::format(" {}:{}", profile.strings[line_file(profile, frame)], frame.line);
  }
  if (retained.contains(Property::kAddresses)) {
    key += fmt::format(" {:#x}", frame.address);
  }
  return key;
}

// The weight of each stack and its number of samples, by thread, time and CPU as far as the set has
// them.
using Amounts = std::map<std::string, std::pair<int64_t, uint64_t>>;
inline Amounts projection(const Profile& profile, PropertySet retained) {
  Amounts amounts;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    Sample sample = profile.samples[row];
    std::string key;
    if (retained.contains(Property::kThreads)) {
      key += thread_name(profile, sample.thread) + " ";
    }
    if (retained.contains(Property::kTimes)) {
      key += fmt::format("at {} ", sample.time_ns);
    }
    if (retained.contains(Property::kCpus)) {
      key += fmt::format("cpu {} ", sample.cpu);
    }
    for (LabelId label : labels_of(profile, sample.labels)) {
      bool is_number = profile.labels[label].is_number;
      if (retained.contains(is_number ? Property::kNumberLabels : Property::kLabels)) {
        key += label_text(profile, profile.labels[label]) + " ";
      }
    }
    for (StackId at = sample.stack; at != kEmptyStack; at = profile.stacks.parent(at)) {
      key += frame_key(profile, profile.stacks.frame(at), retained);
    }
    auto& [weight, count] = amounts[key];
    weight += sample.weight;
    count += retained.contains(Property::kCounts) ? sample.count : 0;
  }
  return amounts;
}

inline void expect_round_trip(const Format& format, const Profile& profile) {
  std::string text;
  Output out = Output::to_text(text);
  FlagValues flags;
  flags.declare(format.write_flags);
  for (const Flag& flag : format.write_flags) {
    if (flag.name == "weight") {
      flags.set(flag.name, "period");
    }
  }
  ASSERT_TRUE(format.write_profile(profile, flags, out));
  FlagValues read_flags;
  read_flags.declare(format.read_flags);
  Input input = Input::from_text("written", text);
  ASSERT_TRUE(format.sniff(input.head())) << format.name << ": " << text.substr(0, 200);
  Result<Profile> again = format.read_profile(input, read_flags);
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_TRUE(validate(*again));
  EXPECT_EQ(projection(*again, format.retains), projection(profile, format.retains))
      << format.name << "\n"
      << text.substr(0, 2000);
}

}  // namespace wick::testing
