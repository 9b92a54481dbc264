// SPDX-License-Identifier: Apache-2.0
#include "memory_mock/packet_log.h"

#include <ctime>

#include <syslog.h>

#include "common/no_inline.h"
#include "memory_mock/failure.h"

namespace memory_mock {
namespace {

constexpr const char* kFormat = "%s %s, sequence %u, tag %u, %zu bytes";

// The same work as syslog does for a line: the time of day in words, then the text.
void print_line(std::FILE* file, const PacketLog::Line& line) {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char time_of_day[32];
  std::strftime(time_of_day, sizeof time_of_day, "%b %e %H:%M:%S ", &parts);
  std::fputs(time_of_day, file);
  std::fprintf(file, kFormat, line.event, line.what, line.sequence, line.tag, line.bytes);
  std::fputc('\n', file);
}

}  // namespace

PacketLog::PacketLog(Kind kind, const std::string& file) : kind_(kind), name_(file) {
  if (kind_ == Kind::syslog) {
    openlog("memory_mock", LOG_NDELAY, LOG_USER);
  }
  if (kind_ == Kind::file) {
    file_ = std::fopen(name_.c_str(), "we");
    if (file_ == nullptr) {
      throw Failure("Cannot write the log file '" + name_ + "': " + why() + ".");
    }
  }
}

PacketLog::~PacketLog() {
  if (file_ != nullptr) {
    std::fclose(file_);
  }
}

void PacketLog::finish() {
  if (file_ != nullptr && (std::fflush(file_) != 0 || std::ferror(file_) != 0)) {
    throw Failure("The log file '" + name_ + "' could not be written to its end.");
  }
}

WORKLOAD_FUNCTION void log_packet(PacketLog& log, const PacketLog::Line& line) {
  if (log.kind_ == PacketLog::Kind::none) {
    return;
  }
  if (log.kind_ == PacketLog::Kind::syslog) {
    syslog(LOG_DEBUG, kFormat, line.event, line.what, line.sequence, line.tag, line.bytes);
  } else {
    print_line(log.file_, line);
  }
  log.lines_ += 1;
}

}  // namespace memory_mock
