// SPDX-License-Identifier: Apache-2.0
// Messages of OTLP made field by field: versions 1.7 to 1.11, dictionaries that lie, cuts.
#include "formats/otlp/otlp.h"

#include <gtest/gtest.h>

#include "base/protobuf.h"
#include "formats/round_trip_testing.h"
#include "profile/names.h"
#include "profile/validate.h"

namespace wick::otlp {
namespace {

Result<Profile> read_bytes(std::string bytes) {
  Input input = Input::from_text("x.otlp", std::move(bytes));
  return read(input, {});
}

using Numbers = std::vector<uint64_t>;

struct SampleRow {
  uint64_t stack = 0;
  Numbers attributes;
  uint64_t link = 0;
  Numbers values;
  std::vector<int64_t> times;
};

// The numbers of the fields of Sample.
struct Layout {
  uint32_t attributes = 2;
  uint32_t link = 3;
  uint32_t values = 4;
};
constexpr Layout kNewLayout = {};
constexpr Layout kOldLayout = {.attributes = 3, .link = 4, .values = 2};

class TestMessage {
 public:
  explicit TestMessage(Layout layout = kNewLayout) : layout_(layout) {
    for (const char* text : {"",
                             "cpu",
                             "nanoseconds",
                             "main",
                             "work",
                             "inner",
                             "a.c",
                             "/bin/prog",
                             "thread.id",
                             "thread.name",
                             "color",
                             "bytes"}) {
      dictionary.message(5, text);
    }
    for (uint32_t table : {1U, 2U, 3U, 4U, 6U, 7U}) {
      dictionary.message(table, ProtoWriter());
    }
    type(1, 2);
  }

  void type(uint64_t name, uint64_t unit) {
    ProtoWriter row;
    row.number(1, name);
    row.number(2, unit);
    profile.message(1, row);
  }
  void row(uint32_t table, const std::vector<std::pair<uint32_t, uint64_t>>& fields) {
    ProtoWriter out;
    for (auto [field, value] : fields) {
      out.number(field, value);
    }
    dictionary.message(table, out);
  }
  void location(uint64_t mapping, uint64_t address, const std::vector<uint64_t>& functions) {
    ProtoWriter out;
    out.number(1, mapping);
    out.number(2, address);
    for (uint64_t function : functions) {
      ProtoWriter line;
      line.number(1, function);
      line.number(2, 10 + function);
      out.message(3, line);
    }
    dictionary.message(2, out);
  }
  void stack(const Numbers& locations) {
    ProtoWriter out;
    out.numbers(1, locations);
    dictionary.message(7, out);
  }
  void attribute(uint64_t key, const char* text, int64_t number = 0, uint64_t unit = 0) {
    ProtoWriter value;
    if (text != nullptr) {
      value.message(1, text);
    } else {
      value.always_number(3, static_cast<uint64_t>(number));
    }
    ProtoWriter out;
    out.number(1, key);
    out.message(2, value);
    out.number(3, unit);
    dictionary.message(6, out);
  }
  void sample(const SampleRow& row) {
    ProtoWriter out;
    out.number(1, row.stack);
    auto list = [&](uint32_t field, const Numbers& numbers) {
      if (!numbers.empty()) {
        out.numbers(field, numbers);
      }
    };
    list(layout_.attributes, row.attributes);
    out.number(layout_.link, row.link);
    list(layout_.values, row.values);
    std::string times;
    for (int64_t time : row.times) {
      times.append(reinterpret_cast<const char*>(&time), sizeof(time));
    }
    out.text(5, times);
    profile.message(2, out);
  }
  std::string bytes() const {
    ProtoWriter scope;
    scope.message(2, profile);
    ProtoWriter resource;
    resource.message(1, resource_attributes);
    resource.message(2, scope);
    ProtoWriter out;
    out.message(1, resource);
    out.message(2, dictionary);
    return out.bytes();
  }

  ProtoWriter dictionary;
  ProtoWriter profile;
  ProtoWriter resource_attributes;

