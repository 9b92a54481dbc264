// Somebody at the other end of syslog().
//
// syslog() writes to the socket /dev/log. On a machine without a syslog daemon (most containers) it
// formats its line, fails to connect and drops it: a profile of that shows strftime and printf, but
// not the sending, which is the larger half. So the server can start a child process that reads
// /dev/log and counts, as long as no daemon does. Who reads is part of the server's result.
#pragma once

#include <cstdint>

#include <sys/types.h>

#include "memory_mock/sockets.h"

namespace memory_mock {

// True when a process reads what syslog() sends.
bool somebody_reads_syslog();

class SyslogReader {
 public:
  // Starts the child; throws a Failure when /dev/log cannot be made.
  SyslogReader();
  // Ends it and takes /dev/log away.
  ~SyslogReader();
  SyslogReader(const SyslogReader&) = delete;
  SyslogReader& operator=(const SyslogReader&) = delete;

  // Lines read; all that were sent, once the child has ended.
  uint64_t finish();

 private:
  pid_t child_ = -1;
  Descriptor held_;                     // the child reads until this end of a pipe is closed
  volatile uint64_t* lines_ = nullptr;  // shared with the child
};

}  // namespace memory_mock
