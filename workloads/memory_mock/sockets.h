// SPDX-License-Identifier: Apache-2.0
// TCP sockets: an owned descriptor, listening, connecting, and reading or writing whole frames.
//
// No call waits forever. Both ends give every socket a time limit, after which the peer counts as
// gone; a signal that requests a stop ends a wait at once.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace memory_mock {

// Set by the server's signal handler.
extern volatile std::sig_atomic_t stop_requested;

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  int get() const { return number_; }

 private:
  int number_;
};

struct Endpoint {
  std::string host;
  int port;
};

// A socket that listens there, backlog 64; port 0 takes any free one. Throws a Failure.
Descriptor listen_at(const Endpoint& endpoint);
int port_of(const Descriptor& socket);

// A connection, or a Descriptor without a socket if no server listens there. Throws a Failure if
// the name has no address.
Descriptor connect_to(const Endpoint& endpoint);

// Disables buffering of small writes, and sets the time limit for a silent peer.
void prepare(const Descriptor& socket, int timeout_ms);

enum class Transfer { done, closed, timed_out, stopped };
Transfer receive_all(int socket, std::span<uint8_t> bytes);
Transfer send_all(int socket, std::span<const uint8_t> bytes);

}  // namespace memory_mock
