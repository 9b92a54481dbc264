// SPDX-License-Identifier: Apache-2.0
#include "memory_mock/syslog_reader.h"

#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "memory_mock/failure.h"
#include "memory_mock/sockets.h"

namespace memory_mock {
namespace {

sockaddr_un log_address() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, _PATH_LOG, sizeof _PATH_LOG);
  return address;
}

Descriptor new_log_socket() {
  Descriptor made(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (made.get() < 0) {
    throw Failure("No socket could be made: " + why() + ".");
  }
  return made;
}

// Removes only a socket without a reader: the leftover of a process that was killed.
void remove_dead_socket() {
  struct stat found{};
  if (lstat(_PATH_LOG, &found) == 0 && S_ISSOCK(found.st_mode)) {
    unlink(_PATH_LOG);
  }
}

Descriptor listen_for_lines() {
  remove_dead_socket();
  Descriptor made = new_log_socket();
  sockaddr_un address = log_address();
  if (bind(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw Failure("Cannot stand in for a syslog daemon at " _PATH_LOG ": " + why() +
                  "; run as root or without --syslog-reader.");
  }
  chmod(_PATH_LOG, 0666);
  return made;
}

// Reads until the server has closed its end of the pipe (or has died) and no line is left. Signals
// meant for the server, which often go to both, must not end the reader before the last line.
[[noreturn]] void read_lines(int socket, int pipe, volatile uint64_t& lines) {
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGINT, SIG_IGN);
  prctl(PR_SET_NAME, "memory_mock_log");
  pollfd watched[] = {{socket, POLLIN, 0}, {pipe, POLLIN, 0}};
  while (poll(watched, 2, -1) >= 0) {
    char line[2048];
    if ((watched[0].revents & POLLIN) != 0) {
      lines = lines + (recv(socket, line, sizeof line, 0) >= 0 ? 1 : 0);
    } else if (watched[1].revents != 0) {
      break;
    }
  }
  unlink(_PATH_LOG);
  _exit(0);
}

}  // namespace

bool is_syslog_read() {
  Descriptor probe = new_log_socket();
  sockaddr_un address = log_address();
  return connect(probe.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ||
         errno == EPROTOTYPE;  // a daemon that uses streams
}

SyslogReader::SyslogReader() {
  void* shared =
      mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    throw Failure("No memory could be shared with the reader of syslog: " + why() + ".");
  }
  lines_ = static_cast<volatile uint64_t*>(shared);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw Failure("No pipe to the reader of syslog could be made: " + why() + ".");
  }
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  Descriptor socket = listen_for_lines();
  child_ = fork();
  if (child_ < 0) {
    unlink(_PATH_LOG);
    throw Failure("No process could be started to read syslog: " + why() + ".");
  }
  if (child_ == 0) {
    writing = Descriptor();
    read_lines(socket.get(), reading.get(), *lines_);
  }
  held_ = std::move(writing);
}

SyslogReader::~SyslogReader() {
  finish();
  munmap(const_cast<uint64_t*>(lines_), sizeof(uint64_t));
}

uint64_t SyslogReader::finish() {
  if (child_ > 0) {
    held_ = Descriptor();
    waitpid(child_, nullptr, 0);
    child_ = -1;
  }
  return *lines_;
}

}  // namespace memory_mock
