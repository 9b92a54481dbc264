// SPDX-License-Identifier: Apache-2.0
// Writes JSON directly, without a tree in memory. The caller closes every bracket that it opens;
// the writer adds commas and escapes text.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/escape.h"
#include "base/output.h"

namespace wick {

class JsonWriter {
 public:
  using Escape = std::string (*)(std::string_view text);
  explicit JsonWriter(Output& out, Escape escape = json_text) : out_(out), escape_(escape) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  void key(std::string_view name) {
    separate();
    quoted(name);
    out_.write(":");
    after_key_ = true;
  }
  void value(std::string_view text) {
    separate();
    quoted(text);
  }
  void value(const char* text) { value(std::string_view(text)); }
  void value(int64_t number) { digits(fmt::format_int(number)); }
  void value(uint64_t number) { digits(fmt::format_int(number)); }
  // JSON has no infinity and no NaN: both become null.
  void value(double number) { raw(std::isfinite(number) ? fmt::format("{}", number) : "null"); }
  void value(bool truth) { raw(truth ? "true" : "false"); }
  // Text that is JSON already, such as a number.
  void raw(std::string_view text) {
    separate();
    out_.write(text);
  }

  template <typename T>
  void field(std::string_view name, const T& number_or_text) {
    key(name);
    value(number_or_text);
  }
  // One value on each line makes large arrays readable and easy to compare.
  void newline() { pending_newline_ = true; }

 private:
  void digits(const fmt::format_int& number) { raw({number.data(), number.size()}); }
  void quoted(std::string_view text) {
    out_.write("\"");
    out_.write(escape_(text));
    out_.write("\"");
  }
  void open(char bracket) {
    separate();
    out_.write({&bracket, 1});
    first_ = true;
  }
  void close(char bracket) {
    if (pending_newline_) {
      out_.write("\n");
      pending_newline_ = false;
    }
    out_.write({&bracket, 1});
    first_ = false;
  }
  void separate() {
    if (after_key_) {
      after_key_ = false;
      return;
    }
    if (!first_) {
      out_.write(",");
    }
    first_ = false;
    if (pending_newline_) {
      out_.write("\n");
      pending_newline_ = false;
    }
  }

  Output& out_;
  Escape escape_;
  bool first_ = true;
  bool after_key_ = false;
  bool pending_newline_ = false;
};

}  // namespace wick
