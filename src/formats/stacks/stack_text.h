// SPDX-License-Identifier: Apache-2.0
// What the parsers of this folder share: frames as text, and the profile that they build.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/lines.h"
#include "formats/counts.h"
#include "profile/builder.h"

namespace wick::stacks {

struct TextFrame {
  std::string name;  // empty: unknown
  std::string module;
  std::string file;
  uint32_t line = 0;
  uint64_t address = 0;
  Mode mode = Mode::kUnknown;
  uint8_t flags = 0;
};

// "vfs_read+145", "__read (/lib/libc.so.6)", "7f12 read+0x1d (libc.so.6)", "b'read'", "[unknown]".
TextFrame parse_frame(std::string_view text);

struct TextStack {
  std::vector<TextFrame> frames;  // the leaf first
  int64_t pid = -1;
  int64_t tid = -1;
  std::string name;  // of the thread or program
  StackEnd ending = StackEnd::kUnknown;
};

class StackBuilder {
 public:
  // The profile's event for weights; the first call decides unit and kind.
  EventId event(const Event& event) { return builder_.event(event); }
  // False if the sum of weights would be too large; the stack is then counted as lost.
  bool add(const TextStack& stack, EventId event, int64_t weight, uint64_t count);
  void loss(std::string_view reason, std::string_view what, uint64_t line);

  ProfileBuilder& builder() { return builder_; }
  size_t stacks() const { return stacks_; }

 private:
  FrameId frame(const TextFrame& text);

  ProfileBuilder builder_;
  uint64_t total_ = 0;
  size_t stacks_ = 0;
};

class TextParser {
 public:
  virtual ~TextParser() = default;
  virtual void take(const Line& line) = 0;
  // After the last line.
  virtual void finish() = 0;
};

// What the user said about the numbers.
struct UnitChoice {
  CountedUnit unit;
  bool is_given = false;
};

bool is_bpftrace(std::string_view head);
bool is_bcc(std::string_view head);
bool is_backtrace(std::string_view head);
std::unique_ptr<TextParser> bpftrace_parser(StackBuilder& out, UnitChoice unit);
std::unique_ptr<TextParser> bcc_parser(StackBuilder& out, UnitChoice unit);
std::unique_ptr<TextParser> backtrace_parser(StackBuilder& out);

}  // namespace wick::stacks
