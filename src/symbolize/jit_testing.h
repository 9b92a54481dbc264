// SPDX-License-Identifier: Apache-2.0
// Writes a jitdump record by record, for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace wick::testing {

template <typename T>
std::string ordered_bytes(T number, bool swapped) {
  std::string bytes(reinterpret_cast<const char*>(&number), sizeof number);
  return swapped ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

// Writes a jitdump in either byte order.
class DumpWriter {
 public:
  explicit DumpWriter(bool swapped = false, uint64_t flags = 0) : swapped_(swapped) {
    bytes_ = u32(0x4A695444) + u32(1) + u32(40) + u32(62) + u32(0) + u32(7) + u64(0) + u64(flags);
  }
  // The time of the following records.
  DumpWriter& time(uint64_t time) {
    time_ = time;
    return *this;
  }
  DumpWriter& load(uint64_t start,
                   uint64_t size,
                   std::string_view name,
                   uint64_t number,
                   std::string code = "") {
    code.resize(size, '\x90');
    return record(0,
                  u32(7) + u32(7) + u64(start) + u64(start) + u64(size) + u64(number) +
                      std::string(name) + '\0' + code);
  }
  DumpWriter& move(uint64_t from, uint64_t to, uint64_t size, uint64_t number) {
    return record(1, u32(7) + u32(7) + u64(to) + u64(from) + u64(to) + u64(size) + u64(number));
  }
  struct Line {
    uint64_t address;
    uint32_t line;
    std::string_view file;
  };
  DumpWriter& lines(uint64_t start, std::initializer_list<Line> lines) {
    std::string body = u64(start) + u64(lines.size());
    for (const Line& line : lines) {
      body += u64(line.address) + u32(line.line) + u32(0) + std::string(line.file) + '\0';
    }
    return record(2, body);
  }
  DumpWriter& record(uint32_t id, const std::string& body) {
    bytes_ += u32(id) + u32(static_cast<uint32_t>(16 + body.size())) + u64(time_) + body;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string u32(uint32_t number) const { return ordered_bytes(number, swapped_); }
  std::string u64(uint64_t number) const { return ordered_bytes(number, swapped_); }

  bool swapped_;
  uint64_t time_ = 99;
  std::string bytes_;
};

}  // namespace wick::testing
