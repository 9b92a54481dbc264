// SPDX-License-Identifier: Apache-2.0
#include "ends.h"

#include <cerrno>
#include <cstring>

#include <linux/futex.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace echo {

namespace {

// Raises the limit of open files; the default of 1024 is 500 pairs.
void allow_many_files() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void futex(std::atomic<uint32_t>* word, int operation, uint32_t value) {
  static_assert(sizeof *word == sizeof(uint32_t), "the kernel reads the word itself");
  syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

}  // namespace

void SocketEnd::put() const {
  char token = 1;
  while (write(socket_, &token, 1) < 0 && errno == EINTR) {
  }
}

void SocketEnd::take() const {
  char token = 0;
  while (recv(socket_, &token, 1, 0) < 0 && errno == EINTR) {
  }
}

SocketPairs::~SocketPairs() {
  for (SocketEnd& end : ends_) {
    close(end.socket_);
  }
}

Problem SocketPairs::open(int pairs) {
  allow_many_files();
  for (int pair = 0; pair < pairs; ++pair) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
      return "Socket pair " + std::to_string(pair + 1) + " of " + std::to_string(pairs) +
             " could not be made (" + std::strerror(errno) +
             "); ask for fewer --pairs, or raise the limit of open files.";
    }
    for (int socket : sockets) {
      ends_.emplace_back().socket_ = socket;
    }
  }
  return {};
}

void FutexEnd::put() const {
  others_->store(1, std::memory_order_release);
  futex(others_, FUTEX_WAKE, 1);
}

// Calls the kernel even if the token is already there, as the socket does. The exchange, unlike a
// read and a write, cannot lose a token that is put in between.
void FutexEnd::take() const {
  do {
    futex(mine_, FUTEX_WAIT, 0);
  } while (mine_->exchange(0, std::memory_order_acquire) == 0);
}

Problem FutexPairs::open(int pairs) {
  size_t count = 2 * static_cast<size_t>(pairs);
  words_ = std::make_unique<Word[]>(count);
  ends_.resize(count);
  for (size_t task = 0; task < count; ++task) {
    ends_[task].mine_ = &words_[task].token;
    ends_[task].others_ = &words_[task ^ 1].token;
  }
  return {};
}

}  // namespace echo