 private:
  Layout layout_;
};

TestMessage usual_message(Layout layout = kNewLayout) {
  TestMessage message(layout);
  message.row(3, {{1, 3}, {3, 6}, {4, 5}});
  message.row(3, {{1, 4}});
  message.row(3, {{1, 5}});
  message.row(1, {{4, 7}});
  message.location(1, 0x100, {1});
  message.location(1, 0x200, {3, 2});
  message.stack({2, 1});
  message.stack({1});
  message.attribute(8, nullptr, 71);
  message.attribute(9, "worker");
  message.attribute(10, "red");
  return message;
}

TEST(Otlp, ReadsBothLayoutsOfSamples) {
  for (Layout layout : {kNewLayout, kOldLayout}) {
    TestMessage message = usual_message(layout);
    message.sample(
        {.stack = 1, .attributes = {1, 2, 3}, .values = {30, 12}, .times = {1000, 2000}});
    message.sample({.stack = 2, .attributes = {1}, .link = 0, .values = {5}});
    Input input = Input::from_text("x", message.bytes());
    EXPECT_TRUE(sniff(input.head()));
    Profile profile = *read_bytes(message.bytes());
    ASSERT_TRUE(validate(profile));
    EXPECT_EQ(testing::stacks_text(profile), "main 5\nmain;work;inner_[i] 42\n");
    ASSERT_EQ(profile.samples.size(), 3U);
    EXPECT_EQ(profile.samples.time_ns[1], 2000);
    EXPECT_EQ(profile.samples.time_ns[2], kNoTime);
    EXPECT_EQ(thread_name(profile, profile.samples.thread[0]), "worker 71");
    std::vector<LabelId> labels = labels_of(profile, profile.samples.labels[0]);
    ASSERT_EQ(labels.size(), 1U);
    EXPECT_EQ(label_text(profile, profile.labels[labels[0]]), "color=red");
    EXPECT_EQ(profile.events[EventId(0)].kind, Quantity::kCpuTime);
    EXPECT_TRUE(profile.losses.empty());
  }
}

TEST(Otlp, NamesOldAndUndecidedFiles) {
  TestMessage ancient = usual_message();
  ancient.profile.numbers(3, Numbers{1, 2, 3});
  Result<Profile> old = read_bytes(ancient.bytes());
  ASSERT_FALSE(old);
  EXPECT_NE(old.error().message.find("up to 1.7"), std::string::npos);

  TestMessage ambiguous = usual_message();
  ambiguous.sample({.stack = 1, .attributes = {1}, .times = {1000}});
  Result<Profile> undecided = read_bytes(ambiguous.bytes());
  ASSERT_FALSE(undecided);
  EXPECT_NE(undecided.error().message.find("fit both"), std::string::npos);

  // One sample that decides is enough.
  ambiguous.sample({.stack = 1, .values = {1}, .times = {1000}});
  EXPECT_EQ(testing::stacks_text(*read_bytes(ambiguous.bytes())), "main;work;inner_[i] 2\n");

  TestMessage values = usual_message(kOldLayout);
  values.sample({.stack = 1, .values = {700}, .times = {1000}});
  values.sample({.stack = 1, .values = {1}});
  EXPECT_EQ(testing::stacks_text(*read_bytes(values.bytes())), "main;work;inner_[i] 701\n");
}

TEST(Otlp, ResourcesAreProcessesAndLabels) {
  TestMessage message = usual_message();
  auto add = [&](const char* key, const char* text, int64_t number) {
    ProtoWriter value;
    if (text != nullptr) {
      value.message(1, text);
    } else {
      value.always_number(3, static_cast<uint64_t>(number));
    }
    ProtoWriter row;
    row.message(1, key);
    row.message(2, value);
    message.resource_attributes.message(1, row);
  };
  add("process.pid", nullptr, 70);
  add("process.executable.name", "prog", 0);
  add("host.name", "box", 0);
  add("service.name", "shop", 0);
  message.sample({.stack = 2, .values = {1}});
  Profile profile = *read_bytes(message.bytes());
  ThreadId thread = profile.samples.thread[0];
  ASSERT_TRUE(thread.valid());
  EXPECT_EQ(profile.processes[profile.threads[thread].process].pid, 70);
  EXPECT_EQ(source_name(profile, source_of(profile, thread)), "box");
  EXPECT_EQ(label_text(profile, profile.labels[LabelId(0)]), "service.name=shop");
}

TEST(Otlp, ReferencesThatDoNotExistAreCounted) {
  TestMessage message = usual_message();
  message.location(99, 0x300, {77});
  message.stack({3, 55});
  message.sample({.stack = 3, .attributes = {44}, .link = 9, .values = {1}});
  message.sample({.stack = 66, .values = {1}});
  Profile profile = *read_bytes(message.bytes());
  EXPECT_TRUE(validate(profile));
  EXPECT_EQ(profile.samples.size(), 2U);
  ASSERT_EQ(profile.losses.size(), 1U);
  EXPECT_GE(profile.losses[0].count, 5U);
}

TEST(Otlp, StacksThatRepeatALongLocationAreBounded) {
  TestMessage message = usual_message();
  message.location(1, 0x400, std::vector<uint64_t>(4000, 2));
  message.stack(Numbers(4000, 3));
  message.sample({.stack = 3, .values = {1}});
  Profile profile = *read_bytes(message.bytes());
  EXPECT_TRUE(validate(profile));
  EXPECT_EQ(profile.losses.size(), 1U);
}

TEST(Otlp, CutAtEveryByteAndEveryByteChanged) {
  TestMessage message = usual_message();
  message.sample({.stack = 1, .attributes = {1, 2, 3}, .values = {30, 12}, .times = {1000, 2000}});
  std::string bytes = message.bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    Result<Profile> cut = read_bytes(bytes.substr(0, size));
    ASSERT_TRUE(!cut || validate(*cut)) << size;
    EXPECT_TRUE(!cut || !cut->losses.empty() || cut->samples.empty() || size > bytes.size() - 30)
        << size;
  }
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int change : {0x01, 0x07, 0x80, 0xFF}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      Result<Profile> profile = read_bytes(damaged);
      ASSERT_TRUE(!profile || validate(*profile)) << at << " " << change;
    }
  }
}

TEST(Otlp, WritesTheSameBytesAgain) {
  Profile profile = testing::generated_profile(6);
  auto bytes_of = [](const Profile& written) {
    std::string bytes;
    Output out = Output::to_text(bytes);
    EXPECT_TRUE(write(written, {}, out));
    return bytes;
  };
  EXPECT_EQ(bytes_of(profile), bytes_of(profile));
  EXPECT_TRUE(sniff(as_bytes(bytes_of(profile))));
}

}  // namespace
}  // namespace wick::otlp
