// SPDX-License-Identifier: Apache-2.0
// For tests: makes pprof messages, valid or not, and reads and writes profiles in memory.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/protobuf.h"
#include "formats/pprof/pprof.h"
#include "profile/validate.h"

namespace wick::pprof {

class TestMessage {
 public:
  TestMessage() { string(""); }

  uint64_t string(std::string_view text) {
    for (size_t row = 0; row < strings_.size(); ++row) {
      if (strings_[row] == text) {
        return row;
      }
    }
    strings_.emplace_back(text);
    return strings_.size() - 1;
  }
  TestMessage& type(std::string_view name, std::string_view unit, uint32_t field = 1) {
    return row(field, {{1, string(name)}, {2, string(unit)}});
  }
  TestMessage& mapping(uint64_t id,
                       uint64_t start,
                       uint64_t limit,
                       uint64_t offset,
                       std::string_view file,
                       std::string_view build_id = {}) {
    return row(
        3,
        {{1, id}, {2, start}, {3, limit}, {4, offset}, {5, string(file)}, {6, string(build_id)}});
  }
  TestMessage& function(uint64_t id, std::string_view name, std::string_view file = {}) {
    return row(5, {{1, id}, {2, string(name)}, {4, string(file)}, {5, 7}});
  }
  struct Line {
    uint64_t function;
    uint64_t line = 0;
    uint64_t column = 0;
  };
  TestMessage& location(uint64_t id,
                        uint64_t mapping,
                        uint64_t address,
                        const std::vector<Line>& lines = {}) {
    ProtoWriter location;
    location.number(1, id);
    location.number(2, mapping);
    location.number(3, address);
    for (const Line& line : lines) {
      ProtoWriter inner;
      inner.number(1, line.function);
      inner.number(2, line.line);
      inner.number(3, line.column);
      location.message(4, inner);
    }
    message.message(4, location);
    return *this;
  }
  // A function and a location of the same number for each name.
  TestMessage& functions(std::initializer_list<std::string_view> names) {
    uint64_t id = 0;
    for (std::string_view name : names) {
      ++id;
      function(id, name);
      location(id, 0, 0, {{id, id * 10}});
    }
    return *this;
  }
  struct Label {
    std::string_view key;
    std::string_view text = {};
    int64_t number = 0;
    std::string_view unit = {};
  };
  TestMessage& sample(const std::vector<uint64_t>& locations,
                      const std::vector<int64_t>& values,
                      std::initializer_list<Label> labels = {}) {
    ProtoWriter sample;
    sample.numbers(1, locations);
    sample.numbers(2, std::vector<uint64_t>(values.begin(), values.end()));
    for (const Label& label : labels) {
      ProtoWriter inner;
      inner.number(1, string(label.key));
      inner.number(2, string(label.text));
      inner.signed_number(3, label.number);
      inner.number(4, string(label.unit));
      sample.message(3, inner);
    }
    message.message(2, sample);
    return *this;
  }
  TestMessage& row(uint32_t field, std::initializer_list<std::pair<uint32_t, uint64_t>> numbers) {
    ProtoWriter row;
    for (const auto& [number, value] : numbers) {
      row.number(number, value);
    }
    message.message(field, row);
    return *this;
  }
  std::string bytes() const {
    ProtoWriter whole = message;
    for (const std::string& text : strings_) {
      whole.message(6, text);
    }
    return whole.bytes();
  }

  ProtoWriter message;

 private:
  std::vector<std::string> strings_;
};

inline Result<Profile> read_bytes(std::string bytes) {
  Input input = Input::from_text("test.pb", std::move(bytes));
  return read(input, {});
}

// A profile that must be valid.
inline Profile read_valid(const TestMessage& message) {
  Result<Profile> profile = read_bytes(message.bytes());
  EXPECT_TRUE(profile) << profile.error().message;
  Result<> valid = validate(*profile);
  EXPECT_TRUE(valid) << valid.error().message;
  return *std::move(profile);
}

inline std::string write_bytes(const Profile& profile) {
  std::string bytes;
  Output out = Output::to_text(bytes);
  EXPECT_TRUE(write(profile, {}, out));
  EXPECT_TRUE(out.finish());
  return bytes;
}

// The number of things that a loss with this reason counts; 0 if there is none.
inline uint64_t lost(const Profile& profile, std::string_view reason) {
  uint64_t count = 0;
  for (const Loss& loss : profile.losses) {
    bool is_it = profile.strings[loss.reason].find(reason) != std::string_view::npos;
    count += is_it ? std::max<uint64_t>(loss.count, 1) : 0;
  }
  return count;
}

}  // namespace wick::pprof
