// SPDX-License-Identifier: Apache-2.0
#include "memory_mock/sockets.h"

#include <memory>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "memory_mock/failure.h"

namespace memory_mock {

volatile std::sig_atomic_t stop_requested = 0;

namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses look_up(const Endpoint& endpoint, int flags) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  std::string port = std::to_string(endpoint.port);
  int problem = getaddrinfo(endpoint.host.c_str(), port.c_str(), &wanted, &found);
  if (problem != 0) {
    throw Failure("'" + endpoint.host + "' is not an address: " + gai_strerror(problem) + ".");
  }
  return {found, freeaddrinfo};
}

Descriptor new_socket(const addrinfo& address) {
  Descriptor made(socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (made.get() < 0) {
    throw Failure("No socket could be made: " + why() + ".");
  }
  return made;
}

void set_option(const Descriptor& socket, int level, int option, int value) {
  setsockopt(socket.get(), level, option, &value, sizeof value);
}

// The meaning of a failed send or recv; the callers handle EINTR.
Transfer meaning_of_errno() {
  return errno == EAGAIN || errno == EWOULDBLOCK ? Transfer::timed_out : Transfer::closed;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) {
    close(number_);
  }
}

Descriptor listen_at(const Endpoint& endpoint) {
  Addresses addresses = look_up(endpoint, AI_PASSIVE);
  Descriptor listener = new_socket(*addresses);
  set_option(listener, SOL_SOCKET, SO_REUSEADDR, 1);
  if (addresses->ai_family == AF_INET6) {
    set_option(listener, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  }
  bool bound = bind(listener.get(), addresses->ai_addr, addresses->ai_addrlen) == 0;
  if (!bound || listen(listener.get(), 64) != 0) {
    std::string there = "port " + std::to_string(endpoint.port) + " of " + endpoint.host;
    if (errno == EADDRINUSE) {
      throw Failure("Another program listens on " + there + "; use another --port, or 0 for any.");
    }
    throw Failure("Cannot listen on " + there + ": " + why() + ".");
  }
  return listener;
}

int port_of(const Descriptor& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
  bool is_v6 = address.ss_family == AF_INET6;
  return ntohs(is_v6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                     : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

Descriptor connect_to(const Endpoint& endpoint) {
  Addresses addresses = look_up(endpoint, 0);
  for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
    Descriptor made = new_socket(*address);
    if (connect(made.get(), address->ai_addr, address->ai_addrlen) == 0) {
      return made;
    }
  }
  return Descriptor();
}

void prepare(const Descriptor& socket, int timeout_ms) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  timeval limit{timeout_ms / 1000, timeout_ms % 1000 * 1000};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

Transfer receive_all(int socket, std::span<uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t got = recv(socket, bytes.data(), bytes.size(), MSG_WAITALL);
    if (got == 0) {
      return Transfer::closed;
    }
    if (got > 0) {
      bytes = bytes.subspan(static_cast<size_t>(got));
    } else if (errno != EINTR) {
      return meaning_of_errno();
    }
    if (stop_requested != 0 && !bytes.empty()) {
      return Transfer::stopped;
    }
  }
  return Transfer::done;
}

Transfer send_all(int socket, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(sent));
    } else if (errno != EINTR) {
      return meaning_of_errno();
    }
    if (stop_requested != 0 && !bytes.empty()) {
      return Transfer::stopped;
    }
  }
  return Transfer::done;
}

}  // namespace memory_mock
