// SPDX-License-Identifier: Apache-2.0
// The server's log of every packet: a line to syslog (as in the original, at debug level), to a
// file, or nowhere.
//
// A line is cheap and is written 13 times in each iteration of a client. Its cost is spread over
// strftime, printf and the socket of syslog, none of which is large: only the sum under log_packet
// shows it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace memory_mock {

class PacketLog {
 public:
  enum class Kind { none, file, syslog };

  // Throws a Failure if the file cannot be opened.
  PacketLog(Kind kind, const std::string& file);
  ~PacketLog();
  PacketLog(const PacketLog&) = delete;
  PacketLog& operator=(const PacketLog&) = delete;

  struct Line {
    const char* event;  // "received"
    const char* what;   // "MRd"
    unsigned sequence;
    unsigned tag;
    size_t bytes;
  };
  uint64_t lines() const { return lines_; }

  // Throws a Failure if lines did not reach the file.
  void finish();

 private:
  friend void log_packet(PacketLog& log, const Line& line);

  Kind kind_;
  std::string name_;
  std::FILE* file_ = nullptr;
  uint64_t lines_ = 0;
};

void log_packet(PacketLog& log, const PacketLog::Line& line);

}  // namespace memory_mock
