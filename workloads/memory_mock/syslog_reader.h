// SPDX-License-Identifier: Apache-2.0
// A reader for the other end of syslog().
//
// syslog() writes to the socket /dev/log. On a machine without a syslog daemon (most containers) it
// formats its line, fails to connect and drops it: a profile of that shows strftime and printf, but
// not the sending, which is the larger half. So the server can start a child process that reads
// /dev/log and counts, if no daemon does. The server's result says which one reads.
#pragma once

#include <cstdint>

#include <sys/types.h>

#include "memory_mock/sockets.h"

namespace memory_mock {

// True if a process reads the messages of syslog().
bool is_syslog_read();

class SyslogReader {
 public:
  // Starts the child; throws a Failure if /dev/log cannot be created.
  SyslogReader();
  // Ends the child and removes /dev/log.
  ~SyslogReader();
  SyslogReader(const SyslogReader&) = delete;
  SyslogReader& operator=(const SyslogReader&) = delete;

  // The number of lines read; all sent lines, once the child has ended.
  uint64_t finish();

 private:
  pid_t child_ = -1;
  Descriptor held_;                     // the child reads until this end of a pipe closes
  volatile uint64_t* lines_ = nullptr;  // shared with the child
};

}  // namespace memory_mock
