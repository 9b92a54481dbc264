// SPDX-License-Identifier: Apache-2.0
// The results of a workload, as JSON on standard output: objects and arrays in the order written.
//
//     Json result;
//     result.field("iterations", 100);
//     result.object("switches", [&](Json& inner) { inner.field("voluntary", 3); });
//     result.print();
#pragma once

#include <cmath>
#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>

namespace workloads {

class Json {
 public:
  template <std::integral Number>
  void field(std::string_view name, Number value) {
    key(name);
    if constexpr (std::same_as<Number, bool>) {
      text_ += value ? "true" : "false";
    } else {
      text_ += std::to_string(value);
    }
  }
  void field(std::string_view name, double value) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, std::isfinite(value) ? "%.6g" : "null", value);
    key(name);
    text_ += buffer;
  }
  void field(std::string_view name, std::string_view value) {
    key(name);
    quote(value);
  }
  void field(std::string_view name, const char* value) { field(name, std::string_view(value)); }

  template <typename Fill>
  void object(std::string_view name, Fill fill) {
    key(name);
    nest('{', '}', fill);
  }
  template <typename Fill>
  void array(std::string_view name, Fill fill) {
    key(name);
    nest('[', ']', fill);
  }
  // Members of an array have no name: field("", 3), object("", ...).

  std::string finished() const { return "{" + text_ + "}"; }
  void print() const {
    std::printf("%s\n", finished().c_str());
    std::fflush(stdout);
  }

 private:
  void key(std::string_view name) {
    if (!text_.empty() && text_.back() != '{' && text_.back() != '[') {
      text_ += ", ";
    }
    if (!name.empty()) {
      quote(name);
      text_ += ": ";
    }
  }
  void quote(std::string_view value) {
    text_ += '"';
    for (char c : value) {
      if (c == '"' || c == '\\') {
        text_ += '\\';
      }
      if (static_cast<unsigned char>(c) < 0x20) {
        char buffer[8];
        std::snprintf(buffer, sizeof buffer, "\\u%04x", static_cast<unsigned>(c));
        text_ += buffer;
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }
  template <typename Fill>
  void nest(char open, char close, Fill fill) {
    text_ += open;
    fill(*this);
    text_ += close;
  }

  std::string text_;
};

}  // namespace workloads
